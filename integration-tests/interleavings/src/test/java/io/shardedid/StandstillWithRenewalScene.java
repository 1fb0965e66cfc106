package io.shardedid;

import io.shardedid.interleavings.Scene;

/** A process comes to stand still while a renewal comes: no id until it goes on. */
public class StandstillWithRenewalScene extends Scene {

    private Engine engine;

    @Override
    protected void begin() {
        this.engine = SceneEngine.leased(new SceneSource());
    }

    @Override
    protected void first() {
        this.engine.suspend();
    }

    @Override
    protected void second() {
        this.engine.hold(SceneEngine.lease(1));
    }

    @Override
    protected void end() {
        check(this.engine.numbers().tryNext(0) < 0, "an engine that stands still makes an id");
        this.engine.beforeResumption();
        this.engine.hold(SceneEngine.lease(1));
        check(this.engine.numbers().tryNext(0) >= 0, "an engine that goes on makes no id");
    }

}
