package io.shardedid.worker.table;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

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
        return true;
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
        return new LeaseBesideApplication(this, application);
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
        return new UrlConnections(url, user, password);
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
