package io.shardedid.sample.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL server from a jar, with an empty database. It begins and ends with this
 * process and listens on this machine alone.
 */
public final class PostgresServer implements AutoCloseable {

    /** The name of the user, who may do everything. */
    static final String USER = "postgres";

    private static final Duration START = Duration.ofSeconds(90);

    private final Path data;

    private final EmbeddedPostgres server;

    private PostgresServer(Path data, EmbeddedPostgres server) {
        this.data = data;
        this.server = server;
    }

    /**
     * Starts a server on a free port.
     * @param settings settings of the server besides its defaults
     */
    static PostgresServer start(Map<String, String> settings) {
        try {
            Path data = Files.createTempDirectory("shardedid-sample-postgres");
            EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(true)
                .setPGStartupWait(START)
                // its own hook would end the server beside those who use it
                .setRegisterShutdownHook(false);
            settings.forEach(builder::setServerConfig);
            return new PostgresServer(data, builder.start());
        }
        catch (IOException ex) {
            throw new UncheckedIOException("Could not start PostgreSQL from its jar", ex);
        }
    }

    public String url() {
        return "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(this.server.getPort());
    }

    /**
     * Returns the processes of the server.
     * @return the postmaster's and those of its connections
     */
    public List<ProcessHandle> processes() {
        try {
            long postmaster = Long.parseLong(Files.readAllLines(this.data.resolve("postmaster.pid")).get(0).strip());
            return ProcessHandle.of(postmaster)
                .map((process) -> Stream.concat(Stream.of(process), process.descendants()).toList())
                .orElse(List.of());
        }
        catch (IOException ex) {
            throw new UncheckedIOException("Could not find the processes of PostgreSQL", ex);
        }
    }

    @Override
    public void close() {
        try {
            this.server.close();
        }
        catch (IOException ex) {
            throw new UncheckedIOException("Could not stop PostgreSQL", ex);
        }
    }

}
