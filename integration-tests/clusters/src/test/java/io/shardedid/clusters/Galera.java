package io.shardedid.clusters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.tools.FreePort;

/**
 * Three nodes of MariaDB with Galera on this machine, whose clocks may differ.
 */
final class Galera implements AutoCloseable {

    static final int NODES = 3;

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Path folder;

    private final int[] sqlPorts = new int[NODES];

    private final int[] groupPorts = new int[NODES];

    private final int[] transferPorts = new int[NODES];

    private final int[] incrementPorts = new int[NODES];

    private final int[] clockSeconds;

    private final Program[] nodes = new Program[NODES];

    /**
     * Starts the nodes.
     * @param clockSeconds how far the clock of each is ahead
     */
    Galera(Path folder, int... clockSeconds) throws Exception {
        this.folder = folder;
        this.clockSeconds = clockSeconds;
        for (int node = 0; node < NODES; node++) {
            this.sqlPorts[node] = FreePort.find();
            this.groupPorts[node] = FreePort.find();
            this.transferPorts[node] = FreePort.find();
            this.incrementPorts[node] = FreePort.find();
            Program.run(folder.resolve("install-" + node), Program.notAsRoot("mariadb-install-db", "--no-defaults",
                    "--auth-root-authentication-method=normal", "--skip-test-db", "--datadir=" + data(node)));
        }
        try {
            for (int node = 0; node < NODES; node++) {
                start(node, node == 0);
            }
            try (Connection connection = connect(0); Statement statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE ids");
                statement.execute("CREATE USER ids@'127.0.0.1' IDENTIFIED BY ''");
                statement.execute("GRANT ALL ON *.* TO ids@'127.0.0.1'");
            }
        }
        catch (Exception | Error ex) {
            close();
            throw ex;
        }
    }

    private Path data(int node) {
        return this.folder.resolve("node-" + node);
    }

    void start(int node) throws Exception {
        start(node, false);
    }

    private void start(int node, boolean first) throws Exception {
        List<String> command = new ArrayList<>(Program.notAsRoot("mariadbd", "--no-defaults", "--datadir=" + data(node),
                "--port=" + this.sqlPorts[node], "--bind-address=127.0.0.1", "--socket=" + data(node) + ".sock",
                "--pid-file=" + data(node) + ".pid", "--skip-name-resolve", "--binlog-format=ROW",
                "--innodb-autoinc-lock-mode=2", "--innodb-flush-log-at-trx-commit=2", "--innodb-buffer-pool-size=64M",
                "--wsrep-on=ON", "--wsrep-provider=/usr/lib/galera/libgalera_smm.so", "--wsrep-cluster-name=ids",
                "--wsrep-node-name=node-" + node, "--wsrep-node-address=127.0.0.1", "--wsrep-sst-method=rsync",
                "--wsrep-sst-receive-address=127.0.0.1:" + this.transferPorts[node],
                "--wsrep-cluster-address=gcomm://" + IntStream.of(this.groupPorts)
                    .mapToObj((port) -> "127.0.0.1:" + port)
                    .collect(Collectors.joining(",")),
                "--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:%s;ist.recv_addr=127.0.0.1:%s;gcache.size=32M"
                    .formatted(this.groupPorts[node], this.incrementPorts[node])));
        if (first) {
            command.add("--wsrep-new-cluster");
        }
        this.nodes[node] = Program.start(data(node).resolveSibling("node-" + node + ".log"), clock(node), command);
        awaitSynced(node);
    }

    private Map<String, String> clock(int node) throws IOException {
        if (this.clockSeconds.length == 0) {
            return Map.of();
        }
        try (Stream<Path> libraries = Files.find(Path.of("/usr/lib"), 4,
                (path, attributes) -> path.endsWith("faketime/libfaketime.so.1"))) {
            return Map.of("LD_PRELOAD", String.valueOf(libraries.findFirst().orElseThrow()), "FAKETIME",
                    "%+ds".formatted(this.clockSeconds[node]), "FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
    }

    /**
     * Returns the URL of a process that prefers one node.
     * @param session variables of the session, or an empty text
     */
    String url(int first, String session) {
        return "jdbc:mariadb:sequential://%s/ids?connectTimeout=1000%s".formatted(IntStream.range(0, NODES)
            .mapToObj((i) -> "127.0.0.1:" + this.sqlPorts[(first + i) % NODES])
            .collect(Collectors.joining(",")), session.isEmpty() ? "" : "&sessionVariables=" + session);
    }

    void kill(int node) {
        this.nodes[node].signal("KILL");
    }

    void stop(int node) {
        this.nodes[node].signal("STOP");
    }

    void resume(int node) {
        this.nodes[node].signal("CONT");
    }

    /** A node that is cut off hears no other one; clients reach it. */
    void cutOff(int node, boolean off) throws Exception {
        try (Connection connection = connect(node); Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL wsrep_provider_options='gmcast.isolate=%s'".formatted(off ? 1 : 0));
        }
    }

    /** Lets a node answer, but apply nothing of the other nodes, until this is closed. */
    AutoCloseable holdBack(int node) throws SQLException {
        Connection connection = connect(node);
        try (Statement statement = connection.createStatement()) {
            statement.execute("FLUSH TABLES WITH READ LOCK");
        }
        return connection;
    }

    void awaitSynced(int node) throws InterruptedException {
        Program.await("node " + node + " is synchronized", PATIENCE,
                () -> status(node, "wsrep_local_state_comment").equals("Synced")
                        && status(node, "wsrep_cluster_status").equals("Primary"));
    }

    /**
     * A node that was stopped does not know at once that the others went on without it.
     */
    void awaitAllSynced() throws InterruptedException {
        for (int node = 0; node < NODES; node++) {
            int each = node;
            Program.await("all see node " + node, PATIENCE, () -> status(each, "wsrep_cluster_size").equals("3"));
            awaitSynced(node);
        }
    }

    /** Waits until a node that hears all others but one knows that the one is away. */
    void awaitAway(int other) throws InterruptedException {
        Program.await("a node is away", PATIENCE, () -> status(other, "wsrep_cluster_size").equals("2"));
    }

    /** Whether a node knows that it is in a minority. */
    void awaitMinority(int node) throws InterruptedException {
        Program.await("node " + node + " is in a minority", PATIENCE,
                () -> !status(node, "wsrep_cluster_status").equals("Primary"));
    }

    private String status(int node, String variable) throws SQLException {
        try (Connection connection = connect(node);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW STATUS LIKE '" + variable + "'")) {
            rows.next();
            return rows.getString(2);
        }
    }

    /** How far the clock of a node is ahead of this process. */
    long secondsAhead(int node) throws SQLException {
        try (Connection connection = connect(node);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT UNIX_TIMESTAMP()")) {
            rows.next();
            return rows.getLong(1) - Instant.now().getEpochSecond();
        }
    }

    private Connection connect(int node) throws SQLException {
        return DriverManager
            .getConnection("jdbc:mariadb://127.0.0.1:%s/?user=root&connectTimeout=1000&socketTimeout=5000"
                .formatted(this.sqlPorts[node]));
    }

    @Override
    public void close() {
        for (Program node : this.nodes) {
            if (node != null) {
                node.close();
            }
        }
    }

}
