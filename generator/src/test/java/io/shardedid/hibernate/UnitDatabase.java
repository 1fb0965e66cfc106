package io.shardedid.hibernate;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.UUID;

/**
 * An empty database, or schema, of its own on the database that this run is about: system
 * property {@code shardedid.test.database} is {@code h2}, {@code postgresql},
 * {@code mariadb} or {@code mysql}. Servers are found by name, so that a class path
 * without them can run everything on H2.
 */
record UnitDatabase(String url, String user, String password) {

    /** H2, PostgreSQL, MariaDB or MySQL. */
    static final Kind KIND = Kind.valueOf(System.getProperty("shardedid.test.database", "h2").toUpperCase(Locale.ROOT));

    enum Kind {

        H2, POSTGRESQL, MARIADB, MYSQL;

        /** Whether a counter is {@code AUTO_INCREMENT}, which goes on above all ids. */
        boolean isAutoIncrement() {
            return this == MARIADB || this == MYSQL;
        }

    }

    static UnitDatabase fresh() {
        String name = "t" + UUID.randomUUID().toString().replace("-", "");
        if (KIND == Kind.H2) {
            return new UnitDatabase("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1", "sa", "");
        }
        UnitDatabase first = Server.FIRST;
        if (KIND == Kind.POSTGRESQL) {
            first.execute("CREATE SCHEMA " + name);
            return first.at(first.url + "?currentSchema=" + name);
        }
        first.execute("CREATE DATABASE " + name);
        return first.at(first.url.replaceFirst("[^/]*$", name));
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(this.url, this.user, this.password);
    }

    /** Executes statements, each its own transaction. */
    void execute(String... statements) {
        try (Connection connection = connect(); Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
        catch (SQLException ex) {
            throw new IllegalStateException("Could not execute " + String.join("; ", statements), ex);
        }
    }

    /** Frees the memory of an H2 database; a server ends with this process. */
    void drop() {
        if (this.url.startsWith("jdbc:h2:")) {
            execute("SHUTDOWN");
        }
    }

    private UnitDatabase at(String otherUrl) {
        return new UnitDatabase(otherUrl, this.user, this.password);
    }

    private static final class Server {

        static final UnitDatabase FIRST = start();

        private static UnitDatabase start() {
            try {
                Object server = Class.forName("io.shardedid.testdb.TestServer")
                    .getMethod("valueOf", String.class)
                    .invoke(null, KIND.name());
                Class<?> type = Class.forName("io.shardedid.testdb.TestServer");
                Object database = type.getMethod("freshDatabase").invoke(server);
                return new UnitDatabase(text(database, "url"), text(database, "user"), text(database, "password"));
            }
            catch (ReflectiveOperationException ex) {
                throw new IllegalStateException("Could not start " + KIND, ex);
            }
        }

        private static String text(Object database, String component) throws ReflectiveOperationException {
            return (String) database.getClass().getMethod(component).invoke(database);
        }

    }

}
