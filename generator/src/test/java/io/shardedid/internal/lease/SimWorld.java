package io.shardedid.internal.lease;

import java.time.Instant;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Virtual time and what is to happen in it. One thread, one seed: the same seed is the
 * same run.
 */
final class SimWorld {

    static final long BASE_EPOCH_NANOS = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond() * 1_000_000_000L;

    private final SplittableRandom random;

    private final PriorityQueue<Event> events = new PriorityQueue<>();

    private long now;

    private long sequence;

    private int nesting;

    SimWorld(long seed) {
        this.random = new SplittableRandom(seed);
    }

    private record Event(long at, long sequence, Runnable action) implements Comparable<Event> {

        @Override
        public int compareTo(Event other) {
            return (this.at != other.at) ? Long.compare(this.at, other.at)
                    : Long.compare(this.sequence, other.sequence);
        }

    }

    long now() {
        return this.now;
    }

    SplittableRandom random() {
        return this.random;
    }

    boolean chance(double probability) {
        return this.random.nextDouble() < probability;
    }

    /** A span, short ones more often than long ones. */
    long span(long most) {
        double r = this.random.nextDouble();
        return (long) (most * r * r * r);
    }

    void after(long nanos, Runnable action) {
        this.events.add(new Event(this.now + Math.max(0, nanos), this.sequence++, action));
    }

    void runUntil(long end) {
        while (!this.events.isEmpty() && this.events.peek().at() <= end) {
            Event event = this.events.poll();
            this.now = Math.max(this.now, event.at());
            event.action().run();
        }
        this.now = Math.max(this.now, end);
    }

    /** Lets the rest of the world go on while one thread of it stands still. */
    void standStill(long nanos) {
        if (this.nesting < 2) {
            this.nesting++;
            runUntil(this.now + nanos);
            this.nesting--;
        }
    }

}
