package io.shardedid;

/** One user wants a standstill while the other one goes on. */
public class ResumedUserScene extends TwoHandles {

    @Override
    protected void begin() {
        super.begin();
        this.two.suspend();
    }

    @Override
    protected void first() {
        this.one.suspend();
    }

    @Override
    protected void second() {
        this.two.resume();
    }

    @Override
    protected void end() {
        checkGoesOn("a user goes on, and the engine stands still");
    }

}
