package io.shardedid.shards;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
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
 * A mover deletes the old rows of a shard a day after it has changed the map, and never
 * earlier than {@link JdbcShardDirectory#ROUTER_LIMIT}. So a process that has not read
 * its map for that long does not route by it any more, whatever it did meanwhile.
 */
final class TableShardDirectory implements ShardDirectory {

    /** How long a caller waits for a look at the table. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(250).toNanos();

    private static final double JITTER = 0.2;

    private static final System.Logger LOG = System.getLogger(TableShardDirectory.class.getName());

    private final Choices choices;

    private final TimeSource time;

    private final Runnable wake;

    private final CompletableFuture<ShardMap> opened = new CompletableFuture<>();

    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

    private final AtomicReference<@Nullable CompletableFuture<ShardMap>> refresh = new AtomicReference<>();

    /** What is asked while an application starts. */
    private final Queue<Question<?>> questions = new ConcurrentLinkedQueue<>();

    /** Used by the keeper's thread alone, like all that is not volatile or final. */
    private final SplittableRandom random = new SplittableRandom();

    private final MapReader reader;

    private volatile @Nullable Known known;

    private volatile String problem = "";

    private volatile boolean closed;

    private volatile long dueNanos;

    /** Set by a thread that has seen what the keeper should look at now. */
    private volatile boolean urgent;

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
     * The time counts by both clocks: the monotonic one stands still while the machine
     * sleeps, and the other one may be set back.
     */
    private Known valid() {
        Known now = this.known;
        if (now == null || this.closed) {
            throw closed();
        }
        if (isOld(now)) {
            this.urgent = true;
            this.wake.run();
            throw new ShardMovedException(("Could not choose a database: the shard map could not be read for %s, so "
                    + "shards may have moved: namespace=%s, version=%s%s; see the log, and make the database of the "
                    + "shard map reachable")
                .formatted(MessageText.duration(JdbcShardDirectory.ROUTER_LIMIT), this.choices.namespace,
                        now.map.version(), this.problem.isEmpty() ? "" : " (" + this.problem + ")"));
        }
        return now;
    }

    private boolean isOld(Known known) {
        long limit = JdbcShardDirectory.ROUTER_LIMIT.toNanos();
        return this.time.nanoTime() - known.readNanos >= limit
                || this.time.epochNanos() - known.readEpochNanos >= limit;
    }

    @Override
    public ShardMap refresh() {
        return got(ask(), PATIENCE);
    }

    @Override
    public Map<Integer, String> settled() {
        return asked((table) -> table.settled()
            .stream()
            .collect(Collectors.toUnmodifiableMap(ShardTable.Row::shard, ShardTable.Row::database)));
    }

    @Override
    public String note(String database, String identity) {
        return asked((table) -> table.note(database, identity));
    }

    private <T> T asked(Answer<T> answer) {
        Question<T> question = new Question<>(answer, new CompletableFuture<>());
        this.questions.add(question);
        if (this.closed) {
            question.future.completeExceptionally(closed());
        }
        this.wake.run();
        return got(question.future, PATIENCE);
    }

    private CompletableFuture<ShardMap> ask() {
        CompletableFuture<ShardMap> mine = new CompletableFuture<>();
        CompletableFuture<ShardMap> asked = Objects
            .requireNonNull(this.refresh.updateAndGet((other) -> (other != null) ? other : mine));
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
    public String problem() {
        return this.problem;
    }

    @Override
    public void close() {
        if (!this.closed) {
            this.closed = true;
            this.wake.run();
            this.ended.completeOnTimeout(false, PATIENCE.toNanos(), TimeUnit.NANOSECONDS).join();
        }
    }

    /**
     * Returns when to look at the table. Called by the keeper's thread.
     * @return a monotonic time, in nanoseconds
     */
    long dueNanos() {
        boolean asked = this.closed || this.urgent || this.refresh.get() != null || !this.questions.isEmpty();
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
            end();
            return false;
        }
        CompletableFuture<ShardMap> refreshing = this.refresh.getAndSet(null);
        this.urgent = false;
        try {
            this.dueNanos = this.time.nanoTime() + jittered(this.choices.refreshEvery.toNanos());
            ShardMap map = look(table);
            succeeded();
            answer(this.opened, map);
            answer(refreshing, map);
            for (Question<?> question = this.questions.poll(); question != null; question = this.questions.poll()) {
                question.answer(table);
            }
        }
        catch (Exception ex) {
            failed(ex);
            fail(refreshing, ex);
            failQuestions(ex);
        }
        catch (Error ex) {
            fail(refreshing, ex);
            failQuestions(ex);
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

    private void failQuestions(Throwable failure) {
        for (Question<?> question = this.questions.poll(); question != null; question = this.questions.poll()) {
            question.future.completeExceptionally(failure);
        }
    }

    /** Ends the directory, since nobody will run it any more. */
    void end() {
        this.closed = true;
        this.ended.complete(true);
        fail(this.opened, closed());
        fail(this.refresh.getAndSet(null), closed());
        failQuestions(closed());
    }

    private ShardMap look(ShardTable table) throws Exception {
        if (!this.ensured) {
            table.ensure();
            this.ensured = true;
        }
        Known before = this.known;
        long nanos = this.time.nanoTime();
        long epochNanos = this.time.epochNanos();
        ShardMap map;
        try {
            map = (before != null) ? this.reader.changed(table, before.map) : this.reader.first(table);
        }
        catch (ShardMapException ex) {
            // the map in use is right, and that in the table is not
            if (before != null && !isOld(before)) {
                this.known = new Known(before.map, nanos, epochNanos);
            }
            throw ex;
        }
        this.known = new Known(map, nanos, epochNanos);
        if (before != null && map != before.map) {
            LOG.log(System.Logger.Level.INFO, "The shard map changed: version {0}: {1}", Long.toString(map.version()),
                    map);
        }
        return map;
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
                    Long.toString((now != null) ? now.map.version() : MapVersion.NONE.number()), text);
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
     * A map, and when this process read it.
     *
     * @param map the map
     * @param readNanos the monotonic time before it was read
     * @param readEpochNanos the same by the wall clock
     */
    private record Known(ShardMap map, long readNanos, long readEpochNanos) {
    }

    /**
     * What the table answers.
     *
     * @param <T> the type of the answer
     */
    @FunctionalInterface
    private interface Answer<T> {

        T of(ShardTable table) throws Exception;

    }

    /**
     * A question to the table, and who waits for its answer.
     *
     * @param <T> the type of the answer
     * @param answer asks the table
     * @param future gets the answer
     */
    private record Question<T>(Answer<T> answer, CompletableFuture<T> future) {

        void answer(ShardTable table) throws Exception {
            try {
                this.future.complete(this.answer.of(table));
            }
            catch (Exception | Error ex) {
                this.future.completeExceptionally(ex);
                throw ex;
            }
        }

    }

    /**
     * What an application chooses.
     *
     * @param namespace the namespace of its leases
     * @param shards the number of logical shards
     * @param initial fills an empty table, or null
     * @param databases the databases that the application can connect to; any if empty
     * @param refreshEvery how often to look at the table, before jitter
     */
    record Choices(String namespace, int shards, @Nullable ShardMap initial, Set<String> databases,
            Duration refreshEvery) {

        /**
         * Checks the choices.
         * @param namespace the namespace of its leases
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
