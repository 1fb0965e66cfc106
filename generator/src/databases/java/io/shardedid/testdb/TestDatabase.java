package io.shardedid.testdb;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * An empty database of its own on a test server.
 *
 * @param url the JDBC URL
 * @param user an administrator
 * @param password the password
 */
public record TestDatabase(String url, String user, String password) {

    /** Opens a connection as the administrator. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(this.url, this.user, this.password);
    }

    /** Executes statements as the administrator, each its own transaction. */
    public void execute(String... statements) {
        try (Connection connection = connect(); Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
        catch (SQLException ex) {
            throw new AssertionError("Could not execute " + String.join("; ", statements), ex);
        }
    }

    /** Returns the first column of the first row, or null if there is no row. */
    public String query(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            return found.next() ? found.getString(1) : null;
        }
        catch (SQLException ex) {
            throw new AssertionError("Could not execute " + sql, ex);
        }
    }

    /** The same database as another user. */
    public TestDatabase as(String otherUser, String otherPassword) {
        return new TestDatabase(this.url, otherUser, otherPassword);
    }

    /** The same database behind another port of this machine. */
    public TestDatabase behind(SwallowingProxy proxy) {
        return new TestDatabase(this.url.replaceFirst("//[^/]*/", "//127.0.0.1:" + proxy.port() + "/"), this.user,
                this.password);
    }

}
