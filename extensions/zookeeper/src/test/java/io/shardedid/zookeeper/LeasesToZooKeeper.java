package io.shardedid.zookeeper;

import java.util.Map;

import io.shardedid.LeaseSettings;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.internal.lease.LeaseChange;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooDefs;

class LeasesToZooKeeper {

    static void change(CuratorFramework client, Map<String, String> keys) {
        ShardedIdSettings application = ShardedIdSettings.from(keys);
        LeaseSettings leases = LeaseSettings.builder().application("feed").build();
        new LeaseChange(application.reader().terms(), leases,
                ZooKeeperWorkerLeases.store(client, "/shardedid", ZooDefs.Ids.OPEN_ACL_UNSAFE, leases.namespace()))
            .from(application.leaseTable())
            .run();
    }

}
