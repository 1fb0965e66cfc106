package io.shardedid.sample.laboratory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * One kind of id in a storm, while it runs and after. Written by the threads of the
 * storm, read by everybody.
 */
final class Lap {

    /**
     * How many times in a lap the rate is taken: it may change while rows are the same.
     */
    private static final int PARTS = 4;

    private final IdKind kind;

    private final int rows;

    private final TimeSource time = TimeSource.system();

    private final AtomicLong inserted = new AtomicLong();

    private final AtomicLong refused = new AtomicLong();

    /** When each part was inserted; 0 until then. */
    private final AtomicLongArray partEnds = new AtomicLongArray(PARTS);

    private volatile State state = State.WAITING;

    private volatile long beganNanos;

    private volatile long endedNanos;

    private volatile @Nullable Long duplicates;

    Lap(IdKind kind, int rows) {
        this.kind = kind;
        this.rows = rows;
    }

    enum State {

        WAITING, INSERTING, COUNTING, DONE, STOPPED

    }

    IdKind kind() {
        return this.kind;
    }

    void begin() {
        this.beganNanos = this.time.nanoTime();
        this.state = State.INSERTING;
    }

    void inserted(int more) {
        long now = this.inserted.addAndGet(more);
        for (int part = 0; part < PARTS; part++) {
            long end = (long) this.rows * (part + 1) / PARTS;
            if (now - more < end && now >= end) {
                this.partEnds.set(part, this.time.nanoTime());
            }
        }
    }

    /** The primary key found an id that is there already. */
    void refused() {
        this.refused.incrementAndGet();
    }

    void insertedAll() {
        this.endedNanos = this.time.nanoTime();
        this.state = State.COUNTING;
    }

    /**
     * Ends the lap.
     * @param counted the rows in the table
     * @param different their different ids
     */
    void counted(long counted, long different) {
        this.duplicates = this.refused.get() + (counted - different);
        this.state = (counted == this.rows) ? State.DONE : State.STOPPED;
    }

    void stopped() {
        if (this.state == State.INSERTING) {
            this.endedNanos = this.time.nanoTime();
        }
        this.state = State.STOPPED;
    }

    long inserted() {
        return this.inserted.get();
    }

    LapView view() {
        State now = this.state;
        long until = (now == State.INSERTING) ? this.time.nanoTime() : this.endedNanos;
        long millis = Math.max(0, until - this.beganNanos) / 1_000_000;
        long done = this.inserted.get();
        return new LapView(this.kind.title(), this.kind.trait(), now.name().toLowerCase(java.util.Locale.ROOT), done,
                this.rows, millis, (millis > 0) ? done * 1000 / millis : 0, rates().min().orElse(0),
                rates().max().orElse(0), this.duplicates);
    }

    /** The rows a second of each part that is over. */
    private LongStream rates() {
        return IntStream.range(0, PARTS).filter((part) -> this.partEnds.get(part) != 0).mapToLong((part) -> {
            long began = (part == 0) ? this.beganNanos : this.partEnds.get(part - 1);
            return (long) (this.rows * 1e9 / PARTS / Math.max(1, this.partEnds.get(part) - began));
        });
    }

}
