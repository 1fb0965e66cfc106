package io.shardedid;

import java.util.List;

import io.shardedid.internal.ConnectedLeases;

/** A source that remembers in which state it was put. */
final class SceneSource implements LeaseSource {

    volatile boolean standsStill;

    volatile boolean closing;

    @Override
    public ConnectedLeases connect(EngineTerms terms) {
        return new ConnectedLeases("scene", 0, (holder) -> holder.hold(SceneEngine.lease(1)));
    }

    @Override
    public void renewSoon() {
    }

    @Override
    public ShardedIdException refusal() {
        return new WorkerLeaseException("no lease");
    }

    @Override
    public List<WorkerHolding> workers() {
        return List.of();
    }

    @Override
    public void suspend() {
        this.standsStill = true;
    }

    @Override
    public void resume() {
        this.standsStill = false;
    }

    @Override
    public void close() {
        this.closing = true;
    }

}
