package io.shardedid.routing;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;

import io.shardedid.shards.ShardMovedException;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The connections of one transaction: the database that they are in, which the map counts
 * as used until the transaction ends, and the shards that each of them has entered. Used
 * by the thread of the transaction.
 */
final class TransactionConnections {

    private final Homes homes;

    /** Each connection by what lets it enter a shard. */
    private final List<IntConsumer> connections = new ArrayList<>(1);

    /** The shards that each connection has to be in. */
    private final BitSet entered = new BitSet(0);

    /** The other shards whose rows the transaction touches. */
    private @Nullable Set<Integer> others;

    /** The place of the first connection. */
    private @Nullable Place place;

    TransactionConnections(Homes homes) {
        this.homes = homes;
    }

    boolean isEmpty() {
        return this.connections.isEmpty();
    }

    /** Notes that one more shard has to be in the same database. */
    void join(int shard) {
        if (this.others == null) {
            this.others = new HashSet<>();
        }
        if (this.others.add(shard) && this.place != null) {
            this.place.add(shard);
        }
    }

    /** Adds the other shards to a place that the next connection may take. */
    void addOthers(Place next) {
        if (this.others != null) {
            this.others.forEach(next::add);
        }
    }

    /**
     * Adds a connection. All connections stay in the database of the first one.
     * @param shard the shard of the transaction
     * @param row whether only rows were named so far
     * @param late lets the connection enter a shard later
     * @return the shards that the connection has to enter before anything else
     */
    BitSet add(Place next, int shard, boolean row, IntConsumer late) {
        if (this.place == null) {
            this.place = next;
        }
        if (shard >= 0 && mayEnter(row)) {
            this.entered.set(shard);
        }
        this.connections.add(late);
        return this.homes.fenced(next.database()) ? this.entered : new BitSet(0);
    }

    /** Rows that are written enter their shard by themselves, others cannot. */
    private boolean mayEnter(boolean row) {
        return this.homes.entersAlways() || (!row && !TransactionSynchronizationManager.isCurrentTransactionReadOnly());
    }

    /**
     * Lets the connections enter a shard, once. The first connection enters what was
     * named before with its first statement.
     * @throws ShardMovedException if the shard is not in this database
     */
    void enter(int shard, boolean row) {
        if (mayEnter(row) && !this.entered.get(shard)) {
            this.entered.set(shard);
            if (this.place != null && this.homes.fenced(this.place.database())) {
                this.connections.forEach((connection) -> connection.accept(shard));
            }
        }
    }

}
