package io.shardedid.clusters;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.testdb.MySqlServer;
import io.shardedid.tools.FreePort;

/**
 * Nodes of MySQL on this machine. Each refuses writes from its start until replication,
 * or who fails over, makes it the primary.
 */
final class MySql implements AutoCloseable {

    /** Of a group. */
    static final int MEMBERS = 3;

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** A node that is stopped gives none. */
    private static final Duration ANSWER = Duration.ofSeconds(3);

    /**
     * Such a session opens on the primary alone: elsewhere the subquery has two rows.
     */
    private static final String ON_THE_PRIMARY = "sessionVariables=@primary=(SELECT 0 UNION SELECT @@super_read_only)";

    /** What the page says after the name of the database. */
    static final String URL_ENDS_WITH = "?loadBalanceSQLStateFailover=21&retriesAllDown=1&connectTimeout=1000&"
            + ON_THE_PRIMARY;

    private final List<MySqlServer> nodes;

    private MySql(List<List<String>> options) {
        this.nodes = options.parallelStream().map((each) -> {
            List<String> all = new ArrayList<>(List.of("--gtid-mode=ON", "--enforce-gtid-consistency=ON",
                    "--innodb-buffer-pool-size=32M", "--super-read-only=ON"));
            all.addAll(each);
            return new MySqlServer(all.toArray(String[]::new));
        }).toList();
    }

    /**
     * Starts a source and its replica.
     * @param settings of the source, such as {@code timeout=2000}
     */
    static MySql semiSynchronous(String... settings) throws Exception {
        List<String> source = new ArrayList<>(
                List.of("--plugin-load-add=semisync_source.so", "--rpl-semi-sync-source-enabled=ON"));
        Stream.of(settings).forEach((setting) -> source.add("--rpl-semi-sync-source-" + setting));
        MySql cluster = new MySql(List.of(source,
                List.of("--plugin-load-add=semisync_replica.so", "--rpl-semi-sync-replica-enabled=ON")));
        try {
            cluster.execute(1,
                    "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT=%s, SOURCE_USER='root', SOURCE_AUTO_POSITION=1"
                        .formatted(cluster.nodes.get(0).port()));
            cluster.join();
            cluster.execute(0, "SET GLOBAL super_read_only=OFF", "CREATE DATABASE ids");
            return cluster;
        }
        catch (Exception | Error ex) {
            cluster.close();
            throw ex;
        }
    }

    /** Lets the replica follow the source. */
    void join() throws Exception {
        execute(1, "START REPLICA");
        Program.await("commits wait for the replica", PATIENCE,
                () -> query(0, "SELECT variable_value FROM performance_schema.global_status "
                        + "WHERE variable_name IN ('Rpl_semi_sync_source_status', 'Rpl_semi_sync_source_clients') "
                        + "ORDER BY variable_name")
                    .equals(List.of("1", "ON")));
    }

    /** Lets the source get no answer from the replica. */
    void cutOff() throws Exception {
        execute(1, "STOP REPLICA");
        Program.await("no replica", PATIENCE,
                () -> query(0, "SELECT variable_value FROM performance_schema.global_status "
                        + "WHERE variable_name = 'Rpl_semi_sync_source_clients'")
                    .equals(List.of("0")));
    }

    /** Returns the sessions of the source whose commits wait for the replica. */
    List<String> waiting() throws SQLException {
        return query(0, "SELECT id FROM performance_schema.processlist "
                + "WHERE user = 'root' AND state LIKE 'Waiting for semi-sync%'");
    }

    void endSession(String id) {
        try {
            execute(0, "KILL " + id);
        }
        catch (SQLException ex) {
            // it has ended by itself
        }
    }

    /** Makes the replica the primary. What it has received it applies before. */
    void promote() throws Exception {
        Program.await("the replica has applied all", PATIENCE,
                () -> query(1, "SELECT GTID_SUBSET(received_transaction_set, @@gtid_executed) "
                        + "FROM performance_schema.replication_connection_status")
                    .equals(List.of("1")));
        execute(1, "STOP REPLICA", "RESET REPLICA ALL", "SET GLOBAL super_read_only=OFF");
    }

    /**
     * Starts three members of a group.
     * @param consistency what {@code group_replication_consistency} says
     * @param onePrimary whether one of them takes writes, or each
     */
    static MySql group(String consistency, boolean onePrimary) throws Exception {
        int[] ports = new int[MEMBERS];
        for (int node = 0; node < MEMBERS; node++) {
            ports[node] = FreePort.find();
        }
        String seeds = IntStream.of(ports).mapToObj((port) -> "127.0.0.1:" + port).collect(Collectors.joining(","));
        MySql cluster = new MySql(IntStream.of(ports)
            .mapToObj((port) -> List.of("--plugin-load-add=group_replication.so", "--report-host=127.0.0.1",
                    "--loose-group-replication-group-name=3c7e3f7e-0d6c-4a5e-9a1e-2f7d6b1c0a55",
                    "--loose-group-replication-local-address=127.0.0.1:" + port,
                    "--loose-group-replication-group-seeds=" + seeds, "--loose-group-replication-start-on-boot=OFF",
                    "--loose-group-replication-single-primary-mode=" + onePrimary,
                    "--loose-group-replication-enforce-update-everywhere-checks=" + !onePrimary,
                    "--loose-group-replication-consistency=" + consistency))
            .toList());
        try {
            cluster.bootstrap(0);
            cluster.execute(0, "CREATE DATABASE ids");
            for (int node = 1; node < MEMBERS; node++) {
                cluster.joinGroup(node);
            }
            cluster.awaitMembers();
            return cluster;
        }
        catch (Exception | Error ex) {
            cluster.close();
            throw ex;
        }
    }

