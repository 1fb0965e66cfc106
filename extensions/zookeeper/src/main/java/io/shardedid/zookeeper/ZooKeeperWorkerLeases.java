package io.shardedid.zookeeper;

import java.util.List;

import io.shardedid.LeaseSettings;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.LeasedWorker;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.ACL;

/**
 * Creates the sources that lease a worker id from Apache ZooKeeper. Thread-safe.
 *
 * <p>
 * Each worker id is a persistent node below the namespace, which is written under the
 * version that was read. No node is ephemeral: a node that vanished with the session of a
 * process would take with it the record of what was leased.
 *
 * @since 0.1
 */
public final class ZooKeeperWorkerLeases {

    /** The path below which the namespaces are unless another one is set. */
    public static final String DEFAULT_PATH = "/shardedid";

    private ZooKeeperWorkerLeases() {
    }

    /**
     * Returns a source that leases a worker id from ZooKeeper and keeps it by a thread of
     * its own.
     * @param client the client of the application, which was started; the source does not
     * close it. A namespace of the client is not applied to the path
     * @param path the absolute path below which the namespaces are, created if it is
     * missing
     * @param rights who may read and write the nodes that are created:
     * {@code ZooDefs.Ids.CREATOR_ALL_ACL} for the login of the client,
     * {@code ZooDefs.Ids.OPEN_ACL_UNSAFE} for everybody
     * @param settings the namespace and the times; without {@code tolerateLostCommits},
     * with which the source does not start
     * @param listeners the listeners of the lease
     * @return the source
     */
    public static WorkerLeases leased(CuratorFramework client, String path, List<ACL> rights, LeaseSettings settings,
            List<WorkerLeaseListener> listeners) {
        return new LeasedWorker(settings, store(client, path, rights, settings.namespace()), listeners);
    }

    /**
     * Opens the nodes of a namespace as a store.
     * @param client the client of the application, which was started; closing the store
     * does not close it
     * @param path the absolute path below which the namespaces are, created if it is
     * missing
     * @param rights who may read and write the nodes that are created
     * @param namespace whose nodes are read and written
     * @return the store, which asks ZooKeeper when it is used first
     * @throws IllegalArgumentException if the path is not one of ZooKeeper
     */
    public static LeaseStore store(CuratorFramework client, String path, List<ACL> rights, String namespace) {
        return new ZooKeeperLeaseStore(client, path, rights, namespace);
    }

}
