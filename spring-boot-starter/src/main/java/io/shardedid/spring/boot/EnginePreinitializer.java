package io.shardedid.spring.boot;

import java.util.Map;

import io.shardedid.ShardedIds;
import io.shardedid.hibernate.LeaseEnvironment;
import io.shardedid.hibernate.ShardedIdKey;
import io.shardedid.hibernate.ShardedIdSettings;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/**
 * Opens and closes an engine that makes no ids, on Spring Boot's thread for what may load
 * early: so the classes of the starter and of the engine are there when the start of the
 * context comes to them.
 */
final class EnginePreinitializer implements BackgroundPreinitializer {

    @Override
    public void preinitialize() {
        ShardedIdSettings settings = ShardedIdSettings.from(properties().toSettings());
        try (ShardedIds ids = settings.open(LeaseEnvironment.UNKNOWN)) {
            EngineReport.summary(ids, settings);
        }
        // of a data source that leads nowhere and is never asked for a connection
        ApplicationLease.connections(new SimpleDriverDataSource());
    }

    /** Of their own, whatever the application sets. */
    static ShardedIdProperties properties() {
        return new Binder(new MapConfigurationPropertySource(Map.of(ShardedIdKey.WORKER_MODE.externalName(), "none")))
            .bindOrCreate("shardedid", ShardedIdProperties.class);
    }

}
