package io.shardedid.benchmarks;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

/**
 * What PostgreSQL says about its files.
 */
record PostgresSizes(DataSource dataSource) {

    long walBytes() throws SQLException {
        return (long) number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
    }

    /** The size of a table's primary key, for each of its rows. */
    double indexBytesPerRow(String table) throws SQLException {
        return number("SELECT pg_relation_size(indexrelid)::float8 / (SELECT count(*) FROM %s) FROM pg_index "
            .formatted(table) + "WHERE indisprimary AND indrelid = '%s'::regclass".formatted(table));
    }

    private double number(String query) throws SQLException {
        try (Connection connection = this.dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            found.next();
            return found.getDouble(1);
        }
    }

}
