package io.shardedid.benchmarks.routing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;

/**
 * A fleet of routers over many databases: its starts, its connections, its statements at
 * the home database, its merges, and its next maps. Fails if a router reads wrong rows,
 * does not confirm a map, or leaves a row behind.
 */
final class RouterFleet implements AutoCloseable {

    private final FleetSize size;

    private final FleetServers servers;

    private final Path file;

    private final List<FleetJvm> jvms = new ArrayList<>();

    private final long began = System.nanoTime();

    private RouterFleet(FleetSize size) throws IOException, SQLException {
        this.size = size;
        this.servers = new FleetServers(size);
        this.file = this.servers.file();
    }

    /**
     * Measures and prints a table.
     * @param arguments {@code full}, {@code smoke}, or {@code none}, which does nothing
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("none")) {
            return;
        }
        FleetJvm.log(Level.ERROR);
        try (RouterFleet fleet = new RouterFleet(FleetSize.of(arguments[0]))) {
            System.out.println("| s | what | figure |");
            System.out.println("|---|---|---|");
            fleet.measure(arguments[0]);
        }
    }

    private void measure(String name) throws Exception {
        show("processes that wanted the CPUs in the last minute", load());
        show("job: start of one process that asks all databases, and makes what is missing (ms)", application(name,
                "fill", "--shardedid.databases.start=all", "--shardedid.worker.lease.acquire=first-use"));
        start(name);
        connections("after the start", 0);
        touch(1, 1);
        touch(this.size.touched(), 1);
        FleetJvm.ask(this.jvms, "forget");
        touch(this.size.databases(), this.size.sample());
        FleetJvm.ask(this.jvms, "forget");
        statements("at rest");
        merges(name, "home", 8);
        if (this.size.compares()) {
            merges(name, "all", 1);
            merges(name, "home", 64);
        }
        FleetJvm.ask(this.jvms, "read");
        statements("while each process reads once a second");
        for (int i = 1; i <= this.size.moves(); i++) {
            NextMap next = new NextMap(this.size, this.servers, i);
            show("next map: " + next.shards(), next.measure());
        }
        for (String answer : FleetJvm.ask(this.jvms, "stop")) {
            check("reads and failed reads", answer, answer.endsWith(" 0") && !answer.startsWith("0 "));
        }
        FleetJvm.ask(this.jvms, "close");
        String left = this.servers.askHome("select count(*) from shardedid_router").get(0);
        check("routers that left their row behind", left, left.equals("0"));
        show("processes that wanted the CPUs in the last minute", load());
    }

    private void start(String name) throws Exception {
        int each = this.size.routers() / this.size.jvms();
        for (int from = 0; from < this.size.routers(); from += each) {
            this.jvms
                .add(new FleetJvm(List.of("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"), FleetRouters.class,
                        name, this.file.toString(), Integer.toString(from), Integer.toString(from + each)));
        }
        long start = System.nanoTime();
        List<Integer> millis = FleetJvm.ask(this.jvms, "start")
            .stream()
            .flatMap((answer) -> Stream.of(answer.split(" ")))
            .map(Integer::valueOf)
            .sorted()
            .toList();
        show("start of all processes (s)", seconds(start));
        show("start of a process of the fleet: median, maximum (ms)",
                millis.get(millis.size() / 2) + ", " + Collections.max(millis));
        String routers = this.servers.askHome("select count(*) from shardedid_router where version_seen > 0").get(0);
        check("routers that have a map", routers, Integer.parseInt(routers) == this.size.routers());
    }

    private void touch(int databases, int every) throws Exception {
        long start = System.nanoTime();
        FleetJvm.ask(this.jvms, "touch %d %d".formatted(databases, every));
        connections("after %s has read in %d of %d databases, in %s s".formatted(
                (every == 1) ? "each process" : "one of %d processes".formatted(every), databases,
                this.size.databases(), seconds(start)), databases);
    }

    /**
     * The keeper of a lease has a connection, and each pool as many as its users need.
     */
    private void connections(String when, int databases) throws SQLException {
        List<Integer> connections = this.servers.connections();
        show("connections of each server " + when, connections.toString());
        int all = connections.stream().mapToInt(Integer::intValue).sum();
        check("connections of all servers", Integer.toString(all),
                all >= this.size.routers() && all <= (databases + 2) * this.size.routers());
    }

    private void statements(String when) throws Exception {
        this.servers.home("select pg_stat_statements_reset()");
        long start = System.nanoTime();
        Thread.sleep(this.size.rest().toMillis());
        double elapsed = (System.nanoTime() - start) / 1e9;
        for (String row : this.servers.askHome(
                """
                        select format('%%s: %%s', kind, round((sum(calls) / %s)::numeric, 1)) from (
                          select calls, case when query ~ 'shardedid_worker' then 'lease of the worker id'
                              when query ~ 'shardedid_shard' then 'version of the map' when query ~ 'shardedid_router' then 'lease of the map'
                              when query ~ 'photo' then 'reads' else 'other' end as kind
                            from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
                              and query !~ 'pg_stat_statements') as statements
                        group by kind order by sum(calls) desc"""
                    .formatted(elapsed))) {
            show("statements a second at the home database " + when, row);
        }
    }

    /** Starts one process more, and merges in it. */
    private void merges(String name, String start, int parallelism) throws Exception {
        String[] millis = application(name, "merge", "--shardedid.databases.start=" + start,
                "--shardedid.databases.parallelism=" + parallelism)
            .split(" ");
        show("start of one process with Hibernate, start=%s (ms)".formatted(start), millis[0]);
        show("merge of %d databases, parallelism=%d: first, median, maximum (ms)".formatted(this.size.databases(),
                parallelism), String.join(", ", List.of(millis).subList(1, millis.length)));
    }

    private String application(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(1, this.file.toString());
        try (FleetJvm jvm = new FleetJvm(List.of(), FleetApplication.class, all.toArray(String[]::new))) {
            return jvm.answer();
        }
    }

    private void check(String what, String figure, boolean right) {
        show(what, figure);
        if (!right) {
            throw new IllegalStateException("Wrong: %s: %s".formatted(what, figure));
        }
    }

    private void show(String what, String figure) {
        System.out.printf("| %s | %s | %s |%n", seconds(this.began), what, figure);
    }

    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).split(" ")[0];
    }

    static String seconds(long since) {
        return "%.1f".formatted((System.nanoTime() - since) / 1e9);
    }

    @Override
    public void close() throws IOException {
        this.jvms.forEach(FleetJvm::close);
        this.servers.close();
    }

}
