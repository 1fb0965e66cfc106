package io.shardedid;

import java.util.Map;

import io.shardedid.interleavings.Scene;

/** The last user leaves an engine while another one enters it. */
public class EnteringUserScene extends Scene {

    private SceneSource source;

    private EngineRegistry.Entry entry;

    private boolean entered;

    @Override
    protected void begin() {
        this.source = new SceneSource();
        this.entry = new EngineRegistry.Entry(this.source.connect(SceneEngine.TERMS), SceneEngine.TERMS, this.source);
        this.entry.open(Map.of());
    }

    @Override
    protected void first() {
        if (this.entry.leave()) {
            this.entry.close((ended, last) -> {
            });
        }
    }

    @Override
    protected void second() {
        this.entered = this.entry.enter();
    }

    @Override
    protected void end() {
        check(this.entered != this.source.closing, "a user has entered an engine that is closed, or cannot enter");
    }

}
