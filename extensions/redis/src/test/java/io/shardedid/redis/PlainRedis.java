package io.shardedid.redis;

import java.util.List;

import io.lettuce.core.RedisURI;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;

class PlainRedis {

    static ShardedIdEngine open(String servers) {
        LeaseSettings settings = LeaseSettings.builder().application("feed").tolerateLostCommits(true).build();
        return ShardedIds.builder()
            .layout(IdLayout.standard())
            .workers(RedisWorkerLeases.leased(RedisURI.create(servers), "shardedid:", settings, List.of()))
            .open();
    }

}
