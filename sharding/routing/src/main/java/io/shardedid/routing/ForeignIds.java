package io.shardedid.routing;

import java.time.Instant;
import java.util.Collection;
import java.util.function.Supplier;

import io.shardedid.IdReader;
import io.shardedid.ShardedIds;

/**
 * Looks for ids among the numbers of a statement. In a scope that the application has
 * opened, a statement that names ids of other shards and none of its own probably finds
 * nothing. Nothing is known of the columns that the numbers are compared with, and other
 * numbers may look like ids. So such a statement is counted and logged, and goes on.
 *
 * @param bindings count what is in another shard
 * @param known the ids of the application
 * @param kept whether statements are kept, so that one that is prepared before a scope
 * may be executed in it
 */
record ForeignIds(Supplier<ShardBindings> bindings, Supplier<ShardedIds> known, boolean kept) {

    /** Returns whether a statement that is prepared now is looked at. */
    boolean areLookedFor() {
        return this.kept || this.bindings.get().guardedShard() >= 0;
    }

    /** Looks at the numbers that a statement is about to be executed with. */
    void check(Collection<Long> numbers) {
        ShardBindings now = this.bindings.get();
        int shard = now.guardedShard();
        if (shard < 0) {
            return;
        }
        IdReader ids = this.known.get().reader();
        Long foreign = null;
        for (Long number : numbers) {
            if (isId(number, ids)) {
                if (ids.layout().shardOf(number) == shard) {
                    return;
                }
                foreign = number;
            }
        }
        if (foreign != null) {
            now.suspect(this.known.get().shardOf(foreign), foreign);
        }
    }

    /**
     * The first and the last number of a tick are bounds of windows, and no ids of rows.
     */
    private static boolean isId(long number, IdReader ids) {
        if (!ids.couldBeMade(number)) {
            return false;
        }
        Instant time = ids.layout().instantOf(number);
        return number != ids.layout().firstIdAt(time) && number != ids.layout().lastIdAt(time);
    }

}
