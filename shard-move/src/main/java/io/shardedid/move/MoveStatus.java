package io.shardedid.move;

import java.util.List;

import io.shardedid.shards.ShardRange;

/**
 * The moves that are not finished, and what moves have left in the databases.
 *
 * @param moves the moves that are not finished, by their first shard
 * @param slots the replication slots that moves have made
 * @param unknown the databases that could not be asked, and why
 * @since 0.1
 */
public record MoveStatus(List<OpenMove> moves, List<Slot> slots, List<String> unknown) {

    /**
     * A move that is not finished.
     *
     * @param shards its shards
     * @param source the database that they leave
     * @param target the database where they go
     * @param stage {@code copy}: can be resumed or aborted; {@code open}, {@code clean}
     * and {@code empty}: can only be resumed
     * @param mover the fencing token of the last mover
     */
    public record OpenMove(ShardRange shards, String source, String target, String stage, long mover) {
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
