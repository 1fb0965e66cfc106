package io.shardedid;

import io.shardedid.interleavings.Scene;

/** A caller finds no lease while it is given back for good: nobody waits for another. */
public class CallerAtTheEndScene extends Scene {

    private SceneSource source;

    private Engine engine;

    private boolean closing;

    private boolean ended;

    @Override
    protected void begin() {
        this.source = new SceneSource();
        this.engine = SceneEngine.of(this.source);
        this.ended = false;
    }

    @Override
    protected void first() {
        this.engine.close();
    }

    @Override
    protected void second() {
        this.closing = this.source.closing;
        try {
            this.engine.numbers().next(0, false);
        }
        catch (WorkerLeaseException ex) {
            // no lease, and no word of an end
        }
        catch (ShardedIdException ex) {
            this.ended = true;
        }
    }

    @Override
    protected void end() {
        check(this.ended || !this.closing, "a caller would wait while the lease is given back");
    }

}
