package io.shardedid.benchmarks;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DelayingProxyTest {

    private static final long DELAY_NANOS = 100_000_000;

    @Test
    void delaysPiecesThatFollowEachOtherOnlyOnce() throws Exception {
        byte[] manyPieces = new byte[20 << 16];
        try (ServerSocket server = new ServerSocket(0);
                DelayingProxy proxy = new DelayingProxy(server.getLocalPort())) {
            proxy.delayRequests(DELAY_NANOS);
            CompletableFuture<byte[]> arrived = CompletableFuture.supplyAsync(() -> read(server, manyPieces.length));
            try (Socket client = new Socket("127.0.0.1", proxy.port())) {
                long began = System.nanoTime();
                client.getOutputStream().write(manyPieces);
                assertThat(arrived.get()).hasSameSizeAs(manyPieces);
                assertThat(System.nanoTime() - began).isBetween(DELAY_NANOS, 10 * DELAY_NANOS);
            }
        }
    }

    private static byte[] read(ServerSocket server, int bytes) {
        try (Socket accepted = server.accept()) {
            return accepted.getInputStream().readNBytes(bytes);
        }
        catch (IOException ex) {
            throw new IllegalStateException(ex);
        }
    }

}
