package io.shardedid.sample.laboratory;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.shardedid.sample.problem.Problems;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Service;

/**
 * The storm that runs, or ran last. One at a time.
 */
@Service
class Storm implements DisposableBean {

    private final StormRows rows;

    private final ShardHistogram histogram;

    /** One for the storm itself, the others insert; idle threads end. */
    private final ExecutorService threads = Executors.newCachedThreadPool((task) -> {
        Thread thread = new Thread(task, "storm");
        thread.setDaemon(true);
        return thread;
    });

    private @Nullable StormRun run;

    Storm(StormRows rows, ShardHistogram histogram) {
        this.rows = rows;
        this.histogram = histogram;
    }

    synchronized void start(StormTerms terms) {
        if (this.run != null && this.run.running()) {
            throw Problems.busy("A storm runs already; wait for its end or cancel it.");
        }
        StormRun started = new StormRun(terms, this.rows, this.histogram);
        this.run = started;
        this.threads.execute(() -> started.run(this.threads));
    }

    private synchronized Optional<StormRun> run() {
        return Optional.ofNullable(this.run);
    }

    void cancel() {
        run().ifPresent(StormRun::cancel);
    }

    StormView view() {
        return run().map(StormRun::view).orElseGet(() -> StormView.none(this.rows.kinds()));
    }

    /**
     * Returns how the rows of the latest storm spread over the shards.
     * @return rows by bin, or empty before the first storm
     */
    Optional<Map<String, List<Long>>> shards() {
        return run().map(StormRun::shards);
    }

    @Override
    public void destroy() throws InterruptedException {
        cancel();
        this.threads.shutdown();
        this.threads.awaitTermination(10, TimeUnit.SECONDS);
    }

}
