package io.shardedid;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Why a number may not be an id of a layout.
 */
public final class IdDoubts {

    private IdDoubts() {
    }

    /**
     * Looks for what no id of a layout has.
     * @param id any number
     * @param layout the layout
     * @param shards the number of logical shards
     * @param now the time
     * @return sentences for people, none if the id may well be one
     */
    public static List<String> of(long id, IdLayout layout, int shards, Instant now) {
        if (id < 0) {
            return List.of("it is negative, which no id is");
        }
        if (id > layout.lastId()) {
            return List.of("it has bits above the time of this layout");
        }
        List<String> doubts = new ArrayList<>();
        IdParts parts = layout.parse(id);
        if (parts.instant().isAfter(now)) {
            doubts.add("its time, %s, has not come yet".formatted(parts.instant()));
        }
        if (parts.shard() >= shards) {
            doubts.add("its shard, %d, is outside [0, %d]".formatted(parts.shard(), shards - 1));
        }
        return List.copyOf(doubts);
    }

}
