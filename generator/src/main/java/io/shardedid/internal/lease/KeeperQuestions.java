package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Questions about the rows of the store, which the keeper answers between its own
 * statements. A caller that asks while a read is awaited, or within a second of the
 * latest one, shares it. So callers cannot make the keeper read more often than once a
 * second and once a change of its own lease, however many they are. Thread-safe.
 */
final class KeeperQuestions {

    private static final long KEPT_NANOS = 1_000_000_000;

    private final TimeSource time;

    private final LeaseReport report;

    private final AtomicReference<@Nullable Question> latest = new AtomicReference<>();

    KeeperQuestions(TimeSource time, LeaseReport report) {
        this.time = time;
        this.report = report;
    }

    /** One read and all who want its result. */
    private static final class Question {

        final CompletableFuture<LeaseReply.Rows> answer = new CompletableFuture<>();

        final AtomicInteger waiting = new AtomicInteger();

        /* What the keeper writes before it answers. */

        private long readNanos;

        private @Nullable LeaseSnapshot state;

        boolean serves(long now, LeaseSnapshot present) {
            return !this.answer.isDone() || (this.state == present && now - this.readNanos < KEPT_NANOS);
        }

    }

    /**
     * Asks, and waits for the answer.
     * @param wake lets the keeper look at once
     */
    LeaseReply.Rows ask(Duration patience, Runnable wake)
            throws InterruptedException, ExecutionException, TimeoutException {
        Question mine = new Question();
        long now = this.time.nanoTime();
        LeaseSnapshot present = this.report.snapshot();
        Question asked = Objects.requireNonNull(
                this.latest.updateAndGet((other) -> (other != null && other.serves(now, present)) ? other : mine));
        asked.waiting.incrementAndGet();
        try {
            if (!asked.answer.isDone()) {
                wake.run();
            }
            return asked.answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        }
        finally {
            asked.waiting.decrementAndGet();
        }
    }

    /** Whether a caller waits for an answer. */
    boolean asked() {
        Question question = this.latest.get();
        return question != null && !question.answer.isDone() && question.waiting.get() > 0;
    }

    /** Reads for all who wait; called by the keeper. */
    void answer(LeaseStore store) {
        Question question = this.latest.get();
        if (question == null || !asked()) {
            return;
        }
        try {
            question.readNanos = this.time.nanoTime();
            question.state = this.report.snapshot();
            LeaseReply reply = store.execute(new LeaseStatement.ReadAll());
            if (reply instanceof LeaseReply.Rows rows) {
                question.answer.complete(rows);
            }
            else if (reply instanceof LeaseReply.Unknown unknown) {
                question.answer.completeExceptionally(unknown.cause());
            }
        }
        catch (Throwable ex) {
            question.answer.completeExceptionally(ex);
            throw ex;
        }
    }

    /**
     * Answers all who wait with the reason why they will not be answered; called by the
     * keeper.
     */
    void refuse(RuntimeException why) {
        Question question = this.latest.get();
        if (question != null) {
            question.answer.completeExceptionally(why);
        }
    }

}
