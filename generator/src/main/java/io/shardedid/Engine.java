package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.function.IntFunction;

import io.shardedid.internal.LeaseHolder;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * What all {@link ShardedIds} of a JVM that share a worker have in common: the lease,
 * under which numbers and UUIDs are made, from the start to the end. Thread-safe; the
 * makers of ids take none of its locks.
 */
final class Engine implements LeaseHolder {

    private static final System.Logger LOG = System.getLogger(Engine.class.getName());

    private final EngineTerms terms;

    private final LeaseSource source;

    private final IdWaits waits;

    private final NumberMaker numbers;

    /** The tick after which the first ids come, or NO_TICK. */
    private final long firstAfter;

    private final IntFunction<ShardCells> freshCells;

    /** The UUIDs, once a caller has asked for them; written under the lock of this. */
    private volatile @Nullable UuidMaker uuids;

    /** The latest cells of a lease: their clock outlives the lease. */
    private volatile @Nullable LeasedCells clock;

    /** Used by the source's thread, which hands leases over. */
    private boolean toldThatIdsBeginLater;

    /** Whether the process stands still, so that no lease is taken; guarded by this. */
    private boolean suspended;

    /** Makes an engine all of whose ids are later than a tick, or NO_TICK. */
    Engine(EngineTerms terms, LeaseSource source, long lastTick) {
        this(terms, source, lastTick, (shards) -> new ShardCells(shards, -1));
    }

    /** Makes an engine whose fresh cells come from a factory that may fail. */
    Engine(EngineTerms terms, LeaseSource source, long lastTick, IntFunction<ShardCells> freshCells) {
        this.terms = terms;
        this.source = source;
        this.waits = new IdWaits(terms, source);
        this.numbers = new NumberMaker(terms, this.waits, lastTick, freshCells);
        this.firstAfter = lastTick;
        this.freshCells = freshCells;
    }

    NumberMaker numbers() {
        return this.numbers;
    }

    /** Returns the UUIDs, whose cells come into being at the first call. */
    UuidMaker uuids() {
        UuidMaker made = this.uuids;
        return (made != null) ? made : uuids(UuidMaker.secret());
    }

    private synchronized UuidMaker uuids(long secret) {
        UuidMaker made = this.uuids;
        if (made == null) {
            made = new UuidMaker(this.terms, this.waits, this.firstAfter, this.freshCells, secret);
            if (takesLeases()) {
                made.changeTo(this.numbers.held().lease).apply();
            }
            this.uuids = made;
        }
        return made;
    }

    private boolean takesLeases() {
        return !this.waits.ended() && !this.suspended;
    }

    @Override
    public void hold(TickLease lease) {
        synchronized (this) {
            if (!takesLeases()) {
                return;
            }
            UuidMaker made = this.uuids;
            apply(this.numbers.changeTo(lease), (made != null) ? made.changeTo(lease) : null);
        }
        tellIfIdsBeginLater(lease.clock().nanoTime());
    }

    /** In one line, since no renewal changes it. */
    private void tellIfIdsBeginLater(long nanoTime) {
        UuidMaker made = this.uuids;
        Instant ofNumbers = this.numbers.beginsLater(nanoTime);
        Instant begin = (ofNumbers == null && made != null) ? made.beginsLater(nanoTime) : ofNumbers;
        Instant lease = this.numbers.held().endsBeforeItBegins() ? this.numbers.leaseBegins(nanoTime) : null;
        boolean told = this.toldThatIdsBeginLater;
        this.toldThatIdsBeginLater = begin != null || lease != null;
        if (this.toldThatIdsBeginLater && !told) {
            warn((begin != null)
                    ? "No id is made before %s: earlier ids of this process carry that time, because the clock of "
                            + "the database was ahead when they were made; restart the process once that clock is right"
                    : "Few ids are made before %s: the lease begins then, ahead of its clock, and each shard has "
                            + "the ids of %s until then (shardedid.clock.max-ahead); wait until then, or correct the "
                            + "clock of the database if it is behind",
                    null, (begin != null) ? begin : lease, MessageText.duration(this.terms.maxAhead()));
        }
    }

