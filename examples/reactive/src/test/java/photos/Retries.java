package photos;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.shardedid.ShardedIdException;

/** Repeats transactions of Hibernate Reactive that found no id. */
public final class Retries {

    private Retries() {
    }

    /**
     * Does work, and repeats it from its start where an id would have had to wait.
     * @param times how often it may be repeated
     * @param work a transaction, with entities that it makes
     * @return when the work is done
     */
    public static CompletionStage<Void> retried(int times, Supplier<CompletionStage<Void>> work) {
        Executor soon = CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS);
        return work.get()
            .exceptionallyCompose((failure) -> (times > 0 && isRetryable(failure))
                    ? CompletableFuture.supplyAsync(() -> retried(times - 1, work), soon).thenCompose((again) -> again)
                    : CompletableFuture.failedFuture(failure));
    }

    private static boolean isRetryable(Throwable failure) {
        return Stream.iterate(failure, (cause) -> cause != null, Throwable::getCause)
            .anyMatch((cause) -> cause instanceof ShardedIdException refusal && refusal.retryable());
    }

}
