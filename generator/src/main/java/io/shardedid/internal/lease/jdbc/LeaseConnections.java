package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * Where the keeper of a lease takes its connections from. It uses one at a time, and none
 * of a caller's: a connection of its own still renews while callers hold all of the pool.
 *
 * @since 0.1
 */
public interface LeaseConnections {

    /**
     * Opens a connection, or borrows one. Called by a thread of the keeper.
     * @param timeout how long it should take at most, as far as the source can bound it.
     * The keeper itself waits no longer; it closes what comes late
     * @return the connection
     * @throws SQLException if there is none
     */
    Connection open(Duration timeout) throws SQLException;

    /**
     * Returns whether the keeper holds a connection open between statements, or gives it
     * back after each.
     * @return true for a source that is there for leases alone
     */
    boolean keep();

    /**
     * Describes the source in logs and messages.
     * @return a text without credentials
     */
    String describe();

    /**
     * Returns whether the database may be one that only this process sees, as far as that
     * is known without a connection. Then {@link #beside(List)} needs the databases of
     * the application.
     * @return false if other processes can reach the database for certain
     */
    default boolean mayBePrivate() {
        String url = typedUrl();
        return url == null || new DatabaseUrl(url).mayBePrivate();
    }

    /**
     * Returns the JDBC URL by which the keeper connects, as it was typed: a connection
     * does not show all settings in it.
     * @return the URL, or null if it is not known
     * @since 0.1
     */
    default @Nullable String typedUrl() {
        return null;
    }

    /**
     * Returns what messages about these connections must not show.
     * @return the credentials of the connection that was opened last
     * @since 0.1
     */
    default Credentials credentials() {
        return Credentials.UNKNOWN;
    }

    /**
     * Returns these connections with a check: opening one fails if only this process can
     * see their database while other processes can reach one of the application's
     * databases: each of these processes would take the same worker id.
     * @param application connections to the databases that the rows of the application go
     * to; a connection is opened, and closed, where no URL is known
     * @return connections that lead to the same database as these
     */
    default LeaseConnections beside(List<LeaseConnections> application) {
        return new LeaseBesideApplication(this, application, null);
    }

    /**
     * Returns these connections with a proof that they lead where those of the
     * application do: after the first lease, the application's data source must read it.
     * If it reads another row, or none, the start fails. If that cannot be found out, or
     * the rows also go to other databases, it logs a warning.
     * @param application connections of the data source by which these were found
     * @param several whether rows also go to other databases than that one
     * @return connections that lead to the same database as these
     * @since 0.1
     */
    default LeaseConnections seenBy(LeaseConnections application, boolean several) {
        return new LeaseBesideApplication(this, List.of(), new ApplicationView(application, several));
    }

    /**
     * Returns connections of the keeper's own, by {@link java.sql.DriverManager}, with
     * timeouts for connecting and reading where the database is known by the URL.
     * @param url the JDBC URL
     * @param user the user, or null if the URL names it
     * @param password the password, or null
     * @return the source
     */
    static LeaseConnections url(String url, @Nullable String user, @Nullable String password) {
        LeaseLogin login = new LeaseLogin(user, password);
        return new UrlConnections(url, () -> login);
    }

    /**
     * Returns connections like {@link #url(String, String, String)} whose login is asked
     * for each time that the keeper connects, so that a password may change while the
     * process runs.
     * @param url the JDBC URL
     * @param login the user and the password of now; called by threads of the keeper,
     * perhaps by several at once
     * @return the source
     * @since 0.1
     */
    static LeaseConnections url(String url, Supplier<LeaseLogin> login) {
        return new UrlConnections(url, login);
    }

    /**
     * Returns the properties by which the driver of a URL limits connecting and reading.
     * @param url the JDBC URL
     * @param timeout how long each of them may take
     * @return new properties, empty for a database that is not known
     * @since 0.1
     */
    static Properties timeouts(String url, Duration timeout) {
        return UrlConnections.timeouts(url, timeout);
    }

    /**
     * Returns connections of the keeper's own, from a data source that is meant for it or
     * that opens a new connection on each call. One is held open all the time. Set
     * timeouts for connecting and reading on the driver.
     * @param dataSource the data source; a pool is taken for one of the keeper's own
     * @return the source
     */
    static LeaseConnections own(DataSource dataSource) {
        return new DataSourceConnections(dataSource, true);
    }

    /**
     * Returns connections of the keeper's own to where a pool of HikariCP leads. The pool
     * is asked each time that the keeper connects.
     * @param dataSource the pool, or what unwraps to one
     * @return the source, or empty if the data source leads to no such pool
     * @since 0.1
     */
    static Optional<LeaseConnections> ofPool(DataSource dataSource) {
        try {
            Class.forName("com.zaxxer.hikari.HikariDataSource", false, LeaseConnections.class.getClassLoader());
        }
        catch (ClassNotFoundException ex) {
            return Optional.empty();
        }
        return Optional.ofNullable(PoolConnections.of(dataSource));
    }

    /**
     * Returns connections that are borrowed from the application's pool for each
     * statement. The last resort: while callers that wait for an id hold every connection
     * of the pool, the lease is not renewed. Logged as a warning once.
     * @param dataSource the pool
     * @return the source
     */
    static LeaseConnections borrowed(DataSource dataSource) {
        return new DataSourceConnections(dataSource, false);
    }

}
