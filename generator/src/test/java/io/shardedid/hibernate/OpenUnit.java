package io.shardedid.hibernate;

import java.util.List;
import java.util.function.Consumer;

import io.shardedid.ShardedIdEngine;
import org.hibernate.Session;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A session factory with an engine of 2,000 shards, open while the methods of a test
 * class run.
 */
final class OpenUnit implements BeforeAllCallback, AfterAllCallback {

    private final Class<?>[] entities;

    private ShardedIdEngine ids;

    private TestUnit unit;

    OpenUnit(Class<?>... entities) {
        this.entities = entities;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        this.ids = TestUnit.engine(1);
        try {
            this.unit = TestUnit.with(this.ids, this.entities);
        }
        catch (RuntimeException ex) {
            this.ids.close();
            throw ex;
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (this.unit != null) {
            this.unit.close();
            this.ids.close();
        }
    }

    ShardedIdEngine ids() {
        return this.ids;
    }

    TestUnit unit() {
        return this.unit;
    }

    int shardOf(long id) {
        return this.ids.shardOf(id);
    }

    void persist(Object... persisted) {
        this.unit.persist(persisted);
    }

    <T> T find(Class<T> entity, Object id) {
        return this.unit.fromTransaction((session) -> session.find(entity, id));
    }

    /** Does work in a transaction and tells the first word of each statement. */
    List<String> statements(Consumer<Session> work) {
        this.unit.jdbc.drain();
        this.unit.inTransaction(work);
        return this.unit.jdbc.drain()
            .stream()
            .filter((entry) -> entry.startsWith("execute"))
            .map((entry) -> entry.split(" ")[1])
            .toList();
    }

    /** Persists in a transaction and tells the first word of each statement. */
    List<String> statementsToPersist(Object... persisted) {
        return statements((session) -> List.of(persisted).forEach(session::persist));
    }

}
