package io.shardedid.internal.lease.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.shardedid.testdb.PostgresMajor;
import io.shardedid.tools.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL server of its own that crashes and comes back on its data. It runs with
 * {@code synchronous_commit = off}: what the application commits may be gone after a
 * crash, and the lease table alone has to insist.
 */
public final class CrashingPostgres implements AutoCloseable {

    private final Path data;

    private final UnaryOperator<EmbeddedPostgres.Builder> settings;

    private final int port = FreePort.find();

    private EmbeddedPostgres server;

    public CrashingPostgres(Path data) throws IOException {
        this(data, UnaryOperator.identity());
    }

    /**
     * Starts one.
     * @param data where it keeps its data
     * @param settings what is set at each start
     */
    public CrashingPostgres(Path data, UnaryOperator<EmbeddedPostgres.Builder> settings) throws IOException {
        this.data = data;
        this.settings = settings;
        start();
    }

    private void start() throws IOException {
        this.server = this.settings.apply(PostgresMajor.V18.server())
            .setPort(this.port)
            .setDataDirectory(this.data)
            .setCleanDataDirectory(false)
            .start();
    }

    public int port() {
        return this.port;
    }

    /**
     * Ends the server in the midst of everything, as {@code pg_ctl stop -m immediate}
     * does, or harder, and starts it again: it recovers from its log.
     * @param signal QUIT, which that command sends, or KILL
     */
    public void crash(String signal) throws Exception {
        long postmaster = Long.parseLong(Files.readAllLines(this.data.resolve("postmaster.pid")).get(0).strip());
        ProcessHandle process = ProcessHandle.of(postmaster).orElseThrow();
        List<ProcessHandle> all = Stream.concat(Stream.of(process), process.descendants()).toList();
        Signals.send(signal, postmaster);
        for (ProcessHandle each : all) {
            each.onExit().get(60, TimeUnit.SECONDS);
        }
        Files.deleteIfExists(this.data.resolve("postmaster.pid"));
        this.server.close();
        start();
    }

    public Connection connect() throws SQLException {
        return DriverManager
            .getConnection("jdbc:postgresql://127.0.0.1:%s/postgres?user=postgres".formatted(this.port));
    }

    public void execute(String sql) throws SQLException {
        try (Connection connection = connect(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Reads the first column. */
    public long[] longs(String sql) throws SQLException {
        try (Connection connection = connect(); Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.setFetchSize(10_000);
            try (ResultSet found = statement.executeQuery(sql)) {
                LongStream.Builder values = LongStream.builder();
                while (found.next()) {
                    values.add(found.getLong(1));
                }
                return values.build().toArray();
            }
        }
    }

    @Override
    public void close() throws IOException {
        this.server.close();
    }

}
