package io.shardedid.spring.boot;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.config.ShardedIdKey;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Reports a refused configuration, and where the properties that it names were set. It
 * comes before the analyzer of all other refusals.
 */
@Order(0)
final class ConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<ShardedIdConfigurationException> {

    private final Environment environment;

    ConfigurationFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ShardedIdConfigurationException cause) {
        String message = String.valueOf(cause.getMessage());
        String origins = Arrays.stream(ShardedIdKey.values())
            .filter((key) -> names(message, key.externalName()))
            .map(this::origin)
            .filter(Objects::nonNull)
            .collect(Collectors.joining("\n"));
        return new FailureAnalysis("ShardedId could not be configured: " + message + ".",
                origins.isEmpty() ? cause.action() : cause.action() + " The keys are set here:\n\n" + origins, cause);
    }

    /**
     * The list of known keys that ends the refusal of an unknown one is no accusation.
     */
    private static boolean names(String message, String key) {
        int known = message.indexOf("(known: ");
        String accusing = (known < 0) ? message : message.substring(0, known);
        return accusing.contains(key + "=") || accusing.contains("'" + key + "'");
    }

    private @Nullable String origin(ShardedIdKey key) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(key.externalName());
        for (var source : ConfigurationPropertySources.get(this.environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return "    %s=%s (%s)".formatted(key.externalName(), key.isSecret() ? "******" : property.getValue(),
                        (property.getOrigin() != null) ? property.getOrigin() : source.getUnderlyingSource());
            }
        }
        return null;
    }

}
