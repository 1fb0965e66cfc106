package io.shardedid.routing;

import java.util.BitSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;

import io.shardedid.shards.ShardMovedException;
import org.jspecify.annotations.Nullable;

/** Where a connection goes: the binding and the database, each looked up once. */
final class Place {

    private final String database;

    private final ShardBindings.@Nullable Bound bound;

    private final Homes homes;

    /** Whether the application has started, so that shards choose the database. */
    private final boolean routed;

    /** The shards for which the map has chosen the database. */
    private final Set<Integer> shards = new TreeSet<>();

    /** Makes the place of a database that is known without the map. */
    Place(String database, ShardBindings.@Nullable Bound bound, Homes homes) {
        this.database = database;
        this.bound = bound;
        this.homes = homes;
        this.routed = homes.whileStarting() == null;
    }

    /** The database of a binding to a shard. */
    static Place of(ShardBindings.Bound bound, Homes homes) {
        Place place = new Place(homes.databaseOf(bound.shard), bound, homes);
        place.shards.add(bound.shard);
        if (bound.connections != null) {
            bound.connections.addOthers(place);
        }
        return place;
    }

    /** A shard that has left the others behind makes the transaction impossible. */
    void add(int other) {
        if (this.shards.contains(other)) {
            return;
        }
        String found = this.homes.databaseOf(other);
        if (!found.equals(this.database)) {
            throw new ShardMovedException(
                    "Could not choose a database: shard=%s is in '%s', and the transaction is in '%s' (a shard has moved); repeat the transaction"
                        .formatted(other, found, this.database));
        }
        this.shards.add(other);
    }

    String database() {
        return this.database;
    }

    boolean isRouted() {
        return this.routed;
    }

    /** Returns whether it is for reading what every database has. */
    boolean isReference() {
        return this.bound != null && this.bound.reference;
    }

    /**
     * Returns whether the shards are still there, after a connection was waited for.
     */
    boolean isCurrent() {
        return this.shards.stream().allMatch((shard) -> this.homes.databaseOf(shard).equals(this.database));
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

}
