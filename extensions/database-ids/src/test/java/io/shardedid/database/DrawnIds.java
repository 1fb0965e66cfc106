package io.shardedid.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import io.shardedid.testdb.TestDatabase;

/**
 * Ids that one statement draws, row by row.
 */
final class DrawnIds {

    private DrawnIds() {
    }

    /**
     * Draws ids in the order in which the database makes them.
     * @param call the call of a function
     */
    static List<Long> of(TestDatabase database, String call, int count) throws SQLException {
        try (Connection connection = database.connect()) {
            return of(connection, call, count);
        }
    }

    /** The same in a session, which may hold values of the counter. */
    static List<Long> of(Connection session, String call, int count) throws SQLException {
        try (Statement statement = session.createStatement();
                ResultSet row = statement
                    .executeQuery("SELECT %s FROM generate_series(1, %s)".formatted(call, count))) {
            List<Long> ids = new ArrayList<>();
            while (row.next()) {
                ids.add(row.getLong(1));
            }
            return ids;
        }
    }

}
