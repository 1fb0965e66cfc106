package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * What a keeper has written last. Nothing less proves that another connection leads to
 * the same store: a copy of a database has all that was written before it was made. One
 * thread writes, any thread asks.
 */
final class LeaseWrites {

    private final Queue<CompletableFuture<Write>> waiting = new ConcurrentLinkedQueue<>();

    private volatile @Nullable Write latest;

    private volatile @Nullable Write confirmed;

    /** A write of the row of a worker id, and the token that it shows afterwards. */
    private record Write(int worker, String token) {
    }

    LeaseReply carryOut(LeaseStatement statement, LeaseStore store) {
        Write write = (statement instanceof LeaseStatement.Update update) ? new Write(update.worker(), update.token())
                : (statement instanceof LeaseStatement.Insert insert && insert.row().worker() != LeaseRow.LAYOUT)
                        ? new Write(insert.row().worker(), insert.row().token()) : null;
        if (write == null) {
            return store.execute(statement);
        }
        List<CompletableFuture<Write>> before = List.copyOf(this.waiting);
        this.latest = write;
        LeaseReply reply = store.execute(statement);
        if (reply instanceof LeaseReply.Written written && written.rows() == 1) {
            this.confirmed = write;
            before.forEach((each) -> each.complete(write));
        }
        return reply;
    }

    /**
     * Returns whether the application reads what was written.
     * @return false if that could not be found out now
     * @throws ShardedIdConfigurationException if it reads something else
     */
    boolean seenByApplication(LeaseStore store) {
        Write written = this.confirmed;
        try {
            return written != null && store.checkSeen(written.worker(), this::tokens);
        }
        catch (ShardedIdConfigurationException ex) {
            Write now = this.confirmed;
            if (now != null && written != null && now.worker() != written.worker()) {
                // another process may have the row by now
                return false;
            }
            throw ex;
        }
    }

    /** What a row that was written last may show: the reply may be under way. */
    private Set<String> tokens() {
        return Stream.of(this.confirmed, this.latest)
            .filter(Objects::nonNull)
            .map(Write::token)
            .collect(Collectors.toSet());
    }

    /**
     * Waits for a renewal, and returns whether another store shows just that one. The
     * write comes after the other store was read for the first time, so no copy has it.
     * @throws TimeoutException if there was none in time
     */
    boolean shownBy(LeaseStore other, Runnable renew, Duration patience) throws TimeoutException {
        TimeSource clock = TimeSource.system();
        long began = clock.nanoTime();
        while (true) {
            Write write = next(renew, patience.toNanos() - (clock.nanoTime() - began));
            LeaseReply reply = other.execute(new LeaseStatement.ReadOne(write.worker()));
            if (reply instanceof LeaseReply.Rows rows) {
                if (rows.row(write.worker()).filter((row) -> row.token().equals(write.token())).isPresent()) {
                    other.checkSeen(write.worker(), this::tokens);
                    return true;
                }
                if (write == this.latest) {
                    return false;
                }
            }
            else {
                clock.park(LeaseTiming.IMPATIENT_NANOS);
            }
        }
    }

    /** Waits for a write that is sent from now on and acknowledged. */
    private Write next(Runnable renew, long nanos) throws TimeoutException {
        CompletableFuture<Write> write = new CompletableFuture<>();
        this.waiting.add(write);
        try {
            renew.run();
            return write.get(nanos, TimeUnit.NANOSECONDS);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new WorkerLeaseException(
                    "Could not join the id engine: interrupted while waiting for a renewal of its lease", ex);
        }
        catch (ExecutionException ex) {
            throw new IllegalStateException(ex);
        }
        finally {
            this.waiting.remove(write);
        }
    }

}
