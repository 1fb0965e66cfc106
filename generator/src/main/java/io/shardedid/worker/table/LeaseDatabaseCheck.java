package io.shardedid.worker.table;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
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

    /** Databases that live in one process, beside those of H2. */
    private static final List<String> PRIVATE = List.of("jdbc:hsqldb:mem:", "jdbc:hsqldb:file:", "jdbc:hsqldb:res:",
            "jdbc:sqlite::memory:");

    private static final List<String> H2_SERVERS = List.of("jdbc:h2:tcp:", "jdbc:h2:ssl:");

    private final LeaseConnections lease;

    private final List<LeaseConnections> application;

    private boolean warned;

    LeaseDatabaseCheck(LeaseConnections connections) {
        boolean beside = connections instanceof LeaseBesideApplication;
        this.lease = beside ? ((LeaseBesideApplication) connections).lease() : connections;
        this.application = beside ? ((LeaseBesideApplication) connections).application() : List.of();
    }

    /** What the messages about the keeper's connections must not show. */
    Credentials credentials() {
        return (this.lease instanceof UrlConnections byUrl) ? byUrl.credentials() : Credentials.UNKNOWN;
    }

    /** Whether the keeper connects by a URL, with timeouts that it sets itself. */
    boolean knowsUrl() {
        return knownUrl(this.lease) != null;
    }

    /**
     * Checks the database of an open session.
     * @param timeout how long a connection to a database of the application may take
     * @throws ShardedIdConfigurationException if no lease may be taken there
     * @throws WorkerLeaseException if that could not be found out
     */
    void check(LeaseSession session, Duration timeout) throws SQLException {
        String seen = String.valueOf(session.connection().getMetaData().getURL());
        String known = knownUrl(this.lease);
        if (session.sql().dialect() == LeaseDialect.H2) {
            checkFile(session.connection(), seen, known);
        }
        else if (session.sql().dialect() == LeaseDialect.HSQLDB) {
            checkHsqldb(session.connection(), seen, known);
        }
        warnOfUntried(session);
        if (isPrivate((known != null) ? known : seen)) {
            for (LeaseConnections each : this.application) {
                checkBeside(each, timeout);
            }
        }
    }

    /** The driver does not show the settings of a URL. */
    private void checkFile(Connection connection, String seen, @Nullable String known) throws SQLException {
        String delay = file(connection) ? writeDelay(connection) : "0";
        boolean set = (known != null) ? has(known, "WRITE_DELAY=0") : delay.equals("0");
        if (set || !file(connection)) {
            return;
        }
        boolean exclusive = known != null && isPrivate(known);
        if (exclusive) {
            LOG.log(System.Logger.Level.WARNING,
                    "The lease table is in an H2 file that is written late: connection={0}, WRITE_DELAY={1}. When this "
                            + "process is killed, its last leases are lost together with its last rows, and ids that "
                            + "left the process before may be made again; {2}",
                    this.lease.describe(), delay, REMEDY);
            return;
        }
        throw new ShardedIdConfigurationException(("Could not use the lease table: connection=%s, WRITE_DELAY=%s (H2 "
                + "writes its file late, so a process that is killed loses leases that others rely on, and more than "
                + "one process may open this file%s); %s")
            .formatted(this.lease.describe(), delay,
                    (known == null && isPrivate(seen)) ? ", as far as can be seen through a data source" : "", REMEDY));
    }

    /**
     * HSQLDB writes late unless it is told otherwise, also behind a server. It shows the
     * setting to administrators only; from anybody else the URL has to say it.
     */
    private void checkHsqldb(Connection connection, String seen, @Nullable String known) throws SQLException {
        if (seen.startsWith("jdbc:hsqldb:mem:")) {
            return;
        }
        String shown = first(connection, "SELECT PROPERTY_VALUE FROM INFORMATION_SCHEMA.SYSTEM_PROPERTIES "
                + "WHERE PROPERTY_NAME = 'hsqldb.write_delay'");
        boolean told = has((known != null) ? known : seen, "hsqldb.write_delay=false");
        if (!"false".equals(shown) && !(shown == null && told)) {
            throw new ShardedIdConfigurationException(("Could not use the lease table: connection=%s, "
                    + "hsqldb.write_delay=%s (HSQLDB writes its file late then, and a database that is killed loses "
                    + "leases that were acknowledged); let an administrator execute 'SET FILES WRITE DELAY FALSE' once"
                    + ", or append ';hsqldb.write_delay=false' to the URL or the path by which the database is opened")
                .formatted(this.lease.describe(),
                        (shown != null) ? shown : "not shown to '" + connection.getMetaData().getUserName() + "'"));
        }
    }

    private void warnOfUntried(LeaseSession session) throws SQLException {
        LeaseDialect dialect = session.sql().dialect();
        if (dialect.evidence() != LeaseDialect.Evidence.PROVED && !this.warned) {
            this.warned = true;
            DatabaseMetaData database = session.connection().getMetaData();
            LOG.log(System.Logger.Level.WARNING,
                    "Nobody has tried the lease table on this database: database={0} {1}. {2}; run the tests of "
                            + "''shardedid-lease-tck'' there before you rely on it",
                    database.getDatabaseProductName(), database.getDatabaseProductVersion(),
                    (dialect == LeaseDialect.GENERIC) ? "Its statements are those of the SQL standard"
                            : "Its statements are written from the manual");
        }
    }

    private static boolean file(Connection connection) throws SQLException {
        String path = first(connection, "SELECT DATABASE_PATH()");
        return path != null && Stream.of("memfs:", "memlzf:", "niomemfs:", "niomemlzf:")
            .noneMatch(path.toLowerCase(Locale.ROOT)::startsWith);
    }

    private static String writeDelay(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet settings = statement.executeQuery("SELECT * FROM INFORMATION_SCHEMA.SETTINGS")) {
            while (settings.next()) {
                if ("WRITE_DELAY".equals(settings.getString(1))) {
                    return settings.getString(2);
                }
            }
            return "unknown";
        }
    }

    private static @Nullable String first(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet found = statement.executeQuery(query)) {
            return found.next() ? found.getString(1) : null;
        }
    }

    private void checkBeside(LeaseConnections rows, Duration timeout) {
        if (!isPrivate(url(rows, timeout))) {
            throw new ShardedIdConfigurationException(("Could not use the lease table: connection=%s, application's "
                    + "database=%s (only this process sees the lease table, so every other process that writes to the "
                    + "application's database would take the same worker id); remove 'shardedid.worker.lease.url', or "
                    + "let it or the marked data source lead to a database that all of these processes share")
                .formatted(this.lease.describe(), rows.describe()));
        }
    }

    private static String url(LeaseConnections rows, Duration timeout) {
        String known = knownUrl(rows);
        if (known != null) {
            return known;
        }
        try (Connection connection = rows.open(timeout)) {
            return String.valueOf(connection.getMetaData().getURL());
        }
        catch (SQLException | RuntimeException ex) {
            throw new WorkerLeaseException(("Could not find out whether other processes reach the application's "
                    + "database, which they must not while the lease table is in a database of this process alone: "
                    + "application's database=%s (%s); start that database, or remove 'shardedid.worker.lease.url'")
                .formatted(rows.describe(), LeaseTableSetup.oneLine(ex)), ex);
        }
    }

    private static @Nullable String knownUrl(LeaseConnections connections) {
        return (connections instanceof UrlConnections byUrl) ? byUrl.url() : null;
    }

    /** Whether other processes cannot reach the database. */
    private static boolean isPrivate(String url) {
        String lower = url.toLowerCase(Locale.ROOT);
        if (lower.startsWith("jdbc:h2:")) {
            return H2_SERVERS.stream().noneMatch(lower::startsWith) && !has(url, "AUTO_SERVER=TRUE");
        }
        return PRIVATE.stream().anyMatch(lower::startsWith)
                || lower.startsWith("jdbc:derby:") && !lower.startsWith("jdbc:derby://");
    }

    private static boolean has(String url, String setting) {
        return Stream.of(url.split(";")).skip(1).anyMatch((each) -> each.strip().equalsIgnoreCase(setting));
    }

}
