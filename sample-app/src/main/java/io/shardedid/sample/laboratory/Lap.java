package io.shardedid.sample.laboratory;

import java.util.concurrent.atomic.AtomicLong;

import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * One kind of id in a storm, while it runs and after. Written by the threads of the
 * storm, read by everybody.
 */
final class Lap {

    private final IdKind kind;

    private final int rows;

    private final TimeSource time = TimeSource.system();

    private final AtomicLong inserted = new AtomicLong();

    private final AtomicLong refused = new AtomicLong();

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
        this.inserted.addAndGet(more);
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
                this.rows, millis, (millis > 0) ? done * 1000 / millis : 0, this.duplicates);
    }

}
