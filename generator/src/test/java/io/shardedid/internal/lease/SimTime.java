package io.shardedid.internal.lease;

import io.shardedid.TimeSource;

/**
 * The clocks of one simulated machine: a monotonic one that runs a little fast or slow
 * and stands still while the machine is suspended, and a wall clock that is stepped.
 */
final class SimTime extends TimeSource {

    private final SimWorld world;

    private final double rate;

    private final long origin;

    private long suspendedNanos;

    private long wallOffsetNanos;

    /** What happens between a read of the clock and the use of the value. */
    private Runnable afterRead = () -> {
    };

    private SimTime(SimWorld world, double rate, long origin) {
        this.world = world;
        this.rate = rate;
        this.origin = origin;
    }

    /** The clocks of a machine like any other. */
    static SimTime any(SimWorld world) {
        double rate = 1 + (world.random().nextDouble() - 0.5) * 0.001;
        return new SimTime(world, rate, world.random().nextLong(1L << 50));
    }

    /** Clocks that show the time of the world. */
    static SimTime exact(SimWorld world) {
        return new SimTime(world, 1, 0);
    }

    @Override
    public long nanoTime() {
        long value = read();
        this.afterRead.run();
        return value;
    }

    /** The monotonic clock without the pause that may follow. */
    long read() {
        return this.origin + (long) ((this.world.now() - this.suspendedNanos) * this.rate);
    }

    @Override
    public long epochNanos() {
        return SimWorld.BASE_EPOCH_NANOS + this.world.now() + this.wallOffsetNanos;
    }

    @Override
    public void park(long nanos) {
        throw new IllegalStateException("nothing waits in the simulation");
    }

    void afterRead(Runnable action) {
        this.afterRead = action;
    }

    void stepWall(long offsetNanos) {
        this.wallOffsetNanos = offsetNanos;
    }

    void suspended(long nanos) {
        this.suspendedNanos += nanos;
    }

}
