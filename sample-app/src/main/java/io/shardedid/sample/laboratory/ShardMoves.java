package io.shardedid.sample.laboratory;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.stream.Collectors;

import io.shardedid.move.MoveDatabases;
import io.shardedid.move.MoveLimits;
import io.shardedid.move.MoveResult;
import io.shardedid.move.ShardMover;
import io.shardedid.move.ShardRanges;
import io.shardedid.routing.Shards;
import io.shardedid.sample.problem.Problems;
import io.shardedid.shards.ShardMap;
import io.shardedid.shards.ShardRange;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Profile;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Moves some shards to the other database and back, at the push of a button, and measures
 * how long writers wait meanwhile. Templates call it by its name. Thread-safe; one move
 * at a time.
 */
@Component("moves")
@Profile("two-databases")
class ShardMoves implements DisposableBean {

    /** The shards that the button moves, in one database at any time. */
    static final ShardRange SHARDS = new ShardRange(600, 699);

    private static final Logger LOG = LoggerFactory.getLogger(ShardMoves.class);

    private static final MoveLimits LIMITS = new MoveLimits(Duration.ofSeconds(5), Duration.ofSeconds(30),
            MoveLimits.DEFAULTS.after());

    private static final long LONGEST_MINUTES = 4;

    private final Shards shards;

    private final EventLog events;

    private final MoveDatabases databases;

    /**
     * Held by the move that runs, or by the storm while it counts and removes its rows,
     * which are in two databases during a move.
     */
    private final Semaphore rows = new Semaphore(1);

    private final ExecutorService thread = Executors.newSingleThreadExecutor((task) -> {
        Thread thread = new Thread(task, "shard-move");
        thread.setDaemon(true);
        return thread;
    });

    private final LongAccumulator longestOfMoving = new LongAccumulator(Math::max, 0);

    private final LongAccumulator longestOfOthers = new LongAccumulator(Math::max, 0);

    private volatile Progress progress = new Progress(false, "none", "No shard has moved yet.", 0, 0, null);

    ShardMoves(Shards shards, EventLog events, Environment environment) {
        this.shards = shards;
        this.events = events;
        String home = environment.getRequiredProperty("shardedid.databases.home");
        this.databases = new MoveDatabases(
                shards.map()
                    .databases()
                    .stream()
                    .collect(Collectors.toMap((name) -> name, (name) -> database(name, environment))),
                home, "default", null);
    }

    private static MoveDatabases.Database database(String name, Environment environment) {
        String prefix = "shardedid.databases." + name;
        return new MoveDatabases.Database(environment.getRequiredProperty(prefix + ".url"),
                environment.getRequiredProperty(prefix + ".username"), "");
    }

    /** Begins to move the shards to the database where they are not. */
    void start() {
        if (!this.rows.tryAcquire()) {
            throw Problems.busy("Shards move already, or a storm counts its rows; try again in a moment.");
        }
        try {
            begin(target());
        }
        catch (RuntimeException ex) {
            this.rows.release();
            throw ex;
        }
    }

    private void begin(String target) {
        this.longestOfMoving.reset();
        this.longestOfOthers.reset();
        Progress before = this.progress;
        this.progress = new Progress(true, "plan", "Shards %s go to database %s.".formatted(SHARDS, target), 0, 0,
                null);
        try {
            this.thread.execute(() -> move(target));
        }
        catch (RejectedExecutionException ex) {
            this.progress = before;
            throw ex;
        }
    }

    private void move(String target) {
        try {
            List<MoveResult> results = new ShardMover(this.databases, LIMITS, this::hear)
                .move(ShardRanges.parse(SHARDS.toString()), target);
            long rows = results.stream().mapToLong(MoveResult::rows).sum();
            this.progress = new Progress(false, "done",
                    String.format(Locale.ROOT, "Shards %s are in database %s: %,d rows were compared.", SHARDS, target,
                            rows),
                    rows, rows, results.stream().mapToLong((result) -> result.pause().toMillis()).max().orElse(0));
            this.events.add("Shards %s are in database %s.".formatted(SHARDS, target));
        }
        catch (RuntimeException ex) {
            // Its text may hold hosts: not for every visitor.
            LOG.warn("A move of shards has failed", ex);
            this.progress = new Progress(false, "failed",
                    "The move stopped in step '%s'; the log of this application says more. Move again to go on."
                        .formatted(this.progress.step()),
                    this.progress.copied(), this.progress.total(), null);
        }
        finally {
            this.rows.release();
        }
    }

    private void hear(MoveResult heard) {
        Progress before = this.progress;
        this.progress = new Progress(true, "copy", "Shard %s is in database %s.".formatted(heard.shard(), heard.target()),
                before.copied() + heard.rows(), before.total(), null);
    }

    private String target() {
        ShardMap map = this.shards.map();
        String source = map.databaseOf(SHARDS.first());
        return map.databases().stream().filter((name) -> !name.equals(source)).findFirst().orElse(source);
    }

    /**
     * Notes how long a writer waited for the answer of its transaction, all tries
     * included.
     */
    void written(int shard, long nanos) {
        (SHARDS.contains(shard) ? this.longestOfMoving : this.longestOfOthers).accumulate(nanos);
    }

    /** Runs something for which the rows must be in one place each. */
    void whileNothingMoves(Runnable action) {
        try {
            if (!this.rows.tryAcquire(LONGEST_MINUTES, TimeUnit.MINUTES)) {
                throw new IllegalStateException("Could not wait for the end of a move: minutes=" + LONGEST_MINUTES);
            }
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Could not wait for the end of a move", ex);
        }
        try {
            action.run();
        }
        finally {
            this.rows.release();
        }
    }

    public MovesView view() {
        Progress now = this.progress;
        return new MovesView(now.running(), SHARDS.toString(), target(), now.step(), now.message(), now.copied(),
                now.total(), now.pauseMillis(), TimeUnit.NANOSECONDS.toMillis(this.longestOfMoving.get()),
                TimeUnit.NANOSECONDS.toMillis(this.longestOfOthers.get()));
    }

    @Override
    public void destroy() throws InterruptedException {
        this.thread.shutdownNow();
        this.thread.awaitTermination(10, TimeUnit.SECONDS);
    }

    private record Progress(boolean running, String step, String message, long copied, long total,
            @Nullable Long pauseMillis) {
    }

}
