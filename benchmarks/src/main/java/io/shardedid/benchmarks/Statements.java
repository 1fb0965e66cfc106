package io.shardedid.benchmarks;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Single statements to PostgreSQL.
 *
 * @param connection where they go
 */
record Statements(Connection connection) {

    void execute(String sql) throws SQLException {
        try (Statement statement = this.connection.createStatement()) {
            statement.execute(sql);
        }
    }

    String text(String query) throws SQLException {
        try (Statement statement = this.connection.createStatement(); ResultSet found = statement.executeQuery(query)) {
            found.next();
            return found.getString(1);
        }
    }

    double number(String query) throws SQLException {
        return Double.parseDouble(text(query));
    }

    /** The pages from the root of a B-tree to a leaf. */
    double levels(String index) throws SQLException {
        execute("CREATE EXTENSION IF NOT EXISTS pageinspect");
        return number("SELECT level + 1 FROM bt_metap('%s')".formatted(index));
    }

    /** Executes a query and tells what it did. */
    Explained explain(String query) throws SQLException {
        return Explained.of(text("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) " + query));
    }

}
