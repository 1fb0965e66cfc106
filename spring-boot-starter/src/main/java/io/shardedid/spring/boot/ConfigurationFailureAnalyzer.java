package io.shardedid.spring.boot;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;
import io.shardedid.internal.config.ShardedIdKey;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

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
        Problem problem = cause.problem();
        String origins = problem.keys()
            .stream()
            .map(ShardedIdKey::named)
            .flatMap(Optional::stream)
            .map(this::origin)
            .filter(Objects::nonNull)
            .collect(Collectors.joining("\n"));
        return new FailureAnalysis("ShardedId could not be configured: " + problem.text() + ".",
                action(problem, cause) + (origins.isEmpty() ? "" : " The keys are set here:\n\n" + origins), cause);
    }

    /** The nearest names, all names, or the way out. */
    private static String action(Problem problem, ShardedIdConfigurationException cause) {
        if (!problem.nearest().isEmpty()) {
            return problem.nearest()
                .entrySet()
                .stream()
                .map((wrong) -> "Write '%s' in place of '%s'.".formatted(wrong.getValue(), wrong.getKey()))
                .collect(Collectors.joining(" "));
        }
        if (!problem.known().isEmpty()) {
            return "Remove it, or write one of these:\n\n    " + String.join("\n    ", problem.known());
        }
        String remedy = problem.remedy();
        return (remedy != null) ? StringUtils.capitalize(remedy) + "." : cause.action();
    }

    private static boolean isWithoutUnit(ShardedIdKey key, ConfigurationProperty property) {
        return key.type() == Duration.class && String.valueOf(property.getValue()).matches("\\d+");
    }

    private @Nullable String origin(ShardedIdKey key) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(key.externalName());
        for (var source : ConfigurationPropertySources.get(this.environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return "    %s=%s (%s)%s".formatted(key.externalName(), key.isSecret() ? "******" : property.getValue(),
                        (property.getOrigin() != null) ? property.getOrigin() : source.getUnderlyingSource(),
                        isWithoutUnit(key, property) ? "; a number without a unit is milliseconds" : "");
            }
        }
        return null;
    }

}
