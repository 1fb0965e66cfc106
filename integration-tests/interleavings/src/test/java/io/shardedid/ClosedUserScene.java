package io.shardedid;

/** A user wants a standstill and is closed: the engine of the other one goes on. */
public class ClosedUserScene extends TwoHandles {

    @Override
    protected void first() {
        this.one.suspend();
    }

    @Override
    protected void second() {
        this.one.close();
    }

    @Override
    protected void end() {
        checkGoesOn("a user that has left stops the engine of another one");
    }

}
