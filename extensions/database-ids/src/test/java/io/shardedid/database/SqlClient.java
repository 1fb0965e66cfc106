package io.shardedid.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;

/**
 * A client that knows nothing of ids: the database makes them and returns them. It
 * insists that each id, in the standard layout, is larger than all that it committed,
 * whatever became of its connections. Used by one thread.
 */
final class SqlClient extends MixedWriter {

    /**
     * Time and sequence of the last committed id: what stands above and below its shard.
     */
    private long committed;

    /** The same of the last id, which a crash may take back. */
    private long last;

    SqlClient(String url, long seed) {
        super(url, seed);
    }

    @Override
    void insert(Connection connection, long[] users) throws SQLException {
        this.last = this.committed;
        try (PreparedStatement insert = connection
            .prepareStatement("INSERT INTO mixed_row (user_id, by_sql) SELECT user_id, true "
                    + "FROM unnest(?::bigint[]) AS user_id RETURNING id / 8388608 * 32 + id % 32")) {
            insert.setArray(1, connection.createArrayOf("bigint", Arrays.stream(users).boxed().toArray()));
            try (ResultSet made = insert.executeQuery()) {
                while (made.next()) {
                    long cell = made.getLong(1);
                    if (cell <= this.last) {
                        throw new IllegalStateException(
                                "Ids must increase: last=%s, next=%s".formatted(this.last, cell));
                    }
                    this.last = cell;
                }
            }
        }
    }

    @Override
    void committed() {
        this.committed = this.last;
    }

}
