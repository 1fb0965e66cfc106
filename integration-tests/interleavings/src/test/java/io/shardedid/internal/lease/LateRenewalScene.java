package io.shardedid.internal.lease;

import java.util.function.Supplier;

import io.shardedid.LeaseClock;
import io.shardedid.TickLease;
import io.shardedid.interleavings.Scene;
import io.shardedid.internal.LeaseHolder;

/** A renewal under way meets a suspension: its lease does not come after the end. */
public class LateRenewalScene extends Scene implements LeaseHolder {

    private static final TickLease LEASE = new TickLease(1, 0, 100, 1000, new LeaseClock(0, 0));

    private EndableHolder holder;

    private volatile boolean ended;

    private boolean late;

    @Override
    protected void begin() {
        this.holder = new EndableHolder(new Itself(), new Nothing());
        this.ended = false;
        this.late = false;
    }

    @Override
    protected void first() {
        this.holder.hold(LEASE);
    }

    @Override
    protected void second() {
        this.holder.end();
        this.ended = true;
    }

    @Override
    protected void end() {
        check(!this.late, "a lease came after the end");
    }

    @Override
    public void hold(TickLease lease) {
        this.late |= this.ended;
    }

    @Override
    public long relinquish() {
        return -1;
    }

    private final class Itself implements Supplier<LeaseHolder> {

        @Override
        public LeaseHolder get() {
            return LateRenewalScene.this;
        }

    }

    private static final class Nothing implements Runnable {

        @Override
        public void run() {
        }

    }

}
