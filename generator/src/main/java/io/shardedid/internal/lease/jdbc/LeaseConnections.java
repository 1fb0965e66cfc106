package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * Where the lease thread takes its connections from. It uses one at a time, and none of a
 * caller's: a connection of its own still renews while callers hold all of the pool.
 *
 * @since 0.1
 */
public interface LeaseConnections {

    /**
     * Opens a connection, or borrows one. Called by the lease thread or one that it
     * starts.
     * @param timeout how long it should take at most, as far as the source can bound it.
     * The lease thread waits no longer; it closes what comes late
     * @return the connection
     * @throws SQLException if there is none
     */
    Connection open(Duration timeout) throws SQLException;

    /**
     * Closes a connection of {@link #open}, or gives it back. Called by the lease thread
     * or one that it starts, once.
     * @param connection the connection
     * @throws SQLException if that failed; the connection is given up all the same
     */
    default void close(Connection connection) throws SQLException {
        connection.close();
    }

    /**
     * Ends a connection on which a call hangs, and closes it. The connection of the
     * driver is ended: a pool may lose a place for good when its own one is aborted.
     * @param connection the connection
     * @throws SQLException if that failed; the connection is given up all the same
     */
    default void abort(Connection connection) throws SQLException {
        try {
            LeaseSession.ofDriver(connection).abort(Runnable::run);
        }
        finally {
            close(connection);
        }
    }

    /**
     * Returns whether a connection is one of those that callers hold while they wait for
     * an id. The lease thread then keeps one place in the queue for it, and callers do
     * not wait while it waits.
     * @return true for a connection of the application's pool
     */
    default boolean sharedWithCallers() {
        return false;
    }

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
        return url == null || new DatabaseUrl(url).reach() != DatabaseUrl.Reach.OTHERS;
    }

    /**
     * Returns the JDBC URL by which the lease thread connects, as it was typed: a
     * connection does not show all settings in it.
     * @return the URL, or null if it is not known
     */
    default @Nullable String typedUrl() {
        return null;
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
     * application do: after the first lease, a connection of the application must read
     * it. If it reads another row, or none, no more ids are made.
     * @param application connections of the application
     * @return connections that lead to the same database as these
     */
    default LeaseConnections seenBy(LeaseConnections application) {
        return new LeaseBesideApplication(this, List.of(), new ApplicationView(application));
    }

    /**
     * Returns connections of the lease thread's own, by {@link java.sql.DriverManager},
     * with timeouts for connecting and reading where the database is known by the URL.
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
     * for each time that the lease thread connects, so that a password may change while
     * the process runs.
     * @param url the JDBC URL
     * @param login the user and the password of now; called by the lease thread and those
     * that it starts, perhaps by several at once
     * @return the source
     */
    static LeaseConnections url(String url, Supplier<LeaseLogin> login) {
        return new UrlConnections(url, login);
    }

    /**
     * Returns the connections of a process that may never make an id, and is not told
     * where to lease one.
     * @param refused makes the exception with which opening one fails; called by many
     * threads
     * @return the source
     */
    static LeaseConnections none(Supplier<ShardedIdConfigurationException> refused) {
        return new LeaseConnections() {

            @Override
            public Connection open(Duration timeout) {
                throw refused.get();
            }

            @Override
            public String describe() {
                return "no database";
            }

        };
    }

    /**
     * Returns connections to where a data source leads: by a twin that a pool of HikariCP
     * or Agroal makes of itself each time that the lease thread connects, and from any
     * other data source one connection that is held all the time. The data source must
     * read the first lease.
     * @param dataSource the data source, whose connections all lead to one database
     * @return the source
     */
    static LeaseConnections of(DataSource dataSource) {
        return own(dataSource).seenBy(new HeldConnections(dataSource, false));
    }

    /**
     * Returns connections like {@link #of(DataSource)}, for a data source that nobody has
     * marked as one that leads to one database.
     * @param dataSource the data source
     * @return the source, or empty if the data source may choose among databases, as far
     * as its class tells
     */
    static Optional<LeaseConnections> ofKnown(DataSource dataSource) {
        return (!KnownDataSource.isRouter(dataSource)
                && (PoolTwin.of(dataSource) != null || KnownDataSource.of(dataSource).isPresent()))
                        ? Optional.of(of(dataSource)) : Optional.empty();
    }

    /**
     * Returns connections like {@link #of(DataSource)} without a look by the data source.
     * @param dataSource the data source, whose connections all lead to one database
     * @return the source
     */
    static LeaseConnections own(DataSource dataSource) {
        LeaseConnections twin = PoolTwin.of(dataSource);
        return (twin != null) ? twin : new HeldConnections(dataSource, true);
    }

}
