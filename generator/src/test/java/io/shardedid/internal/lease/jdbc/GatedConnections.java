package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.shardedid.TimeSource;
import io.shardedid.testdb.TestDatabase;

/**
 * Connections of a keeper's own that can be taken from it, for a while or, as from a
 * process that was killed, forever. Thread-safe.
 */
final class GatedConnections implements LeaseConnections {

    private final TestDatabase database;

    private final Queue<Connection> opened = new ConcurrentLinkedQueue<>();

    /** How often a connection was asked for. */
    final AtomicInteger places = new AtomicInteger();

    private volatile boolean shut;

    private boolean ofCallers;

    GatedConnections(TestDatabase database) {
        this.database = database;
    }

    /** Like a pool: who asks while it is shut waits. */
    GatedConnections ofCallers() {
        this.ofCallers = true;
        return this;
    }

    /** From here on no statement of the keeper arrives. */
    void shut() throws SQLException {
        this.shut = true;
        for (Connection connection : this.opened) {
            connection.close();
        }
    }

    void open() {
        this.shut = false;
    }

    @Override
    public Connection open(Duration timeout) throws SQLException {
        this.places.incrementAndGet();
        while (this.shut && this.ofCallers) {
            TimeSource.system().park(5_000_000);
        }
        if (this.shut) {
            throw new SQLTransientConnectionException("the gate is shut");
        }
        Connection connection = this.database.connect();
        this.opened.add(connection);
        return connection;
    }

    @Override
    public boolean sharedWithCallers() {
        return this.ofCallers;
    }

    @Override
    public String describe() {
        return "gated";
    }

}
