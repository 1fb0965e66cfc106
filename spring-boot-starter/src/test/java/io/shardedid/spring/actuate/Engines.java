package io.shardedid.spring.actuate;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseClock;
import io.shardedid.LeaseSource;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIds;
import io.shardedid.TickLease;
import io.shardedid.TimeSource;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.ConnectedLeases;
import io.shardedid.internal.LeaseHolder;

/** Engines whose lease a test holds in its hand. */
final class Engines {

    private Engines() {
    }

    static ShardedIdEngine of(HandLease lease) {
        return of(lease, new StandingTime());
    }

    static ShardedIdEngine of(HandLease lease, StandingTime time) {
        return ShardedIds.builder().workers(lease).timeSource(time).open();
    }

    /** Goes on only while somebody waits, and exactly that long. */
    static final class StandingTime extends TimeSource {

        private static final long START = Instant.parse("2026-11-21T10:15:00Z").toEpochMilli() * 1_000_000;

        private final AtomicLong passed = new AtomicLong();

        @Override
        public long nanoTime() {
            return this.passed.get();
        }

        @Override
        public long epochNanos() {
            return START + this.passed.get();
        }

        @Override
        public void park(long nanos) {
            this.passed.addAndGet(nanos);
        }

    }

    /** A lease that lasts until the test ends it, and a table that can be away. */
    static final class HandLease implements LeaseSource {

        private final int worker;

        private EngineTerms terms;

        private LeaseHolder holder;

        HandLease(int worker) {
            this.worker = worker;
        }

        @Override
        public ConnectedLeases connect(EngineTerms terms) {
            // each is a table of its own, so that no id of another test counts
            return new ConnectedLeases("hand:" + UUID.randomUUID(), 0, (engine) -> {
                this.terms = terms;
                this.holder = engine;
            });
        }

        void lease() {
            IdLayout layout = this.terms.layout();
            long nanos = this.terms.time().nanoTime();
            long now = layout.tickAtEpochNanos(this.terms.time().epochNanos());
            this.holder.hold(new TickLease(this.worker, now, now + 60_000, nanos + 20_000_000_000L,
                    new LeaseClock(nanos, this.terms.time().epochNanos())));
        }

        @Override
        public void renewSoon() {
            throw refusal();
        }

        @Override
        public ShardedIdException refusal() {
            return new WorkerLeaseException("no lease");
        }

        @Override
        public List<WorkerHolding> workers() {
            return List.of(new WorkerHolding(this.worker, WorkerHolding.State.HELD, "shop",
                    Instant.parse("2026-11-21T10:15:30Z"), 4, true));
        }

        @Override
        public void close() {
            this.holder.relinquish();
        }

    }

}
