package io.shardedid;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;

/**
 * Makes the UUIDs of an engine, out of values that were claimed in cells of their own
 * under the same lease. A UUID carries time, sequence, shard and worker of a claim, which
 * nobody else can have, so the random bits do nothing for its uniqueness. Thread-safe;
 * allocates nothing but the UUID.
 */
final class UuidMaker extends CellClaims {

    private final IdWaits waits;

    private final TimeSource time;

    private final LongAdder issued = new LongAdder();

    private final AtomicLong keylessTick = new AtomicLong();

    private final long epochMillis;

    /**
     * Lets the random bits of processes differ, however alike their threads began. A copy
     * of a process has the secret of its original, and the seeds of its threads, so it
     * draws another one when it goes on.
     */
    private volatile long secret;

    /**
     * Makes a maker without a lease.
     * @throws ShardedIdConfigurationException if the layout has no UUIDs
     */
    UuidMaker(EngineTerms terms, IdWaits waits, long lastTick, IntFunction<ShardCells> freshCells, long secret) {
        super(checked(terms), terms.shards(), UuidLayout.SEQUENCE_BITS, UuidLayout.WORKER_BITS, lastTick, freshCells);
        this.waits = waits;
        this.time = terms.time();
        this.epochMillis = terms.layout().epoch().toEpochMilli();
        this.secret = secret;
    }

    private static EngineTerms checked(EngineTerms terms) {
        UuidLayout.check(terms.layout());
        return terms;
    }

    /** Draws another secret, as {@link #secret()} does. */
    void redraw() {
        this.secret = secret();
    }

    /** Reads the system's source of randomness, which may block: under no lock. */
    static long secret() {
        return new SecureRandom().nextLong();
    }

    UUID next(int shard) {
        return next(shard, true);
    }

    UUID next(int shard, boolean parks) {
        checkShard(shard);
        return make(shard, parks);
    }

    UUID nextKeyless() {
        return nextKeyless(true);
    }

    UUID nextKeyless(boolean parks) {
        return make(KEYLESS, parks);
    }

    private UUID make(int shard, boolean parks) {
        IdWaits.Wait wait = null;
        while (true) {
            LeasedCells held = held();
            long cell = tryClaim(held, shard);
            if (cell >= 0) {
                this.issued.increment();
                return uuid(held, cell, shard);
            }
            wait = (wait != null) ? wait : this.waits.begin(cell, this, parks, "");
            wait.once(cell, shard);
        }
    }

    /** One attempt, which never waits: the value of a UUID, or why there is none. */
    long tryClaim(LeasedCells held, int shard) {
        return (shard != KEYLESS) ? claim(held, shard, true) : claimKeyless(held);
    }

    /**
     * One attempt at a value of any shard. The tick alone picks the shard, and a tick
     * that is left is never returned to, so UUIDs without a shard increase over all
     * shards.
     */
    private long claimKeyless(LeasedCells held) {
        long seen = this.keylessTick.get();
        long elapsed = held.elapsedAt(this.time.nanoTime());
        if (elapsed < 0) {
            return NO_LEASE;
        }
        long present = held.floor(elapsed);
        long limit = held.limit(present);
        long now = present >> UuidLayout.SEQUENCE_BITS;
        for (long tick = Math.max(now, seen); tick << UuidLayout.SEQUENCE_BITS < limit; tick++) {
            long floor = tick << UuidLayout.SEQUENCE_BITS;
            long start = (tick == now) ? held.start(elapsed) : floor;
            long cell = held.cells.claim(cellOf(pickShard(tick, held)), floor, start,
                    tick + 1 << UuidLayout.SEQUENCE_BITS);
            if (cell >= 0) {
                if (tick > seen) {
                    this.keylessTick.accumulateAndGet(tick, Math::max);
                }
                return cell;
            }
        }
        return refusal(held, present);
    }

    UUID uuid(LeasedCells held, long cell, int shard) {
        // drawn after the claim: an attempt that loses a race draws nothing
        return uuid(held, cell, shard, ThreadLocalRandom.current().nextLong());
    }

    /** Makes the UUID of a claim, in which the thread drew a number by chance. */
    UUID uuid(LeasedCells held, long cell, int shard, long drawn) {
        long random = KeyShardFunction.mix(drawn ^ this.secret);
        return UuidLayout.pack(this.epochMillis + (cell >>> UuidLayout.SEQUENCE_BITS),
                cell & (1 << UuidLayout.SEQUENCE_BITS) - 1,
                (shard != KEYLESS) ? shard : pickShard(cell >>> UuidLayout.SEQUENCE_BITS, held), held.lease.worker(),
                random);
    }

    long issued() {
        return this.issued.sum();
    }

}
