package io.shardedid.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateJvm;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;

/**
 * A process of an application: its ids are made by the engine under a lease of the same
 * database. Arguments: the JDBC URL, a seed, the number of rows, and whether to go on
 * when a connection breaks. Prints {@code READY}, waits for a line, inserts, prints
 * {@code DONE}.
 */
final class EngineWriter extends MixedWriter {

    private final ShardedIdEngine ids;

    private EngineWriter(String url, long seed, ShardedIdEngine ids) {
        super(url, seed);
        this.ids = ids;
    }

    public static void main(String[] args) throws Exception {
        SeparateJvm.endWithParent();
        try (ShardedIdEngine ids = ShardedIds.builder()
            .shards(MixedRows.SHARDS)
            .workers(JdbcLeases.leased(LeaseSettings.builder().build(), LeaseConnections.url(args[0], "postgres", ""),
                    "shardedid_worker", SchemaInitialization.ALWAYS, List.of()))
            .open()) {
            System.out.println("READY " + ids.stats().worker());
            System.in.read();
            new EngineWriter(args[0], Long.parseLong(args[1]), ids).write(Long.parseLong(args[2]),
                    Boolean.parseBoolean(args[3]), (rows) -> {
                    });
            System.out.println("DONE");
        }
    }

    @Override
    void insert(Connection connection, long[] users) throws SQLException {
        try (PreparedStatement insert = connection
            .prepareStatement("INSERT INTO mixed_row (id, user_id, by_sql) VALUES (?, ?, false)")) {
            for (long user : users) {
                insert.setLong(1, this.ids.nextFor(user));
                insert.setLong(2, user);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

}
