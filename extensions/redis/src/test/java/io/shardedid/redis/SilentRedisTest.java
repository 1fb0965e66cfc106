package io.shardedid.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.RedisURI;
import io.shardedid.WorkerLeaseException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A Redis that does not answer is waited for 3 s, wherever it stops. */
class SilentRedisTest {

    @Test
    void serverThatDoesNotAnswerIsLeft() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            assertLeft(silent.getLocalPort());
        }
    }

    /** Its queue is full, so the network drops what comes. */
    @Test
    void addressThatDoesNotAnswerIsLeft() throws IOException {
        List<Socket> queue = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            try {
                for (int i = 0; i < 10; i++) {
                    Socket next = new Socket();
                    queue.add(next);
                    next.connect(full.getLocalSocketAddress(), 200);
                }
            }
            catch (SocketTimeoutException ex) {
                // it is full
            }
            assertLeft(full.getLocalPort());
        }
        finally {
            for (Socket socket : queue) {
                socket.close();
            }
        }
    }

    private static void assertLeft(int port) {
        assertAway(1);
        long began = System.nanoTime();
        assertAway(port);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(Duration.ofMillis(2_900),
                Duration.ofSeconds(8));
    }

    private static void assertAway(int port) {
        try (RedisLeaseStore store = new RedisLeaseStore(RedisURI.create("127.0.0.1", port), "key")) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(store::ensure)
                .satisfies((ex) -> assertThat(store.isTransient(ex)).isTrue());
        }
    }

}
