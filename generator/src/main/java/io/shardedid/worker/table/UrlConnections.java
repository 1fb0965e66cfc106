package io.shardedid.worker.table;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

import org.jspecify.annotations.Nullable;

/**
 * Connections of the keeper's own, by URL. Parameters in the URL override the timeouts
 * given here.
 */
final class UrlConnections implements LeaseConnections {

    private final String url;

    private final @Nullable String user;

    private final @Nullable String password;

    UrlConnections(String url, @Nullable String user, @Nullable String password) {
        this.url = url;
        this.user = user;
        this.password = password;
    }

    @Override
    public Connection open(Duration timeout) throws SQLException {
        Properties properties = new Properties();
        LeaseDialect.ofUrl(this.url).ifPresent((dialect) -> addTimeouts(properties, dialect, timeout));
        if (this.user != null) {
            properties.setProperty("user", this.user);
        }
        if (this.password != null) {
            properties.setProperty("password", this.password);
        }
        return DriverManager.getConnection(this.url, properties);
    }

    private static void addTimeouts(Properties properties, LeaseDialect dialect, Duration timeout) {
        switch (dialect) {
            case POSTGRESQL -> {
                String seconds = String.valueOf(timeout.plusMillis(999).toSeconds());
                properties.setProperty("connectTimeout", seconds);
                properties.setProperty("loginTimeout", seconds);
                properties.setProperty("socketTimeout", seconds);
                properties.setProperty("ApplicationName", "shardedid-lease");
                // A pooler such as PgBouncer may hand each statement to another server
                // process.
                properties.setProperty("prepareThreshold", "0");
            }
            case MARIADB, MYSQL -> {
                properties.setProperty("connectTimeout", String.valueOf(timeout.toMillis()));
                properties.setProperty("socketTimeout", String.valueOf(timeout.toMillis()));
            }
            case ORACLE -> {
                properties.setProperty("oracle.net.CONNECT_TIMEOUT", String.valueOf(timeout.toMillis()));
                properties.setProperty("oracle.jdbc.ReadTimeout", String.valueOf(timeout.toMillis()));
            }
            case SQLSERVER -> {
                properties.setProperty("loginTimeout", String.valueOf(timeout.plusMillis(999).toSeconds()));
                properties.setProperty("socketTimeout", String.valueOf(timeout.toMillis()));
            }
            case DB2 -> {
                String seconds = String.valueOf(timeout.plusMillis(999).toSeconds());
                properties.setProperty("loginTimeout", seconds);
                properties.setProperty("blockingReadConnectionTimeout", seconds);
            }
            case H2, HSQLDB, GENERIC -> {
                // H2 refuses properties that it does not know, and HSQLDB has none of
                // these; a server of theirs is bounded by the keeper alone.
            }
        }
    }

    String url() {
        return this.url;
    }

    @Override
    public boolean mayBePrivate() {
        return new DatabaseUrl(this.url).mayBePrivate();
    }

    @Override
    public boolean keep() {
        return true;
    }

    @Override
    public String describe() {
        return Credentials.describe(this.url);
    }

    Credentials credentials() {
        return Credentials.of(this.url, this.password);
    }

}
