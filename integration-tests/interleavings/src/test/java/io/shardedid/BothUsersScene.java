package io.shardedid;

/** Both users want a standstill. */
public class BothUsersScene extends TwoHandles {

    @Override
    protected void first() {
        this.one.suspend();
    }

    @Override
    protected void second() {
        this.two.suspend();
    }

    @Override
    protected void end() {
        checkStandsStill("all users want a standstill, and the engine goes on");
    }

}
