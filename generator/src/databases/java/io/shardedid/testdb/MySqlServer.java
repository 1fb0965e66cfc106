package io.shardedid.testdb;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.shardedid.tools.FreePort;
import io.shardedid.tools.Tool;

/**
 * A MySQL server, installed or unpacked, which ends with this JVM or before. A class
 * whose tests start one needs {@link Tool#MYSQL}.
 */
public final class MySqlServer implements AutoCloseable {

    /** A busy machine fills the folder of a new server in half a minute. */
    private static final Duration START = Duration.ofMinutes(3);

    private final Path folder;

    private final int port;

    private final List<String> options;

    private Process process;

    /**
     * Starts a server.
     * @param options what its command line says beside what it needs
     */
    public MySqlServer(String... options) {
        try {
            this.folder = Files.createTempDirectory("mysql");
            this.port = FreePort.find();
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        this.options = List.of(options);
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "mysql-end"));
        start();
    }

    /** Starts it on what it had when it ended. */
    public void start() {
        List<String> command = new ArrayList<>(
                List.of(script().toString(), "run", installation(), this.folder.resolve("data").toString(),
                        String.valueOf(this.port), "--server-id=" + this.port));
        command.addAll(this.options);
        Path output = this.folder.resolve("output");
        try {
            this.process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
            long end = System.nanoTime() + START.toNanos();
            while (!answers()) {
                if (!this.process.isAlive() || System.nanoTime() > end) {
                    this.process.destroyForcibly();
                    throw new IllegalStateException("Could not start MySQL: " + Files.readString(output));
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Could not wait for MySQL", ex);
        }
    }

    private boolean answers() {
        try (Connection connection = database("").connect()) {
            return connection.isValid(1);
        }
        catch (SQLException ex) {
            return false;
        }
    }

    /** The script is at the root of the checkout, above the module whose tests run. */
    private static Path script() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isExecutable(folder.resolve("integration-tests/mysql/server"))) {
            folder = folder.getParent();
        }
        return folder.resolve("integration-tests/mysql/server");
    }

    /** The folder in which usr/sbin/mysqld is. */
    private static String installation() {
        return Tool.MYSQL.files().get(0).toAbsolutePath().getParent().getParent().getParent().toString();
    }

    public int port() {
        return this.port;
    }

    public long pid() {
        return this.process.pid();
    }

    /** Returns a database of the server as its administrator sees it. */
    public TestDatabase database(String name) {
        return new TestDatabase("jdbc:mysql://127.0.0.1:%s/%s".formatted(this.port, name), "root", "");
    }

    /** Kills it, as a crash of its process does; {@link #start} brings it back. */
    public void kill() {
        try {
            this.process.destroyForcibly().waitFor();
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends it; nothing of it stays. */
    @Override
    public void close() {
        kill();
        try (Stream<Path> files = Files.walk(this.folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        catch (NoSuchFileException ex) {
            // closed before
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
