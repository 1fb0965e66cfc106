package io.shardedid;

/** One user wants a standstill, and the other one leaves: nobody is left who does not. */
public class LastUserScene extends TwoHandles {

    @Override
    protected void first() {
        this.one.suspend();
    }

    @Override
    protected void second() {
        this.two.close();
    }

    @Override
    protected void end() {
        checkStandsStill("all users want a standstill, and the engine goes on");
    }

}
