package duel;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.hypersistence.tsid.TSID;
import org.h2.tools.Server;

/**
 * Counts the duplicate ids of ShardedId, whose processes are paused, killed and set back,
 * and those of hypersistence-tsid as it comes, whose processes nobody disturbs.
 */
public final class Duel {

    private final Server server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start();

    private final Connection database = DriverManager.getConnection("jdbc:h2:mem:duel");

    private final List<Process> running = new CopyOnWriteArrayList<>();

    private final int seconds;

    private Duel(int seconds) throws SQLException {
        this.seconds = seconds;
        Runtime.getRuntime().addShutdownHook(new Thread(() -> this.running.forEach(Process::destroyForcibly)));
    }

    /**
     * The argument says how many seconds a lease lasts, and a part of the duel; else 5.
     */
    public static void main(String[] arguments) throws Exception {
        Duel duel = new Duel((arguments.length > 0) ? Integer.parseInt(arguments[0]) : 5);
        duel.shardedId();
        duel.tsid();
    }

    private void shardedId() throws Exception {
        this.database.createStatement().execute("RUNSCRIPT FROM 'classpath:io/shardedid/lease-table-h2.sql'");
        // without a key, which would refuse duplicates
        this.database.createStatement().execute("CREATE TABLE sharded (id BIGINT)");
        String[] arguments = { "sharded", "0-7", "" + this.seconds };
        List<Process> pods = new ArrayList<>();
        while (pods.size() < 8) {
            pods.add(start("-Xmx128m", arguments));
        }
        Object[] workers = pods.stream().map(Duel::firstLine).toArray();
        say("ShardedId: 8 processes have the worker ids 0 to 7, which are all that there are, and insert");
        TimeUnit.SECONDS.sleep(this.seconds);
        new ProcessBuilder("kill", "-STOP", "" + pods.get(0).pid()).start().waitFor();
        pods.get(1).destroyForcibly().waitFor();
        pods.get(2).getOutputStream().write(1);
        pods.get(2).getOutputStream().flush();
        say("  worker id %s is paused, %s is killed, and the clock of %s is an hour behind", workers);
        Process first = start("-Xmx128m", arguments);
        Process second = start("-Xmx128m", arguments);
        say("  two new processes wait for leases to end, and get %s and %s", firstLine(first), firstLine(second));
        TimeUnit.SECONDS.sleep(this.seconds);
        new ProcessBuilder("kill", "-CONT", "" + pods.get(0).pid()).start().waitFor();
        say("  the paused process wakes up in the middle of its work");
        finish("ShardedId", "sharded");
    }

    private void tsid() throws Exception {
        this.database.createStatement().execute("CREATE TABLE tsid (id BIGINT)");
        say("hypersistence-tsid: 40 pods draw their nodes by 'new TSID.Factory()', rollout after rollout");
        Set<Long> nodes = new HashSet<>();
        int rollout = 0;
        long node;
        do {
            if (nodes.size() % 40 == 0) {
                nodes.clear();
                rollout++;
            }
            node = new TSID.Factory().generate().toLong() >> 12 & 1023;
        }
        while (nodes.add(node));
        say("  in rollout %s two pods have node %s, and both insert", rollout, node);
        start("-Dtsid.node=" + node, "tsid");
        start("-Dtsid.node=" + node, "tsid");
        finish("hypersistence-tsid", "tsid");
    }

    private Process start(String option, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"), option,
                "-cp", System.getProperty("java.class.path"), "duel.Pod",
                "jdbc:h2:tcp://localhost:%s/mem:duel".formatted(this.server.getPort())));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        this.running.add(process);
        return process;
    }

    private static String firstLine(Process process) {
        return process.inputReader().lines().findFirst().orElseThrow();
    }

    private void finish(String name, String table) throws Exception {
        TimeUnit.SECONDS.sleep(this.seconds);
        this.running.forEach(Process::destroyForcibly);
        String count = "SELECT COUNT(*) - COUNT(DISTINCT id), COUNT(*) FROM " + table;
        ResultSet ids = this.database.createStatement().executeQuery(count);
        ids.next();
        say("%s: %,d duplicates of %,d", name, ids.getLong(1), ids.getLong(2));
    }

    private static void say(String text, Object... values) {
        System.out.printf(Locale.ROOT, text + "%n", values);
    }

}
