package io.shardedid.move;

import java.time.Instant;
import java.util.List;

import io.shardedid.shards.ShardRange;
import org.jspecify.annotations.Nullable;

/**
 * Which writes are refused, the moves that are not finished, and what moves have left in
 * the databases.
 *
 * @param refused the shards whose writers are refused where the map sends them
 * @param twice the shards that take writes in more than one database
 * @param moves the moves that are not finished, by their first shard
 * @param slots the replication slots that moves have made
 * @param unknown the databases that could not be asked, and why
 * @since 0.1
 */
public record MoveStatus(List<Refused> refused, List<Twice> twice, List<OpenMove> moves, List<Slot> slots,
        List<String> unknown) {

    /**
     * Returns whether all shards take writes in one database each, all databases have
     * answered, and a mover works on each open move.
     * @return whether nothing has to be done
     */
    public boolean well() {
        return this.refused.isEmpty() && this.twice.isEmpty() && this.unknown.isEmpty()
                && this.moves.stream().allMatch((move) -> move.stuck() == null);
    }

    /**
     * Shards whose writers are refused.
     *
     * @param shards the shards
     * @param database the database that the map names
     * @param state what that database says about the shards: {@code moved},
     * {@code arriving}, or {@code none} if it has no row for them
     * @param since since when it says so; null if it has no row
     */
    public record Refused(ShardRange shards, String database, String state, @Nullable Instant since) {
    }

    /**
     * Shards that take writes in more than one database.
     *
     * @param shards the shards
     * @param databases the databases
     */
    public record Twice(ShardRange shards, List<String> databases) {
    }

    /**
     * A move that is not finished.
     *
     * @param shards its shards
     * @param source the database that they leave
     * @param target the database where they go
     * @param stage {@code copy}: can be resumed or aborted; {@code open}, {@code clean}
     * and {@code empty}: can only be resumed
     * @param mover the fencing token of the last mover
     * @param stuck why it does not go on by itself; null if it does
     */
    public record OpenMove(ShardRanges shards, String source, String target, String stage, long mover,
            @Nullable String stuck) {

        OpenMove stuckBecause(String reason) {
            return new OpenMove(this.shards, this.source, this.target, this.stage, this.mover, reason);
        }

    }

    /**
     * A replication slot. A slot that nobody reads keeps the write-ahead log of its
     * server.
     *
     * @param database the database that has it
     * @param name its name
     * @param active whether somebody reads it
     * @param retainedBytes the write-ahead log that the server keeps for it
     * @param wanted whether a move of this namespace is not finished that leaves the
     * database
     */
    public record Slot(String database, String name, boolean active, long retainedBytes, boolean wanted) {
    }

}
