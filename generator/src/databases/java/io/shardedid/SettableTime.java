package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clocks that stand still until they are set. Parking advances both of them, so waiting
 * costs no time. Thread-safe.
 */
public final class SettableTime extends TimeSource {

    private final AtomicLong nanos;

    /** How far the wall clock is ahead of the monotonic one. */
    private final AtomicLong wallOffset;

    private final AtomicLong reads = new AtomicLong();

    private final AtomicLong parks = new AtomicLong();

    private volatile Runnable onRead = () -> {
    };

    private volatile Runnable onPark = () -> {
    };

    private SettableTime(long nanos, long epochNanos) {
        this.nanos = new AtomicLong(nanos);
        this.wallOffset = new AtomicLong(epochNanos - nanos);
    }

    /**
     * Clocks whose wall clock shows an instant; the monotonic one is close to overflow.
     */
    public static SettableTime at(Instant instant) {
        return new SettableTime(Long.MAX_VALUE - 1_000_000_000,
                Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano()));
    }

    @Override
    public long nanoTime() {
        this.reads.incrementAndGet();
        this.onRead.run();
        return this.nanos.get();
    }

    @Override
    public long epochNanos() {
        return this.nanos.get() + this.wallOffset.get();
    }

    @Override
    public void park(long nanos) {
        this.parks.incrementAndGet();
        if (!Thread.currentThread().isInterrupted()) {
            this.nanos.addAndGet(nanos);
        }
        this.onPark.run();
    }

    /** Lets time pass on both clocks. */
    public void advance(Duration duration) {
        this.nanos.addAndGet(duration.toNanos());
    }

    /** Steps the wall clock alone. */
    public void stepWall(Duration duration) {
        this.wallOffset.addAndGet(duration.toNanos());
    }

    /** Sets what happens once, at the next read of the monotonic clock. */
    public void onNextRead(Runnable action) {
        this.onRead = () -> {
            this.onRead = () -> {
            };
            action.run();
        };
    }

    /** Sets what happens in each park, after the time has passed. */
    public void onPark(Runnable action) {
        this.onPark = action;
    }

    /** How often the monotonic clock was read. */
    public long reads() {
        return this.reads.get();
    }

    public long parks() {
        return this.parks.get();
    }

    public Instant instant() {
        return LeasedCells.instantOf(epochNanos());
    }

}