    /** Begins a group with what a node has. */
    void bootstrap(int node) throws SQLException {
        execute(node, "SET GLOBAL group_replication_bootstrap_group=ON");
        joinGroup(node);
        execute(node, "SET GLOBAL group_replication_bootstrap_group=OFF");
    }

    void joinGroup(int node) throws SQLException {
        execute(node, "CHANGE REPLICATION SOURCE TO SOURCE_USER='root' FOR CHANNEL 'group_replication_recovery'",
                "START GROUP_REPLICATION");
    }

    /** Waits until each node sees all others as members. */
    void awaitMembers() throws InterruptedException {
        for (int node = 0; node < this.nodes.size(); node++) {
            int each = node;
            Program.await("all see node " + node, PATIENCE, () -> members(each, "ONLINE").size() == this.nodes.size());
        }
    }

    /** Waits until a node knows that others are away. */
    void awaitAway(int node, int others) throws InterruptedException {
        Program.await(others + " members are away", PATIENCE,
                () -> members(node, "ONLINE").size() == this.nodes.size() - others);
    }

    private List<String> members(int node, String state) throws SQLException {
        return query(node, "SELECT member_port FROM performance_schema.replication_group_members WHERE member_state = '"
                + state + "'");
    }

    /** Lets the group choose another primary while this one runs. */
    void switchover(int primary) throws SQLException {
        int next = (primary + 1) % this.nodes.size();
        execute(primary,
                "SELECT group_replication_set_as_primary('%s')".formatted(query(next, "SELECT @@server_uuid").get(0)));
    }

    /** Waits until a node takes writes. */
    int awaitPrimary(int... others) throws InterruptedException {
        int[] found = new int[1];
        Program.await("a primary", PATIENCE, () -> {
            for (int node = 0; node < this.nodes.size(); node++) {
                if (Arrays.binarySearch(others, node) < 0 && takesWrites(node)) {
                    found[0] = node;
                    return true;
                }
            }
            return false;
        });
        return found[0];
    }

    private boolean takesWrites(int node) {
        try {
            return query(node, "SELECT @@super_read_only").equals(List.of("0"));
        }
        catch (SQLException ex) {
            return false;
        }
    }

    void start(int node) {
        this.nodes.get(node).start();
    }

    void kill(int node) {
        this.nodes.get(node).kill();
    }

    void stop(int node) {
        signal("STOP", node);
    }

    void resume(int node) {
        signal("CONT", node);
    }

    /** Lets a node end in order. */
    void shutDown(int node) {
        ProcessHandle server = ProcessHandle.of(this.nodes.get(node).pid()).orElseThrow();
        Program.signal("TERM", server);
        server.onExit().join();
    }

    private void signal(String name, int node) {
        Program.signal(name, ProcessHandle.of(this.nodes.get(node).pid()).orElseThrow());
    }

    /** Returns the URL of a process that reaches these nodes, all without any. */
    String url(int... some) {
        return "jdbc:mysql:loadbalance://" + hosts(some) + "/ids" + URL_ENDS_WITH;
    }

    /** Returns the same for the driver of MariaDB. */
    String urlOfMariaDb(int... some) {
        return "jdbc:mariadb:sequential://" + hosts(some) + "/ids?connectTimeout=1000&" + ON_THE_PRIMARY;
    }

    String hosts(int... some) {
        return ((some.length > 0) ? IntStream.of(some) : IntStream.range(0, this.nodes.size()))
            .mapToObj((node) -> "127.0.0.1:" + this.nodes.get(node).port())
            .collect(Collectors.joining(","));
    }

    private void execute(int node, String... statements) throws SQLException {
        try (Connection connection = connect(node, PATIENCE); Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Returns the first column. */
    private List<String> query(int node, String sql) throws SQLException {
        try (Connection connection = connect(node, ANSWER);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    private Connection connect(int node, Duration answer) throws SQLException {
        return DriverManager.getConnection("jdbc:mysql://127.0.0.1:%s/?connectTimeout=1000&socketTimeout=%s"
            .formatted(this.nodes.get(node).port(), answer.toMillis()), "root", "");
    }

    @Override
    public void close() {
        this.nodes.forEach(MySqlServer::close);
    }

}
