package io.shardedid;

import io.shardedid.interleavings.Scene;

/**
 * A caller meets the end of the lease and the next one. Another process may make the ids
 * above the tick that was told.
 */
public class GiveBackScene extends Scene {

    private Engine engine;

    private long id;

    private long told;

    @Override
    protected void begin() {
        this.engine = SceneEngine.leased(WorkerLeases.fixed(0));
    }

    @Override
    protected void first() {
        this.id = this.engine.numbers().tryNext(0);
    }

    @Override
    protected void second() {
        this.told = this.engine.relinquish();
        this.engine.hold(SceneEngine.lease(2));
    }

    @Override
    protected void end() {
        IdLayout layout = SceneEngine.LAYOUT;
        long next = this.engine.numbers().tryNext(0);
        check(this.id < 0 || layout.workerOf(this.id) == 2 || layout.tickOf(this.id) <= this.told,
                "an id of the first lease is above the tick that was told");
        check(this.id < 0 || layout.workerOf(this.id) == 1 || layout.tickOf(this.id) > this.told,
                "an id carries another worker than the lease under which it was claimed");
        check(next > this.id && layout.workerOf(next) == 2, "the next lease makes no larger id");
    }

}
