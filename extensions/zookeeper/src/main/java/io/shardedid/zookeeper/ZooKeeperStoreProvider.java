package io.shardedid.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.LeaseStoreProvider;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;

/**
 * The store {@code zookeeper} of {@code shardedid.worker.lease.store}: a URL
 * {@code zookeeper://host:2181,host:2181/path}, or the {@code CuratorFramework} of the
 * application. With a URL and a user name the nodes are for that login alone. An
 * {@code ACLProvider} of the application says whose the nodes of its client are.
 * Otherwise everybody may read and write them.
 * <p>
 * The type is public for {@code java.util.ServiceLoader} only and is no API.
 *
 * @since 0.1
 */
public final class ZooKeeperStoreProvider implements LeaseStoreProvider {

    private static final Pattern URL = Pattern.compile("zookeeper://([^/@\\s]+)((?:/[^/\\s]+)*)");

    private static final int SESSION_MILLIS = 10_000;

    private static final int CONNECT_MILLIS = 3_000;

    /** Creates the provider. */
    public ZooKeeperStoreProvider() {
    }

    @Override
    public String name() {
        return "zookeeper";
    }

    @Override
    public LeaseStore open(Place place, String namespace) {
        String url = place.url();
        if (url == null) {
            CuratorFramework known = place.client(CuratorFramework.class)
                .orElseThrow(() -> new ShardedIdConfigurationException(
                        "Could not lease a worker id: no ZooKeeper is known (shardedid.worker.lease.store=zookeeper, "
                                + "shardedid.worker.lease.url=null)",
                        "set 'shardedid.worker.lease.url' to 'zookeeper://host:2181', or declare a bean of type "
                                + "'CuratorFramework'",
                        "shardedid.worker.lease.store", "shardedid.worker.lease.url"));
            if (place.username() != null) {
                throw new ShardedIdConfigurationException(
                        "'shardedid.worker.lease.username' needs 'shardedid.worker.lease.url': the "
                                + "'CuratorFramework' of the application has its own login "
                                + "(shardedid.worker.lease.store=zookeeper)",
                        "remove it, and declare a bean of type 'ACLProvider', which says whose the nodes are",
                        "shardedid.worker.lease.username", "shardedid.worker.lease.url",
                        "shardedid.worker.lease.store");
            }
            return new ZooKeeperLeaseStore(known, ZooKeeperWorkerLeases.DEFAULT_PATH,
                    place.client(ACLProvider.class)
                        .map((provider) -> provider.getAclForPath(ZooKeeperWorkerLeases.DEFAULT_PATH))
                        .orElse(Ids.OPEN_ACL_UNSAFE),
                    namespace, false);
        }
        Matcher parts = URL.matcher(url);
        if (!parts.matches() || !isPath(parts.group(2))) {
            throw new ShardedIdConfigurationException(
                    "'shardedid.worker.lease.url' must be 'zookeeper://host:port,host:port/path' without a login "
                            + "and without a slash at its end (shardedid.worker.lease.store=zookeeper)",
                    "correct it, and set 'shardedid.worker.lease.username' and '-password' beside it",
                    "shardedid.worker.lease.url", "shardedid.worker.lease.store");
        }
        List<ACL> rights = (place.username() != null) ? Ids.CREATOR_ALL_ACL : Ids.OPEN_ACL_UNSAFE;
        CuratorFrameworkFactory.Builder client = CuratorFrameworkFactory.builder()
            .connectString(parts.group(1))
            .sessionTimeoutMs(SESSION_MILLIS)
            .connectionTimeoutMs(CONNECT_MILLIS)
            .retryPolicy(new RetryOneTime(CONNECT_MILLIS));
        if (place.username() != null) {
            client.authorization("digest", (place.username() + ":" + Optional.ofNullable(place.password()).orElse(""))
                .getBytes(StandardCharsets.UTF_8));
        }
        return new ZooKeeperLeaseStore(client.build(),
                parts.group(2).isEmpty() ? ZooKeeperWorkerLeases.DEFAULT_PATH : parts.group(2), rights, namespace,
                true);
    }

    private static boolean isPath(String text) {
        try {
            PathUtils.validatePath(text.isEmpty() ? ZooKeeperWorkerLeases.DEFAULT_PATH : text);
            return true;
        }
        catch (IllegalArgumentException ex) {
            return false;
        }
    }

}
