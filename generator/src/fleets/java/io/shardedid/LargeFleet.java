package io.shardedid;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import javax.sql.DataSource;

import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;

/**
 * Many processes that make ids. Each is an engine that the others of this JVM do not
 * know, with a keeper and a connection of its own.
 */
public final class LargeFleet implements AutoCloseable {

    /** How many start and end at the same time. */
    private static final int AT_ONCE = 16;

    private static final int CALLERS = 4;

    private static final int SHARDS = 2000;

    /** The shard of which each process makes ids all the time. */
    private static final int HOT = 7;

    /** As many as a tick of a shard has. */
    private static final int SOME = 4;

    private static final Duration ROUND = Duration.ofMillis(500);

    private final List<ShardedIdEngine> processes = new ArrayList<>();

    private final IdLayout layout;

    private final Heard heard = new Heard();

    /**
     * Starts the processes, some at a time, on an empty lease table.
     * @param number how many
     * @param layout what they make ids by
     * @param connections to the lease table
     */
    public LargeFleet(int number, IdLayout layout, LeaseConnections connections) throws Exception {
        this.layout = layout;
        LeaseSettings settings = LeaseSettings.builder()
            .application("large fleet")
            .startupTimeout(Duration.ofMinutes(5))
            .build();
        ExecutorService starters = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<ShardedIdEngine>> starts = IntStream.range(0, number)
                .mapToObj((process) -> starters.submit(() -> open(settings, connections)))
                .toList();
            for (Future<ShardedIdEngine> start : starts) {
                this.processes.add(start.get());
            }
        }
        catch (Exception ex) {
            close();
            throw ex;
        }
        finally {
            starters.shutdownNow();
        }
    }

    private ShardedIdEngine open(LeaseSettings settings, LeaseConnections connections) {
        return ShardedIds.builder()
            .registry(new EngineRegistry())
            .layout(this.layout)
            .shards(SHARDS)
            .workers(JdbcLeases.leased(settings, connections, "shardedid_worker", SchemaInitialization.ALWAYS,
                    List.of(this.heard)))
            .open();
    }

    /** Returns the worker id of each process. */
    public List<Integer> workers() {
        return this.processes.stream().map((process) -> process.stats().worker()).toList();
    }

    /**
     * Lets each process make ids for a while: in each half second some of the hot shard
     * at once, and as many without a key.
     */
    public Outcome run(Duration length) throws Exception {
        long renewals = this.heard.renewals.get();
        long failures = this.heard.failures.get();
        long began = System.nanoTime();
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        try {
            List<Future<Made>> all = IntStream.range(0, CALLERS)
                .mapToObj((caller) -> callers.submit(() -> make(caller, began, length)))
                .toList();
            List<Made> made = new ArrayList<>();
            for (Future<Made> each : all) {
                made.add(each.get());
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            long[] ids = made.stream().flatMapToLong(Made::ids).sorted().toArray();
            return new Outcome(ids.length,
                    IntStream.range(1, ids.length).filter((next) -> ids[next] == ids[next - 1]).count(),
                    made.stream().mapToLong((each) -> each.disordered).sum(),
                    (this.heard.renewals.get() - renewals) / seconds, this.heard.failures.get() - failures,
                    this.heard.lost.get());
        }
        finally {
            callers.shutdownNow();
        }
    }

    /**
     * Lets each process insert rows, with and without a shard, over a connection of its
     * own.
     * @param server a database with the table {@code photo}
     * @param rows how many of each process
     */
    public void insert(DataSource server, int rows) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<?>> all = new ArrayList<>();
            this.processes.forEach((ids) -> all.add(callers.submit(() -> insert(ids, server, rows))));
            for (Future<?> each : all) {
                each.get();
            }
        }
        finally {
            callers.shutdownNow();
        }
    }

    private static Void insert(ShardedIdEngine ids, DataSource server, int rows) throws SQLException {
        try (Connection connection = server.getConnection();
                PreparedStatement insert = connection
                    .prepareStatement("INSERT INTO photo (id, worker) VALUES (?, ?)")) {
            for (int row = 0; row < rows; row++) {
                insert.setLong(1, (row % 2 == 0) ? ids.next(HOT) : ids.next());
                insert.setInt(2, ids.stats().worker());
                insert.addBatch();
            }
            insert.executeBatch();
        }
        return null;
    }

    private Made make(int caller, long began, Duration length) throws InterruptedException {
        Made made = new Made(this.processes.size());
        long[] some = new long[SOME];
        for (long round = 1; System.nanoTime() - began < length.toNanos(); round++) {
            for (int process = caller; process < this.processes.size(); process += CALLERS) {
                ShardedIdEngine ids = this.processes.get(process);
                ids.next(HOT, some);
                made.add(made.keyed, process, some);
                Arrays.setAll(some, (id) -> ids.next());
                made.add(made.keyless, process, some);
            }
            Thread.sleep(Math.max(0, (began + round * ROUND.toNanos() - System.nanoTime()) / 1_000_000));
        }
        return made;
    }

    @Override
    public void close() {
        ExecutorService closers = Executors.newFixedThreadPool(AT_ONCE);
        this.processes.forEach((process) -> closers.submit(process::close));
        closers.shutdown();
        try {
            closers.awaitTermination(5, TimeUnit.MINUTES);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * What became of the fleet.
     *
     * @param ids how many were made
     * @param equal how many of them are equal to another one
     * @param disordered how many are not above the one before, of a process and the hot
     * shard or without a key
     * @param renewals of all processes, a second
     * @param failures how many renewals failed and were repeated
     * @param lost how many leases were lost since the start
     */
    public record Outcome(long ids, long equal, long disordered, double renewals, long failures, long lost) {
    }

    /** What one thread has made. */
    private static final class Made {

        final long[] keyed;

        final long[] keyless;

        private long[] ids = new long[1024];

        private int size;

        private long disordered;

        Made(int processes) {
            this.keyed = new long[processes];
            this.keyless = new long[processes];
        }

        void add(long[] last, int process, long[] some) {
            if (this.size + some.length > this.ids.length) {
                this.ids = Arrays.copyOf(this.ids, 2 * this.ids.length);
            }
            for (long id : some) {
                this.disordered += (id > last[process]) ? 0 : 1;
                last[process] = id;
                this.ids[this.size++] = id;
            }
        }

        LongStream ids() {
            return Arrays.stream(this.ids, 0, this.size);
        }

    }

    /** What the keepers say. */
    private static final class Heard implements WorkerLeaseListener {

        private final AtomicLong renewals = new AtomicLong();

        private final AtomicLong failures = new AtomicLong();

        private final AtomicLong lost = new AtomicLong();

        @Override
        public void renewed(WorkerLease lease) {
            this.renewals.incrementAndGet();
        }

        @Override
        public void renewalFailed(Exception cause) {
            this.failures.incrementAndGet();
        }

        @Override
        public void lost(int worker, String why) {
            this.lost.incrementAndGet();
        }

        @Override
        public void violated(int worker, Instant from, Instant end, String why) {
            this.lost.incrementAndGet();
        }

    }

}
