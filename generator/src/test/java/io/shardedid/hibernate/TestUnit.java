package io.shardedid.hibernate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.config.ShardedIdSettings;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.BootstrapServiceRegistryBuilder;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;

/**
 * A real session factory over a database of its own. Uses only what Hibernate 6.6 to 8.0
 * have in common.
 */
final class TestUnit implements AutoCloseable {

    final UnitDatabase database;

    final JdbcLog jdbc;

    final SessionFactory factory;

    private TestUnit(UnitDatabase database, ClassLoader loader, Map<String, Object> settings,
            Consumer<MetadataSources> mapping) {
        this.database = database;
        this.jdbc = new JdbcLog(database, !settings.containsKey("hibernate.connection.provider_disables_autocommit"));
        StandardServiceRegistry registry = new StandardServiceRegistryBuilder(
                new BootstrapServiceRegistryBuilder().applyClassLoader(loader).build())
            .applySetting("hibernate.connection.datasource", this.jdbc.dataSource())
            .applySetting("hibernate.hbm2ddl.auto", "create")
            .applySettings(settings)
            .build();
        try {
            MetadataSources sources = new MetadataSources(registry);
            mapping.accept(sources);
            this.factory = sources.buildMetadata().buildSessionFactory();
        }
        catch (RuntimeException ex) {
            StandardServiceRegistryBuilder.destroy(registry);
            closeDatabase();
            throw ex;
        }
        this.jdbc.drain();
    }

    /** A unit that is handed a ready engine. */
    static TestUnit with(ShardedIdEngine ids, Class<?>... entities) {
        return of(Map.of(ShardedIdSettings.ENGINE, ids), entities);
    }

    static TestUnit of(Map<String, ?> settings, Class<?>... entities) {
        return in(UnitDatabase.fresh(), settings, entities);
    }

    /** A unit over tables that may be there already. */
    static TestUnit in(UnitDatabase database, Map<String, ?> settings, Class<?>... entities) {
        return new TestUnit(database, TestUnit.class.getClassLoader(), new LinkedHashMap<>(settings),
                (sources) -> List.of(entities).forEach(sources::addAnnotatedClass));
    }

    /** A unit with other sources of its mapping than classes alone. */
    static TestUnit mapped(Map<String, ?> settings, Consumer<MetadataSources> mapping) {
        return new TestUnit(UnitDatabase.fresh(), TestUnit.class.getClassLoader(), new LinkedHashMap<>(settings),
                mapping);
    }

    static TestUnit loadedBy(ClassLoader loader, ShardedIdEngine ids, Class<?>... entities) {
        return loadedBy(loader, Map.of(ShardedIdSettings.ENGINE, ids), entities);
    }

    /** A unit whose entities come from a class loader of their own. */
    static TestUnit loadedBy(ClassLoader loader, Map<String, ?> settings, Class<?>... entities) {
        return new TestUnit(UnitDatabase.fresh(), loader, new LinkedHashMap<>(settings),
                (sources) -> List.of(entities).forEach(sources::addAnnotatedClass));
    }

    /** An engine whose waits take no time. */
    static ShardedIdEngine engine(int worker) {
        return ShardedIds.builder().workers(WorkerLeases.fixed(worker)).timeSource(new SkippingTime()).open();
    }

    void inTransaction(Consumer<Session> work) {
        this.factory.inTransaction(work::accept);
    }

    <T> T fromTransaction(Function<Session, T> work) {
        return this.factory.fromTransaction(work::apply);
    }

    /** Persists entities in one transaction. */
    void persist(Object... entities) {
        inTransaction((session) -> List.of(entities).forEach(session::persist));
    }

    @Override
    public void close() {
        this.factory.close();
        closeDatabase();
    }

    private void closeDatabase() {
        this.jdbc.close();
        this.database.drop();
    }

}
