package io.shardedid.benchmarks;

import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIds;
import io.shardedid.hibernate.ShardedIdSettings;
import io.shardedid.worker.WorkerLeases;

import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;

/**
 * Session factories as a plain application would build them.
 */
final class PersistUnit {

    private PersistUnit() {
    }

    static SessionFactory open(DataSource dataSource, ShardedIds ids, List<Class<?>> entities) {
        MetadataSources sources = new MetadataSources(
                new StandardServiceRegistryBuilder().applySetting("hibernate.connection.datasource", dataSource)
                    .applySetting("hibernate.hbm2ddl.auto", "create")
                    .applySetting("hibernate.jdbc.batch_size", 50)
                    .applySetting(ShardedIdSettings.ENGINE, ids)
                    .build());
        entities.forEach(sources::addAnnotatedClass);
        return sources.buildMetadata().buildSessionFactory();
    }

    /** An engine with 256 ids a millisecond and shard. */
    static ShardedIds wideEngine() {
        ShardedIds ids = ShardedIds.builder()
            .layout(IdLayout.wide())
            .maxWait(Duration.ofSeconds(30))
            .workers(WorkerLeases.fixed(1))
            .open();
        ids.next(0);
        return ids;
    }

}
