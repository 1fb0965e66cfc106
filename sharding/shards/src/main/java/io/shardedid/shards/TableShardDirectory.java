package io.shardedid.shards;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.shardedid.ShardedIdException;
import io.shardedid.TimeSource;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * The map as its table has it. One thread, the keeper's, looks at the table; all others
 * read what it found.
 *
 * <p>
 * A process that routes by a map says so in the table, for the time of a lease. A mover
 * may delete the old rows of a shard when no lease of an older version is left. So a
 * process whose lease has run out, because it could not renew it, does not route by its
 * map any more: it has to tell of itself first, and to read the map afterwards.
 * <p>
 * A version is confirmed only when nobody in this process uses a database that this
 * version does not name any more. Until then the table has the older version.
 * <p>
 * An operator may name a process dead, and then no mover waits for it. So a process that
 * stood still, or whose row is gone, does not route before it has read the map.
 */
final class TableShardDirectory implements ShardDirectory {

    /** How long a caller waits for a look at the table. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(250).toNanos();

    /** No look takes longer: each of its statements has a limit. */
    private static final long LONGEST_LOOK_NANOS = Duration.ofSeconds(30).toNanos();

    private static final double JITTER = 0.2;

    private static final System.Logger LOG = System.getLogger(TableShardDirectory.class.getName());

    private final Choices choices;

    private final TimeSource time;

    private final Runnable wake;

    private final List<Consumer<? super ShardMap>> listeners = new CopyOnWriteArrayList<>();

    /** A process whose keeper has not run for that long stood still. */
    private final long stillNanos;

    private final CompletableFuture<ShardMap> opened = new CompletableFuture<>();

    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

    private final AtomicReference<@Nullable CompletableFuture<ShardMap>> refresh = new AtomicReference<>();

    private final AtomicReference<@Nullable CompletableFuture<List<ShardRouter>>> census = new AtomicReference<>();

    private final AtomicReference<@Nullable CompletableFuture<Map<Integer, String>>> settled = new AtomicReference<>();

    /** Used by the keeper's thread alone, like all that is not volatile or final. */
    private final SplittableRandom random = new SplittableRandom();

    private final RouterLease lease;

    private final MapReader reader;

    private volatile @Nullable Known known;

    private volatile String problem = "";

    private volatile boolean closed;

    private volatile long dueNanos;

    /** Set by a thread that has seen what the keeper should look at now. */
    private volatile boolean urgent;

    /** When the keeper's thread was seen for the last time; by both clocks. */
    private volatile long beatNanos;

    private volatile long beatEpochNanos;

    /** Whether this process has to read the map before it routes. */
    private volatile boolean stoodStill;

    /** What this process was told to look at again because the machine slept. */
    private volatile @Nullable Known slept;

    private boolean ensured;

    private int failures;

    /**
     * Makes a directory that has not looked at the table yet.
     * @param choices what the application chose
     * @param time the clocks
     * @param wake lets the keeper look at once whether {@link #run} is due
     */
    TableShardDirectory(Choices choices, TimeSource time, Runnable wake) {
        this.choices = choices;
        this.time = time;
        this.wake = wake;
        this.dueNanos = time.nanoTime();
        this.stillNanos = 2 * choices.refreshEvery.toNanos() + LONGEST_LOOK_NANOS;
        beat();
        this.lease = new RouterLease(choices.process, time);
        this.reader = new MapReader(choices);
    }

    /**
     * Waits until the map has been read for the first time.
     * @param patience how long to wait
     * @return the map
     * @throws ShardMapException if there is no map that can be used
     * @throws ShardMovedException if the table did not answer in time
     */
    ShardMap awaitMap(Duration patience) {
        return got(this.opened, patience);
    }

    @Override
    public ShardMap current() {
        return valid().map();
    }

