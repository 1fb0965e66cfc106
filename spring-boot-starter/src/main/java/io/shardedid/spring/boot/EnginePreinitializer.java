package io.shardedid.spring.boot;

import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import io.shardedid.ShardedIds;
import io.shardedid.hibernate.ShardedIdKey;
import io.shardedid.hibernate.ShardedIdSettings;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/**
 * Starts and closes a small application context with the starter in it and an engine that
 * makes no ids, on Spring Boot's thread for what may load early: so what the starter and
 * the engine use is loaded when the start of the application comes to them. Nothing that
 * the application sets or defines is seen there, and no database is asked.
 */
final class EnginePreinitializer implements BackgroundPreinitializer {

    @Override
    public void preinitialize() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.setEnvironment(new OwnEnvironment());
            context.registerBean(AnnotationConfigApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME, StartsNothing.class,
                    StartsNothing::new);
            context.register(Starter.class);
            context.refresh();
            openAsync(context.getBean(ShardedIdSettings.class), context.getBean(ApplicationLease.class));
        }
    }

    /** As mode {@code lease} does. */
    private static void openAsync(ShardedIdSettings settings, ApplicationLease lease) {
        try (ShardedIds ids = settings.openAsync(lease)) {
            ids.awaitOpen();
            EngineReport.summary(ids, settings);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @ImportAutoConfiguration({ ShardedIdAutoConfiguration.class, ShardedIdJpaAutoConfiguration.class })
    static class Starter {

        @Bean
        DataSource nowhere() {
            return new SimpleDriverDataSource();
        }

        @Bean
        ApplicationLease lease(ObjectProvider<DataSource> dataSources,
                @ShardedIdDataSource ObjectProvider<DataSource> own, Environment environment) {
            return new ApplicationLease(own.getIfAvailable(), dataSources.getIfUnique(), List.of(), environment,
                    List.of());
        }

    }

    /** The log would tell of an engine that is nobody's. */
    private static final class StartsNothing extends DefaultLifecycleProcessor {

        @Override
        public void onRefresh() {
        }

    }

    /** A source and a value of each kind, as the reader of each kind is looked for. */
    private static final class OwnEnvironment extends StandardEnvironment {

        @Override
        protected void customizePropertySources(MutablePropertySources sources) {
            sources.addLast(new SystemEnvironmentPropertySource(SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                    Map.of("SHARDEDID_SHARDS", "2000")));
            sources.addLast(new MapPropertySource("values", Map.of(ShardedIdKey.WORKER_MODE.externalName(), "none",
                    ShardedIdKey.LEASE_INITIALIZE_SCHEMA.externalName(), "never",
                    ShardedIdKey.LEASE_ACQUIRE.externalName(), "startup", ShardedIdKey.LEASE_WINDOW.externalName(),
                    "30s", ShardedIdKey.EPOCH.externalName(), "2025-01-01T00:00:00Z")));
            ConfigurationPropertySources.attach(this);
        }

    }

}
