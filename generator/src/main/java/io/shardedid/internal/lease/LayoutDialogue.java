package io.shardedid.internal.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * The first conversation of a process: reads the layout row, makes it as the first, and
 * refuses to go on when the layout row names another layout, mode or range of worker ids.
 * Two processes with 1,000 and 2,000 shards would make unique ids and look for one user
 * in two shards. It knows no store and no thread, so that it runs in a simulation, too.
 * Used by one thread at a time.
 */
final class LayoutDialogue {

    /** What an operator types; also a page names it. */
    static final String COMMAND = "java -cp CLASSPATH io.shardedid.cli.Inspector change --config=FILE";

    private static final long RETRY_NANOS = 500_000_000;

    /** To read the layout row, to make it, and to read it again. */
    private static final int LEAST_TURNS = 3;

    /** How often the store may answer and the layout row still be missing. */
    private static final int ROUNDS = 8;

    private final LeaseTiming timing;

    private final String namespace;

    private final LayoutText text;

    private final Supplier<String> tokens;

    /** Whether a write that failed so may succeed later. */
    private final Predicate<Exception> isTransient;

    private final TimeSource time;

    private long dueNanos;

    /** How often the row was written, or met, and was not there afterwards. */
    private int rounds;

    private @Nullable LeaseStatement ready;

    private @Nullable LeaseRow found;

    private @Nullable Exception lastFailure;

    /** What the latest write failed with. */
    private @Nullable Exception refused;

    private long databaseMillis;

    LayoutDialogue(LeaseTiming timing, String namespace, LayoutText text, Supplier<String> tokens,
            Predicate<Exception> isTransient, TimeSource time, long now) {
        this.timing = timing;
        this.namespace = namespace;
        this.text = text;
        this.tokens = tokens;
        this.isTransient = isTransient;
        this.time = time;
        this.dueNanos = now;
    }

    /** Returns what to send now, or null until {@link #dueNanos()}. */
    @Nullable LeaseStatement next(long now) {
        if (this.found != null || now - this.dueNanos < 0) {
            return null;
        }
        if (this.ready == null) {
            this.ready = new LeaseStatement.ReadAll();
        }
        return this.ready;
    }

    /** Takes the reply to the statement that {@link #next} returned last. */
    void reply(LeaseReply reply, long receivedNanos) {
        boolean insert = this.ready instanceof LeaseStatement.Insert;
        this.ready = null;
        this.dueNanos = receivedNanos;
        if (reply instanceof LeaseReply.Rows rows) {
            this.lastFailure = null;
            this.databaseMillis = rows.databaseMillis();
            read(rows);
            return;
        }
        this.lastFailure = (reply instanceof LeaseReply.Unknown unknown) ? unknown.cause() : null;
        if (insert) {
            this.refused = this.lastFailure;
            this.rounds += (this.refused == null || !this.isTransient.test(this.refused)) ? 1 : 0;
        }
        // written, or lost the race to write: the next read shows which
        if (this.lastFailure != null || this.rounds > 1) {
            this.dueNanos = receivedNanos + RETRY_NANOS;
        }
    }

    /**
     * Carries the statements to a store and the replies back, for a limited time but some
     * turns at least: on a busy machine, what came before may have taken all of the time.
     * @param deadline of the monotonic clock
     * @return whether this has ended; an interrupt of this thread ends the turns
     */
    boolean end(LeaseStore store, long deadline) {
        for (int turn = 0; !ended() && !Thread.currentThread().isInterrupted()
                && (turn < LEAST_TURNS || this.time.nanoTime() - deadline < 0); turn++) {
            long now = this.time.nanoTime();
            LeaseStatement statement = next(now);
            if (statement != null) {
                reply(store.execute(statement), this.time.nanoTime());
            }
            else if (this.dueNanos - now > 0) {
                this.time.park(this.dueNanos - now);
            }
        }
        return ended();
    }

    private void read(LeaseReply.Rows rows) {
        LeaseRow row = rows.row(LeaseRow.LAYOUT).orElse(null);
        if (row == null && this.rounds >= ROUNDS) {
            throw refusal();
        }
        if (row == null) {
            this.ready = new LeaseStatement.Insert(first(rows.databaseMillis()), null);
        }
        else if (this.text.toString().equals(row.layout())) {
            this.found = row;
        }
        else {
            throw other(LayoutText.parse(row.layout()));
        }
    }

    private ShardedIdConfigurationException other(LayoutText there) {
        if (there.closed()) {
            return new ShardedIdConfigurationException(
                    "Could not lease a worker id: the lease table of namespace '%s' is closed, because it is being changed: "
                        .formatted(this.namespace) + "here=[%s], there=[%s]".formatted(this.text, there),
                    "wait for the command, or run it again if it was interrupted: " + COMMAND);
        }
        List<String> keys = new ArrayList<>();
        if (there.tolerant() != this.text.tolerant()) {
            keys.add("shardedid.worker.lease.tolerate-lost-commits");
        }
        if (!there.workers().equals(this.text.workers())) {
            keys.add("shardedid.worker.lease.worker-ids");
        }
        return new ShardedIdConfigurationException(
                "Could not lease a worker id: the lease table of namespace '%s' has other settings: here=[%s], there=[%s]"
                    .formatted(this.namespace, this.text, there),
                "give this process the settings of the table, or stop all processes and run: " + COMMAND,
                keys.toArray(String[]::new));
    }

    private WorkerLeaseException refusal() {
        String reason = (this.refused != null) ? LeaseRefusal.oneLine(this.refused.getMessage())
                : "it is there, and no read shows it";
        return new WorkerLeaseException(
                ("Could not lease a worker id: the store of the leases does not take the layout row: namespace=%s, "
                        + "worker id=%s, attempts=%s (%s); let the store take and show each row of this namespace: "
                        + "compare the lease table with its script")
                    .formatted(this.namespace, LeaseRow.LAYOUT, this.rounds, reason),
                false, "Make the store take the row by what the message says. No id was made and nothing was written.",
                this.refused);
    }

    /** The layout row of a new namespace. */
    private LeaseRow first(long millis) {
        return new LeaseRow(LeaseRow.LAYOUT, this.tokens.get(), 0, 0, this.timing.tick(present(millis)), null,
                this.text.toString());
    }

    /**
     * The later one of the clocks of the database and of this machine: before, the leases
     * may have been in another database, whose clock was right. For a clock that is more
     * than a window behind, the process logs a warning and does not wait.
     */
    private long present(long millis) {
        long here = this.time.epochNanos() / 1_000_000;
        return (here - millis > LeaseRules.LATEST_MILLIS && here - millis <= this.timing.windowMillis()) ? here
                : millis;
    }

    /** Returns when there will be something to send, on the monotonic clock. */
    long dueNanos() {
        return this.dueNanos;
    }

    /** Returns whether the layout row is known. */
    boolean ended() {
        return this.found != null;
    }

    /** The layout row, once this has ended. */
    LeaseRow row() {
        return Objects.requireNonNull(this.found);
    }

    /**
     * Says that this has not ended in time.
     * @param took what took the time
     */
    WorkerLeaseException unanswered(String took) {
        if (this.rounds > 0 && (this.lastFailure == null || this.lastFailure == this.refused)) {
            return refusal();
        }
        return new WorkerLeaseException(
                "Could not lease a worker id: the store with the leases of namespace '%s' did not answer in time: %s"
                    .formatted(this.namespace, took),
                this.lastFailure);
    }

    /** The clock of the database as of the last read. */
    long databaseMillis() {
        return this.databaseMillis;
    }

}
