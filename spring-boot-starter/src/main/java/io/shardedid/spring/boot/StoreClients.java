package io.shardedid.spring.boot;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * What the application has for other stores of leases than databases: a client of Curator
 * and its rights, an address of Lettuce, or the address that {@code spring.data.redis}
 * names.
 */
final class StoreClients {

    /** None of them is a dependency of the starter. */
    private static final List<String> TYPES = List.of("org.apache.curator.framework.CuratorFramework",
            "org.apache.curator.framework.api.ACLProvider", "io.lettuce.core.RedisURI");

    private StoreClients() {
    }

    static List<Object> of(ListableBeanFactory beans, Environment environment) {
        List<Object> clients = new ArrayList<>();
        for (String type : TYPES) {
            if (ClassUtils.isPresent(type, StoreClients.class.getClassLoader())) {
                Object client = beans
                    .getBeanProvider(ClassUtils.resolveClassName(type, StoreClients.class.getClassLoader()))
                    .getIfUnique();
                if (client != null) {
                    clients.add(client);
                }
            }
        }
        URI redis = redis(environment);
        if (redis != null) {
            clients.add(redis);
        }
        return clients;
    }

    /** The names and defaults are those of Spring Boot. */
    private static @Nullable URI redis(Environment environment) {
        String url = environment.getProperty("spring.data.redis.url");
        if (url != null) {
            return URI.create(url);
        }
        String user = environment.getProperty("spring.data.redis.username", "");
        String password = environment.getProperty("spring.data.redis.password");
        String login = (password != null) ? user + ":" + password : null;
        String master = environment.getProperty("spring.data.redis.sentinel.master");
        String host = environment.getProperty("spring.data.redis.host");
        boolean encrypted = environment.getProperty("spring.data.redis.ssl.enabled", Boolean.class, false);
        try {
            if (master != null) {
                String nodes = environment.getProperty("spring.data.redis.sentinel.nodes", "localhost:26379");
                String authority = ((login != null)
                        ? new URI(null, login, "h", -1, null, null, null).getRawUserInfo() + "@" : "") + nodes;
                return new URI("redis-sentinel://" + authority + "#" + master);
            }
            return (host != null) ? new URI(encrypted ? "rediss" : "redis", login, host,
                    environment.getProperty("spring.data.redis.port", Integer.class, 6379),
                    "/" + environment.getProperty("spring.data.redis.database", "0"), null, null) : null;
        }
        catch (URISyntaxException ex) {
            throw new IllegalArgumentException(
                    "'spring.data.redis.host' and 'spring.data.redis.sentinel.*' must make an address of Redis");
        }
    }

}
