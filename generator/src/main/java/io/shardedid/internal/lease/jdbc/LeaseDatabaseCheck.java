package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a database in which a lease proves nothing: one that loses what it acknowledged
 * when a process is killed, or one that the other writers of the same rows do not see.
 */
final class LeaseDatabaseCheck {

    private static final System.Logger LOG = System.getLogger(LeaseDatabaseCheck.class.getName());

    private static final String REMEDY = "append ';WRITE_DELAY=0' to the URL of that database, which is "
            + "'shardedid.worker.lease.url' or the URL of the data source";

    private static final String UNKNOWN = "unknown";

    private final LeaseConnections lease;

    private final List<LeaseConnections> application;

    private final boolean tolerateLostCommits;

    /** A start that tries again says each thing once. */
    private final Set<String> warned = new HashSet<>();

    LeaseDatabaseCheck(LeaseConnections connections, boolean tolerateLostCommits) {
        this.tolerateLostCommits = tolerateLostCommits;
        LeaseBesideApplication all = (connections instanceof LeaseBesideApplication beside) ? beside
                : new LeaseBesideApplication(connections, List.of(), null);
        this.lease = all.lease();
        this.application = all.application();
    }

    /**
     * Checks the database of an open session.
     * @param timeout how long a connection to a database of the application may take
     * @throws ShardedIdConfigurationException if no lease may be taken there
     * @throws WorkerLeaseException if that could not be found out
     */
    void check(LeaseSession session, Duration timeout) throws SQLException {
        Connection connection = session.connection();
        DatabaseUrl seen = seen(connection);
        DatabaseUrl typed = knownUrl(this.lease);
        switch (session.sql().dialect()) {
            case H2 -> checkFile(connection, seen, typed);
            case HSQLDB -> checkHsqldb(connection, seen, typed);
            case MARIADB, MYSQL -> {
                checkReplicated(connection);
                checkInnoDb(connection);
            }
            case POSTGRESQL -> {
                // what it needs is checked with the table
            }
            case GENERIC -> warn(
                    "No test runs the lease table on this database: database={0} {1}. Its statements are those of the "
                            + "SQL standard; keep the leases in a tested database, by ''shardedid.worker.lease.url''",
                    connection.getMetaData().getDatabaseProductName(),
                    connection.getMetaData().getDatabaseProductVersion());
        }
        if (DatabaseUrl.isPrivate(typed, seen)) {
            for (LeaseConnections each : this.application) {
                checkBeside(each, timeout);
            }
        }
    }

    /**
     * The driver does not show the settings of a URL, and a URL does not show what
     * another session has set since.
     */
    private void checkFile(Connection connection, DatabaseUrl seen, @Nullable DatabaseUrl typed) throws SQLException {
        if (!file(connection)) {
            return;
        }
        String shown = first(connection,
                "SELECT SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS WHERE SETTING_NAME = 'WRITE_DELAY'");
        String delay = (shown != null) ? shown : UNKNOWN;
        boolean told = typed != null && typed.has("WRITE_DELAY=0");
        if (delay.equals("0") && (told || typed == null) || delay.equals(UNKNOWN) && told) {
            return;
        }
        String remedy = told ? "execute 'SET WRITE_DELAY 0', and let no other session set it" : REMEDY;
        if (typed != null && DatabaseUrl.isPrivate(typed, seen)) {
            warn("The lease table is in an H2 file that is written late: connection={0}, WRITE_DELAY={1}. When this "
                    + "process is killed, its last leases are lost together with its last rows, and ids that "
                    + "left the process before may be made again; {2}", this.lease.describe(), delay, remedy);
            return;
        }
        throw new ShardedIdConfigurationException(
                ("Could not use the lease table: connection=%s, WRITE_DELAY=%s (H2 writes its file late, so a "
                        + "process that is killed loses leases that others rely on, and more than one process may open "
                        + "this file%s)")
                    .formatted(this.lease.describe(), delay,
                            (typed == null && seen.isPrivate()) ? ", as far as can be seen through a data source" : ""),
                remedy);
    }

    /**
     * HSQLDB writes late unless it is told otherwise, also behind a server. It shows the
     * setting to administrators only; from anybody else the URL has to say it.
     */
    private void checkHsqldb(Connection connection, DatabaseUrl seen, @Nullable DatabaseUrl typed) throws SQLException {
        if (seen.text().startsWith("jdbc:hsqldb:mem:")) {
            return;
        }
        String logged = hsqldb(connection, "hsqldb.log_data");
        if ("false".equals(logged) || logged == null && says(seen, typed, "hsqldb.log_data=false")) {
            throw new ShardedIdConfigurationException(
                    ("Could not use the lease table: connection=%s, hsqldb.log_data=false (HSQLDB writes no log "
                            + "of its changes then, and a database that is killed loses leases that were acknowledged)")
                        .formatted(this.lease.describe()),
                    "let an administrator execute 'SET FILES LOG TRUE' once, and remove ';hsqldb.log_data=false' "
                            + "from the URL or the path by which the database is opened");
        }
        String shown = hsqldb(connection, "hsqldb.write_delay");
        if (!"false".equals(shown) && !(shown == null && says(seen, typed, "hsqldb.write_delay=false"))) {
            throw new ShardedIdConfigurationException(
                    ("Could not use the lease table: connection=%s, hsqldb.write_delay=%s (HSQLDB writes its file "
                            + "late then, and a database that is killed loses leases that were acknowledged)")
                        .formatted(this.lease.describe(),
                                (shown != null) ? shown
                                        : "not shown to '" + connection.getMetaData().getUserName() + "'"),
                    "let an administrator execute 'SET FILES WRITE DELAY FALSE' once, or append "
                            + "';hsqldb.write_delay=false' to the URL or the path by which the database is opened");
        }
    }

