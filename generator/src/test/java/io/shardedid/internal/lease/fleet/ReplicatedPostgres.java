package io.shardedid.internal.lease.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.shardedid.testdb.PostgresMajor;
import io.shardedid.tools.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A primary and a replica that follows it, asynchronously unless the primary is told to
 * wait for it, until it is cut off and promoted. The replica's clock, as SQL sees it, may
 * be behind.
 */
final class ReplicatedPostgres implements AutoCloseable {

    private final Path primaryData;

    private final int primaryPort = FreePort.find();

    private final int replicaPort = FreePort.find();

    private final EmbeddedPostgres primary;

    private final EmbeddedPostgres replica;

    ReplicatedPostgres(Path folder, int secondsBehind) throws Exception {
        this(folder, secondsBehind, PostgresMajor.V18);
    }

    ReplicatedPostgres(Path folder, int secondsBehind, PostgresMajor version) throws Exception {
        this.primaryData = folder.resolve("primary");
        Path replicaData = folder.resolve("replica");
        EmbeddedPostgres first = start(version, this.primaryData, this.primaryPort);
        // found before the function of the same name that is built in
        execute(this.primaryPort, "CREATE SCHEMA behind",
                "CREATE FUNCTION behind.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS "
                        + "$$ SELECT pg_catalog.clock_timestamp() - make_interval(secs => "
                        + "coalesce(nullif(current_setting('behind.seconds', true), ''), '0')::float8) $$",
                "ALTER DATABASE postgres SET search_path = public, behind, pg_catalog");
        first.close();
        new ProcessBuilder("cp", "-a", this.primaryData.toString(), replicaData.toString()).inheritIO()
            .start()
            .waitFor();
        Files.createFile(replicaData.resolve("standby.signal"));
        Files.writeString(replicaData.resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=%s user=postgres'%nbehind.seconds = '%s'%n"
                    .formatted(this.primaryPort, secondsBehind),
                StandardOpenOption.APPEND);
        this.primary = start(version, this.primaryData, this.primaryPort);
        this.replica = start(version, replicaData, this.replicaPort);
        await(this.replicaPort, "SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'");
    }

    private static EmbeddedPostgres start(PostgresMajor version, Path data, int port) throws IOException {
        return version.server().setPort(port).setDataDirectory(data).setCleanDataDirectory(false).start();
    }

    /** From here on each commit of the primary waits for the replica. */
    void waitForReplica() throws Exception {
        execute(this.primaryPort, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
        await(this.primaryPort, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
    }

    String primaryUrl(String application) {
        return url(this.primaryPort, application);
    }

    String replicaUrl(String application) {
        return url(this.replicaPort, application);
    }

    private static String url(int port, String application) {
        return "jdbc:postgresql://127.0.0.1:%s/postgres?ApplicationName=%s".formatted(port, application);
    }

    /** Reads a number from the primary. */
    long onPrimary(String sql) throws SQLException {
        return number(this.primaryPort, sql);
    }

    /** Reads a number from the replica. */
    long onReplica(String sql) throws SQLException {
        return number(this.replicaPort, sql);
    }

    private static long number(int port, String sql) throws SQLException {
        try (Connection connection = connect(port);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    /** Whichever of both can be written to. */
    String url() {
        return "jdbc:postgresql://127.0.0.1:%s,127.0.0.1:%s/postgres?targetServerType=primary&hostRecheckSeconds=0"
            .formatted(this.primaryPort, this.replicaPort);
    }

    /** Waits until the replica has what a query finds. */
    void awaitOnReplica(String sql) throws Exception {
        await(this.replicaPort, sql);
    }

    /** Makes a database beside the first one, after the replica was promoted. */
    String createDatabase(String name) throws SQLException {
        execute(this.replicaPort, "CREATE DATABASE " + name);
        return "jdbc:postgresql://127.0.0.1:%s/%s".formatted(this.replicaPort, name);
    }

    /** From here on the primary's commits are lost. */
    void cutOff() throws Exception {
        await(this.replicaPort, "SELECT 1 WHERE to_regclass('public.shardedid_worker') IS NOT NULL");
        execute(this.replicaPort, "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()");
        await(this.replicaPort, "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM pg_stat_wal_receiver)");
    }

    /** Kills the primary and promotes the replica. */
    void failOver() throws Exception {
        killPrimary();
        promote();
    }

    void killPrimary() throws Exception {
        long postmaster = Long.parseLong(Files.readAllLines(this.primaryData.resolve("postmaster.pid")).get(0).strip());
        ProcessHandle process = ProcessHandle.of(postmaster).orElseThrow();
        List<ProcessHandle> all = Stream.concat(Stream.of(process), process.descendants()).toList();
        Signals.send("KILL", postmaster);
        for (ProcessHandle each : all) {
            each.onExit().get(20, TimeUnit.SECONDS);
        }
        Files.deleteIfExists(this.primaryData.resolve("postmaster.pid"));
    }

    void promote() throws Exception {
        execute(this.replicaPort, "SELECT pg_promote()");
    }

    private static void execute(int port, String... statements) throws SQLException {
        try (Connection connection = connect(port); Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static void await(int port, String sql) throws Exception {
        try (Connection connection = connect(port); Statement statement = connection.createStatement()) {
            boolean found = false;
            while (!found) {
                try (ResultSet rows = statement.executeQuery(sql)) {
                    found = rows.next();
                }
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
    }

    private static Connection connect(int port) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:%s/postgres?user=postgres".formatted(port));
    }

    @Override
    public void close() throws IOException {
        this.primary.close();
        this.replica.close();
    }

}
