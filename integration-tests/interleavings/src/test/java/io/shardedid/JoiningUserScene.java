package io.shardedid;

import io.shardedid.interleavings.Scene;

/** The only user wants a standstill while another one joins, who wants ids. */
public class JoiningUserScene extends Scene {

    private SceneSource source;

    private EngineRegistry registry;

    private EngineHandle one;

    private EngineHandle joined;

    @Override
    protected void begin() {
        this.source = new SceneSource();
        this.registry = new EngineRegistry();
        this.one = join();
    }

    private EngineHandle join() {
        return this.registry.join(SceneEngine.TERMS, ShardFunction.modulo(), this.source);
    }

    @Override
    protected void first() {
        this.one.suspend();
    }

    @Override
    protected void second() {
        this.joined = join();
    }

    @Override
    protected void end() {
        Engine engine = this.joined.engine();
        engine.hold(SceneEngine.lease(1));
        check(!this.source.standsStill && engine.numbers().tryNext(0) >= 0,
                "a user has joined, and the engine stands still");
    }

}
