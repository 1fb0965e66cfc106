package io.shardedid;

import io.shardedid.interleavings.Scene;

/** A caller meets a lease of another worker in the same tick: ids stay in order. */
public class OtherWorkerScene extends Scene {

    private Engine engine;

    private long one;

    private long two;

    @Override
    protected void begin() {
        this.engine = SceneEngine.leased(WorkerLeases.fixed(0));
    }

    @Override
    protected void first() {
        this.one = this.engine.numbers().tryNext(0);
        this.two = this.engine.numbers().tryNext(0);
    }

    @Override
    protected void second() {
        this.engine.hold(SceneEngine.lease(2));
    }

    @Override
    protected void end() {
        long three = this.engine.numbers().tryNext(0);
        IdLayout layout = SceneEngine.LAYOUT;
        check(three >= 0 && layout.workerOf(three) == 2, "no id of the other worker");
        check(this.two < 0 || this.one < this.two, "a caller's second id is not larger");
        check(Math.max(this.one, this.two) < three, "an id after the change is not larger");
        checkTicks(this.one, three);
        checkTicks(this.two, three);
    }

    /** Inside a tick only one worker makes ids, as their order goes by the worker. */
    private static void checkTicks(long id, long after) {
        IdLayout layout = SceneEngine.LAYOUT;
        check(id < 0 || layout.workerOf(id) == 2 || layout.tickOf(id) < layout.tickOf(after),
                "two workers made ids in one tick");
    }

}
