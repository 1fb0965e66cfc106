package io.shardedid.internal.lease;

import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.shardedid.TimeSource;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory whose next statement can fail as no store should. Safe for use by
 * many threads.
 */
final class FaultyStore implements LeaseStore {

    Durability durability = Durability.CONFIGURED;

    private final TimeSource time;

    private final long origin;

    private final SimDatabase database = new SimDatabase();

    private final AtomicLong executed = new AtomicLong();

    final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    private volatile @Nullable Throwable fault;

    private volatile boolean swallowWrites;

    /** Before and after a statement is carried out. */
    volatile Consumer<LeaseStatement> before = (statement) -> {
    };

    volatile Consumer<LeaseStatement> after = (statement) -> {
    };

    /** What it takes to get ready. */
    Runnable ensuring = () -> {
    };

    /** What the application sees of the lease. */
    Runnable looking = () -> {
    };

    /** What it takes to disconnect. */
    volatile Runnable disconnecting = () -> {
    };

    /** How often all rows were read. */
    final AtomicLong reads = new AtomicLong();

    /** Whether a statement has come since the last disconnect. */
    volatile boolean connected;

    volatile boolean ensured;

    volatile boolean closed;

    FaultyStore(TimeSource time) {
        this.time = time;
        this.origin = time.nanoTime();
    }

    /**
     * Throws that in each statement, until there is nothing to throw; a checked exception
     * is the cause for which no answer comes.
     */
    void fault(@Nullable Throwable thrown) {
        this.fault = thrown;
    }

    /** Answers no UPDATE from now on. */
    void swallowWrites() {
        this.swallowWrites = true;
    }

    void answerWrites() {
        this.swallowWrites = false;
    }

    long executed() {
        return this.executed.get();
    }

    /** Sets how far the clock of the store is ahead. */
    synchronized void stepClock(Duration ahead) {
        this.database.stepClock(ahead.toMillis());
    }

    synchronized @Nullable LeaseRow row(int worker) {
        return this.database.rows().stream().filter((row) -> row.worker() == worker).findFirst().orElse(null);
    }

    @Override
    public Durability durability() {
        return this.durability;
    }

    @Override
    public boolean isTransient(WorkerLeaseException failure) {
        return false;
    }

    @Override
    public void ensure() {
        this.ensuring.run();
        this.ensured = true;
    }

    @Override
    public LeaseReply execute(LeaseStatement statement) {
        this.executed.incrementAndGet();
        this.connected = true;
        if (this.fault instanceof Error error) {
            throw error;
        }
        if (this.fault instanceof RuntimeException exception) {
            throw exception;
        }
        if (this.fault instanceof Exception cause) {
            return new LeaseReply.Unknown(cause);
        }
        if (this.swallowWrites && statement instanceof LeaseStatement.Update) {
            return new LeaseReply.Unknown(new SQLTransientException("no answer"));
        }
        if (statement instanceof LeaseStatement.ReadAll) {
            this.reads.incrementAndGet();
        }
        this.before.accept(statement);
        LeaseReply reply;
        synchronized (this) {
            this.threads.add(Thread.currentThread());
            reply = this.database.execute(statement, this.time.nanoTime() - this.origin, 0);
        }
        this.after.accept(statement);
        return reply;
    }

    @Override
    public boolean checkSeen(int worker, Supplier<Set<String>> tokens) {
        this.looking.run();
        return true;
    }

    @Override
    public void disconnect() {
        this.disconnecting.run();
        this.connected = false;
    }

    @Override
    public void close() {
        this.closed = true;
    }

}
