package io.shardedid.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import javax.sql.DataSource;

/**
 * What is read from the rows that were inserted: the newest 50; those of an hour, if the
 * inserts had taken a day; those of one shard. Queries take turns, in an order drawn
 * anew; a round tells the median of the runs of each.
 */
final class Queries {

    private static final int RUNS = 7;

    private static final int SHARD = 11;

    private static final List<RowKind> SHARDED = List.of(RowKind.KEYED, RowKind.KEYLESS, RowKind.ONE_SHARD,
            RowKind.DENSE);

    private final Random random = new Random(1);

    private final Database database;

    private final DataSource dataSource;

    private final Scale scale;

    private final Measurements measured;

    Queries(Database database, DataSource dataSource, Scale scale, Measurements measured) {
        this.database = database;
        this.dataSource = dataSource;
        this.scale = scale;
        this.measured = measured;
    }

    void run() throws SQLException {
        try (Connection connection = this.dataSource.getConnection()) {
            settle(connection);
            List<Query> queries = queries(connection);
            for (int round = -1; round < this.scale.rounds(); round++) {
                Measurements runs = new Measurements();
                for (int run = 0; run < (this.scale.meant() ? RUNS : 1); run++) {
                    Collections.shuffle(queries, this.random);
                    for (Query query : queries) {
                        query.run(connection, runs);
                    }
                }
                if (round >= 0) {
                    runs.names().forEach((name) -> this.measured.add(name, runs.series(name).median()));
                }
            }
        }
    }

    /** What a server does by itself sooner or later. */
    private void settle(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (RowKind kind : RowKind.values()) {
                switch (this.database) {
                    case H2 -> statement.execute("ANALYZE TABLE " + kind.table());
                    case POSTGRESQL -> statement.execute("VACUUM ANALYZE " + kind.table());
                    case MARIADB -> statement.execute("ANALYZE TABLE " + kind.table());
                }
            }
        }
    }

    private List<Query> queries(Connection connection) throws SQLException {
        List<Query> queries = new ArrayList<>();
        for (RowKind kind : RowKind.values()) {
            String newest = (kind == RowKind.UUID4) ? "createdAt" : "id";
            queries.add(query("newest 50", kind, "ORDER BY %s DESC LIMIT 50".formatted(newest)));
        }
        Instant from = slice(connection, 12);
        Instant to = slice(connection, 13);
        for (RowKind kind : SHARDED) {
            queries.add(query("an hour's rows", kind, "WHERE id BETWEEN ? AND ?", kind.layout().firstIdAt(from),
                    kind.layout().firstIdAt(to) - 1));
        }
        queries.add(query("an hour's rows", RowKind.INDEXED, "WHERE createdAt BETWEEN ? AND ?", Timestamp.from(from),
                Timestamp.from(to)));
        for (RowKind kind : List.of(RowKind.KEYED, RowKind.DENSE)) {
            queries.add(query("rows of one shard, by the id", kind, "WHERE %s = ?".formatted(shardOf(kind)), SHARD));
        }
        queries.add(query("rows of one shard, by the key", RowKind.SEQUENCE, "WHERE MOD(userId, 2000) = ?", SHARD));
        return queries;
    }

    private String shardOf(RowKind kind) {
        int shift = kind.layout().workerBits() + ((kind == RowKind.DENSE) ? 0 : kind.layout().sequenceBits());
        long mask = (1L << kind.layout().shardBits()) - 1;
        return (this.database == Database.H2) ? "BITAND(RSHIFT(id, %s), %s)".formatted(shift, mask)
                : "((id >> %s) & %s)".formatted(shift, mask);
    }

    private Query query(String what, RowKind kind, String condition, Object... values) {
        return new Query("read %s %s, %s".formatted(this.database, kind, what),
                "SELECT id, userId, parentId, createdAt, caption FROM %s %s".formatted(kind.table(), condition),
                values);
    }

    /** When an hour of the day began that the inserts stand for. */
    private static Instant slice(Connection connection, int hour) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement
                    .executeQuery("SELECT MIN(createdAt), MAX(createdAt) FROM " + RowKind.INDEXED.table())) {
            found.next();
            Instant first = found.getTimestamp(1).toInstant();
            return first
                .plus(Duration.between(first, found.getTimestamp(2).toInstant()).multipliedBy(hour).dividedBy(24));
        }
    }

    private record Query(String name, String sql, Object... values) {

        void run(Connection connection, Measurements into) throws SQLException {
            int rows = 0;
            long began = System.nanoTime();
            try (PreparedStatement statement = connection.prepareStatement(this.sql)) {
                for (int i = 0; i < this.values.length; i++) {
                    statement.setObject(i + 1, this.values[i]);
                }
                try (ResultSet found = statement.executeQuery()) {
                    while (found.next()) {
                        found.getString("caption");
                        rows++;
                    }
                }
            }
            double micros = (System.nanoTime() - began) / 1000.0;
            into.add(this.name + " (µs)", micros);
            into.add(this.name + " (µs a row)", micros / Math.max(1, rows));
            into.add(this.name + " (rows)", rows);
        }

    }

}
