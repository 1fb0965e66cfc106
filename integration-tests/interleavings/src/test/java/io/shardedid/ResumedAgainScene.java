package io.shardedid;

/** A user goes on and wants a standstill at once: a later wish is not forgotten. */
public class ResumedAgainScene extends TwoHandles {

    @Override
    protected void begin() {
        super.begin();
        this.one.suspend();
        this.two.suspend();
    }

    @Override
    protected void first() {
        this.one.resume();
    }

    @Override
    protected void second() {
        this.one.suspend();
    }

    @Override
    protected void end() {
        this.one.suspend();
        checkStandsStill("all users want a standstill, and the engine goes on");
    }

}
