package io.shardedid.sample.id;

import io.shardedid.ShardedIds;
import io.shardedid.routing.Shards;
import io.shardedid.shards.ShardMap;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Looks up in which database the row of an id lives.
 */
@Component
public class Databases {

    private final ShardedIds ids;

    private final Shards shards;

    Databases(ShardedIds ids, Shards shards) {
        this.ids = ids;
        this.shards = shards;
    }

    /**
     * Returns the name of the database of an id.
     * @param id the id of a row
     * @return the name, or null if there is only one database
     */
    public @Nullable String of(long id) {
        ShardMap map = this.shards.map();
        return (map.databases().size() > 1) ? map.databaseOf(this.ids.shardOf(id)) : null;
    }

}
