package io.shardedid.shards;

import java.time.Duration;
import java.util.ArrayList;
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
import java.util.stream.Stream;

import io.shardedid.ShardedIdException;
import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The map as its table has it. One thread, the keeper's, looks at the table; all others
 * read what it found.
 *
 * <p>
 * A process that routes by a map says so in the table, for the time of a lease. Whoever
 * moves a shard may delete its old rows when no lease of an older version is left. So a
 * process whose lease has run out, because it could not renew it, does not route by its
 * map any more: it has to tell of itself first, and to read the map afterwards.
 * <p>
 * A version is confirmed only when nobody in this process uses a database that this
 * version does not name any more. Until then the table has the older version.
 */
final class TableShardDirectory implements ShardDirectory {

    /** How long a caller waits for a look at the table. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The version of a process that has read none. */
    private static final long NO_VERSION = 0;

    /** What a router does not use of its lease: clocks may differ in their rate. */
    private static final long MARGIN_NANOS = JdbcShardDirectory.ROUTER_LEASE.toNanos() / 50;

    /** A lease is renewed when this part of it has passed. */
    private static final long RENEW_NANOS = JdbcShardDirectory.ROUTER_LEASE.toNanos() / 3;

    /** A map that is still not confirmed after this time is worth a line in the log. */
    private static final long UNCONFIRMED_NANOS = Duration.ofMinutes(1).toNanos();

    private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(250).toNanos();

    private static final double JITTER = 0.2;

    private static final System.Logger LOG = System.getLogger(TableShardDirectory.class.getName());

    private final Choices choices;

    private final TimeSource time;

    private final Runnable wake;

    private final List<Consumer<? super ShardMap>> listeners = new CopyOnWriteArrayList<>();

    private final CompletableFuture<ShardMap> opened = new CompletableFuture<>();

    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

    private final AtomicReference<@Nullable CompletableFuture<ShardMap>> refresh = new AtomicReference<>();

    private final AtomicReference<@Nullable CompletableFuture<List<ShardRouter>>> census = new AtomicReference<>();

    private final AtomicReference<@Nullable CompletableFuture<Map<Integer, String>>> settled = new AtomicReference<>();

    /** Used by the keeper's thread alone, like all that is not volatile or final. */
    private final SplittableRandom random = new SplittableRandom();

    private volatile @Nullable Known known;

    private volatile String problem = "";

    private volatile boolean closed;

    private volatile long due;

    /** Set by a thread that has seen what the keeper should look at now. */
    private volatile boolean urgent;

    /** What this process was told to look at again because the machine slept. */
    private volatile @Nullable Known slept;

    /** The uses by maps that were replaced, the oldest first. */
    private final List<MapUses> older = new ArrayList<>();

    private long replacedAt;

    private boolean complained;

    private boolean ensured;

    private int failures;

    private long toldVersion;

    private long toldAt;

    private long toldAtEpoch;

    private boolean told;

    /**
     * Makes a directory that has not looked at the table yet.
     * @param choices what the application chose
     * @param time the clocks
     * @param wake lets the keeper look at once whether {@link #run} is due
     */
    public TableShardDirectory(Choices choices, TimeSource time, Runnable wake) {
        this.choices = choices;
        this.time = time;
        this.wake = wake;
        this.due = time.nanoTime();
    }

