package io.shardedid.move;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.shardedid.testdb.PostgresMajor;
import io.shardedid.tools.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/** A PostgreSQL server of its own, which crashes on demand. */
final class MovingServer implements AutoCloseable {

    private final Path data;

    /** The data of {@link #keep}. */
    private final Path kept;

    private final Path log;

    private final int port = FreePort.find();

    private final PostgresMajor major;

    private EmbeddedPostgres server;

    MovingServer(Path data, PostgresMajor major) throws IOException {
        this.data = data;
        this.major = major;
        this.kept = data.resolveSibling(data.getFileName() + ".kept");
        this.log = data.resolveSibling(data.getFileName() + ".log");
        start();
        execute("postgres", "CREATE ROLE app LOGIN");
    }

    private void start() throws IOException {
        this.server = this.major.server()
            .setPort(this.port)
            .setDataDirectory(this.data)
            .setCleanDataDirectory(false)
            // the library's own default is off
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("max_connections", "100")
            .setServerConfig("max_prepared_transactions", "5")
            .setOutputRedirector(ProcessBuilder.Redirect.appendTo(this.log.toFile()))
            .start();
    }

    String url(String database) {
        return "jdbc:postgresql://127.0.0.1:%s/%s".formatted(this.port, database);
    }

    /**
     * Stops all processes of the server, which keep their connections and say nothing.
     */
    void freeze() throws IOException {
        signal("-STOP");
    }

    void thaw() throws IOException {
        signal("-CONT");
    }

    private void signal(String signal) throws IOException {
        ProcessHandle postmaster = postmaster();
        // it starts no others when it has stopped
        for (ProcessHandle each : Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList()) {
            try {
                signal(each.pid(), signal);
            }
            catch (AssertionError ex) {
                // a worker may end meanwhile
                if (each.isAlive()) {
                    throw ex;
                }
            }
        }
    }

    /** Sends a signal to a process. */
    static void signal(long pid, String signal) throws IOException {
        try {
            if (new ProcessBuilder("sh", "-c", "kill " + signal + " " + pid).start().waitFor() != 0) {
                throw new AssertionError("process has gone: pid=" + pid);
            }
        }
        catch (InterruptedException ex) {
            throw new IOException(ex);
        }
    }

    private ProcessHandle postmaster() throws IOException {
        return ProcessHandle.of(Long.parseLong(Files.readAllLines(this.data.resolve("postmaster.pid")).get(0).strip()))
            .orElseThrow();
    }

    /** Keeps what a standby has that is cut off at this moment. */
    void keep() throws IOException {
        freeze();
        try {
            delete(this.kept);
            try (Stream<Path> files = Files.walk(this.data)) {
                for (Path file : files.toList()) {
                    Files.copy(file, this.kept.resolve(this.data.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
        finally {
            thaw();
        }
    }

    /**
     * Ends the server, and starts the standby at its address, which has no commit after
     * {@link #keep}.
     */
    void failOver() throws Exception {
        stop();
        delete(this.data);
        Files.move(this.kept, this.data);
        Files.deleteIfExists(this.data.resolve("postmaster.pid"));
        start();
    }

    static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** Ends the server as {@code pg_ctl stop -m immediate} does, and starts it again. */
    void crash() throws Exception {
        stop();
        start();
    }

    void stop() throws Exception {
        ProcessHandle process = postmaster();
        List<ProcessHandle> all = Stream.concat(Stream.of(process), process.descendants()).toList();
        signal(process.pid(), "-QUIT");
        for (ProcessHandle each : all) {
            each.onExit().get(60, TimeUnit.SECONDS);
        }
        Files.deleteIfExists(this.data.resolve("postmaster.pid"));
        this.server.close();
    }

    /** Starts it again after {@link #stop}, as a standby of nobody. */
    void startAsStandby() throws IOException {
        Files.createFile(this.data.resolve("standby.signal"));
        start();
    }

    /** Starts it again after {@link #stop}. */
    void startAgain() throws IOException {
        start();
    }

    Connection connect(String database, String account) throws SQLException {
        return DriverManager.getConnection(url(database), account, "");
    }

    /** Executes statements as a superuser. */
    void execute(String database, String... statements) {
        executeAs("postgres", database, statements);
    }

    void executeAs(String account, String database, String... statements) {
        try (Connection connection = connect(database, account); Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
        catch (SQLException ex) {
            throw new AssertionError("Could not execute " + String.join("; ", statements), ex);
        }
    }

    String query(String database, String sql) {
        try (Connection connection = connect(database, "postgres");
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            return found.next() ? found.getString(1) : null;
        }
        catch (SQLException ex) {
            throw new AssertionError("Could not execute " + sql, ex);
        }
    }

    @Override
    public void close() throws IOException {
        this.server.close();
    }

}
