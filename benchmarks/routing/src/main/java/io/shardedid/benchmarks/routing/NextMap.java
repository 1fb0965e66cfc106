package io.shardedid.benchmarks.routing;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.shardedid.move.MoveDatabases;
import io.shardedid.move.MoveLimits;
import io.shardedid.move.MoveResult;
import io.shardedid.move.ShardMover;
import io.shardedid.move.ShardRanges;

/**
 * A move of all shards of one database to a database of another server.
 */
final class NextMap {

    private static final long PAUSE_MILLIS = 50;

    private static final long LONGEST_NANOS = Duration.ofMinutes(1).toNanos();

    private final FleetSize size;

    private final FleetServers servers;

    private final int source;

    NextMap(FleetSize size, FleetServers servers, int source) {
        this.size = size;
        this.servers = servers;
        this.source = source;
    }

    String shards() {
        return "%d-%d".formatted(this.size.firstShard(this.source), this.size.firstShard(this.source + 1) - 1);
    }

    /**
     * Returns how long the move took, and how long the routers took to confirm its map.
     */
    String measure() throws Exception {
        String target = FleetServers.name(this.size.databases() - this.source);
        ShardMover mover = new ShardMover(MoveDatabases.of(this.servers.properties()), MoveLimits.defaults(),
                (progress) -> {
                });
        long began = System.nanoTime();
        CompletableFuture<MoveResult> move = CompletableFuture
            .supplyAsync(() -> mover.move(ShardRanges.parse(shards()), target));
        while (confirmed(target) < 0 && !move.isDone()) {
            Thread.sleep(PAUSE_MILLIS);
        }
        long changed = System.nanoTime();
        String half = "";
        for (int confirmed = confirmed(target); confirmed < this.size.routers(); confirmed = confirmed(target)) {
            if (half.isEmpty() && 2 * confirmed >= this.size.routers()) {
                half = RouterFleet.seconds(changed);
            }
            if (System.nanoTime() - changed > LONGEST_NANOS) {
                throw new IllegalStateException("Routers did not confirm the map: confirmed=" + confirmed);
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        String all = RouterFleet.seconds(changed);
        MoveResult result = move.get();
        return "half of the routers confirmed it after %s s, all after %s s; %s of %d rows in %s s, writers waited %d ms"
            .formatted(half, all, result.outcome(), result.rows(), RouterFleet.seconds(began),
                    result.pause().toMillis());
    }

    /** Returns how many routers have confirmed the move, or -1 before the map changes. */
    private int confirmed(String target) throws Exception {
        return Integer.parseInt(this.servers.askHome("""
                select case when home = '%s' then (select count(*) from shardedid_router where version_seen >= version)
                    else -1 end
                  from shardedid_shard where shard = %d""".formatted(target, this.size.firstShard(this.source)))
            .get(0));
    }

}
