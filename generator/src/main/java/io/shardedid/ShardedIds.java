package io.shardedid;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Makes and reads sharded ids. What an application injects when it wants an id before it
 * persists, or wants to know the shard of a key.
 *
 * <p>
 * Ids of one shard from one process strictly increase in the order in which calls return;
 * so do the ids of {@link #next()} over all shards. Across processes ids sort by time
 * within the error of the clocks. Safe for use by many threads.
 *
 * <p>
 * Two instances of one JVM with the same worker share one engine; each is closed by
 * whoever opened it, and the last that closes gives the worker back.
 */
public final class ShardedIds implements AutoCloseable {

    /**
     * The smallest number of 41 significant bits. An id of the standard layout is larger
     * from two minutes after its epoch on, and a sequence never comes so far.
     */
    private static final long SMALLEST_OF_TWO_READINGS = 1L << 40;

    /** How far the clocks of processes may differ before they say so themselves. */
    private static final Duration CLOCK_ERROR = Duration.ofSeconds(10);

    private final EngineTerms terms;

    private final ShardFunction shardFunction;

    private final @Nullable Instant legacyBefore;

    private final EngineRegistry.Membership membership;

    private final Clock clock;

    /** Null once this was closed. */
    private volatile @Nullable Engine engine;

    ShardedIds(EngineTerms terms, ShardFunction shardFunction, @Nullable Instant legacyBefore,
            EngineRegistry.Membership membership) {
        this.terms = terms;
        this.shardFunction = shardFunction;
        this.legacyBefore = legacyBefore;
        this.membership = membership;
        this.engine = membership.engine();
        this.clock = new EngineClock(membership::engine, ZoneOffset.UTC);
    }

    /**
     * Returns a builder with the defaults of the configuration keys. It needs neither
     * Hibernate nor Spring.
     * @return a new builder
     */
    public static ShardedIdsBuilder builder() {
        return new ShardedIdsBuilder();
    }

    /**
     * Returns the next id of a shard. Ids of one shard strictly increase in the order
     * calls return.
     * @param shard 0 to shards - 1
     * @return the id
     * @throws ShardKeyException if there is no such shard
     * @throws IdsAheadOfClockException if the sequence of the shard was spent for longer
     * than max-wait; safe to retry
     * @throws WorkerLeaseException if no lease is held; no id was issued; safe to retry
     * @throws IdRangeSpentException if the layout has come to its end
     * @throws ShardedIdException if this was closed
     * @implNote one clock read and one compare-and-set when uncontended, nothing
     * allocated; parks at most max-wait
     */
    public long next(int shard) {
        return open().next(shard);
    }

    /**
     * Fills an array with the next ids of a shard, in increasing order, under the same
     * limits as {@link #next(int)}. More ids than the sequence allows at once are made as
     * the clock goes on; each stall on the way is bounded by max-wait.
     * @param shard 0 to shards - 1
     * @param into where the ids go; after an exception its content is undefined, and none
     * of it may be used
     * @throws ShardKeyException if there is no such shard
     * @throws IdsAheadOfClockException as in {@link #next(int)}
     * @throws WorkerLeaseException as in {@link #next(int)}
     * @throws IdRangeSpentException if the layout has come to its end
     * @throws ShardedIdException if this was closed
     */
    public void next(int shard, long[] into) {
        open().next(shard, into);
    }

    /**
     * Returns the next id of the shard of a key.
     * @param shardKey the shard key
     * @return the id
     * @throws ShardKeyException if the key is of an unsupported type or its shard is not
     * one of {@link #shards()}
     */
    public long nextFor(Object shardKey) {
        return next(shardFor(shardKey));
    }

    /**
     * Returns the next id of a row that has no shard key: it founds its own shard. Such
     * ids strictly increase over all shards of a process.
     * @return the id
     * @throws IdsAheadOfClockException as in {@link #next(int)}
     * @throws WorkerLeaseException as in {@link #next(int)}
     * @throws IdRangeSpentException if the layout has come to its end
     * @throws ShardedIdException if this was closed
     */
    public long next() {
        return open().nextKeyless();
    }

    /**
     * Returns what this engine was opened with.
     * @return the terms
     */
    public EngineTerms terms() {
        return this.terms;
    }

    /**
     * Returns the layout of the ids.
     * @return the layout
     */
    public IdLayout layout() {
        return this.terms.layout();
    }

    /**
     * Returns the number of logical shards.
     * @return 1 to 2<sup>shard bits</sup>
     */
    public int shards() {
        return this.terms.shards();
    }

    /**
     * Returns the logical shard of a key.
     * @param key the shard key
     * @return 0 to shards - 1
     * @throws ShardKeyException if the key is of an unsupported type or the function led
     * outside the shards
     */
    public int shardFor(Object key) {
        int shard = this.shardFunction.shardOf(key, shards());
        if (shard < 0 || shard >= shards()) {
            throw new ShardKeyException(
                    ("Could not find the shard of a key: function '%s' must return a shard in [0, %d]: "
                            + "key=%s, shard=%d")
                        .formatted(this.shardFunction.id(), shards() - 1, key, shard));
        }
        return shard;
    }

    /**
     * Returns the function behind {@link #shardFor}.
     * @return the shard function
     */
    public ShardFunction shardFunction() {
        return this.shardFunction;
    }

    /**
     * Returns the shard that the bits of an id name, whether or not they mean anything.
     * For an id that may be {@link #legacy}, such as 4711, use {@link #shardHome}.
     * @param id an id of the layout
     * @return 0 to 2<sup>shard bits</sup> - 1
     * @throws IllegalArgumentException if the layout cannot hold the id
     */
    public int shardOf(long id) {
        return layout().shardOf(id);
    }

    /**
     * Returns the shard where the children of a row live: the shard that its id carries,
     * or, if the id is {@link #legacy}, the shard of the id as a plain number. Children
     * in Hibernate, the check of assigned ids, and {@code shardedid_colocated} in SQL
     * give the same answer.
     *
     * <p>
     * An id that is older than the first lease and has at least 41 significant bits has
     * two readings: this fleet made it before the lease table was lost or the row was
     * copied here, or another system made it. Such an id is refused unless
     * {@link ShardedIdsBuilder#legacyBefore} says which of them is right.
     * @param id any number
     * @return 0 to shards - 1
     * @throws ShardKeyException if the id has two readings, or if it carries a shard
     * outside of {@link #shards()}
     * @throws ShardedIdException if this was closed
     */
    public int shardHome(long id) {
        if (!legacy(id)) {
            int shard = shardOf(id);
            if (shard >= shards()) {
                throw new ShardKeyException(
                        "Could not find the shard of an id: shard must be in [0, %d]: id=%d, shard=%d; use an id of this layout"
                            .formatted(shards() - 1, id, shard));
            }
            return shard;
        }
        if (this.legacyBefore == null && id >= SMALLEST_OF_TWO_READINGS && id <= layout().lastId() && shards() > 1) {
            throw twoReadings(id);
        }
        return shardFor(id);
    }

    private ShardKeyException twoReadings(long id) {
        Instant time = layout().instantOf(id);
        return new ShardKeyException(
                ("Could not find the shard of an id: id=%d, time of its bits=%s, first lease=%s, shard by its bits=%d, "
                        + "shard as a plain number=%d (an id that is older than the first lease has two readings); set "
                        + "'shardedid.legacy-before' to %2$s or earlier if this fleet made the id, for example before "
                        + "the lease table was lost, or to %3$s if another system made it")
                    .formatted(id, time, layout().instantAt(firstTick()), shardOf(id), shardFor(id)));
    }

    /**
     * Takes an id apart.
     * @param id an id of the layout
     * @return its parts
     */
    public IdParts parse(long id) {
        return layout().parse(id);
    }

    /**
     * Tells whether an id is older than the line between this generator and what was
     * there before, so that its bits mean nothing. {@link #shardHome} decides by this
     * where such an id has its home, and refuses an id of which nobody can tell.
     * @param id any number
     * @return true if it is no id of the layout, or its tick is below {@link #firstTick}
     * @throws ShardedIdException if this was closed
     */
    public boolean legacy(long id) {
        return id < 0 || id > layout().lastId() || layout().tickOf(id) < firstTick();
    }

    /**
     * Returns why a number cannot be an id that this fleet has made by now. Every check
     * of an id that comes from outside goes by this answer.
     * @param id any number
     * @return sentences for people; empty if the number can be such an id
     * @throws ShardedIdException if this was closed
     */
    public List<String> doubts(long id) {
        List<String> doubts = IdDoubts.of(id, layout(), shards(),
                clock().instant().plus(this.terms.maxAhead()).plus(CLOCK_ERROR));
        return (doubts.isEmpty() && legacy(id)) ? List.of("its time, %s, is before %s, from which on ids are made here"
            .formatted(layout().instantOf(id), layout().instantAt(firstTick()))) : doubts;
    }

    /**
     * Returns the tick of the line below which ids are {@link #legacy}: that of
     * {@link #legacyBefore} if it is set, else that of the very first lease.
     * @return a tick, or 0 when neither is known
     * @throws ShardedIdException if this was closed
     */
    public long firstTick() {
        Instant line = this.legacyBefore;
        return (line != null) ? layout().tickAt(line) : open().source().firstTick();
    }

    /**
     * Returns the time before which ids are {@link #legacy}, where it was set.
     * @return the value of {@link ShardedIdsBuilder#legacyBefore}, or empty if the very
     * first lease draws the line
     */
    public Optional<Instant> legacyBefore() {
        return Optional.ofNullable(this.legacyBefore);
    }

    /**
     * Returns the clock that ids carry: the database's clock as of the last renewal with
     * leases, the wall clock as of the start in mode {@code fixed}; in between it goes by
     * the monotonic clock of the process.
     * @return a clock in UTC
     */
    public Clock clock() {
        return this.clock;
    }

    /**
     * Tells who holds which worker id.
     * @return the holders by worker id
     * @throws WorkerLeaseException if the database cannot be asked
     * @throws ShardedIdException if this was closed
     */
    public List<WorkerHolding> workers() {
        return open().source().workers();
    }

    /**
     * Returns figures of the engine, read when asked.
     * @return a snapshot
     * @throws ShardedIdException if this was closed
     */
    public EngineStats stats() {
        return open().stats();
    }

    /**
     * Gives the worker back for as long as this process stands still, before a checkpoint
     * of its memory: a restored copy must not hold a lease that another copy holds too.
     * Where several instances share an engine, it happens when all of them are suspended.
     * Until {@link #resume()} calls for ids wait, then fail. Calling it again does
     * nothing.
     */
    public void suspend() {
        this.membership.suspend();
    }

    /**
     * Acquires a worker again after {@link #suspend()}. Returns at once where the engine
     * is open; calls for ids wait for it. Calling it again does nothing.
     */
    public void resume() {
        this.membership.resume();
    }

    /**
     * Gives the worker back if nobody else in this JVM uses it. Calling it again does
     * nothing.
     */
    @Override
    public void close() {
        this.engine = null;
        this.membership.leave();
    }

    private Engine open() {
        Engine open = this.engine;
        if (open == null) {
            throw Waiting.closed("Could not make or look up an id: this ShardedIds was closed");
        }
        return open;
    }

}
