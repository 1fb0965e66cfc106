package io.shardedid.internal.lease;

import java.util.List;
import java.util.function.Supplier;

import io.shardedid.EngineTerms;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.ConnectedLeases;

/**
 * A source that never leases: ids can be read, never made.
 *
 * @param name distinguishes this source from others that refuse ids for another reason
 * @param refused makes the exception that refuses an id
 */
record NoWorker(String name, Supplier<WorkerLeaseException> refused) implements WorkerLeases {

    /** Mode {@code none}. */
    static NoWorker byMode() {
        return new NoWorker("none", () -> new WorkerLeaseException(
                "Could not make an id: this process makes none: shardedid.worker.mode=none "
                        + "(for readers, schema export and AOT processing); use mode 'lease' or 'fixed' to insert rows",
                false, "Something makes an id, and this process makes none. Remove that, or set "
                        + "'shardedid.worker.mode' to 'lease' or 'fixed'.",
                null));
    }

    /**
     * Different for different terms: engines that make no id have nothing to agree on.
     */
    @Override
    public ConnectedLeases connect(EngineTerms terms) {
        return new ConnectedLeases(this.name + ":" + terms.summary(), 0, (holder) -> {
            // holds nothing, so every id fails
        });
    }

    @Override
    public boolean makesIds() {
        return false;
    }

    @Override
    public void renewSoon() {
        throw refusal();
    }

    @Override
    public ShardedIdException refusal() {
        return this.refused.get();
    }

    @Override
    public List<WorkerHolding> workers() {
        return List.of();
    }

    @Override
    public void close() {
        // nothing is held
    }

}
