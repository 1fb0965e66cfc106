package io.shardedid.clusters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.shardedid.tools.FreePort;

/**
 * A server of the PostgreSQL that is installed on this machine.
 */
final class Postgres implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Path data;

    private final List<String> settings;

    private final int port = FreePort.find();

    private Program server;

    private Postgres(Path data, String... settings) throws IOException {
        this.data = data;
        this.settings = List.of(settings);
    }

    /**
     * Starts a server with an empty database.
     * @param settings such as {@code fsync=off}
     */
    static Postgres start(Path data, String... settings) throws Exception {
        run(data, "initdb", "--pgdata=" + data, "--username=postgres", "--auth=trust", "--no-sync", "--encoding=UTF8");
        Postgres started = new Postgres(data, settings);
        started.start();
        return started;
    }

    /** Starts a server that follows this one, and waits until it does. */
    Postgres standby(Path data) throws Exception {
        run(data, "pg_basebackup", "--pgdata=" + data, "--host=127.0.0.1", "--port=" + this.port, "--username=postgres",
                "--write-recovery-conf", "--checkpoint=fast", "--no-sync");
        Postgres standby = new Postgres(data, this.settings.toArray(String[]::new));
        standby.start();
        Program.await("the standby follows", PATIENCE,
                () -> !standby.query("SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'").isEmpty());
        return standby;
    }

    private static void run(Path data, String program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(programs().resolve(program).toString()));
        command.addAll(List.of(arguments));
        Program.run(data.resolveSibling(data.getFileName() + "." + program),
                Program.notAsRoot(command.toArray(String[]::new)));
    }

    /** Where the programs of the newest version are. */
    static Path programs() throws IOException {
        try (Stream<Path> versions = Files.list(Path.of("/usr/lib/postgresql"))) {
            return versions.map((version) -> version.resolve("bin"))
                .filter((bin) -> Files.isExecutable(bin.resolve("postgres")))
                .max(Comparator.naturalOrder())
                .orElseThrow();
        }
    }

    void start() throws Exception {
        List<String> command = new ArrayList<>(List.of(programs().resolve("postgres").toString(), "-D",
                this.data.toString(), "-p", String.valueOf(this.port), "-c", "listen_addresses=127.0.0.1", "-c",
                "unix_socket_directories="));
        this.settings.forEach((setting) -> command.addAll(List.of("-c", setting)));
        this.server = Program.start(this.data.resolveSibling(this.data.getFileName() + ".log"), Map.of(),
                Program.notAsRoot(command.toArray(String[]::new)));
        Program.await("the server answers", PATIENCE, () -> !query("SELECT 1").isEmpty());
    }

    void kill() {
        this.server.signal("KILL");
    }

    int port() {
        return this.port;
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = connect(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the first column. */
    List<String> query(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + this.port + "/postgres", "postgres", "");
    }

    @Override
    public void close() {
        this.server.close();
    }

}
