package io.shardedid.spring.boot;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;

import io.shardedid.ShardedIdConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
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

    private static final int PORT = 6379;

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
        try {
            String url = environment.getProperty("spring.data.redis.url");
            return (url != null) ? new URI(url) : parts(environment);
        }
        catch (URISyntaxException ex) {
            // without the cause, which quotes the password
            throw new ShardedIdConfigurationException(
                    "Could not make the address of the leases of 'spring.data.redis.*' (a URL, or a host, or a "
                            + "master with its sentinels)",
                    "correct them, or set 'shardedid.worker.lease.url'");
        }
    }

    private static @Nullable URI parts(Environment environment) throws URISyntaxException {
        String user = environment.getProperty("spring.data.redis.username", "");
        String password = environment.getProperty("spring.data.redis.password");
        String login = (password != null)
                ? new URI(null, user + ":" + password, "h", -1, null, null, null).getRawUserInfo() + "@" : "";
        String master = environment.getProperty("spring.data.redis.sentinel.master");
        if (master != null) {
            List<String> nodes = Binder.get(environment)
                .bind("spring.data.redis.sentinel.nodes", Bindable.listOf(String.class))
                .orElse(List.of("localhost:26379"));
            return new URI("redis-sentinel://" + login + String.join(",", nodes) + "#" + master);
        }
        String host = environment.getProperty("spring.data.redis.host");
        if (host == null) {
            return null;
        }
        int port = environment.getProperty("spring.data.redis.port", Integer.class, PORT);
        String scheme = environment.getProperty("spring.data.redis.ssl.enabled", Boolean.class, false) ? "rediss"
                : "redis";
        String address = (host.contains(":") && !host.startsWith("[")) ? "[" + host + "]" : host;
        // Lettuce takes the port for a part of a host with an underscore
        return new URI("%s://%s%s%s/%s".formatted(scheme, login, address, (port != PORT) ? ":" + port : "",
                environment.getProperty("spring.data.redis.database", "0")));
    }

}
