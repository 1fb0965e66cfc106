package io.shardedid.zookeeper;

import java.util.List;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooDefs;

class PlainZooKeeper {

    static ShardedIdEngine open(CuratorFramework client) {
        LeaseSettings settings = LeaseSettings.builder().application("feed").build();
        return ShardedIds.builder()
            .layout(IdLayout.standard())
            .workers(ZooKeeperWorkerLeases.leased(client, "/shardedid", ZooDefs.Ids.OPEN_ACL_UNSAFE, settings,
                    List.of()))
            .open();
    }

}
