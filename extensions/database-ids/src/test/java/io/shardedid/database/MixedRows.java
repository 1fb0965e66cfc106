package io.shardedid.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;

import io.shardedid.IdLayout;
import io.shardedid.IdParts;
import io.shardedid.ShardFunction;
import io.shardedid.testdb.TestDatabase;

/**
 * What stands in the table that SQL clients and processes filled, each row looked at.
 *
 * @param rows how many there are
 * @param distinct how many different ids they have
 * @param bySql how many of them got their id from the database
 * @param wrongShard rows whose id does not carry the shard of their key
 * @param wrongWorker rows whose id has the worker of the other kind of writer
 * @param wrongTime rows whose id has a time outside the run
 */
record MixedRows(long rows, long distinct, long bySql, long wrongShard, long wrongWorker, long wrongTime) {

    static final int SHARDS = 2000;

    /** Rows of SQL clients come without an id; the others have no need of the trigger. */
    static final String TABLE = """
            CREATE TABLE mixed_row (id bigint PRIMARY KEY, user_id bigint NOT NULL, by_sql boolean NOT NULL)""";

    static final String TRIGGER_FUNCTION = """
            CREATE FUNCTION mixed_row_id() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              NEW.id := shardedid_next(shardedid_shard_for(NEW.user_id));
              RETURN NEW;
            END $$""";

    static final String TRIGGER = """
            CREATE TRIGGER mixed_row_id BEFORE INSERT ON mixed_row FOR EACH ROW WHEN (NEW.id IS NULL)
            EXECUTE FUNCTION mixed_row_id()""";

    /** The functions, the table and its trigger. */
    static void prepare(TestDatabase database, IdLayout layout, Duration maxAhead) {
        DatabaseIds ids = new DatabaseIds(layout, SHARDS, ShardFunction.modulo(), maxAhead, Duration.ofSeconds(5));
        database.execute(ids.script(""), TABLE, TRIGGER_FUNCTION, TRIGGER);
    }

    /** Reads all rows. */
    static MixedRows of(TestDatabase database, IdLayout layout, Instant from, Instant to) throws SQLException {
        int reserved = (1 << layout.workerBits()) - 1;
        long[] counts = new long[5];
        try (Connection connection = database.connect(); Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.setFetchSize(10_000);
            try (ResultSet row = statement.executeQuery("SELECT id, user_id, by_sql FROM mixed_row")) {
                while (row.next()) {
                    IdParts parts = layout.parse(row.getLong(1));
                    boolean bySql = row.getBoolean(3);
                    counts[0]++;
                    counts[1] += bySql ? 1 : 0;
                    counts[2] += (parts.shard() == ShardFunction.modulo().shardOf(row.getLong(2), SHARDS)) ? 0 : 1;
                    counts[3] += ((parts.worker() == reserved) == bySql) ? 0 : 1;
                    counts[4] += (parts.instant().isBefore(from) || parts.instant().isAfter(to)) ? 1 : 0;
                }
            }
        }
        long distinct = Long.parseLong(database.query("SELECT count(DISTINCT id) FROM mixed_row"));
        return new MixedRows(counts[0], distinct, counts[1], counts[2], counts[3], counts[4]);
    }

}