    /** A handler of the application's log may be broken, or the heap full. */
    private static void warn(String form, @Nullable Throwable cause, @Nullable Object... values) {
        try {
            LOG.log(System.Logger.Level.WARNING, form.formatted(values), cause);
        }
        catch (RuntimeException | Error ex) {
            // the lease goes on, or ends, all the same
        }
    }

    /*
     * The rest of the interval may be given to another process only above the highest
     * tick of both kinds of ids.
     */

    @Override
    public synchronized long relinquish() {
        UuidMaker made = this.uuids;
        apply(this.numbers.changeToNone(), (made != null) ? made.changeToNone() : null);
        return highestTick();
    }

    /** Makes changes visible that were prepared together. Allocates nothing. */
    private void apply(CellClaims.Change ofNumbers, CellClaims.@Nullable Change ofUuids) {
        ofNumbers.apply();
        if (ofUuids != null) {
            ofUuids.apply();
        }
        if (ofNumbers.next().lease.leased()) {
            this.clock = ofNumbers.next();
        }
        else if (ofUuids != null && ofUuids.next().lease.leased()) {
            this.clock = ofUuids.next();
        }
    }

    private long highestTick() {
        UuidMaker made = this.uuids;
        return Math.max(this.numbers.highestTick(), (made != null) ? made.highestTick() : CellClaims.NO_TICK);
    }

    /** The highest tick of the ids that can no longer be made, or NO_TICK. */
    synchronized long lastTick() {
        UuidMaker made = this.uuids;
        return Math.max(this.numbers.lastTick(), (made != null) ? made.lastTick() : CellClaims.NO_TICK);
    }

    private synchronized void letGo() {
        UuidMaker made = this.uuids;
        if (made != null) {
            made.letGo();
        }
        this.numbers.letGo();
    }

    /**
     * Lets the lease go for as long as the process stands still. No id is made from here
     * on, whatever the source does and however long it takes.
     */
    void suspend() {
        synchronized (this) {
            this.suspended = true;
            letGo();
        }
        this.source.suspend();
    }

    /**
     * Prepares for going on after a suspension, before the source does: a copy of the
     * memory of this process goes on as well. Reads the system's source of randomness,
     * under no lock.
     */
    void beforeResumption() {
        UuidMaker made = this.uuids;
        if (made != null) {
            made.redraw();
        }
        synchronized (this) {
            this.suspended = false;
        }
    }

    /**
     * Gives the lease back and ends the engine: callers that wait get an exception. No id
     * is made after it, whatever fails meanwhile.
     * @return the highest tick of its ids, or NO_TICK
     */
    long close() {
        this.waits.end();
        try {
            this.source.close();
        }
        catch (RuntimeException | Error ex) {
            warn("Could not give the worker lease back; it expires by itself", ex);
        }
        synchronized (this) {
            letGo();
            return lastTick();
        }
    }

    EngineTerms terms() {
        return this.terms;
    }

    LeaseSource source() {
        return this.source;
    }

    /** The time that ids carry. */
    Instant instant() {
        LeasedCells known = this.clock;
        TimeSource time = this.terms.time();
        return (known != null) ? known.instantAt(time.nanoTime()) : LeasedCells.instantOf(time.epochNanos());
    }

    EngineStats stats() {
        UuidMaker made = this.uuids;
        LeasedCells held = this.numbers.held();
        Duration ahead = this.numbers.ahead();
        long issued = this.numbers.issued();
        if (made != null) {
            held = held.lease.leased() ? held : made.held();
            Duration aheadOfUuids = made.ahead();
            ahead = (ahead.compareTo(aheadOfUuids) >= 0) ? ahead : aheadOfUuids;
            issued += made.issued();
        }
        return new EngineStats(held.lease.worker(), held.left(this.terms.time().nanoTime()), ahead, this.waits.count(),
                this.waits.waited(), issued, this.waits.sequencesExhausted());
    }

}