    private static boolean says(DatabaseUrl seen, @Nullable DatabaseUrl typed, String setting) {
        return seen.has(setting) || typed != null && typed.has(setting);
    }

    private static @Nullable String hsqldb(Connection connection, String property) throws SQLException {
        return first(connection, "SELECT PROPERTY_VALUE FROM INFORMATION_SCHEMA.SYSTEM_PROPERTIES "
                + "WHERE PROPERTY_NAME = '" + property + "'");
    }

    /**
     * A server that takes over has no lease that the session keeps from it, however long
     * ago it was acknowledged, which no mode expects. A server without a log of changes
     * has no replica.
     */
    private void checkReplicated(Connection connection) throws SQLException {
        String kept = "1".equals(shown(connection, "SELECT @@log_bin AND NOT @@sql_log_bin")) ? "sql_log_bin"
                : "1".equals(shown(connection, "SELECT NOT @@wsrep_on AND @@wsrep_provider NOT IN ('none', '')"))
                        ? "wsrep_on" : null;
        if (kept != null) {
            throw new ShardedIdConfigurationException(
                    ("Could not use the lease table: connection=%s, %s=OFF (the server hides the writes of such a "
                            + "session from all replicas and nodes, so a server that takes over has none of these leases)")
                        .formatted(this.lease.describe(), kept),
                    "remove the statement that sets it from the URL, the pool or the account");
        }
    }

    /** Processes that tolerate lost commits have no use for a log that keeps all. */
    private void checkInnoDb(Connection connection) throws SQLException {
        String flushed = this.tolerateLostCommits ? null : shown(connection, "SELECT @@innodb_flush_log_at_trx_commit");
        if ("0".equals(flushed)) {
            throw new ShardedIdConfigurationException(
                    ("Could not use the lease table: connection=%s, innodb_flush_log_at_trx_commit=0 (the server "
                            + "writes its log once a second then, and a server that is killed loses leases that were "
                            + "acknowledged)")
                        .formatted(this.lease.describe()),
                    "write 'innodb_flush_log_at_trx_commit = 1' into the section [mysqld] of its configuration "
                            + "and execute 'SET GLOBAL innodb_flush_log_at_trx_commit = 1', or set "
                            + "'shardedid.worker.lease.tolerate-lost-commits=true' in all processes");
        }
        if ("2".equals(flushed)) {
            warn("The server of the lease table leaves its log to the operating system: connection={0}, "
                    + "innodb_flush_log_at_trx_commit=2. When its machine crashes or loses power, leases that "
                    + "were acknowledged are lost, and ids may be made again; write "
                    + "''innodb_flush_log_at_trx_commit = 1'' into the section [mysqld] of its configuration",
                    this.lease.describe());
        }
    }

    private void warn(String form, Object... values) {
        if (this.warned.add(form)) {
            LOG.log(System.Logger.Level.WARNING, form, values);
        }
    }

    private static boolean file(Connection connection) throws SQLException {
        String path = first(connection, "SELECT DATABASE_PATH()");
        return path != null && Stream.of("memfs:", "memlzf:", "niomemfs:", "niomemlzf:")
            .noneMatch(path.toLowerCase(Locale.ROOT)::startsWith);
    }

    /** Returns a setting, or null if the server does not show it to this account. */
    private static @Nullable String shown(Connection connection, String query) throws SQLException {
        try {
            return first(connection, query);
        }
        catch (SQLException ex) {
            if (DriverFailure.isTransient(ex)) {
                throw ex;
            }
            LOG.log(System.Logger.Level.DEBUG, "A setting of the lease table''s server is not shown: {0} ({1})", query,
                    LeaseTableSetup.oneLine(ex));
            return null;
        }
    }

    static @Nullable String first(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet found = statement.executeQuery(query)) {
            return found.next() ? found.getString(1) : null;
        }
    }

    private void checkBeside(LeaseConnections rows, Duration timeout) {
        if (!isPrivate(rows, timeout)) {
            throw new ShardedIdConfigurationException(
                    ("Could not use the lease table: connection=%s, application's database=%s (only this process "
                            + "sees the lease table, so every other process that writes to the application's database "
                            + "would take the same worker id)")
                        .formatted(this.lease.describe(), rows.describe()),
                    "remove 'shardedid.worker.lease.url', or let it or the marked data source lead to a database "
                            + "that all of these processes share");
        }
    }

    private static boolean isPrivate(LeaseConnections rows, Duration timeout) {
        DatabaseUrl typed = knownUrl(rows);
        if (typed != null && typed.reach() != DatabaseUrl.Reach.UNKNOWN) {
            return typed.isPrivate();
        }
        try {
            Connection connection = rows.open(timeout);
            try {
                return DatabaseUrl.isPrivate(typed, seen(connection));
            }
            finally {
                rows.close(connection);
            }
        }
        catch (SQLException | RuntimeException ex) {
            Exception clean = DriverFailure.unquoted(ex);
            throw new WorkerLeaseException(("Could not find out whether other processes reach the application's "
                    + "database, which they must not while the lease table is in a database of this process alone: "
                    + "application's database=%s (%s); start that database, or remove 'shardedid.worker.lease.url'")
                .formatted(rows.describe(), LeaseTableSetup.oneLine(clean)), clean);
        }
    }

    private static DatabaseUrl seen(Connection connection) throws SQLException {
        return new DatabaseUrl(String.valueOf(connection.getMetaData().getURL()));
    }

    private static @Nullable DatabaseUrl knownUrl(LeaseConnections connections) {
        String url = connections.typedUrl();
        return (url != null) ? new DatabaseUrl(url) : null;
    }

}
