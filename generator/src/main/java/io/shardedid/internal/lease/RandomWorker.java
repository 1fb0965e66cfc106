package io.shardedid.internal.lease;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.shardedid.EngineTerms;
import io.shardedid.ShardedIdException;
import io.shardedid.UuidLayout;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;

/**
 * Mode {@code random}: a worker id of 16 bits by chance, for UUIDs only.
 */
final class RandomWorker extends UnleasedWorker {

    private static final int WORKERS = 1 << 16;

    RandomWorker() {
        super(Duration.ZERO);
    }

    /**
     * Different for different terms: nothing is lost if two engines draw a worker each.
     */
    @Override
    String name(EngineTerms terms) {
        UuidLayout.check(terms.layout());
        return "random:" + terms.summary();
    }

    @Override
    public boolean onlyUuids() {
        return true;
    }

    /** A generator that was kept would be a part of every copy of this process. */
    @Override
    int choose() {
        return new SecureRandom().nextInt(WORKERS);
    }

    @Override
    public ShardedIdException refusal() {
        return new WorkerLeaseException(
                "Could not make a UUID: this process stands still "
                        + "(shardedid.worker.mode=random, suspended); resume the engine first",
                true,
                "Something makes a UUID while the process is suspended. Try again when it goes on. No UUID was made.",
                null);
    }

    @Override
    public List<WorkerHolding> workers() {
        Running now = running();
        return (now != null) ? List
            .of(new WorkerHolding(now.worker(), WorkerHolding.State.HELD, "drawn by chance", Instant.MAX, 1, true))
                : List.of();
    }

}
