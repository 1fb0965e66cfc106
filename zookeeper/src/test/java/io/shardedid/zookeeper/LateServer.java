package io.shardedid.zookeeper;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.server.ZooKeeperServerMain;

/** A server of ZooKeeper as a process of its own, with a clock that is wrong. */
final class LateServer implements AutoCloseable {

    private final Process process;

    private final int port;

    LateServer(Path folder, Duration ahead) throws Exception {
        Files.createDirectories(folder);
        try (ServerSocket socket = new ServerSocket(0)) {
            this.port = socket.getLocalPort();
        }
        ProcessBuilder server = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m", "-Dzookeeper.admin.enableServer=false", "-cp", System.getProperty("java.class.path"),
                ZooKeeperServerMain.class.getName(), String.valueOf(this.port), folder.resolve("data").toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("server.log").toFile());
        server.environment()
            .putAll(Map.of("LD_PRELOAD", fakedTime().toString(), "FAKETIME", "%+ds".formatted(ahead.toSeconds()),
                    "DONT_FAKE_MONOTONIC", "1", "FAKETIME_FORCE_MONOTONIC_FIX", "0"));
        this.process = server.start();
        try (CuratorFramework client = Ensemble.client("127.0.0.1:" + this.port)) {
            if (!client.blockUntilConnected(1, TimeUnit.MINUTES)) {
                throw new AssertionError(Files.readString(folder.resolve("server.log")));
            }
        }
    }

    private static Path fakedTime() throws IOException {
        try (Stream<Path> folders = Files.list(Path.of("/usr/lib"))) {
            return folders.map((folder) -> folder.resolve("faketime/libfaketime.so.1"))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new AssertionError("Could not find libfaketime: path=/usr/lib/*/faketime/"
                        + "libfaketime.so.1 (a proof needs it); install the package 'libfaketime'"));
        }
    }

    String address() {
        return "zookeeper://127.0.0.1:" + this.port;
    }

    @Override
    public void close() throws InterruptedException {
        this.process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }

}
