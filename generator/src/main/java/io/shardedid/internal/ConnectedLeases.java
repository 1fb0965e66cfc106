package io.shardedid.internal;

import java.util.function.Consumer;

import io.shardedid.LeaseSource;
import io.shardedid.ShardedIdException;

/**
 * What {@link LeaseSource#connect} has found: a place of leases that can be used.
 * Immutable.
 *
 * @param name names the engine that these leases would feed, for example {@code fixed:7}.
 * Engines of one JVM with the same name are one engine
 * @param firstTick the tick of the very first lease: ids below it are older than the use
 * of this generator; 0 if it is not known
 * @param starter begins to lease for the engine that it is given, at most once; it throws
 * a {@link ShardedIdException} if no lease can be had
 * @since 0.1
 */
public record ConnectedLeases(String name, long firstTick, Consumer<LeaseHolder> starter) {

    /**
     * Begins to lease.
     * @param holder the engine
     * @throws ShardedIdException if no lease can be had
     */
    public void start(LeaseHolder holder) {
        this.starter.accept(holder);
    }

}
