package io.shardedid.clusters;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.tools.FreePort;

/**
 * Three nodes of PostgreSQL under Patroni, and one etcd, on this machine. With the second
 * interface of etcd a primary compares the leader's key before it renews it. With the
 * third one, Patroni 3.0.2 overwrites the key of its successor when it was stopped at the
 * wrong moment.
 */
final class Patroni implements AutoCloseable {

    static final int NODES = 3;

    /** How long Patroni waits for a primary that says nothing. */
    static final Duration TTL = Duration.ofSeconds(10);

    private static final String CLUSTER = "ids";

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final String LOADED = "SELECT extract(epoch FROM pg_conf_load_time()) * 1000000";

    private static final String REJECTED = "host replication all 127.0.0.1/32 reject\n";

    private final Path folder;

    private final int[] sqlPorts = new int[NODES];

    private final int[] restPorts = new int[NODES];

    private final Program[] nodes = new Program[NODES];

    private final Program etcd;

    private final Mode mode;

    /** How commits wait for a standby. */
    enum Mode {

        /** Each commit waits, also while no standby is there. */
        STRICT("synchronous_mode_strict"),
        /** Each commit waits until Patroni gives up the last standby. */
        SYNCHRONOUS("synchronous_mode"),
        /** No commit waits. */
        ASYNCHRONOUS("asynchronous");

        private final String key;

        Mode(String key) {
            this.key = key;
        }

        @Override
        public String toString() {
            return this.key;
        }

    }

    Patroni(Path folder, Mode mode) throws Exception {
        this.folder = folder;
        this.mode = mode;
        int clients = FreePort.find();
        int peers = FreePort.find();
        this.etcd = Program.start(folder.resolve("etcd.log"), Map.of(), List.of("etcd", "--enable-v2",
                "--data-dir=" + folder.resolve("etcd"), "--listen-client-urls=http://127.0.0.1:" + clients,
                "--advertise-client-urls=http://127.0.0.1:" + clients, "--listen-peer-urls=http://127.0.0.1:" + peers,
                "--initial-advertise-peer-urls=http://127.0.0.1:" + peers,
                "--initial-cluster=default=http://127.0.0.1:" + peers));
        try {
            for (int node = 0; node < NODES; node++) {
                this.sqlPorts[node] = FreePort.find();
                this.restPorts[node] = FreePort.find();
                Files.writeString(configuration(node), configuration(node, clients, mode));
                start(node);
            }
            awaitStandbys();
        }
        catch (Exception | Error ex) {
            close();
            throw ex;
        }
    }

    private Path configuration(int node) {
        return this.folder.resolve(name(node) + ".yml");
    }

    private static String name(int node) {
        return "node-" + node;
    }

    private Path data(int node) {
        return this.folder.resolve(name(node));
    }

    private String configuration(int node, int etcdPort, Mode mode) throws IOException {
        try (Stream<Path> versions = Files.list(Path.of("/usr/lib/postgresql"))) {
            Path programs = versions.map((version) -> version.resolve("bin"))
                .filter((bin) -> Files.isExecutable(bin.resolve("postgres")))
                .max(Comparator.naturalOrder())
                .orElseThrow();
            return """
                    scope: %s
                    name: %s
                    restapi:
                      listen: 127.0.0.1:%s
                      connect_address: 127.0.0.1:%3$d
                    etcd:
                      host: 127.0.0.1:%s
                    bootstrap:
                      dcs:
                        ttl: %s
                        loop_wait: 1
                        retry_timeout: 4
                        synchronous_mode: %s
                        synchronous_mode_strict: %s
                        postgresql:
                          use_pg_rewind: true
                      initdb:
                      - encoding: UTF8
                      - data-checksums
                      - auth: trust
                      pg_hba:
                      - host all all 127.0.0.1/32 trust
                      - host replication all 127.0.0.1/32 trust
                    postgresql:
                      listen: 127.0.0.1:%s
                      connect_address: 127.0.0.1:%8$d
                      data_dir: %s
                      bin_dir: %s
                      pgpass: %s
                      remove_data_directory_on_rewind_failure: true
                      remove_data_directory_on_diverged_timelines: true
                      parameters:
                        unix_socket_directories: %s
                      authentication:
                        superuser:
                          username: postgres
                        replication:
                          username: replicator
                    """.formatted(CLUSTER, name(node), this.restPorts[node], etcdPort, TTL.toSeconds(),
                    mode != Mode.ASYNCHRONOUS, mode == Mode.STRICT, this.sqlPorts[node], data(node), programs,
                    this.folder.resolve(name(node) + ".pgpass"), this.folder);
        }
    }

    /** Starts a node, or starts it again. */
    void start(int node) throws IOException {
        this.nodes[node] = Program.start(this.folder.resolve(name(node) + ".log"), Map.of(),
                Program.notAsRoot("patroni", configuration(node).toString()));
    }

