package io.shardedid.sample.laboratory;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * Stops H2 by its exclusive mode: while one connection is in it, the statements of all
 * others wait and no other can connect.
 */
final class H2Stop implements DatabaseStop {

    private final JdbcConnectionDetails database;

    private @Nullable Connection exclusive;

    H2Stop(JdbcConnectionDetails database) {
        this.database = database;
    }

    @Override
    public synchronized void stop() {
        try {
            Connection connection = DriverManager.getConnection(this.database.getJdbcUrl(), this.database.getUsername(),
                    this.database.getPassword());
            this.exclusive = connection;
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET EXCLUSIVE 1");
            }
        }
        catch (SQLException ex) {
            throw new IllegalStateException("Could not stop the database", ex);
        }
    }

    /** The mode ends with its connection. */
    @Override
    public synchronized void resume() {
        Connection connection = this.exclusive;
        this.exclusive = null;
        if (connection != null) {
            try (connection; Statement statement = connection.createStatement()) {
                statement.execute("SET EXCLUSIVE FALSE");
            }
            catch (SQLException ex) {
                throw new IllegalStateException("Could not have the database go on", ex);
            }
        }
    }

}
