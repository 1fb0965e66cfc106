package io.shardedid.move;

import java.util.List;

/**
 * What moves have left to be done.
 *
 * @param needs shards that need a command
 * @param mover the session of the mover that is at work; empty if there is none
 * @param problems databases that could not be asked, and what contradicts the map
 * @since 0.1
 */
public record MoveStatus(List<Need> needs, String mover, List<String> problems) {

    /**
     * Returns whether all shards take writes in one database, as the map says.
     * @return true if nothing is left to be done but to delete old rows
     */
    public boolean well() {
        return this.problems.isEmpty() && this.needs.stream().allMatch((need) -> need.verb().equals("clean"));
    }

    /**
     * Shards that need a command.
     *
     * @param shards the shards
     * @param what what is so
     * @param verb what the command does: {@code move}, {@code abort} or {@code clean}
     * @param commands the command, in quotation marks, and the other one if there are two
     * @since 0.1
     */
    public record Need(ShardRanges shards, String what, String verb, String commands) {
    }

}
