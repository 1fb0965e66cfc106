package io.shardedid.internal.lease;

import java.util.List;

import io.shardedid.ShardedIdException;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLease;
import org.jspecify.annotations.Nullable;

/**
 * The lease as it was at one moment.
 *
 * @param state the state
 * @param lease the latest lease, which may be over
 * @param failure what failed last since that lease
 * @param failureNanos when, on the monotonic clock
 * @param detail more about the state, or null
 * @param holders who held what, when no worker id could be had
 */
record LeaseSnapshot(LeaseState state, @Nullable WorkerLease lease, @Nullable Exception failure, long failureNanos,
        @Nullable String detail, List<WorkerHolding> holders) {

    /** Whether the store refuses what waiting does not change. */
    boolean refused() {
        return this.failure instanceof ShardedIdException refusal && !refusal.retryable();
    }

}
