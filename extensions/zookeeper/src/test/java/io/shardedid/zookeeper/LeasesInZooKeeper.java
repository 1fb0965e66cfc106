package io.shardedid.zookeeper;

import java.util.List;

import io.shardedid.LeaseSettings;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooDefs;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
class LeasesInZooKeeper {

    @Bean
    WorkerLeases workerLeases(CuratorFramework client, List<WorkerLeaseListener> listeners) {
        LeaseSettings settings = LeaseSettings.builder().application("feed").build();
        return ZooKeeperWorkerLeases.leased(client, "/shardedid", ZooDefs.Ids.OPEN_ACL_UNSAFE, settings, listeners);
    }

}
