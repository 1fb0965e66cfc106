package io.shardedid.database;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.shardedid.testdb.TestDatabase;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.resource.jdbc.spi.StatementInspector;

/**
 * A session factory over a test database, which notes the statements it sends.
 */
final class DatabaseUnit implements AutoCloseable {

    final SessionFactory factory;

    final List<String> statements = new CopyOnWriteArrayList<>();

    private DatabaseUnit(TestDatabase database, Map<String, ?> settings, Class<?>... entities) {
        StandardServiceRegistry registry = new StandardServiceRegistryBuilder()
            .applySetting("jakarta.persistence.jdbc.url", database.url())
            .applySetting("jakarta.persistence.jdbc.user", database.user())
            .applySetting("jakarta.persistence.jdbc.password", database.password())
            .applySetting("hibernate.connection.pool_size", 20)
            .applySetting("hibernate.session_factory.statement_inspector", (StatementInspector) (sql) -> {
                this.statements.add(sql);
                return sql;
            })
            .applySettings(Map.copyOf(settings))
            .build();
        try {
            MetadataSources sources = new MetadataSources(registry);
            List.of(entities).forEach(sources::addAnnotatedClass);
            this.factory = sources.buildMetadata().buildSessionFactory();
        }
        catch (RuntimeException ex) {
            StandardServiceRegistryBuilder.destroy(registry);
            throw ex;
        }
        this.statements.clear();
    }

    static DatabaseUnit of(TestDatabase database, Map<String, ?> settings, Class<?>... entities) {
        return new DatabaseUnit(database, settings, entities);
    }

    /** Persists each in the same transaction. */
    void persist(Object... entities) {
        this.factory.inTransaction((session) -> List.of(entities).forEach(session::persist));
    }

    @Override
    public void close() {
        this.factory.close();
    }

}
