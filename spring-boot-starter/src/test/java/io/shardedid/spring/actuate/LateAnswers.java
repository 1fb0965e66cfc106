package io.shardedid.spring.actuate;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A port in front of a server, whose answers come later than they would. */
final class LateAnswers implements AutoCloseable {

    private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    private final int server;

    private final long lateNanos;

    LateAnswers(int server, Duration late) throws IOException {
        this.server = server;
        this.lateNanos = late.toNanos();
        daemon(this::accept);
    }

    int port() {
        return this.entrance.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = this.entrance.accept();
                Socket there = new Socket(InetAddress.getLoopbackAddress(), this.server);
                client.setTcpNoDelay(true);
                there.setTcpNoDelay(true);
                daemon(() -> copy(client, there, 0));
                daemon(() -> copy(there, client, this.lateNanos));
            }
        }
        catch (IOException ex) {
            // closed
        }
    }

    private static void copy(Socket from, Socket to, long lateNanos) {
        byte[] bytes = new byte[1 << 14];
        try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                LockSupport.parkNanos(lateNanos);
                out.write(bytes, 0, count);
            }
        }
        catch (IOException ex) {
            // one of the two has gone
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "late answers");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            this.entrance.close();
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
