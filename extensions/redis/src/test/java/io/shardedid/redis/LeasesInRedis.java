package io.shardedid.redis;

import java.util.List;

import io.lettuce.core.RedisURI;
import io.shardedid.LeaseSettings;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
class LeasesInRedis {

    @Bean
    WorkerLeases workerLeases(@Value("${feed.redis}") String servers, List<WorkerLeaseListener> listeners) {
        LeaseSettings settings = LeaseSettings.builder().application("feed").tolerateLostCommits(true).build();
        return RedisWorkerLeases.leased(RedisURI.create(servers), "shardedid:", settings, listeners);
    }

}