    /** Kills Patroni and its server, as when the machine of a node is lost. */
    void kill(int node) throws IOException {
        this.nodes[node].signal("KILL");
        killServer(node);
    }

    private void killServer(int node) throws IOException {
        Path file = data(node).resolve("postmaster.pid");
        if (Files.exists(file)) {
            ProcessHandle.of(Long.parseLong(Files.readAllLines(file).get(0).strip()))
                .ifPresent((server) -> Program.signal("KILL", server));
        }
    }

    /** Stops Patroni by SIGSTOP. Its server goes on. */
    void stopManager(int node) {
        this.nodes[node].signal("STOP");
    }

    void resumeManager(int node) {
        this.nodes[node].signal("CONT");
    }

    /** Takes both standbys from the primary. */
    void cutStandbys(int primary) throws Exception {
        Path rules = data(primary).resolve("pg_hba.conf");
        Files.writeString(rules, REJECTED + Files.readString(rules));
        long before = number(primary, LOADED);
        number(primary, "SELECT count(pg_reload_conf())");
        Program.await("the rules are loaded", PATIENCE, () -> number(primary, LOADED) > before);
        Program.await("no standby", PATIENCE,
                () -> number(primary, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_replication") == 0);
    }

    void joinStandbys(int primary) throws Exception {
        Path rules = data(primary).resolve("pg_hba.conf");
        Files.writeString(rules, Files.readString(rules).replace(REJECTED, ""));
        number(primary, "SELECT count(pg_reload_conf())");
    }

    /**
     * Waits until one node is the primary and both others follow it. A synchronous
     * standby counts when Patroni has said so: before, Patroni does not give it up.
     */
    int awaitStandbys() throws InterruptedException {
        Program.await("two standbys", PATIENCE, () -> {
            List<Integer> primaries = primaries();
            return primaries.size() == 1
                    && number(primaries.get(0),
                            "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == NODES - 1
                    && (this.mode == Mode.ASYNCHRONOUS || IntStream.range(0, NODES).anyMatch(this::isSynchronous));
        });
        return primaries().get(0);
    }

    int awaitPrimary(int other) throws InterruptedException {
        Program.await("another primary than " + other, PATIENCE,
                () -> primaries().stream().anyMatch((node) -> node != other));
        return primaries().stream().filter((node) -> node != other).findFirst().orElseThrow();
    }

    List<Integer> primaries() {
        return IntStream.range(0, NODES).filter(this::isPrimary).boxed().toList();
    }

    private boolean isSynchronous(int node) {
        try {
            HttpURLConnection asked = (HttpURLConnection) URI
                .create("http://127.0.0.1:%s/synchronous".formatted(this.restPorts[node]))
                .toURL()
                .openConnection();
            asked.setConnectTimeout(1000);
            asked.setReadTimeout(3000);
            return asked.getResponseCode() == HttpURLConnection.HTTP_OK;
        }
        catch (IOException ex) {
            return false;
        }
    }

    private boolean isPrimary(int node) {
        try {
            return number(node, "SELECT count(*) WHERE NOT pg_is_in_recovery()") == 1;
        }
        catch (SQLException ex) {
            return false;
        }
    }

    /** Lets Patroni promote another node while the primary runs. */
    void switchover(int primary) throws Exception {
        control("switchover", CLUSTER, "--leader=" + name(primary), "--force");
    }

    /** Lets Patroni promote a node although it may lack commits. */
    void failover(int candidate) throws Exception {
        control("failover", CLUSTER, "--candidate=" + name(candidate), "--force");
    }

    private void control(String... arguments) throws Exception {
        Program.run(this.folder.resolve("patronictl.log"),
                Stream.concat(Stream.of("patronictl", "--config-file=" + configuration(0)), Stream.of(arguments))
                    .toList());
    }

    /**
     * Returns the URL of a process whose driver asks all nodes for the primary.
     * @param first the node that it asks first
     */
    String url(int first) {
        return url(IntStream.range(0, NODES).map((i) -> (first + i) % NODES));
    }

    /** Returns the URL of a process that reaches one node alone. */
    String urlOf(int node) {
        return url(IntStream.of(node));
    }

    private String url(IntStream hosts) {
        return hosts.mapToObj((node) -> "127.0.0.1:" + this.sqlPorts[node])
            .collect(Collectors.joining(",", "jdbc:postgresql://", "/postgres?targetServerType=primary"));
    }

    private long number(int node, String sql) throws SQLException {
        try (Connection connection = DriverManager
            .getConnection("jdbc:postgresql://127.0.0.1:%s/postgres?user=postgres&connectTimeout=1&socketTimeout=3"
                .formatted(this.sqlPorts[node]));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public void close() throws IOException {
        for (int node = 0; node < NODES; node++) {
            if (this.nodes[node] != null) {
                kill(node);
            }
        }
        this.etcd.close();
    }

}
