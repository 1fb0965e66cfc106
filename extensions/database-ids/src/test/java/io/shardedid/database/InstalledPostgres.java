package io.shardedid.database;

import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.shardedid.testdb.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server of the PostgreSQL that is installed on this machine, with its clients, where
 * there is one: the embedded server brings no {@code pg_dump}.
 */
final class InstalledPostgres implements AutoCloseable {

    private static final List<String> PROGRAMS = List.of("initdb", "pg_ctl", "pg_dump", "psql");

    private final Path programs;

    private final Path data;

    private final int port;

    InstalledPostgres(Path programs, Path data) throws IOException {
        this.programs = programs;
        this.data = data;
        try (ServerSocket free = new ServerSocket(0)) {
            this.port = free.getLocalPort();
        }
        run("initdb", "--pgdata=" + data, "--username=postgres", "--auth=trust", "--no-sync", "--encoding=UTF8");
        run("pg_ctl", "start", "--wait", "--pgdata=" + data, "--log=" + data.resolve("log"),
                "--options=-p %s -c fsync=off -c unix_socket_directories='' -c listen_addresses=127.0.0.1"
                    .formatted(this.port));
    }

    /** Where its programs are, of the newest version, or empty if none is installed. */
    static Optional<Path> programs() throws IOException {
        Path versions = Path.of("/usr/lib/postgresql");
        if (!Files.isDirectory(versions)) {
            return Optional.empty();
        }
        try (Stream<Path> all = Files.list(versions)) {
            return all.map((version) -> version.resolve("bin"))
                .filter((bin) -> PROGRAMS.stream().allMatch((program) -> Files.isExecutable(bin.resolve(program))))
                .max(Comparator.naturalOrder());
        }
    }

    TestDatabase database() {
        return new TestDatabase("jdbc:postgresql://127.0.0.1:%s/postgres".formatted(this.port), "postgres", "");
    }

    /** What {@code pg_dump} and {@code psql} connect to. */
    String uri() {
        return "postgresql://postgres@127.0.0.1:%s/postgres".formatted(this.port);
    }

    /** The server refuses to be run by root, and takes root for somebody else there. */
    private void run(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("unshare", "--user"));
        }
        command.add(this.programs.resolve(program).toString());
        command.addAll(List.of(arguments));
        execute(new ProcessBuilder(command), this.data.resolveSibling(this.data.getFileName() + "." + program));
    }

    /** Runs a command to its end; what it says is in the failure. */
    static void execute(ProcessBuilder command, Path output) throws IOException {
        File file = output.toFile();
        Process process = command.redirectErrorStream(true).redirectOutput(file).start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("end of %s", command.command()).isTrue();
        }
        catch (InterruptedException ex) {
            throw new IOException(ex);
        }
        assertThat(process.exitValue())
            .as("status of %s: %s", command.command(), Files.readString(output, StandardCharsets.UTF_8))
            .isZero();
    }

    @Override
    public void close() throws IOException {
        run("pg_ctl", "stop", "--mode=fast", "--wait", "--pgdata=" + this.data);
    }

}
