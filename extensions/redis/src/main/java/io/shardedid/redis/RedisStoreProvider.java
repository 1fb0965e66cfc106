package io.shardedid.redis;

import java.net.URI;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.LeaseStoreProvider;

/**
 * The store {@code redis} of {@code shardedid.worker.lease.store}: a URL of Lettuce, such
 * as {@code redis://host:6379} or {@code redis-sentinel://host:26379#master}, or a
 * {@code RedisURI} of the application, or a {@code java.net.URI} of these forms.
 * <p>
 * The type is public for {@code java.util.ServiceLoader} only and is no API.
 *
 * @since 0.1
 */
public final class RedisStoreProvider implements LeaseStoreProvider {

    /** Creates the provider. */
    public RedisStoreProvider() {
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public LeaseStore open(Place place, String namespace) {
        RedisURI uri = (place.url() != null) ? parsed(place.url())
                : place.client(RedisURI.class)
                    .or(() -> place.client(URI.class).map((known) -> parsed(known.toString())))
                    .orElseThrow(() -> new ShardedIdConfigurationException(
                            "Could not lease a worker id: no Redis is known (shardedid.worker.lease.store=redis, "
                                    + "shardedid.worker.lease.url=null)",
                            "set 'shardedid.worker.lease.url' to 'redis://host:6379', or 'spring.data.redis.host'",
                            "shardedid.worker.lease.store", "shardedid.worker.lease.url"));
        String password = place.password();
        if (place.url() != null && password != null) {
            String user = place.username();
            RedisCredentialsProvider login = new StaticCredentialsProvider(user, password.toCharArray());
            uri.setCredentialsProvider(login);
        }
        return RedisWorkerLeases.store(uri, RedisWorkerLeases.DEFAULT_KEY_PREFIX, namespace);
    }

    /** What a parser says of the URL may contain the password. */
    private static RedisURI parsed(String url) {
        try {
            return RedisURI.create(url);
        }
        catch (RuntimeException ex) {
            throw new ShardedIdConfigurationException(
                    "'shardedid.worker.lease.url' must be 'redis://host:port', 'rediss://host:port' or "
                            + "'redis-sentinel://host:port,host:port#master' (shardedid.worker.lease.store=redis)",
                    "correct it", "shardedid.worker.lease.url", "shardedid.worker.lease.store");
        }
    }

}
