package io.shardedid.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * The figures to reach, from what was measured.
 */
final class Figures {

    private final Measurements measured;

    private final List<Figure> figures = new ArrayList<>();

    private Figures(Measurements measured) {
        this.measured = measured;
    }

    static List<Figure> of(Measurements measured) {
        Figures figures = new Figures(measured);
        figures.ofNext();
        figures.ofGenerate();
        figures.ofPersist();
        figures.ofIndexes();
        figures.ofHours();
        figures.ofGrowth();
        return figures.figures;
    }

    private void ofNext() {
        Series limit = calm(Peer.LIMIT);
        Series fixed = calm(Peer.FIXED);
        Series spread = series("SpreadBenchmark.thousandCalls UNIFORM FIXED 2000 t1");
        Series peer = fastestPeer(Figures::calmName);
        add("`next`, 1 thread, one shard, over the fastest time-based peer", 1.10, fixed.over(peer));
        add("… spread over 2,000 shards", 1.10, spread.over(peer));
        add("`next`, 1 thread, one shard, above clock + increment (ns)", 5, fixed.minus(limit));
        add("… spread over 2,000 shards (ns)", 5, spread.minus(limit));
        add("`next` with a lease over mode `fixed`", 1.05, calm(Peer.LEASE).over(fixed));
        add("`next`, 2 threads, one shard, over clock + increment on one cell", 1.15,
                next(Peer.FIXED, 2).over(next(Peer.LIMIT, 2)));
        add("… over the fastest time-based peer", 0.50,
                next(Peer.FIXED, 2).over(fastestPeer((each) -> nextName(each, 2))));
        add("`next`, 2 threads over 2,000 shards, over 1 thread (time per id and thread)", 1.15,
                spread(2000, 2).over(spread(2000, 1)));
        add("`next`, 8 threads over 2,000 shards, over the fastest peer", 0.70,
                spread(2000, 8).over(fastestPeer((each) -> nextName(each, 8))));
        add("1,000 ids in one call, per id (ns)", 2, series("BulkBenchmark.thousand t1"));
        add("allocation of `next` (bytes)", 0.01, series("SpreadBenchmark.next UNIFORM FIXED 2000 t1 B/op"));
    }

    private void ofGenerate() {
        for (String form : List.of("scalarKey", "association")) {
            String name = "GenerateBenchmark." + form + " t1";
            add("`generate`, " + form + " (ns)", 150, series(name));
            add("… (bytes a row)", 24, series(name + " B/op"));
        }
    }

    private void ofPersist() {
        for (Database database : List.of(Database.POSTGRESQL, Database.H2)) {
            String where = ", " + database;
            Series keyed = persist(database, "", RowKind.KEYED);
            add("persist over assigned ids" + where, 1.05, keyed.over(persist(database, "", RowKind.ASSIGNED)));
            Series cpu = cpu(database, RowKind.KEYED);
            add("persist over assigned ids, CPU" + where, 1.02, cpu.over(cpu(database, RowKind.ASSIGNED)));
            add("… over a minimal generator" + where, 1.02, cpu.over(cpu(database, RowKind.MINIMAL)));
            add("persist over sequence of 50" + where, 0.95, keyed.over(persist(database, "", RowKind.SEQUENCE)));
        }
        overIdentity("", "no delay", 0.20);
        overIdentity(", 1 ms away,", "1 ms delay", 0.05);
    }

    private void overIdentity(String delay, String what, double goal) {
        Database database = Database.POSTGRESQL;
        add("persist over IDENTITY, %s, %s".formatted(what, database), goal,
                persist(database, delay, RowKind.KEYED).over(persist(database, delay, RowKind.IDENTITY)));
    }

    private void ofIndexes() {
        index("one shard's table", 1.00, RowKind.ONE_SHARD);
        index("all shards in one table, standard layout", 1.35, RowKind.KEYED);
        index("all shards in one table, layout `dense`", 1.02, RowKind.DENSE);
    }

    private void index(String what, double goal, RowKind kind) {
        String form = "persist " + Database.POSTGRESQL + " %s index bytes a row";
        add("index bytes a row over a bigint sequence, " + what, goal,
                series(form.formatted(kind)).over(series(form.formatted(RowKind.SEQUENCE))));
    }

    private void ofHours() {
        for (RowKind kind : List.of(RowKind.KEYED, RowKind.DENSE)) {
            String what = "\"one hour's rows\" by the id of %s over a created-at index, PostgreSQL".formatted(kind);
            String time = "read " + Database.POSTGRESQL + " %s, an hour's rows (µs a row)";
            add(what + ": time", 1.0, series(time.formatted(kind)).over(series(time.formatted(RowKind.INDEXED))));
            String bytes = "persist " + Database.POSTGRESQL + " %s table and index bytes a row";
            add(what + ": table and index bytes", 0.85,
                    series(bytes.formatted(kind)).over(series(bytes.formatted(RowKind.INDEXED))));
        }
    }

    private void ofGrowth() {
        add("SessionFactory start, per annotated entity (ms)", 0.3,
                series("start, a sharded entity over an assigned one (ms)"));
        add("a fleet of 127 workers: duplicates", 0, series("fleet of 127, duplicates"));
    }

    private void add(String what, double goal, Series measured) {
        this.figures.add(new Figure(what, goal, measured));
    }

    private Series fastestPeer(Function<Peer, String> name) {
        List<String> peers = Arrays.stream(Peer.values())
            .filter((peer) -> peer.kind() == Peer.Kind.TIME_BASED)
            .map(name)
            .toList();
        return this.measured.fastest(peers::contains);
    }

    /**
     * One thread: the medians of samples, which other load on the machine hardly moves.
     */
    private Series calm(Peer peer) {
        return series(calmName(peer));
    }

    private static String calmName(Peer peer) {
        return "NextBenchmark.thousandCalls %s t1".formatted(peer);
    }

    private Series next(Peer peer, int threads) {
        return series(nextName(peer, threads));
    }

    private static String nextName(Peer peer, int threads) {
        return "NextBenchmark.next %s t%s".formatted(peer, threads);
    }

    private Series spread(int shards, int threads) {
        return series("SpreadBenchmark.next UNIFORM FIXED %s t%s".formatted(shards, threads));
    }

    private Series persist(Database database, String delay, RowKind kind) {
        return series("persist %s%s %s".formatted(database, delay, kind));
    }

    private Series cpu(Database database, RowKind kind) {
        return series("persist %s %s CPU".formatted(database, kind));
    }

    private Series series(String name) {
        return this.measured.series(name);
    }

}
