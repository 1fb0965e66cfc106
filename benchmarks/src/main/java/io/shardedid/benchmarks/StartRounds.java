package io.shardedid.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;

/**
 * The start of session factories with 1 and 200 entities, sharded and with assigned ids,
 * in rounds of all four; and what one more sharded entity costs over an assigned one.
 */
final class StartRounds {

    private static final int WARM_UP = 2;

    private final Random random = new Random(1);

    private final Scale scale;

    private final Measurements measured;

    StartRounds(Scale scale, Measurements measured) {
        this.scale = scale;
        this.measured = measured;
    }

    private int many() {
        return this.scale.meant() ? 200 : 10;
    }

    void run() throws Exception {
        List<Start> starts = new ArrayList<>();
        for (boolean sharded : new boolean[] { false, true }) {
            for (int entities : new int[] { 1, many() }) {
                starts.add(new Start(sharded, entities, ManyEntities.make(entities, sharded)));
            }
        }
        try (Database.Server server = Database.H2.start();
                HikariDataSource pool = server.pool(2);
                ShardedIdEngine ids = ShardedIds.builder()
                    .layout(IdLayout.standard())
                    .workers(WorkerLeases.fixed(4))
                    .open()) {
            for (int round = this.scale.meant() ? -WARM_UP : 0; round < this.scale.rounds(); round++) {
                Measurements into = (round < 0) ? new Measurements() : this.measured;
                Collections.shuffle(starts, this.random);
                for (Start start : starts) {
                    start.run(pool, ids, into);
                }
                into.add("start, a sharded entity over an assigned one (ms)",
                        (into.last(Start.name(true, many())) - into.last(Start.name(false, many()))) / many());
            }
        }
    }

    private record Start(boolean sharded, int entities, List<Class<?>> classes) {

        void run(HikariDataSource pool, ShardedIdEngine ids, Measurements into) {
            long began = System.nanoTime();
            PersistUnit.open(pool, ids, this.classes, Map.of()).close();
            into.add(name(this.sharded, this.entities), (System.nanoTime() - began) / 1e6);
        }

        static String name(boolean sharded, int entities) {
            return "start, %s %s entities (ms)".formatted(entities, sharded ? "sharded" : "assigned");
        }

    }

}
