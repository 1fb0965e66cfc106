package io.shardedid.benchmarks;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;

/**
 * A fleet of 127 workers with the standard layout on one simulated clock: how many of its
 * ids were there before, and how many a second all of them make together with one thread.
 */
final class FleetRounds {

    private static final int WORKERS = 127;

    private static final int SHARDS = 2000;

    /** As many as one shard has in a millisecond, so that sequences are exhausted too. */
    private static final int IN_ROW = 40;

    private final Scale scale;

    private final Measurements measured;

    FleetRounds(Scale scale, Measurements measured) {
        this.scale = scale;
        this.measured = measured;
    }

    void run() {
        SimulatedTime time = new SimulatedTime();
        List<ShardedIdEngine> fleet = new ArrayList<>();
        for (int worker = 0; worker < WORKERS; worker++) {
            fleet.add(ShardedIds.builder()
                .layout(IdLayout.standard())
                .timeSource(time)
                .workers(WorkerLeases.fixed(worker))
                .open());
        }
        time.park(10_000_000_000L);
        for (int round = 0; round < this.scale.rounds(); round++) {
            round(fleet, time);
        }
        fleet.forEach(ShardedIdEngine::close);
    }

    private void round(List<ShardedIdEngine> fleet, SimulatedTime time) {
        Set<Long> seen = new HashSet<>();
        int made = 0;
        long nanos = 0;
        long[] ids = new long[IN_ROW];
        for (int millisecond = 0; millisecond < (this.scale.meant() ? 200 : 2); millisecond++) {
            for (ShardedIdEngine worker : fleet) {
                long began = System.nanoTime();
                for (int i = 0; i < IN_ROW; i++) {
                    ids[i] = worker.next(millisecond % SHARDS);
                }
                nanos += System.nanoTime() - began;
                for (long id : ids) {
                    seen.add(id);
                }
                made += IN_ROW;
            }
            time.park(1_000_000);
        }
        this.measured.add("fleet of 127, duplicates", made - seen.size());
        this.measured.add("fleet of 127, ns an id", (double) nanos / made);
    }

}
