package io.shardedid.spring.boot;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.config.ShardedIdKey;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Reports a value that Spring Boot could not bind to a key by what the key wants, as
 * Hibernate alone would report it. It comes before Spring Boot's own analyzer.
 */
@Order(0)
final class BindingFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    private final Environment environment;

    BindingFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        ShardedIdKey key = ShardedIdKey.named(cause.getName().toString()).orElse(null);
        ConfigurationProperty property = cause.getProperty();
        if (key == null || property == null) {
            return null;
        }
        try {
            key.read(this.environment.resolvePlaceholders(String.valueOf(property.getValue())));
            return null;
        }
        catch (ShardedIdConfigurationException ex) {
            return new ConfigurationFailureAnalyzer(this.environment).analyze(rootFailure, ex);
        }
    }

}
