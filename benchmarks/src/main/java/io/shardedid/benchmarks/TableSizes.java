package io.shardedid.benchmarks;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import javax.sql.DataSource;

/**
 * What a database says about its files.
 */
record TableSizes(Database database, DataSource dataSource) {

    /** The bytes of write-ahead log since ever; 0 where that is not told. */
    long walBytes() throws SQLException {
        return switch (this.database) {
            case H2 -> 0;
            case POSTGRESQL -> (long) number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
            case MARIADB -> (long) number("SELECT variable_value FROM information_schema.global_status "
                    + "WHERE variable_name = 'INNODB_LSN_CURRENT'");
        };
    }

    /** Adds what the tables of some kinds weigh, each of their rows. */
    void addTo(Measurements measured, List<RowKind> kinds, long rows) throws SQLException {
        for (RowKind kind : kinds) {
            String name = "persist %s %s ".formatted(this.database, kind);
            String table = kind.table();
            switch (this.database) {
                case POSTGRESQL -> {
                    measured.add(name + "index bytes a row", number("SELECT pg_relation_size(indexrelid) FROM pg_index "
                            + "WHERE indisprimary AND indrelid = '%s'::regclass".formatted(table)) / rows);
                    measured.add(name + "table and index bytes a row",
                            number("SELECT pg_total_relation_size('%s')".formatted(table)) / rows);
                }
                case MARIADB -> measured.add(name + "table and index bytes a row",
                        number(("SELECT SUM(file_size) FROM information_schema.innodb_sys_tablespaces "
                                + "WHERE name = CONCAT(DATABASE(), '/%s')")
                            .formatted(table)) / rows);
                case H2 -> {
                }
            }
        }
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
