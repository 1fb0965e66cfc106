package io.shardedid.spring.boot;

import java.util.Map;

import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.config.ShardedIdSettings;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StartMessageTest {

    @Test
    void namesLayoutEndShardsCapacityAndWorker() {
        ShardedIdSettings settings = ShardedIdSettings.from(Map.of("shardedid.layout.preset", "many-shards",
                "shardedid.epoch", "2020-01-01T00:00:00Z", "shardedid.shards", 2048));
        try (ShardedIdEngine ids = settings.builder().workers(WorkerLeases.fixed(27)).open()) {
            assertThat(StartMessage.summary(ids, settings)).contains("time 40, shard 13, worker 5, sequence 5",
                    "epoch 2020-01-01T00:00:00Z", "2054-11-03T19:53:47Z", "2,048 shards", "32,000 ids",
                    "leased, with the first id");
        }
    }

    @Test
    void saysThatTheWorkerIdIsLeased() {
        ShardedIdSettings settings = ShardedIdSettings.from(Map.of());
        try (ShardedIdEngine ids = settings.builder().workers(WorkerLeases.fixed(9)).open()) {
            ids.next(1);
            assertThat(StartMessage.summary(ids, settings)).endsWith(", worker id 9 (leased)");
        }
    }

}
