package io.shardedid.internal.lease;

import java.util.function.Supplier;

import io.shardedid.TickLease;
import io.shardedid.internal.LeaseHolder;

/**
 * The engine as one protocol sees it. A suspension ends it: a renewal that was under way
 * then hands on nothing, however late its reply comes. Thread-safe.
 */
final class EndableHolder implements LeaseHolder {

    private final Supplier<LeaseHolder> engine;

    private final Runnable before;

    private boolean ended;

    /**
     * Makes the engine of one protocol.
     * @param engine returns the engine, which there is from the first lease on
     * @param before runs before each lease is handed on
     */
    EndableHolder(Supplier<LeaseHolder> engine, Runnable before) {
        this.engine = engine;
        this.before = before;
    }

    @Override
    public void hold(TickLease lease) {
        this.before.run();
        pass(lease);
    }

    private synchronized void pass(TickLease lease) {
        if (!this.ended) {
            this.engine.get().hold(lease);
        }
    }

    @Override
    public long relinquish() {
        return this.engine.get().relinquish();
    }

    synchronized void end() {
        this.ended = true;
    }

}
