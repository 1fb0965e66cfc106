package io.shardedid.sample.laboratory;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.ShardedIdException;
import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataIntegrityViolationException;

/**
 * One storm: the same rows with each kind of id, one kind after the other, each by all
 * threads. Ends by itself, by {@link #cancel()} or after five minutes, and leaves no row
 * behind.
 */
final class StormRun {

    private static final Logger LOG = LoggerFactory.getLogger(StormRun.class);

    private static final int WARM_UPS = 2;

    private static final Duration LONGEST = Duration.ofMinutes(5);

    private final StormTerms terms;

    private final StormRows rows;

    /** Rows of one transaction. */
    private final int batch;

    private final ShardHistogram histogram;

    private final List<Lap> laps;

    private final TimeSource time = TimeSource.system();

    private final long deadlineNanos = this.time.nanoTime() + LONGEST.toNanos();

    private volatile boolean cancelled;

    private volatile @Nullable String message;

    private volatile @Nullable Map<String, List<Long>> shards;

    StormRun(StormTerms terms, StormRows rows, ShardHistogram histogram) {
        this.terms = terms;
        this.rows = rows;
        this.batch = rows.batch();
        this.histogram = histogram;
        this.laps = rows.kinds().stream().map((kind) -> new Lap(kind, terms.rows())).toList();
    }

    void run(Executor threads) {
        String end = "Cancelled; the rows are removed.";
        try {
            warmUp();
            for (Lap lap : this.laps) {
                run(lap, threads);
            }
            if (!stopped()) {
                end = verdict();
            }
            else if (!this.cancelled) {
                end = "It took longer than five minutes and was stopped; the rows are removed.";
            }
        }
        catch (RuntimeException ex) {
            this.cancelled = true;
            Throwable cause = (ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex;
            // Its text may hold statements and hosts: not for every visitor.
            LOG.warn("A storm was stopped by an error", cause);
            end = "Stopped by an error (%s); the log of this application says more. The rows are removed."
                .formatted(cause.getClass().getSimpleName());
        }
        finally {
            this.message = end;
        }
    }

    /** What a JVM compiles only once must not be the first kind's burden: all in turn. */
    private void warmUp() {
        for (int round = 0; round < WARM_UPS; round++) {
            for (Lap lap : this.laps) {
                this.rows.whileNothingMoves(() -> this.rows.remove(lap.kind()));
                try {
                    insert(lap, new AtomicInteger(Math.min(this.terms.rows(), 4 * this.batch)), (rows) -> {
                    });
                }
                finally {
                    this.rows.whileNothingMoves(() -> this.rows.remove(lap.kind()));
                }
            }
        }
    }

    private void run(Lap lap, Executor threads) {
        IdKind kind = lap.kind();
        try {
            AtomicInteger left = new AtomicInteger(this.terms.rows());
            lap.begin();
            all(threads, () -> insert(lap, left, lap::inserted));
            lap.insertedAll();
            this.rows.whileNothingMoves(() -> {
                if (kind == IdKind.SHARDED) {
                    this.shards = this.histogram.of(kind.table());
                }
                lap.counted(this.rows.count(kind), this.rows.countDifferentIds(kind));
                this.rows.remove(kind);
            });
        }
        catch (RuntimeException ex) {
            lap.stopped();
            this.rows.whileNothingMoves(() -> this.rows.remove(kind));
            throw ex;
        }
    }

    private void all(Executor threads, Runnable task) {
        CompletableFuture<?>[] running = IntStream.range(0, this.terms.threads())
            .mapToObj((i) -> CompletableFuture.runAsync(task, threads))
            .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(running).join();
    }

    private void insert(Lap lap, AtomicInteger left, IntConsumer inserted) {
        int batch = take(left);
        while (batch > 0 && !stopped()) {
            try {
                this.rows.insert(lap.kind(), batch);
                inserted.accept(batch);
                batch = take(left);
            }
            catch (DataIntegrityViolationException ex) {
                // The rows have no other constraint; by JPA a refused key is told no
                // more precisely.
                lap.refused();
                batch = take(left);
            }
            catch (ShardedIdException ex) {
                // No id, so nothing was written: the same rows again.
            }
        }
    }

    private int take(AtomicInteger left) {
        return Math.min(this.batch, Math.max(0, left.getAndAdd(-this.batch)));
    }

    private String verdict() {
        List<LapView> views = this.laps.stream().map(Lap::view).toList();
        long duplicates = views.stream().mapToLong((lap) -> (lap.duplicates() != null) ? lap.duplicates() : 0).sum();
        return String.format(Locale.ROOT,
                "%,d rows by %s %s, %,d duplicates by primary key and by count; the rows are removed.",
                views.stream().mapToLong(LapView::inserted).sum(), this.terms.threads(),
                (this.terms.threads() == 1) ? "thread" : "threads", duplicates);
    }

    private boolean stopped() {
        return this.cancelled || this.time.nanoTime() - this.deadlineNanos > 0;
    }

    void cancel() {
        this.cancelled = true;
    }

    boolean running() {
        return this.message == null;
    }

    /** Rows by database and shard; null until the first kind is through. */
    @Nullable Map<String, List<Long>> shards() {
        return this.shards;
    }

    StormView view() {
        String end = this.message;
        return new StormView(end == null, this.terms.rows(), this.terms.threads(),
                this.laps.stream().map(Lap::view).toList(), end);
    }

}
