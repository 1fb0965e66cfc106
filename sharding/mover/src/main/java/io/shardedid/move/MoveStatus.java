package io.shardedid.move;

import java.time.Instant;
import java.util.List;

import io.shardedid.shards.ShardRange;
import org.jspecify.annotations.Nullable;

/**
 * Which writes fail, the moves that are not finished, and what moves have left in the
 * databases.
 *
 * @param refused the shards whose writes fail where the map sends them
 * @param paused the shards whose writers wait for a mover that is at work, for no longer
 * than the limit of the pause until now
 * @param twice the shards that take writes in more than one database
 * @param moves the moves that are not finished, by their first shard
 * @param slots the replication slots that moves have made
 * @param unknown the databases that could not be asked, and why
 * @param problems where the map contradicts the databases or the routers, and what mends
 * it
 * @since 0.1
 */
public record MoveStatus(List<Refused> refused, List<Refused> paused, List<Twice> twice, List<OpenMove> moves,
        List<Slot> slots, List<String> unknown, List<String> problems) {

    /**
     * Returns whether all shards take writes in one database each, or wait for a mover
     * that is at work, all databases have answered, nothing contradicts the map, and a
     * mover works on each open move.
     * @return whether nothing has to be done
     */
    public boolean well() {
        return this.refused.isEmpty() && this.twice.isEmpty() && this.unknown.isEmpty() && this.problems.isEmpty()
                && this.moves.stream().allMatch((move) -> move.stuck() == null);
    }

    /**
     * Shards whose writes the database that the map names does not take.
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
     * @param alive whether the session of a mover of these shards is there
     * @param waitsFor the routers and the transactions that keep the move from going on
     * @param copy how much has been copied; null if the stage is not {@code copy}, or the
     * rows could not be counted in time
     * @param subscription what carries the rows; null if there is none
     * @param stuck why it does not go on by itself; null if it does
     */
    public record OpenMove(ShardRanges shards, String source, String target, String stage, long mover, boolean alive,
            List<String> waitsFor, @Nullable Copy copy, @Nullable Subscription subscription, @Nullable String stuck) {
    }

    /**
     * How far a copy is. The bytes are estimated from the sizes of the tables.
     *
     * @param rows the rows at the target
     * @param totalRows the rows at the source
     * @param bytes their size at the target
     * @param totalBytes their size at the source
     */
    public record Copy(long rows, long totalRows, long bytes, long totalBytes) {
    }

    /**
     * The subscription of a move. PostgreSQL writes what an error was into the log of the
     * target's server, and nowhere else.
     *
     * @param name its name
     * @param enabled whether it runs; an error disables it
     * @param errors how many errors it has had, while it copied or followed the changes
     */
    public record Subscription(String name, boolean enabled, long errors) {
    }

    /**
     * A replication slot. A slot that is not read keeps the write-ahead log of its
     * server.
     *
     * @param database the database that has it
     * @param name its name
     * @param active whether it is being read
     * @param state what its server says of the log that it needs: {@code reserved},
     * {@code extended}, {@code unreserved} or {@code lost}
     * @param retainedBytes the write-ahead log that the server keeps for it
     * @param wanted whether a move of this namespace is not finished that leaves the
     * database
     */
    public record Slot(String database, String name, boolean active, String state, long retainedBytes, boolean wanted) {
    }

}
