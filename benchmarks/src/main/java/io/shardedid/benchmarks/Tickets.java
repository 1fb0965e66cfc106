package io.shardedid.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import com.zaxxer.hikari.HikariDataSource;

/**
 * Two ticket databases, as Flickr had them: one gives the odd numbers and one the even
 * ones, each by a statement and a transaction of its own; callers take turns.
 */
final class Tickets implements AutoCloseable {

    private static final List<String> TABLES = List.of("ticket_odd", "ticket_even");

    private final AtomicLong turn = new AtomicLong();

    private final List<String> statements;

    private final HikariDataSource connections;

    Tickets(Database database, HikariDataSource connections) throws SQLException {
        this.connections = connections;
        this.statements = TABLES.stream().map((table) -> statement(database, table)).toList();
        try (Connection connection = connections.getConnection(); Statement statement = connection.createStatement()) {
            for (int i = 0; i < TABLES.size(); i++) {
                statement.execute("DROP TABLE IF EXISTS " + TABLES.get(i));
                statement.execute("CREATE TABLE %s (stub CHAR(1) PRIMARY KEY, id BIGINT)".formatted(TABLES.get(i)));
                statement.execute("INSERT INTO %s VALUES ('a', %s)".formatted(TABLES.get(i), i - 1));
            }
        }
    }

    private static String statement(Database database, String table) {
        return switch (database) {
            case H2 -> "SELECT id FROM FINAL TABLE (UPDATE %s SET id = id + 2 WHERE stub = 'a')".formatted(table);
            case POSTGRESQL -> "UPDATE %s SET id = id + 2 WHERE stub = 'a' RETURNING id".formatted(table);
            case MARIADB ->
                "INSERT INTO %s VALUES ('a', 0) ON DUPLICATE KEY UPDATE id = id + 2 RETURNING id".formatted(table);
        };
    }

    long next() {
        int database = (int) (this.turn.getAndIncrement() % TABLES.size());
        try (Connection connection = this.connections.getConnection();
                PreparedStatement statement = connection.prepareStatement(this.statements.get(database));
                ResultSet found = statement.executeQuery()) {
            found.next();
            return found.getLong(1);
        }
        catch (SQLException ex) {
            throw new IllegalStateException("Could not get a ticket: statement=" + this.statements.get(database), ex);
        }
    }

    @Override
    public void close() {
        this.connections.close();
    }

}
