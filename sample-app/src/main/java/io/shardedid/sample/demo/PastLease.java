package io.shardedid.sample.demo;

import java.util.List;

import io.shardedid.ConnectedLeases;
import io.shardedid.EngineTerms;
import io.shardedid.LeaseClock;
import io.shardedid.LeaseHolder;
import io.shardedid.LeaseSource;
import io.shardedid.ShardedIdException;
import io.shardedid.TickLease;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLease;

/**
 * The days before the lease of this process, for {@link DemoData} alone.
 *
 * <p>
 * It has the worker id of that lease and ends where that lease begins. Nobody had these
 * ticks before, because that lease is the first of its worker id. And nobody gets them
 * later, whatever any clock shows, because the lease table keeps the end of each lease
 * and gives the worker id out above it only.
 */
final class PastLease implements LeaseSource {

    private final WorkerLease own;

    private final DemoTime time;

    private volatile Runnable renewal = () -> {
    };

    PastLease(WorkerLease own, DemoTime time) {
        this.own = own;
        this.time = time;
    }

    @Override
    public ConnectedLeases connect(EngineTerms terms) {
        return new ConnectedLeases("demo:%s:%s".formatted(this.own.worker(), this.own.from()), 0, (engine) -> {
            this.renewal = () -> hold(engine, terms);
            renewSoon();
        });
    }

    /** An engine follows a clock for an hour; after that it asks for another lease. */
    private void hold(LeaseHolder engine, EngineTerms terms) {
        LeaseClock clock = new LeaseClock(this.time.nanoTime(), this.time.epochNanos());
        engine.hold(new TickLease(this.own.worker(), terms.layout().tickAtEpochNanos(clock.epochNanos()),
                terms.layout().tickAt(this.own.from()), Long.MAX_VALUE, clock));
    }

    @Override
    public void renewSoon() {
        this.renewal.run();
    }

    @Override
    public ShardedIdException refusal() {
        return new ShardedIdException(
                "Could not make an id of the demo data: worker=%s, before=%s; set 'sample.demo-data=false'"
                    .formatted(this.own.worker(), this.own.from()));
    }

    @Override
    public List<WorkerHolding> workers() {
        return List.of();
    }

    @Override
    public void close() {
        // There is nothing to give back.
    }

}