    /**
     * Waits until the map has been read for the first time.
     * @param patience how long to wait
     * @return the map
     * @throws ShardMapException if there is no map that can be used
     * @throws ShardMovedException if the table did not answer in time
     */
    public ShardMap awaitMap(Duration patience) {
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
        boolean passed = now.endEpoch - this.time.epochNanos() <= 0;
        if (passed && this.slept != now) {
            this.slept = now;
            lookNow();
        }
        if (passed || now.end - this.time.nanoTime() <= 0) {
            throw new ShardMovedException(
                    ("Could not choose a database: the shard map could not be confirmed for %s, so "
                            + "shards may have moved: namespace=%s, version=%d%s; see the log, and make the database of the "
                            + "shard map reachable")
                        .formatted(JdbcShardDirectory.ROUTER_LEASE, this.choices.namespace, now.map().version(),
                                this.problem.isEmpty() ? "" : " (" + this.problem + ")"));
        }
        return now;
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
            throw unanswered("no answer within " + patience, ex);
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
     * Returns when to look at the table.
     * @return a monotonic time, in nanoseconds
     */
    public long dueNanos() {
        boolean asked = this.closed || this.urgent || this.refresh.get() != null || this.census.get() != null
                || this.settled.get() != null;
        return asked ? this.time.nanoTime() : this.due;
    }

    /**
     * Looks at the table, and answers those who wait for it. Called by the keeper's
     * thread. Never throws but for an {@link Error}.
     * @param table the table
     * @return whether this directory is still open
     */
    public boolean run(ShardTable table) {
        if (this.closed) {
            end(table);
            return false;
        }
        CompletableFuture<ShardMap> refreshing = this.refresh.getAndSet(null);
        CompletableFuture<List<ShardRouter>> counting = this.census.getAndSet(null);
        CompletableFuture<Map<Integer, String>> settling = this.settled.getAndSet(null);
        this.urgent = false;
        try {
            this.due = this.time.nanoTime() + jittered(this.choices.refreshEvery.toNanos());
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
    public void end(ShardTable table) {
        this.closed = true;
        if (this.ended.isDone()) {
            return;
        }
        try {
            // a mover goes on waiting for those who still use a database by the map
            if (this.told && isFree()) {
                table.leave(this.choices.process);
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
        return (now == null || now.uses.isFree()) && this.older.stream().allMatch(MapUses::isFree);
    }

    private ShardMap look(ShardTable table) throws Exception {
        if (!this.ensured) {
            table.ensure();
            this.ensured = true;
        }
        Known before = this.known;
        if (!toldWithin(JdbcShardDirectory.ROUTER_LEASE.toNanos() - 2 * MARGIN_NANOS)) {
            // from here on a mover waits for this process, whatever is read below
            tell(table, NO_VERSION);
        }
        ShardMap map;
        try {
            map = (before != null) ? changed(table, before.map()) : first(table);
        }
        catch (ShardMapException ex) {
            if (before != null && before.end - this.time.nanoTime() > 0
                    && before.endEpoch - this.time.epochNanos() > 0) {
                confirm(table, before.uses);
            }
            throw ex;
        }
        MapUses uses = (before != null && map == before.map()) ? before.uses : new MapUses(map);
        this.known = known(uses);
        if (before != null && uses != before.uses) {
            before.uses.replaced();
            this.older.add(before.uses);
            this.replacedAt = this.time.nanoTime();
            this.complained = false;
            LOG.log(System.Logger.Level.INFO, "The shard map changed: version {0}: {1}", map.version(), map);
            this.listeners.forEach((listener) -> hear(listener, map));
        }
        confirm(table, uses);
        return map;
    }

    /**
     * Renews the lease of this router where that is due, by the latest version that
     * nobody in this process contradicts.
     */
    private void confirm(ShardTable table, MapUses uses) throws Exception {
        long version = confirmed(uses);
        if (this.toldVersion != version || !toldWithin(RENEW_NANOS)) {
            tell(table, version);
            this.known = known(uses);
        }
    }

    private long confirmed(MapUses uses) {
        this.older.removeIf(MapUses::isFree);
        for (int i = 0; i < this.older.size(); i++) {
            ShardMap next = (i + 1 < this.older.size()) ? this.older.get(i + 1).map() : uses.map();
            if (!this.older.subList(0, i + 1).stream().allMatch((before) -> before.permits(next))) {
                complain(uses.map(), this.older.get(i));
                return Math.max(this.older.get(i).map().version(), this.toldVersion);
            }
        }
        return uses.map().version();
    }

    private void complain(ShardMap map, MapUses held) {
        if (!this.complained && this.time.nanoTime() - this.replacedAt > UNCONFIRMED_NANOS) {
            this.complained = true;
            LOG.log(System.Logger.Level.WARNING,
                    "The shard map is in use, but could not be confirmed: version={0}, shards={1} (transactions, connections "
                            + "or calls for each database that began by version {2} go on, and a mover waits for them); "
                            + "end them, or this process",
                    map.version(), held.held(map), held.map().version());
        }
    }

    private boolean toldWithin(long nanos) {
        return this.told && this.time.nanoTime() - this.toldAt < nanos
                && this.time.epochNanos() - this.toldAtEpoch < nanos;
    }

    private Known known(MapUses uses) {
        long rest = JdbcShardDirectory.ROUTER_LEASE.toNanos() - MARGIN_NANOS;
        return new Known(uses, this.toldAt + rest, this.toldAtEpoch + rest);
    }

    private void tell(ShardTable table, long version) throws Exception {
        long before = this.time.nanoTime();
        long beforeEpoch = this.time.epochNanos();
        table.acknowledge(this.choices.process, version, JdbcShardDirectory.ROUTER_LEASE);
        this.told = true;
        this.toldAt = before;
        this.toldAtEpoch = beforeEpoch;
        this.toldVersion = version;
    }

    private ShardMap first(ShardTable table) throws Exception {
        ShardMap initial = this.choices.initial;
        boolean filled = initial != null && table.version() == NO_VERSION && table.fill(initial);
        ShardTable.Rows rows = table.changedSince(NO_VERSION);
        if (rows.version() == NO_VERSION && rows.rows().isEmpty()) {
            throw new ShardMapException(
                    "There is no shard map: namespace=%s, initial-map=null; set 'shardedid.databases.initial-map', or 'initial-map' of the sharding algorithm, for example to '0-%d: a'"
                        .formatted(this.choices.namespace, this.choices.shards - 1));
        }
        ShardMap map = assembled(rows, new @Nullable String[this.choices.shards]);
        if (filled) {
            LOG.log(System.Logger.Level.INFO, "The shard map was stored, version {0}: {1}", map.version(), map);
        }
        else if (initial != null && !initial.sameAs(map)) {
            LOG.log(System.Logger.Level.INFO,
                    "The shard map in the table counts, version {0}: {1}; ''shardedid.databases.initial-map'' says otherwise: {2}",
                    map.version(), map, initial);
        }
        return map;
    }

    private ShardMap changed(ShardTable table, ShardMap before) throws Exception {
        long version = table.version();
        if (version == before.version()) {
            return before;
        }
        if (version < before.version()) {
            throw new ShardMapException(
                    "Shard map in the table is older than the one in use: namespace=%s, version=%d, version in use=%d (the version only grows); restore the rows of the table, or restart every process"
                        .formatted(this.choices.namespace, version, before.version()));
        }
        @Nullable String[] databases = new @Nullable String[before.shards()];
        for (int shard = 0; shard < databases.length; shard++) {
            databases[shard] = before.databaseOf(shard);
        }
        return assembled(table.changedSince(before.version()), databases);
    }

    private ShardMap assembled(ShardTable.Rows rows, @Nullable String[] databases) {
        if (rows.version() == NO_VERSION) {
            throw new ShardMapException(
                    "Shard map in the table has no version: namespace=%s (row -1 holds it); insert that row again"
                        .formatted(this.choices.namespace));
        }
        for (ShardTable.Row row : rows.rows()) {
            int shard = row.shard();
            if (shard < 0 || shard >= databases.length) {
                throw refused("Shard %d does not exist".formatted(shard), rows.version(),
                        "start with the number of shards that the table was filled with");
            }
            databases[shard] = row.database();
        }
        ShardRange hole = ShardMap.firstHole(databases);
        if (hole != null) {
            throw refused(ShardMap.subject(hole, "have", "has") + " no database", rows.version(),
                    "insert a row for each of them, with the version that row -1 has");
        }
        ShardMap map = ShardMap.of(Stream.of(databases).map(String::valueOf).toList(), rows.version());
        return this.choices.databases.isEmpty() ? map : map.checkDatabases(this.choices.databases);
    }

    private ShardMapException refused(String what, long version, String remedy) {
        return new ShardMapException(
                "%s in the table of the shard map: namespace=%s, version=%d (each shard from 0 to %d has one database); %s"
                    .formatted(what, this.choices.namespace, version, this.choices.shards - 1, remedy));
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
        this.due = this.time.nanoTime() + Math.min(jittered(this.choices.refreshEvery.toNanos()),
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
                    (now != null) ? now.map().version() : NO_VERSION, text);
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
     * @param end the monotonic time when the lease of this router ends
     * @param endEpoch the same by the wall clock
     */
    private record Known(MapUses uses, long end, long endEpoch) {

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
    public record Choices(String namespace, String process, int shards, @Nullable ShardMap initial,
            Set<String> databases, Duration refreshEvery) {

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
        public Choices {
            databases = Set.copyOf(databases);
            if (refreshEvery.compareTo(Duration.ofSeconds(1)) < 0
                    || refreshEvery.compareTo(Duration.ofMinutes(1)) > 0) {
                throw new ShardMapException(
                        "refresh must be in [PT1S, PT1M]: shardedid.databases.refresh=%s; correct it"
                            .formatted(refreshEvery));
            }
            if (initial != null && initial.shards() != shards) {
                throw new ShardMapException(
                        "Shard map must have as many shards as the ids: shards of the map=%d, shardedid.shards=%d; read the map with the shards of the ids"
                            .formatted(initial.shards(), shards));
            }
            if (initial != null && !databases.isEmpty()) {
                initial.checkDatabases(databases);
            }
        }

    }

}
