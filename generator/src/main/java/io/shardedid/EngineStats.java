package io.shardedid;

import java.time.Duration;

/**
 * Figures of an engine at one moment.
 *
 * @param worker the worker id, or -1 while none is leased
 * @param leaseRemaining how long ids can be made without another renewal
 * @param ahead how far the foremost shard has run ahead of the clock
 * @param waits how often a caller parked
 * @param waited how long callers parked in all
 * @param issued how many ids were made
 * @param sequencesExhausted how often a caller waited because its shard had used up its
 * sequence as far ahead of the clock as is allowed
 * @since 0.1
 */
public record EngineStats(int worker, Duration leaseRemaining, Duration ahead, long waits, Duration waited, long issued,
        long sequencesExhausted) {
}
