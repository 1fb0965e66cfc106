package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Supplier;

/**
 * Connections of the keeper's own, by URL. Parameters in the URL override the timeouts
 * given here.
 */
final class UrlConnections implements LeaseConnections {

    private final String url;

    private final Supplier<LeaseLogin> logins;

    UrlConnections(String url, Supplier<LeaseLogin> logins) {
        this.url = url;
        this.logins = logins;
    }

    @Override
    public Connection open(Duration timeout) throws SQLException {
        DatabaseUrl.requirePrimary(this.url, new Properties());
        LeaseLogin login = login();
        Properties properties = timeouts(this.url, timeout);
        if (login.user() != null) {
            properties.setProperty("user", login.user());
        }
        if (login.password() != null) {
            properties.setProperty("password", login.password());
        }
        return DriverManager.getConnection(this.url, properties);
    }

    private LeaseLogin login() throws SQLException {
        try {
            return Objects.requireNonNull(this.logins.get(), "the login is null");
        }
        catch (RuntimeException ex) {
            throw new SQLTransientException("Could not learn the user and the password for the lease table: " + ex, ex);
        }
    }

    static Properties timeouts(String url, Duration timeout) {
        Properties properties = new Properties();
        switch (LeaseDialect.ofUrl(url).orElse(LeaseDialect.GENERIC)) {
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
            case H2, HSQLDB, GENERIC -> {
                // H2 refuses properties that it does not know, and HSQLDB has none of
                // these; a server of theirs, and any other one, is bounded by the keeper
                // alone.
            }
        }
        return properties;
    }

    @Override
    public String typedUrl() {
        return this.url;
    }

    @Override
    public String describe() {
        return DatabaseUrl.describe(this.url);
    }

}
