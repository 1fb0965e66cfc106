package io.shardedid.internal.lease;

import io.shardedid.ShardedIdException;
import io.shardedid.WorkerLease;
import org.jspecify.annotations.Nullable;

/**
 * The lease as it was at one moment.
 *
 * @param state the state
 * @param lease the latest lease, which may be over
 * @param failure what failed last since the state began, or null
 * @param detail what is known of the state, or null
 */
record LeaseSnapshot(LeaseState state, @Nullable WorkerLease lease, @Nullable Exception failure,
        @Nullable String detail) {

    /** A failure changes no state: what was seen last is what is known. */
    LeaseSnapshot failed(@Nullable Exception cause) {
        return new LeaseSnapshot(this.state, this.lease, cause, this.detail);
    }

    /** Whether the store refuses what waiting does not change. */
    boolean refused() {
        return this.failure instanceof ShardedIdException refusal && !refusal.retryable();
    }

}
