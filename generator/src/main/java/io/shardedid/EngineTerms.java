package io.shardedid;

import java.time.Duration;
import java.time.Instant;

import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * What an engine and the source of its leases have to agree on. Two engines of one JVM
 * with the same worker are one engine, so these settings must be equal.
 *
 * @param layout the layout of the ids
 * @param shards the number of logical shards
 * @param shardFunction the {@link ShardFunction#id() id} of the shard function
 * @param maxAhead how far ids may run ahead of the clock
 * @param maxWait how long a caller may wait for an id
 * @param olderIdsBefore the time before which ids are older, or null if the very first
 * lease says so
 * @param time the clocks
 * @since 0.1
 */
public record EngineTerms(IdLayout layout, int shards, String shardFunction, Duration maxAhead, Duration maxWait,
        @Nullable Instant olderIdsBefore, TimeSource time) {

    /**
     * Returns the text that all processes of one namespace must have in common. The ids
     * of processes with different texts are unique all the same, but such processes look
     * for rows in the wrong shards.
     * @return layout, number of shards and shard function
     */
    public String fingerprint() {
        return this.layout.fingerprint() + ",shards=" + this.shards + ",function=" + this.shardFunction;
    }

    /** Returns these settings as configuration writes them. */
    String summary() {
        return "[%s,max-ahead=%s,max-wait=%s,older-ids-before=%s]".formatted(fingerprint(),
                MessageText.duration(this.maxAhead), MessageText.duration(this.maxWait), this.olderIdsBefore);
    }

}
