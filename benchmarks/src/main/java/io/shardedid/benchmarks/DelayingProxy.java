package io.shardedid.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A server of this machine, seen over a longer way: each piece of a request arrives later
 * by a delay, so each round trip takes that much longer. It does not throttle: pieces are
 * on their way at the same time. Safe for use by many threads.
 */
final class DelayingProxy implements AutoCloseable {

    private static final int ON_THEIR_WAY = 1024;

    private final int server;

    private final ServerSocket entrance;

    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private volatile long delayNanos;

    DelayingProxy(int server) throws IOException {
        this.server = server;
        this.entrance = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        daemon(this::accept);
    }

    int port() {
        return this.entrance.getLocalPort();
    }

    void delayRequests(long nanos) {
        this.delayNanos = nanos;
    }

    private void accept() {
        while (!this.entrance.isClosed()) {
            try {
                Socket client = this.entrance.accept();
                Socket upstream = new Socket("127.0.0.1", this.server);
                for (Socket socket : new Socket[] { client, upstream }) {
                    socket.setTcpNoDelay(true);
                    this.sockets.add(socket);
                }
                BlockingQueue<Piece> way = new ArrayBlockingQueue<>(ON_THEIR_WAY);
                daemon(() -> pump(client, upstream, way::put));
                daemon(() -> deliver(way, client, upstream));
                OutputStream out = client.getOutputStream();
                daemon(() -> pump(upstream, client, (piece) -> out.write(piece.bytes)));
            }
            catch (IOException ex) {
                // The proxy was closed, or the client has gone already.
            }
        }
    }

    private void pump(Socket from, Socket to, Destination destination) {
        byte[] buffer = new byte[1 << 16];
        try (from; to) {
            InputStream in = from.getInputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                destination.accept(new Piece(Arrays.copyOf(buffer, length), System.nanoTime() + this.delayNanos));
            }
        }
        catch (IOException | InterruptedException ex) {
            // One side is gone, and now both are.
        }
        this.sockets.remove(from);
    }

    private void deliver(BlockingQueue<Piece> way, Socket from, Socket to) {
        try {
            OutputStream out = to.getOutputStream();
            while (!from.isClosed()) {
                Piece piece = way.poll(1, TimeUnit.SECONDS);
                if (piece != null) {
                    piece.await();
                    out.write(piece.bytes);
                }
            }
        }
        catch (IOException | InterruptedException ex) {
            // The server is gone, or both are.
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "delaying-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        this.entrance.close();
        for (Socket socket : this.sockets) {
            socket.close();
        }
    }

    private interface Destination {

        void accept(Piece piece) throws IOException, InterruptedException;

    }

    /** Bytes and when they arrive. */
    private record Piece(byte[] bytes, long dueNanos) {

        void await() {
            for (long left = left(); left > 0; left = left()) {
                LockSupport.parkNanos(left);
            }
        }

        private long left() {
            return this.dueNanos - System.nanoTime();
        }

    }

}
