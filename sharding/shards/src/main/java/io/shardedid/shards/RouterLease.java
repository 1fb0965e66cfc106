package io.shardedid.shards;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.shardedid.TimeSource;

/**
 * What the table knows of this router: that it routes until an instant, and the version
 * of the map that it has confirmed. A version is confirmed only when nobody in this
 * process uses a database that this version does not name any more. Used by the keeper's
 * thread alone.
 */
final class RouterLease {

    /** What a router does not use of its lease: clocks may differ in their rate. */
    private static final long MARGIN_NANOS = JdbcShardDirectory.ROUTER_LEASE.toNanos() / 50;

    /** A lease is renewed when this part of it has passed. */
    private static final long RENEW_NANOS = JdbcShardDirectory.ROUTER_LEASE.toNanos() / 3;

    /** A map that is still not confirmed after this time is worth a line in the log. */
    private static final long UNCONFIRMED_NANOS = Duration.ofMinutes(1).toNanos();

    private static final System.Logger LOG = System.getLogger(TableShardDirectory.class.getName());

    private final String process;

    private final TimeSource time;

    /** The uses by maps that were replaced, the oldest first. */
    private final List<MapUses> older = new ArrayList<>();

    private long replacedNanos;

    private boolean complained;

    private MapVersion toldVersion = MapVersion.NONE;

    private long toldNanos;

    private long toldEpochNanos;

    private boolean told;

    RouterLease(String process, TimeSource time) {
        this.process = process;
        this.time = time;
    }

    /** Says that this process routes, unless the table knows for some time to come. */
    void begin(ShardTable table) throws Exception {
        if (!toldWithin(JdbcShardDirectory.ROUTER_LEASE.toNanos() - 2 * MARGIN_NANOS)) {
            tell(table, MapVersion.NONE);
        }
    }

    /**
     * Renews the lease for a map that could not be read again.
     * @return false if an operator has named this process dead meanwhile
     */
    boolean renew(ShardTable table, MapUses uses) throws Exception {
        return tell(table, confirmed(uses));
    }

    /** Another map is in use from now on. */
    void replaced(MapUses before) {
        before.replaced();
        this.older.add(before);
        this.replacedNanos = this.time.nanoTime();
        this.complained = false;
    }

    /** Returns whether nobody uses a database by a map that was replaced. */
    boolean isFree() {
        return this.older.stream().allMatch(MapUses::isFree);
    }

    /** Says that this process does not route any more, if it ever said that it does. */
    void leave(ShardTable table) throws Exception {
        if (this.told) {
            table.leave(this.process);
        }
    }

    /** The monotonic time when this router may not go by its map any more. */
    long endNanos() {
        return this.toldNanos + JdbcShardDirectory.ROUTER_LEASE.toNanos() - MARGIN_NANOS;
    }

    /** The same by the wall clock. */
    long endEpochNanos() {
        return this.toldEpochNanos + JdbcShardDirectory.ROUTER_LEASE.toNanos() - MARGIN_NANOS;
    }

    /**
     * Renews the lease of this router where that is due, by the latest version that
     * nobody in this process contradicts.
     * @return false if an operator has named this process dead since it told of itself,
     * so that no mover has waited for it
     */
    boolean confirm(ShardTable table, MapUses uses) throws Exception {
        MapVersion version = confirmed(uses);
        return this.toldVersion.equals(version) && toldWithin(RENEW_NANOS) || tell(table, version);
    }

    private MapVersion confirmed(MapUses uses) {
        this.older.removeIf(MapUses::isFree);
        for (int i = 0; i < this.older.size(); i++) {
            ShardMap next = (i + 1 < this.older.size()) ? this.older.get(i + 1).map() : uses.map();
            if (!this.older.subList(0, i + 1).stream().allMatch((before) -> before.permits(next))) {
                complain(uses.map(), this.older.get(i));
                MapVersion held = this.older.get(i).map().mapVersion();
                return (this.toldVersion.number() > held.number()) ? this.toldVersion : held;
            }
        }
        return uses.map().mapVersion();
    }

    private void complain(ShardMap map, MapUses held) {
        if (!this.complained && this.time.nanoTime() - this.replacedNanos > UNCONFIRMED_NANOS) {
            this.complained = true;
            LOG.log(System.Logger.Level.WARNING,
                    "The shard map is in use, but could not be confirmed: version={0}, shards={1} (transactions, connections "
                            + "or calls for each database that began by version {2} go on, and a mover waits for them); "
                            + "end them, or this process",
                    Long.toString(map.version()), held.held(map), Long.toString(held.map().version()));
        }
    }

    private boolean toldWithin(long nanos) {
        return this.told && this.time.nanoTime() - this.toldNanos < nanos
                && this.time.epochNanos() - this.toldEpochNanos < nanos;
    }

    private boolean tell(ShardTable table, MapVersion version) throws Exception {
        long before = this.time.nanoTime();
        long beforeEpoch = this.time.epochNanos();
        boolean known = table.acknowledge(this.process, version, JdbcShardDirectory.ROUTER_LEASE) || !this.told;
        this.told = true;
        this.toldNanos = before;
        this.toldEpochNanos = beforeEpoch;
        this.toldVersion = version;
        return known;
    }

}
