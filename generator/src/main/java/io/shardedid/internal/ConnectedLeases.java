package io.shardedid.internal;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

import io.shardedid.LeaseSource;
import io.shardedid.ShardedIdException;

/**
 * What {@link LeaseSource#connect} has found: a place of leases that can be used.
 * Immutable.
 *
 * @param name names the engine that these leases would feed, for example {@code fixed:7}.
 * Engines of one JVM with the same name are one engine
 * @param firstTick returns the tick of the very first lease: ids below it are older than
 * the use of this generator; 0 if there is no such lease. A source that has read nothing
 * yet reads it when it is asked, waits no longer than it is told, and throws a
 * {@link ShardedIdException} if that failed. Called by many threads
 * @param start begins to lease for the engine that it is given, at most once; it throws a
 * {@link ShardedIdException} if no lease can be had
 */
public record ConnectedLeases(String name, ToLongFunction<Duration> firstTick, Consumer<LeaseHolder> start) {

    /**
     * Makes what a source has found whose very first lease is known.
     * @param name names the engine
     * @param firstTick the tick of the very first lease, or 0
     * @param start begins to lease
     */
    public ConnectedLeases(String name, long firstTick, Consumer<LeaseHolder> start) {
        this(name, (patience) -> firstTick, start);
    }

}
