package io.shardedid.testdb;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A network between a client and a server that can fail: one TCP port of this machine in
 * front of another. Thread-safe; what is set holds for old and new
 * connections at once.
 */
public final class SwallowingProxy implements AutoCloseable {

    private final InetSocketAddress server;

    private final ServerSocket entrance;

    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private final Object changed = new Object();

    private volatile Fate requests = Fate.PASS;

    private volatile Fate replies = Fate.PASS;

    private volatile Duration delay = Duration.ZERO;

    private SwallowingProxy(InetSocketAddress server) {
        this.server = server;
        try {
            this.entrance = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        daemon("accept", this::accept);
    }

    /** Opens a port in front of a server. */
    public static SwallowingProxy to(String host, int port) {
        return new SwallowingProxy(new InetSocketAddress(host, port));
    }

    /** Opens a port in front of the server of a JDBC URL that names host and port. */
    public static SwallowingProxy to(TestDatabase database) {
        URI server = URI.create(database.url().substring("jdbc:".length()));
        return to(server.getHost(), server.getPort());
    }

    public int port() {
        return this.entrance.getLocalPort();
    }

    /**
     * Everything passes again. Connections that lost bytes stay dead, as TCP connections
     * do; what was held arrives.
     */
    public void pass() {
        set(Fate.PASS, Fate.PASS);
    }

    /** Nothing arrives and nobody is told: a firewall that forgot its connections. */
    public void swallow() {
        set(Fate.SWALLOW, Fate.SWALLOW);
    }

    /** Requests arrive and are carried out, nobody hears of it. */
    public void swallowReplies() {
        set(Fate.PASS, Fate.SWALLOW);
    }

    /**
     * Nothing arrives until {@link #pass()}, then everything does: a partition that TCP
     * outlives.
     */
    public void hold() {
        set(Fate.HOLD, Fate.HOLD);
    }

    /** Requests arrive at {@link #pass()} only, after their sender has given up. */
    public void holdRequests() {
        set(Fate.HOLD, Fate.PASS);
    }

    /**
     * Connections are reset, and new ones as soon as they are made, until
     * {@link #pass()}.
     */
    public void cut() {
        set(Fate.CUT, Fate.CUT);
        this.sockets.forEach(SwallowingProxy::reset);
    }

    /** Each piece of data waits that long in either direction. */
    public void delay(Duration each) {
        this.delay = each;
    }

    private void set(Fate forRequests, Fate forReplies) {
        synchronized (this.changed) {
            this.requests = forRequests;
            this.replies = forReplies;
            this.changed.notifyAll();
        }
    }

    @Override
    public void close() {
        try {
            this.entrance.close();
        }
        catch (IOException ex) {
            // Closed either way.
        }
        cut();
    }

    private void accept() {
        while (!this.entrance.isClosed()) {
            try {
                Socket client = this.entrance.accept();
                this.sockets.add(client);
                if (this.requests == Fate.CUT) {
                    reset(client);
                    continue;
                }
                if (this.requests == Fate.SWALLOW) {
                    // the server must not hear of it: held open there, half a minute of
                    // attempts would take all of its connections
                    daemon("unheard", () -> unheard(client));
                    continue;
                }
                Socket upstream = new Socket();
                this.sockets.add(upstream);
                if (!reached(upstream)) {
                    reset(client);
                    this.sockets.removeAll(Set.of(client, upstream));
                    continue;
                }
                Line line = new Line(client, upstream);
                daemon("requests", () -> line.pump(client, upstream, true));
                daemon("replies", () -> line.pump(upstream, client, false));
            }
            catch (IOException ex) {
                // The proxy was closed, or the client has gone already.
            }
        }
    }

    /**
     * Nobody answers a client whose first packet was lost, also when others pass again.
     */
    private void unheard(Socket client) {
        try (client) {
            client.getInputStream().transferTo(OutputStream.nullOutputStream());
        }
        catch (IOException ex) {
            // The client has given up.
        }
        this.sockets.remove(client);
    }

    /** A server that is down refuses, and so do we. */
    private boolean reached(Socket upstream) {
        try {
            upstream.connect(this.server);
            return true;
        }
        catch (IOException ex) {
            return false;
        }
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        }
        catch (IOException ex) {
            // Closed either way.
        }
    }

    private static void daemon(String what, Runnable task) {
        Thread thread = new Thread(task, "proxy-" + what);
        thread.setDaemon(true);
        thread.start();
    }

    private enum Fate {

        PASS, HOLD, SWALLOW, CUT

    }

    private final class Line {

        private final Socket client;

        private final Socket upstream;

        /** A stream with a hole in it never goes on. */
        private volatile boolean dead;

        /**
         * The directions that still stand. What is on its way arrives also when its
         * sender has gone.
         */
        private final AtomicInteger open = new AtomicInteger(2);

        Line(Socket client, Socket upstream) {
            this.client = client;
            this.upstream = upstream;
        }

        void pump(Socket from, Socket to, boolean request) {
            byte[] piece = new byte[8192];
            try {
                OutputStream out = to.getOutputStream();
                for (int length = read(from, to, piece); length >= 0; length = read(from, to, piece)) {
                    LockSupport.parkNanos(SwallowingProxy.this.delay.toNanos());
                    if (passes(request)) {
                        out.write(piece, 0, length);
                    }
                }
                if (!this.dead) {
                    to.shutdownOutput();
                }
            }
            catch (IOException ex) {
                // One side is gone.
            }
            if (!this.dead && this.open.decrementAndGet() == 0) {
                end();
            }
        }

        /** Reads a piece. A reset of one side is passed on to the other side. */
        private int read(Socket from, Socket to, byte[] piece) throws IOException {
            try {
                return from.getInputStream().read(piece);
            }
            catch (IOException ex) {
                if (!this.dead) {
                    reset(to);
                }
                throw ex;
            }
        }

        private boolean passes(boolean request) {
            synchronized (SwallowingProxy.this.changed) {
                while (fate(request) == Fate.HOLD) {
                    try {
                        SwallowingProxy.this.changed.wait();
                    }
                    catch (InterruptedException ex) {
                        return false;
                    }
                }
                this.dead = this.dead || fate(request) != Fate.PASS;
                return !this.dead;
            }
        }

        private Fate fate(boolean request) {
            return request ? SwallowingProxy.this.requests : SwallowingProxy.this.replies;
        }

        private void end() {
            for (Socket socket : new Socket[] { this.client, this.upstream }) {
                try {
                    socket.close();
                }
                catch (IOException ex) {
                    // Closed either way.
                }
                SwallowingProxy.this.sockets.remove(socket);
            }
        }

    }

}
