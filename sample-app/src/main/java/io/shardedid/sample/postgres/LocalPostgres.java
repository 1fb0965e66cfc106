package io.shardedid.sample.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * The PostgreSQL server of the profile {@code postgres}, with an empty database. It
 * begins and ends with this process and listens on this machine alone.
 */
@Component
@Profile("postgres")
public class LocalPostgres implements JdbcConnectionDetails, AutoCloseable {

    private static final Duration START = Duration.ofSeconds(90);

    private final Path data;

    private final EmbeddedPostgres server;

    LocalPostgres() {
        try {
            this.data = Files.createTempDirectory("shardedid-sample-postgres");
            this.server = EmbeddedPostgres.builder()
                .setDataDirectory(this.data)
                .setCleanDataDirectory(true)
                .setPGStartupWait(START)
                .start();
        }
        catch (IOException ex) {
            throw new UncheckedIOException("Could not start PostgreSQL from its jar", ex);
        }
    }

    @Override
    public String getJdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(this.server.getPort());
    }

    @Override
    public String getUsername() {
        return "postgres";
    }

    @Override
    public String getPassword() {
        return "postgres";
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
    public void close() throws IOException {
        this.server.close();
    }

}
