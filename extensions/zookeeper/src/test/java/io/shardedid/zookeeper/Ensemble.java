package io.shardedid.zookeeper;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.tools.FreePort;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.curator.test.TestingZooKeeperServer;

/** Three servers of ZooKeeper, between which the network can fail. */
final class Ensemble implements AutoCloseable {

    private static final int SERVERS = 3;

    private static final int TICK_MILLIS = 300;

    /** Shorter than the pauses of a process, so that sessions expire. */
    private static final int SESSION_MILLIS = 1_500;

    private final List<Link> links = new ArrayList<>();

    private final TestingCluster cluster;

    Ensemble() throws Exception {
        List<InstanceSpec> ports = new ArrayList<>();
        for (int id = 1; id <= SERVERS; id++) {
            ports.add(new InstanceSpec(null, FreePort.find(), FreePort.find(), FreePort.find(), true, id));
        }
        List<InstanceSpec> servers = new ArrayList<>();
        for (InstanceSpec own : ports) {
            servers.add(new InstanceSpec(own.getDataDirectory(), own.getPort(), own.getElectionPort(),
                    own.getQuorumPort(), true, own.getServerId(), TICK_MILLIS, 200, addresses(own, ports)));
        }
        this.cluster = new TestingCluster(servers);
        this.cluster.start();
    }

    /**
     * Each server knows the others by the links to them. It tells its own address to
     * nobody: with the wildcard address the others keep to the links.
     */
    private Map<String, Object> addresses(InstanceSpec own, List<InstanceSpec> all) throws IOException {
        Map<String, Object> addresses = new HashMap<>();
        for (InstanceSpec server : all) {
            boolean self = server == own;
            addresses.put("server." + server.getServerId(),
                    self ? "0.0.0.0:%s:%s".formatted(own.getQuorumPort(), own.getElectionPort())
                            : "127.0.0.1:%s:%s".formatted(link(own, server, server.getQuorumPort()).port(),
                                    link(own, server, server.getElectionPort()).port()));
        }
        return addresses;
    }

    private Link link(InstanceSpec from, InstanceSpec to, int port) throws IOException {
        Link link = new Link(from.getServerId(), to.getServerId(), port);
        this.links.add(link);
        return link;
    }

    static CuratorFramework client(String servers) {
        CuratorFramework client = CuratorFrameworkFactory.newClient(servers, SESSION_MILLIS, 2_000,
                new RetryOneTime(100));
        client.start();
        return client;
    }

    /** The addresses of all servers but some. */
    String addresses(TestingZooKeeperServer... without) {
        List<TestingZooKeeperServer> servers = new ArrayList<>(this.cluster.getServers());
        servers.removeAll(List.of(without));
        return String.join(",", servers.stream().map(Ensemble::address).toList());
    }

    static String address(TestingZooKeeperServer server) {
        return "127.0.0.1:" + server.getInstanceSpec().getPort();
    }

    /** Waits for a leader. */
    TestingZooKeeperServer leader(TestingZooKeeperServer... otherThan) throws Exception {
        List<TestingZooKeeperServer> candidates = new ArrayList<>(this.cluster.getServers());
        candidates.removeAll(List.of(otherThan));
        List<TestingZooKeeperServer> found = new ArrayList<>();
        await("a leader", () -> {
            for (TestingZooKeeperServer server : candidates) {
                if (state(server).contains("Mode: leader")) {
                    found.add(server);
                }
            }
            return !found.isEmpty();
        });
        return found.get(0);
    }

    TestingZooKeeperServer follower() throws Exception {
        TestingZooKeeperServer leader = leader();
        return this.cluster.getServers().stream().filter((server) -> server != leader).findFirst().orElseThrow();
    }

    private static String state(TestingZooKeeperServer server) {
        try (Socket socket = new Socket("127.0.0.1", server.getInstanceSpec().getPort())) {
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
        catch (IOException ex) {
            return "";
        }
    }

    /** Waits for what happens within a minute, or else never. */
    static void await(String what, Callable<Boolean> happened) throws Exception {
        for (int i = 0; i < 6_000; i++) {
            if (happened.call()) {
                return;
            }
            LockSupport.parkNanos(10_000_000);
        }
        throw new AssertionError("Waited for a minute: " + what);
    }

    /** Nothing passes between the server and the others. Clients reach all servers. */
    void cutOff(TestingZooKeeperServer server) {
        this.links.forEach((link) -> link.cut(link.touches(server.getInstanceSpec().getServerId())));
    }

    /** Whatever waited arrives now. */
    void heal() {
        this.links.forEach((link) -> link.cut(false));
    }

    @Override
    public void close() throws IOException {
        heal();
        this.cluster.close();
        for (Link link : this.links) {
            link.close();
        }
    }

    /**
     * The way from one server to a port of another. While it is cut, what is sent waits,
     * as it does in TCP.
     */
    private static final class Link {

        private final int from;

        private final int to;

        private final int port;

        private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));

        private boolean cut;

        Link(int from, int to, int port) throws IOException {
            this.from = from;
            this.to = to;
            this.port = port;
            daemon(this::accept);
        }

        private static void daemon(Runnable task) {
            Thread thread = new Thread(task, "link");
            thread.setDaemon(true);
            thread.start();
        }

        int port() {
            return this.entrance.getLocalPort();
        }

        boolean touches(int server) {
            return this.from == server || this.to == server;
        }

        synchronized void cut(boolean closed) {
            this.cut = closed;
            notifyAll();
        }

        private synchronized void awaitOpen() {
            while (this.cut) {
                try {
                    wait();
                }
                catch (InterruptedException ex) {
                    throw new IllegalStateException(ex);
                }
            }
        }

        private void accept() {
            while (!this.entrance.isClosed()) {
                try {
                    Socket one = this.entrance.accept();
                    awaitOpen();
                    try {
                        Socket other = new Socket("127.0.0.1", this.port);
                        daemon(() -> pump(one, other));
                        daemon(() -> pump(other, one));
                    }
                    catch (IOException ex) {
                        one.close();
                    }
                }
                catch (IOException ex) {
                    // The server is down, or the link was closed.
                }
            }
        }

        private void pump(Socket source, Socket target) {
            byte[] piece = new byte[65_536];
            try (source; target) {
                InputStream in = source.getInputStream();
                OutputStream out = target.getOutputStream();
                for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                    awaitOpen();
                    out.write(piece, 0, length);
                }
                awaitOpen();
            }
            catch (IOException ex) {
                // One side is gone.
            }
        }

        void close() throws IOException {
            this.entrance.close();
        }

    }

}
