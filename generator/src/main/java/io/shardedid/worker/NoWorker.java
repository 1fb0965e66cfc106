package io.shardedid.worker;

import java.util.List;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseHolder;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;

/**
 * Mode {@code none}: ids can be read, never made.
 */
final class NoWorker implements WorkerLeases {

    /**
     * Different for different terms: engines that make no id have nothing to agree on.
     */
    @Override
    public String identity(EngineTerms terms) {
        return "none:" + terms.summary();
    }

    @Override
    public boolean makesIds() {
        return false;
    }

    @Override
    public void start(EngineTerms terms, LeaseHolder holder) {
        // holds nothing, so every id is refused
    }

    @Override
    public void renewSoon() {
        throw refusal();
    }

    @Override
    public ShardedIdException refusal() {
        return new WorkerLeaseException(
                "Could not make an id: this process makes none: shardedid.worker.mode=none "
                        + "(for readers, schema export and AOT processing); use mode 'lease' or 'fixed' to insert rows",
                false, "Something makes an id, and this process makes none. Remove that, or set "
                        + "'shardedid.worker.mode' to 'lease' or 'fixed'.",
                null);
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
