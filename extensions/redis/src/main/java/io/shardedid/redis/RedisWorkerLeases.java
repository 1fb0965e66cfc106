package io.shardedid.redis;

import java.util.List;

import io.lettuce.core.RedisURI;
import io.shardedid.LeaseSettings;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.LeasedWorker;

/**
 * Creates the sources that lease a worker id from Redis. Thread-safe.
 *
 * <p>
 * Redis loses writes that it has acknowledged: {@code appendfsync everysec} up to a
 * second of them when the server crashes, and its replication when a replica is promoted.
 * So the settings must have {@code tolerateLostCommits(true)}, with which ids stay unique
 * nevertheless. A single server, a server with replicas and Sentinel are supported; Redis
 * Cluster is not supported.
 *
 * @since 0.1
 */
public final class RedisWorkerLeases {

    /** What the key of a namespace begins with unless another prefix is set. */
    public static final String DEFAULT_KEY_PREFIX = "shardedid:";

    private RedisWorkerLeases() {
    }

    /**
     * Returns a source that leases a worker id from Redis and keeps it by a thread of its
     * own, on a connection of its own.
     * @param uri the server, or the sentinels and the name of the master
     * @param keyPrefix what stands before the namespace in the key of the rows
     * @param settings the namespace and the times, with {@code tolerateLostCommits(true)}
     * @param listeners the listeners of the lease
     * @return the source
     */
    public static WorkerLeases leased(RedisURI uri, String keyPrefix, LeaseSettings settings,
            List<WorkerLeaseListener> listeners) {
        return new LeasedWorker(settings, store(uri, keyPrefix, settings.namespace()), listeners);
    }

    /**
     * Opens the rows of a namespace as a store.
     * @param uri the server, or the sentinels and the name of the master
     * @param keyPrefix what stands before the namespace in the key of the rows
     * @param namespace whose rows are read and written
     * @return the store, which connects when it is used first
     */
    public static LeaseStore store(RedisURI uri, String keyPrefix, String namespace) {
        return new RedisLeaseStore(uri, keyPrefix + namespace);
    }

}
