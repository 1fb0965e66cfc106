package io.shardedid;

import java.util.Map;

import io.shardedid.interleavings.Scene;

/** Two users of one engine, which stands still while all its users want that. */
abstract class TwoHandles extends Scene {

    SceneSource source;

    Engine engine;

    EngineHandle one;

    EngineHandle two;

    EngineRegistry registry;

    @Override
    protected void begin() {
        this.source = new SceneSource();
        this.registry = new EngineRegistry();
        EngineRegistry.Entry entry = new EngineRegistry.Entry(this.source.connect(SceneEngine.TERMS), SceneEngine.TERMS,
                this.source);
        entry.open(Map.of());
        entry.enter();
        this.engine = entry.awaitEngine(this.source.startTimeout());
        this.one = handle(entry);
        this.two = handle(entry);
    }

    private EngineHandle handle(EngineRegistry.Entry entry) {
        return new EngineHandle(this.registry, entry, this.engine, this.source, ShardFunction.modulo());
    }

    final void checkGoesOn(String broken) {
        this.engine.hold(SceneEngine.lease(1));
        check(!this.source.standsStill && this.engine.numbers().tryNext(0) >= 0, broken);
    }

    final void checkStandsStill(String broken) {
        this.engine.hold(SceneEngine.lease(1));
        check(this.source.standsStill && this.engine.numbers().tryNext(0) < 0, broken);
    }

}