    /**
     * The lease goes by both clocks: the monotonic one stands still while the machine
     * sleeps, and the other one may be set back.
     */
    private Known valid() {
        Known now = this.known;
        if (now == null || this.closed) {
            throw closed();
        }
        long nowEpochNanos = this.time.epochNanos();
        long nowNanos = this.time.nanoTime();
        boolean passed = now.endEpochNanos - nowEpochNanos <= 0;
        if (passed && this.slept != now) {
            this.slept = now;
            lookNow();
        }
        if (passed || now.endNanos - nowNanos <= 0) {
            throw new ShardMovedException(
                    ("Could not choose a database: the shard map could not be confirmed for %s, so "
                            + "shards may have moved: namespace=%s, version=%s%s; see the log, and make the database of the "
                            + "shard map reachable")
                        .formatted(MessageText.duration(JdbcShardDirectory.ROUTER_LEASE), this.choices.namespace,
                                now.map().version(), this.problem.isEmpty() ? "" : " (" + this.problem + ")"));
        }
        if (this.stoodStill || isStill(nowNanos, nowEpochNanos)) {
            this.stoodStill = true;
            refresh();
            return Objects.requireNonNull(this.known);
        }
        return now;
    }

    private boolean isStill(long now, long nowEpoch) {
        return now - this.beatNanos > this.stillNanos || nowEpoch - this.beatEpochNanos > this.stillNanos;
    }

    /**
     * Notes that the keeper's thread runs, also while it cannot look at the table. The
     * clocks are read once, so that no standstill falls between the question and the
     * note.
     */
    private void beat() {
        long now = this.time.nanoTime();
        long nowEpoch = this.time.epochNanos();
        if (this.known != null && isStill(now, nowEpoch)) {
            this.stoodStill = true;
        }
        this.beatNanos = now;
        this.beatEpochNanos = nowEpoch;
    }

    @Override
    public Use use(int shard) {
        Known now = valid();
        now.map().databaseOf(shard);
        return begin(now, shard);
    }

    @Override
    public Use useAll() {
        Known now = valid();
        return begin(now, now.uses.all());
    }

    /**
     * First counts, then looks whether the map is still the one in use. The keeper first
     * replaces the map, then looks at the counts. So one of them sees the other.
     */
    private Use begin(Known now, int place) {
        Known begun = now;
        while (true) {
            begun.uses.begin(place);
            TableUse use = new TableUse(begun.uses, place);
            Known then = this.known;
            if (then != null && then.uses == begun.uses && !this.closed) {
                return use;
            }
            use.close();
            begun = valid();
        }
    }

    private void lookNow() {
        this.urgent = true;
        this.wake.run();
    }

    @Override
    public ShardMap refresh() {
        return got(ask(this.refresh), PATIENCE);
    }

    @Override
    public List<ShardRouter> routers() {
        return got(ask(this.census), PATIENCE);
    }

    @Override
    public Map<Integer, String> settled() {
        return got(ask(this.settled), PATIENCE);
    }

    private <T> CompletableFuture<T> ask(AtomicReference<@Nullable CompletableFuture<T>> question) {
        CompletableFuture<T> mine = new CompletableFuture<>();
        CompletableFuture<T> asked = Objects
            .requireNonNull(question.updateAndGet((other) -> (other != null) ? other : mine));
        if (this.closed) {
            asked.completeExceptionally(closed());
        }
        this.wake.run();
        return asked;
    }

    private <T> T got(CompletableFuture<T> answer, Duration patience) {
        try {
            return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new ShardedIdException("Could not read the shard map: interrupted while waiting for it", ex);
        }
        catch (TimeoutException ex) {
            throw unanswered("no answer within " + MessageText.duration(patience), ex);
        }
        catch (ExecutionException ex) {
            if (ex.getCause() instanceof ShardedIdException refused) {
                throw refused;
            }
            throw unanswered(oneLine(ex.getCause()), ex.getCause());
        }
    }

    private ShardMovedException unanswered(String why, @Nullable Throwable cause) {
        return new ShardMovedException(
                "Could not read the shard map: namespace=%s (%s); make the database of the shard map reachable, then try again"
                    .formatted(this.choices.namespace, why),
                cause);
    }

    private ShardedIdException closed() {
        return new ShardedIdException(
                "Could not read the shard map: its directory is closed: namespace=" + this.choices.namespace);
    }

    @Override
    public void onChange(Consumer<? super ShardMap> listener) {
        this.listeners.add(listener);
    }

    @Override
    public String problem() {
        return this.problem;
    }

    /** Says in the table that this process does not route any more, if there is time. */
    @Override
    public void close() {
        if (!this.closed) {
            this.closed = true;
            this.wake.run();
            this.ended.completeOnTimeout(false, PATIENCE.toNanos(), TimeUnit.NANOSECONDS).join();
        }
    }

