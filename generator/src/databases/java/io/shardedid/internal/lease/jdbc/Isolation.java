package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;

/** The isolation levels that an application's connections may have. */
public enum Isolation {

    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED), REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    private final int level;

    Isolation(int level) {
        this.level = level;
    }

    public int level() {
        return this.level;
    }

}
