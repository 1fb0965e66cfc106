package io.shardedid.benchmarks;

import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.config.ShardedIdSettings;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;

/**
 * Session factories as a plain application would build them.
 */
final class PersistUnit {

    private PersistUnit() {
    }

    /** Builds one that makes its tables anew. */
    static SessionFactory open(DataSource dataSource, ShardedIdEngine ids, List<Class<?>> entities) {
        return open(dataSource, ids, entities, Map.of("hibernate.hbm2ddl.auto", "create"));
    }

    static SessionFactory open(DataSource dataSource, ShardedIdEngine ids, List<Class<?>> entities,
            Map<String, Object> more) {
        MetadataSources sources = new MetadataSources(
                new StandardServiceRegistryBuilder().applySetting("hibernate.connection.datasource", dataSource)
                    .applySetting("hibernate.jdbc.batch_size", 50)
                    .applySetting(ShardedIdSettings.ENGINE, ids)
                    .applySettings(more)
                    .build());
        entities.forEach(sources::addAnnotatedClass);
        return sources.buildMetadata().buildSessionFactory();
    }

}
