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
        for (Database database : Database.values()) {
            figures.ofPersist(database);
        }
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
        add("allocation of `next` (bytes)", 0.01, series(nextName(Peer.FIXED, 1) + " B/op"));
    }

    private void ofGenerate() {
        for (String form : List.of("scalarKey", "association")) {
            String name = "GenerateBenchmark." + form + " t1";
            add("`generate`, " + form + " (ns)", 150, series(name));
            add("… (bytes a row)", 24, series(name + " B/op"));
        }
    }

    private void ofPersist(Database database) {
        Series keyed = persist(database, RowKind.KEYED);
        add("persist over assigned ids, " + database, 1.05, keyed.over(persist(database, RowKind.ASSIGNED)));
        add("… over sequence of 50, " + database, 0.95, keyed.over(persist(database, RowKind.SEQUENCE)));
        if (database == Database.POSTGRESQL) {
            add("… over IDENTITY, no delay, " + database, 0.20, keyed.over(persist(database, RowKind.IDENTITY)));
            add("index bytes a row, all shards in one table, standard layout, over a bigint sequence", 1.35,
                    index(RowKind.KEYED).over(index(RowKind.SEQUENCE)));
            add("… one shard's table", 1.00, index(RowKind.ONE_SHARD).over(index(RowKind.SEQUENCE)));
        }
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
        return "NextBenchmark.next %s t%d".formatted(peer, threads);
    }

    private Series spread(int shards, int threads) {
        return series("SpreadBenchmark.next UNIFORM FIXED %d t%d".formatted(shards, threads));
    }

    private Series persist(Database database, RowKind kind) {
        return series("persist %s %s".formatted(database, kind));
    }

    private Series index(RowKind kind) {
        return series("persist %s %s index bytes a row".formatted(Database.POSTGRESQL, kind));
    }

    private Series series(String name) {
        return this.measured.series(name);
    }

}
