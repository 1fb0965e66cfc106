package io.shardedid.internal.lease;

import java.util.Objects;
import java.util.function.Supplier;

import io.shardedid.TickLease;
import io.shardedid.internal.LeaseHolder;
import org.jspecify.annotations.Nullable;

/**
 * The engine as one protocol sees it. A suspension ends it: a renewal that was under way
 * then hands on nothing, however late its reply comes. Thread-safe.
 */
final class EndableHolder implements LeaseHolder {

    private final Supplier<? extends @Nullable LeaseHolder> engine;

    private final Runnable before;

    private boolean ended;

    /**
     * Makes the engine of one protocol.
     * @param engine returns the engine, or null before the first lease
     * @param before runs before each lease is handed on
     */
    EndableHolder(Supplier<? extends @Nullable LeaseHolder> engine, Runnable before) {
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
            Objects.requireNonNull(this.engine.get()).hold(lease);
        }
    }

    @Override
    public long relinquish() {
        LeaseHolder leasing = this.engine.get();
        return (leasing != null) ? leasing.relinquish() : -1;
    }

    synchronized void end() {
        this.ended = true;
    }

}
