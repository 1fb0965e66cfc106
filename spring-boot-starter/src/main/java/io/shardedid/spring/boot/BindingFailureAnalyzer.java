package io.shardedid.spring.boot;

import java.util.Map;
import java.util.Objects;
import java.util.stream.StreamSupport;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.internal.config.ModuleKeys;
import io.shardedid.internal.config.ShardedIdSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Reports a value that Spring Boot could not bind to a key by what the key wants, and a
 * group of keys that was given a value, as Hibernate alone would report them. It comes
 * before Spring Boot's own analyzer.
 */
@Order(0)
final class BindingFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    private final Environment environment;

    BindingFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        String name = cause.getName().toString();
        // Spring Boot itself names no property where a group was given a value
        ConfigurationProperty property = StreamSupport
            .stream(ConfigurationPropertySources.get(this.environment).spliterator(), false)
            .map((source) -> source.getConfigurationProperty(cause.getName()))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
        if (property == null || ModuleKeys.known(name)) {
            return null;
        }
        try {
            ShardedIdSettings
                .from(Map.of(name, this.environment.resolvePlaceholders(String.valueOf(property.getValue()))));
            return null;
        }
        catch (ShardedIdConfigurationException ex) {
            return new ConfigurationFailureAnalyzer(this.environment).analyze(rootFailure, ex);
        }
    }

}
