package io.shardedid;

import io.shardedid.interleavings.Scene;

/**
 * The last user of an identity leaves while another one comes with a source of its own:
 * there is never more than one engine, and the next one goes on above the one before.
 */
public class RegistryScene extends Scene {

    private EngineRegistry registry;

    private EngineHandle one;

    private EngineHandle two;

    private SceneSource firstSource;

    private SceneSource secondSource;

    private long before;

    private boolean closed;

    @Override
    protected void begin() {
        this.registry = new EngineRegistry();
        this.firstSource = new SceneSource();
        this.secondSource = new SceneSource();
        this.one = join(this.firstSource);
        this.before = this.one.engine().numbers().tryNext(0);
        this.closed = false;
    }

    private EngineHandle join(SceneSource source) {
        return this.registry.join(SceneEngine.TERMS, ShardFunction.modulo(), source);
    }

    @Override
    protected void first() {
        this.one.close();
    }

    @Override
    protected void second() {
        this.two = join(this.secondSource);
        this.closed = this.firstSource.closing;
    }

    @Override
    protected void end() {
        boolean other = this.two.engine() != this.one.engine();
        check(!other || this.closed, "two engines of one identity are open");
        check(other || !this.firstSource.closing, "a user has got an engine that is closed");
        check(this.two.engine().numbers().tryNext(0) > this.before, "an id is not above those of the engine before");
        check(this.registry.size() <= 2, "the registry keeps what nobody uses");
    }

}
