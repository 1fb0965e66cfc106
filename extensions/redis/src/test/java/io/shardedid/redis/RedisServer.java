package io.shardedid.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.shardedid.tools.FreePort;
import io.shardedid.tools.Tool;

/** A redis-server of this machine, with a folder and a port of its own. */
final class RedisServer implements AutoCloseable {

    private final Path folder;

    private final int port;

    private final List<String> settings;

    private final String file;

    private Process process;

    RedisServer(Path folder, String... settings) {
        this.folder = folder;
        this.settings = List.of(settings);
        this.file = "";
        this.port = FreePort.find();
    }

    /** A sentinel, which writes into its file. */
    RedisServer(Path folder, Path file) {
        this.folder = folder;
        this.settings = List.of("--sentinel");
        this.file = file.toString();
        this.port = FreePort.find();
    }

    RedisServer start() {
        try {
            Files.createDirectories(this.folder);
            List<String> command = new ArrayList<>(List.of(Tool.REDIS.files().get(0).toString()));
            if (!this.file.isEmpty()) {
                command.add(this.file);
            }
            command.addAll(List.of("--port", String.valueOf(this.port), "--dir", this.folder.toString(), "--bind",
                    "127.0.0.1"));
            if (this.file.isEmpty()) {
                command.addAll(List.of("--save", ""));
            }
            command.addAll(this.settings);
            this.process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(this.folder.resolveSibling(this.folder.getFileName() + ".log").toFile())
                .start();
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        for (int i = 0; i < 200; i++) {
            try (RedisClient client = RedisClient.create(uri());
                    StatefulRedisConnection<String, String> connection = client.connect()) {
                connection.sync().ping();
                return this;
            }
            catch (RedisException ex) {
                if (String.valueOf(ex.getCause()).contains("AUTH") || ex.getMessage().contains("AUTH")) {
                    return this;
                }
                LockSupport.parkNanos(50_000_000);
            }
        }
        throw new IllegalStateException("redis-server does not answer: port=" + this.port);
    }

    RedisURI uri() {
        return RedisURI.create("127.0.0.1", this.port);
    }

    int port() {
        return this.port;
    }

    Path folder() {
        return this.folder;
    }

    /** As kill -9 does. */
    void kill() {
        this.process.destroyForcibly();
        try {
            this.process.waitFor(10, TimeUnit.SECONDS);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** Says something to the server, as an administrator. */
    Object execute(String... script) {
        try (RedisClient client = RedisClient.create(uri());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            return connection.sync().eval(String.join("\n", script), io.lettuce.core.ScriptOutputType.STATUS);
        }
    }

    /** What was replicated stays; the former master is not told. */
    void promote() {
        try (RedisClient client = RedisClient.create(uri());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            connection.sync().replicaofNoOne();
        }
    }

    void configure(String setting, String value) {
        try (RedisClient client = RedisClient.create(uri());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            connection.sync().configSet(setting, value);
        }
    }

    @Override
    public void close() {
        kill();
    }

}
