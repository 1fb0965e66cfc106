package io.shardedid.sample.laboratory;

import io.shardedid.WorkerHolding;

/**
 * A worker id as the page shows it.
 *
 * @param worker the worker id
 * @param owner who holds it, for people
 * @param state what it is now
 * @param until when it may be taken
 * @param acquisitions how often it changed hands
 * @param mine whether this very process holds it
 */
record WorkerView(int worker, String owner, String state, String until, long acquisitions, boolean mine) {

    static WorkerView of(WorkerHolding holding) {
        boolean free = holding.owner().isEmpty();
        return new WorkerView(holding.worker(), free ? "nobody" : holding.owner(),
                holding.mine() ? "held by this process" : free ? "free" : "held",
                free ? "" : holding.until().toString(), holding.acquisitions(), holding.mine());
    }

}
