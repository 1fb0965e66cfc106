package io.shardedid;

import io.shardedid.interleavings.Scene;

/** The end of an engine meets a renewal that comes late: no id is made afterwards. */
public class CloseWithRenewalScene extends Scene {

    private Engine engine;

    private long closedAt;

    private long id;

    @Override
    protected void begin() {
        this.engine = SceneEngine.leased(new SceneSource());
    }

    @Override
    protected void first() {
        this.closedAt = this.engine.close();
    }

    @Override
    protected void second() {
        this.engine.hold(SceneEngine.lease(1));
        this.id = this.engine.numbers().tryNext(0);
    }

    @Override
    protected void end() {
        check(this.id < 0 || SceneEngine.LAYOUT.tickOf(this.id) <= this.closedAt, "an id is later than the end");
        check(this.engine.numbers().tryNext(0) < 0, "an engine that was closed makes an id");
    }

}
