package io.shardedid.routing;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;

import io.shardedid.shards.ShardDirectory;
import io.shardedid.shards.ShardMovedException;
import org.jspecify.annotations.Nullable;

/**
 * Where a connection goes: the binding, the map and the database, each looked up once,
 * and the uses of the database that the map counts.
 */
final class Place {

    private final String database;

    private final ShardBindings.@Nullable Bound bound;

    private final Homes homes;

    /** Whether the application has started, so that shards choose the database. */
    private final boolean routed;

    /** The uses by their shards; empty if the map did not choose the database. */
    private final Map<Integer, ShardDirectory.Use> uses = new HashMap<>();

    /** Makes the place of a database that is known without the map. */
    Place(String database, ShardBindings.@Nullable Bound bound, Homes homes) {
        this.database = database;
        this.bound = bound;
        this.homes = homes;
        this.routed = homes.whileStarting() == null;
    }

    /** Begins to use the database of a binding to a shard. */
    static Place of(ShardBindings.Bound bound, Homes homes) {
        ShardDirectory.Use begun = homes.use(bound.shard);
        Place place = new Place(begun.map().databaseOf(bound.shard), bound, homes);
        place.uses.put(bound.shard, begun);
        boolean complete = false;
        try {
            if (bound.connections != null) {
                bound.connections.addOthers(place);
            }
            complete = true;
            return place;
        }
        finally {
            if (!complete) {
                place.close();
            }
        }
    }

    /** A shard that has left the others behind makes the transaction impossible. */
    void add(int other) {
        if (this.uses.containsKey(other)) {
            return;
        }
        ShardDirectory.Use begun = this.homes.use(other);
        String found = begun.map().databaseOf(other);
        if (!found.equals(this.database)) {
            begun.close();
            throw new ShardMovedException(
                    "Could not choose a database: shard=%s is in '%s', and the transaction is in '%s' (a shard has moved); repeat the transaction"
                        .formatted(other, found, this.database));
        }
        this.uses.put(other, begun);
    }

    String database() {
        return this.database;
    }

    /** Returns the shard of the binding, or null if it is in none. */
    @Nullable Integer shard() {
        return (this.bound != null) ? this.bound.shardOrNull() : null;
    }

    boolean isRouted() {
        return this.routed;
    }

    /** Returns whether it is for reading what every database has. */
    boolean isReference() {
        return this.bound != null && this.bound.reference;
    }

    /** Returns whether the map counts this, so that it has to be closed. */
    boolean isUsed() {
        return !this.uses.isEmpty();
    }

    /**
     * Returns whether the shards are still there, after a connection was waited for.
     */
    boolean isCurrent() {
        for (Map.Entry<Integer, ShardDirectory.Use> use : this.uses.entrySet()) {
            if (!this.homes.isCurrent(use.getValue().map())
                    && !this.homes.databaseOf(use.getKey()).equals(this.database)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Gives the transaction a connection to this place, in whose database it stays.
     * @param late lets that connection enter a shard later, while the transaction goes on
     * @return the shards that the connection has to enter before anything else
     */
    BitSet connected(IntConsumer late) {
        ShardBindings.Bound in = this.bound;
        if (in == null || in.connections == null) {
            return new BitSet(0);
        }
        if (in.isOpen()) {
            in.bind(ShardBindings.NO_SHARD_YET, this.database, "the start of the application", true);
        }
        if (in.connections.isEmpty()) {
            in.database = this.database;
        }
        return in.connections.add(this, in.shard, in.row, late);
    }

    void close() {
        this.uses.values().forEach(ShardDirectory.Use::close);
    }

}
