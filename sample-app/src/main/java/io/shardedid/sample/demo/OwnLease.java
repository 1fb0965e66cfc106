package io.shardedid.sample.demo;

import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseListener;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Hears of the first lease of this process.
 */
@Component
class OwnLease implements WorkerLeaseListener {

    private volatile @Nullable WorkerLease first;

    @Override
    public synchronized void leased(WorkerLease lease) {
        if (this.first == null) {
            this.first = lease;
        }
    }

    /** Returns the lease, or null if this process has leased nothing yet. */
    @Nullable WorkerLease first() {
        return this.first;
    }

}