    /**
     * Returns when to look at the table. Called by the keeper's thread about once a
     * second, which shows that this process does not stand still.
     * @return a monotonic time, in nanoseconds
     */
    long dueNanos() {
        beat();
        boolean asked = this.closed || this.urgent || this.refresh.get() != null || this.census.get() != null
                || this.settled.get() != null;
        return asked ? this.time.nanoTime() : this.dueNanos;
    }

    /**
     * Looks at the table, and answers those who wait for it. Called by the keeper's
     * thread. Never throws but for an {@link Error}.
     * @param table the table
     * @return whether this directory is still open
     */
    boolean run(ShardTable table) {
        if (this.closed) {
            end(table);
            return false;
        }
        CompletableFuture<ShardMap> refreshing = this.refresh.getAndSet(null);
        CompletableFuture<List<ShardRouter>> counting = this.census.getAndSet(null);
        CompletableFuture<Map<Integer, String>> settling = this.settled.getAndSet(null);
        this.urgent = false;
        beat();
        try {
            this.dueNanos = this.time.nanoTime() + jittered(this.choices.refreshEvery.toNanos());
            ShardMap map = look(table);
            succeeded();
            answer(this.opened, map);
            answer(refreshing, map);
            if (counting != null) {
                counting.complete(table.routers());
            }
            if (settling != null) {
                settling.complete(table.settled()
                    .stream()
                    .collect(Collectors.toUnmodifiableMap(ShardTable.Row::shard, ShardTable.Row::database)));
            }
        }
        catch (Exception ex) {
            failed(ex);
            fail(refreshing, ex);
            fail(counting, ex);
            fail(settling, ex);
        }
        catch (Error ex) {
            fail(refreshing, ex);
            fail(counting, ex);
            fail(settling, ex);
            throw ex;
        }
        finally {
            beat();
        }
        return true;
    }

    private static <T> void answer(@Nullable CompletableFuture<T> question, T answer) {
        if (question != null) {
            question.complete(answer);
        }
    }

    private static void fail(@Nullable CompletableFuture<?> question, Throwable failure) {
        if (question != null) {
            question.completeExceptionally(failure);
        }
    }

    /**
     * Ends the directory, since nobody will run it any more. Never throws but for an
     * {@link Error}.
     * @param table the table
     */
    void end(ShardTable table) {
        this.closed = true;
        if (this.ended.isDone()) {
            return;
        }
        try {
            // a mover goes on waiting for those who still use a database by the map
            if (isFree()) {
                this.lease.leave(table);
            }
        }
        catch (Exception ex) {
            LOG.log(System.Logger.Level.DEBUG, "The row of this router was left; its lease runs out by itself", ex);
        }
        finally {
            this.ended.complete(true);
            fail(this.opened, closed());
            fail(this.refresh.getAndSet(null), closed());
            fail(this.census.getAndSet(null), closed());
            fail(this.settled.getAndSet(null), closed());
        }
    }

    private boolean isFree() {
        Known now = this.known;
        return (now == null || now.uses.isFree()) && this.lease.isFree();
    }

    private ShardMap look(ShardTable table) throws Exception {
        if (!this.ensured) {
            table.ensure();
            this.ensured = true;
        }
        Known before = this.known;
        // from here on a mover waits for this process, whatever is read below
        this.lease.begin(table);
        ShardMap map;
        try {
            map = (before != null) ? this.reader.changed(table, before.map()) : this.reader.first(table);
        }
        catch (ShardMapException ex) {
            if (before != null && before.endNanos - this.time.nanoTime() > 0
                    && before.endEpochNanos - this.time.epochNanos() > 0) {
                this.stoodStill |= !this.lease.renew(table, before.uses);
                this.known = known(before.uses);
            }
            throw ex;
        }
        MapUses uses = (before != null && map == before.map()) ? before.uses : new MapUses(map);
        this.known = known(uses);
        this.stoodStill = false;
        if (before != null && uses != before.uses) {
            this.lease.replaced(before.uses);
            LOG.log(System.Logger.Level.INFO, "The shard map changed: version {0}: {1}", Long.toString(map.version()),
                    map);
            this.listeners.forEach((listener) -> hear(listener, map));
        }
        if (!this.lease.confirm(table, uses)) {
            // nobody has waited for this process since the map was read
            this.stoodStill = true;
            return look(table);
        }
        this.known = known(uses);
        return map;
    }

    private Known known(MapUses uses) {
        return new Known(uses, this.lease.endNanos(), this.lease.endEpochNanos());
    }

