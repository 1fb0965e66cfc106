package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;

import io.shardedid.internal.MessageText;

/**
 * How callers of an engine wait for ids, and how much they did. Thread-safe.
 */
final class IdWaits {

    private static final String CLOCK_WAS_AHEAD = "Correct the clock of the database, then restart the process. A "
            + "process that starts makes ids of the time that the database shows.";

    private static final String LEASE_BEGINS_LATER = "Wait until then. If the clock of the database is behind, "
            + "correct it.";

    private static final long MIN_PARK_NANOS = 100_000;

    private static final long MAX_PARK_NANOS = 10_000_000;

    private final EngineTerms terms;

    private final LeaseSource source;

    private final LongAdder sequencesExhausted = new LongAdder();

    private final LongAdder waits = new LongAdder();

    private final LongAdder waitedNanos = new LongAdder();

    private volatile boolean ended;

    IdWaits(EngineTerms terms, LeaseSource source) {
        this.terms = terms;
        this.source = source;
    }

    /** Refuses all who wait from here on. */
    void end() {
        this.ended = true;
    }

    boolean ended() {
        return this.ended;
    }

    /**
     * Begins to wait for one id.
     * @param why what became of the first attempt, one of the constants of CellClaims
     * @param claims where the attempts are made
     * @param parks whether the thread of the caller may be parked; otherwise the wait is
     * over at once
     * @param orElse what else may be done where a shard has run ahead of the clock
     */
    Wait begin(long why, CellClaims claims, boolean parks, String orElse) {
        long now = this.terms.time().nanoTime();
        if (why == CellClaims.AHEAD_OF_CLOCK && claims.beginsLater(now) == null && claims.leaseBegins(now) == null) {
            this.sequencesExhausted.increment();
        }
        return new Wait(claims, parks ? this.terms.maxWait() : Duration.ZERO, orElse);
    }

    long sequencesExhausted() {
        return this.sequencesExhausted.sum();
    }

    long count() {
        return this.waits.sum();
    }

    Duration waited() {
        return Duration.ofNanos(this.waitedNanos.sum());
    }

    /** Refuses what only an open engine can do: what failed, and why. */
    static ShardedIdException closed(String what) {
        return new ShardedIdException(what + "; open another with ShardedIds.builder()", false,
                "Something makes an id after the engine was closed. Stop it before the engine is closed; where a "
                        + "framework opened the engine, leave closing it to the framework.",
                null);
    }

    /**
     * The waiting of one caller for one id: bounded by max-wait, outside any lock, in
     * steps that grow. Not thread-safe; each caller has its own.
     */
    final class Wait {

        private final EngineTerms terms = IdWaits.this.terms;

        private final TimeSource time = this.terms.time();

        private final CellClaims claims;

        private final Duration longest;

        private final String orElse;

        private final long beganNanos = this.time.nanoTime();

        private long stepNanos = MIN_PARK_NANOS;

        private boolean retriedAtOnce;

        private Wait(CellClaims claims, Duration longest, String orElse) {
            this.claims = claims;
            this.longest = longest;
            this.orElse = orElse;
        }

        /** Waits before the next attempt, or refuses when there should be none. */
        void once(long why, int shard) {
            if (IdWaits.this.ended) {
                throw closed("Could not make an id: the id engine was closed meanwhile");
            }
            if (why == CellClaims.RANGE_EXHAUSTED) {
                throw new IdRangeExhaustedException(this.terms.layout());
            }
            if (why != CellClaims.AHEAD_OF_CLOCK && renewed()) {
                return;
            }
            long waited = this.time.nanoTime() - this.beganNanos;
            long left = this.longest.toNanos() - waited;
            if (left <= 0) {
                throw refused(why, shard);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new ShardedIdException(
                        "Could not make an id: interrupted while waiting for it, after %s ms (max-wait=%s); no id was issued"
                            .formatted(waited / 1_000_000, MessageText.duration(this.terms.maxWait())));
            }
            this.time.park(Math.min(this.stepNanos, left));
            IdWaits.this.waits.increment();
            IdWaits.this.waitedNanos.add(this.time.nanoTime() - this.beganNanos - waited);
            this.stepNanos = Math.min(this.stepNanos * 2, MAX_PARK_NANOS);
        }

        /** Asks for a lease. One that comes at once is tried at once, but only one. */
        private boolean renewed() {
            LeasedCells before = this.claims.held();
            IdWaits.this.source.renewSoon();
            boolean atOnce = !this.retriedAtOnce && this.claims.held() != before;
            this.retriedAtOnce |= atOnce;
            return atOnce;
        }

        private ShardedIdException refused(long why, int shard) {
            long now = this.time.nanoTime();
            Instant begin = this.claims.beginsLater(now);
            if (begin != null) {
                return new IdsAheadOfClockException(
                        ("Could not make an id: ids of this process go on at %s, ahead of the clock of the lease by more "
                                + "than shardedid.clock.max-ahead=%s (earlier ones carry that time, because the clock "
                                + "was ahead when they were made); restart the process, or wait until then")
                            .formatted(begin, MessageText.duration(this.terms.maxAhead())),
                        CLOCK_WAS_AHEAD);
            }
            if (why != CellClaims.AHEAD_OF_CLOCK) {
                return IdWaits.this.source.refusal();
            }
            Instant lease = this.claims.leaseBegins(now);
            return (lease != null) ? beforeTheLease(shard, lease) : tooFarAhead(shard);
        }

        private ShardedIdException tooFarAhead(int shard) {
            return new IdsAheadOfClockException(("Could not make an id: %s has used up its ids for the next %s "
                    + "(shardedid.clock.max-ahead), and %s; spread the load over more shards%s")
                .formatted(named(shard), MessageText.duration(this.terms.maxAhead()), patience(), this.orElse));
        }

        private ShardedIdException beforeTheLease(int shard, Instant begin) {
            return new IdsAheadOfClockException(
                    ("Could not make an id: the lease begins at %s, ahead of its clock, and %s has used up the ids that "
                            + "it has until then (those of shardedid.clock.max-ahead=%s); wait until then")
                        .formatted(begin, named(shard), MessageText.duration(this.terms.maxAhead())),
                    LEASE_BEGINS_LATER);
        }

        private static String named(int shard) {
            return (shard == CellClaims.KEYLESS) ? "every shard" : "shard " + shard;
        }

        private String patience() {
            return this.longest.isZero() ? "this caller must not wait"
                    : "got none within %s (shardedid.clock.max-wait)".formatted(MessageText.duration(this.longest));
        }

    }

}
