package io.shardedid.routing;

import java.util.HashMap;
import java.util.Map;

import io.shardedid.shards.ShardDirectory;
import io.shardedid.shards.ShardMovedException;
import org.jspecify.annotations.Nullable;

/** A database that a statement goes to, and the uses of it that the map counts. */
final class Place {

    private final String database;

    private final Homes homes;

    /** Null if the database was not chosen by the map. */
    private final ShardDirectory.@Nullable Use use;

    private final int shard;

    /** The uses for other shards that have to be there too. */
    private @Nullable Map<Integer, ShardDirectory.Use> others;

    Place(String database, Homes homes) {
        this.database = database;
        this.homes = homes;
        this.use = null;
        this.shard = ShardBindings.NO_SHARD_YET;
    }

    Place(int shard, Homes homes) {
        ShardDirectory.Use begun = homes.use(shard);
        this.database = begun.map().databaseOf(shard);
        this.homes = homes;
        this.use = begun;
        this.shard = shard;
    }

    /** A shard that has left the others behind makes the transaction impossible. */
    void add(int other) {
        ShardDirectory.Use begun = this.homes.use(other);
        String found = begun.map().databaseOf(other);
        if (!found.equals(this.database)) {
            begun.close();
            throw new ShardMovedException(
                    "Could not choose a database: shard=%s is in '%s', and the transaction is in '%s' (a shard has moved); repeat the transaction"
                        .formatted(other, found, this.database));
        }
        if (this.others == null) {
            this.others = new HashMap<>();
        }
        this.others.put(other, begun);
    }

    String database() {
        return this.database;
    }

    /** Returns whether the map counts this, so that it has to be closed. */
    boolean isUsed() {
        return this.use != null;
    }

    /**
     * Returns whether the shards are still there, after a connection was waited for.
     */
    boolean isCurrent() {
        return (this.use == null || isCurrent(this.shard))
                && (this.others == null || this.others.keySet().stream().allMatch(this::isCurrent));
    }

    private boolean isCurrent(int shard) {
        return this.homes.databaseOf(shard).equals(this.database);
    }

    void close() {
        if (this.use != null) {
            this.use.close();
        }
        if (this.others != null) {
            this.others.values().forEach(ShardDirectory.Use::close);
        }
    }

}