    private static void hear(Consumer<? super ShardMap> listener, ShardMap map) {
        try {
            listener.accept(map);
        }
        catch (Throwable ex) {
            LOG.log(System.Logger.Level.WARNING, "A listener of the shard map failed; the map is in use all the same",
                    ex);
        }
    }

    private void succeeded() {
        this.failures = 0;
        if (!this.problem.isEmpty()) {
            this.problem = "";
            LOG.log(System.Logger.Level.INFO, "The shard map can be read again");
        }
    }

    private void failed(Exception ex) {
        this.failures++;
        this.dueNanos = this.time.nanoTime() + Math.min(jittered(this.choices.refreshEvery.toNanos()),
                jittered(FIRST_PAUSE_NANOS << Math.min(this.failures - 1, 10)));
        boolean lasts = ex instanceof ShardMapException;
        String text = oneLine(ex);
        Known now = this.known;
        if (now == null && lasts) {
            this.opened.completeExceptionally(ex);
        }
        if (this.problem.isEmpty() || lasts && !this.problem.equals(text)) {
            LOG.log(System.Logger.Level.WARNING,
                    (now != null) ? "The shard map could not be read; version {0} stays in use: {1}"
                            : "The shard map could not be read: {1}",
                    Long.toString((now != null) ? now.map().version() : MapVersion.NONE.number()), text);
        }
        this.problem = text;
    }

    /** Drivers add the statement or advice below. */
    private static String oneLine(@Nullable Throwable ex) {
        return (ex == null) ? "" : String.valueOf(ex.getMessage()).lines().findFirst().orElse(ex.getClass().getName());
    }

    private long jittered(long nanos) {
        return (long) (nanos * (1 - JITTER + 2 * JITTER * this.random.nextDouble()));
    }

    /**
     * A map, and how long this process may go by it.
     *
     * @param uses the map, with who uses it
     * @param endNanos the monotonic time when the lease of this router ends
     * @param endEpochNanos the same by the wall clock
     */
    private record Known(MapUses uses, long endNanos, long endEpochNanos) {

        ShardMap map() {
            return this.uses.map();
        }

    }

    /** A use that the keeper waits for. */
    private final class TableUse implements Use {

        private final MapUses uses;

        private final int place;

        private boolean ended;

        TableUse(MapUses uses, int place) {
            this.uses = uses;
            this.place = place;
        }

        @Override
        public ShardMap map() {
            return this.uses.map();
        }

        @Override
        public void close() {
            if (!this.ended) {
                this.ended = true;
                if (this.uses.end(this.place)) {
                    lookNow();
                }
            }
        }

    }

    /**
     * What an application chooses.
     *
     * @param namespace the namespace of its leases
     * @param process the name of this router, which no other one has
     * @param shards the number of logical shards
     * @param initial fills an empty table, or null
     * @param databases the databases that the application can connect to; any if empty
     * @param refreshEvery how often to look at the table, before jitter
     */
    record Choices(String namespace, String process, int shards, @Nullable ShardMap initial, Set<String> databases,
            Duration refreshEvery) {

        /**
         * Checks the choices.
         * @param namespace the namespace of its leases
         * @param process the name of this router, which no other one has
         * @param shards the number of logical shards
         * @param initial fills an empty table, or null
         * @param databases the databases that the application can connect to; any if
         * empty
         * @param refreshEvery how often to look at the table, 1 second to 1 minute
         * @throws ShardMapException if the initial map has another number of shards or
         * names a database that is not configured, or the interval is out of range
         */
        Choices {
            databases = Set.copyOf(databases);
            if (refreshEvery.compareTo(Duration.ofSeconds(1)) < 0
                    || refreshEvery.compareTo(Duration.ofMinutes(1)) > 0) {
                throw new ShardMapException("refresh must be in [1s, 1m]: shardedid.databases.refresh=%s"
                    .formatted(MessageText.duration(refreshEvery)), "correct it");
            }
            if (initial != null && initial.shards() != shards) {
                throw new ShardMapException(
                        "Shard map must have as many shards as the ids: shards of the map=%s, shardedid.shards=%s"
                            .formatted(initial.shards(), shards),
                        "read the map with the shards of the ids", "shardedid.shards");
            }
            if (initial != null && !databases.isEmpty()) {
                initial.checkDatabases(databases);
            }
        }

    }

}
