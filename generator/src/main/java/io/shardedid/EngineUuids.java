package io.shardedid;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Makes the UUIDs of an engine, out of values that were claimed in cells of their own
 * under the same lease. A UUID carries time, sequence, shard and worker of a claim, which
 * nobody else can have, so the random bits do nothing for its uniqueness; without a lease
 * they are all there is between processes. Safe for use by many threads; allocates
 * nothing but the UUID.
 */
final class EngineUuids {

    private final Engine cells;

    private final long epochMillis;

    /**
     * Lets the random bits of processes differ, however alike their threads began. A copy
     * of a process has the secret of its original, and the seeds of its threads, so it
     * draws another one when it goes on.
     */
    private volatile long secret;

    EngineUuids(Engine cells, long secret) {
        this.cells = cells;
        this.epochMillis = cells.terms().layout().epoch().toEpochMilli();
        this.secret = secret;
    }

    /** Draws another secret, as {@link #secret()} does. */
    void redraw() {
        this.secret = secret();
    }

    /** Reads the system's source of randomness, which may block: under no lock. */
    static long secret() {
        return new SecureRandom().nextLong();
    }

    /** The engine that claims, and makes no ids of its own. */
    Engine cells() {
        return this.cells;
    }

    UUID next(int shard) {
        this.cells.checkShard(shard);
        return make(shard);
    }

    UUID nextKeyless() {
        return make(Engine.KEYLESS);
    }

    private UUID make(int shard) {
        IdWait wait = null;
        while (true) {
            LeasedCells held = this.cells.current();
            long cell = this.cells.tryClaim(held, shard);
            if (cell >= 0) {
                this.cells.counted();
                return uuid(held, cell, shard);
            }
            wait = (wait != null) ? wait : this.cells.waitFor(cell);
            wait.once(cell, shard);
        }
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
                (shard != Engine.KEYLESS) ? shard : this.cells.keylessShard(held, cell), held.lease.worker(), random);
    }

}
