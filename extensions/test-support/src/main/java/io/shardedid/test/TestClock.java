package io.shardedid.test;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

import io.shardedid.TimeSource;
import io.shardedid.internal.MessageText;

/**
 * The clocks of a test: they stand still until they are advanced or set. Waiting for an
 * id takes no time: it advances the clocks. They never go back, as ids of an engine only
 * increase. Thread-safe.
 *
 * @since 0.1
 */
public final class TestClock extends TimeSource {

    /** Both clocks, which go together. */
    private final AtomicLong epochNanos;

    private TestClock(long epochNanos) {
        this.epochNanos = new AtomicLong(epochNanos);
    }

    /**
     * Makes clocks that show an instant.
     * @param start the instant, 1678 to 2262
     * @return the clocks
     * @throws ArithmeticException if the instant is outside that range
     */
    public static TestClock at(Instant start) {
        return new TestClock(nanosOf(start));
    }

    /**
     * Lets time pass.
     * @param by how much, not negative
     * @throws IllegalArgumentException if it is negative; the clock did not move
     */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException(
                    "The clock must not go back: by=%s (ids only increase); start at an earlier instant"
                        .formatted(MessageText.duration(by)));
        }
        this.epochNanos.updateAndGet((now) -> Math.addExact(now, by.toNanos()));
    }

    /**
     * Sets the time.
     * @param instant the time, not before {@link #instant()}
     * @throws IllegalArgumentException if it is; the clock did not move
     */
    public void set(Instant instant) {
        long nanos = nanosOf(instant);
        long before = this.epochNanos.getAndUpdate((now) -> Math.max(now, nanos));
        if (nanos < before) {
            throw new IllegalArgumentException(
                    "The clock must not go back: instant=%s, now=%s (ids only increase); start at an earlier instant"
                        .formatted(instant, instantOf(before)));
        }
    }

    /**
     * Returns the time.
     * @return the time, to the nanosecond
     */
    public Instant instant() {
        return instantOf(epochNanos());
    }

    @Override
    public long nanoTime() {
        return this.epochNanos.get();
    }

    @Override
    public long epochNanos() {
        return this.epochNanos.get();
    }

    @Override
    public void park(long nanos) {
        if (!Thread.currentThread().isInterrupted()) {
            this.epochNanos.addAndGet(nanos);
        }
    }

    @Override
    public String toString() {
        return "TestClock[" + instant() + "]";
    }

    private static long nanosOf(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
    }

    private static Instant instantOf(long epochNanos) {
        return Instant.EPOCH.plusNanos(epochNanos);
    }

}
