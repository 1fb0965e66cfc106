package io.shardedid.sample.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.shardedid.IdLayout;
import io.shardedid.shards.ShardFence;

import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.Profiles;
import org.springframework.core.io.ClassPathResource;

/**
 * Starts the two PostgreSQL servers of the profile {@code two-databases} and makes their
 * tables and the fence that lets shards move, before the application asks where its
 * databases are. They end after everything that uses them.
 */
final class TwoDatabases implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final List<String> NAMES = List.of("a", "b");

    /** The defaults of an engine. */
    private static final int SHARDS = 2000;

    /** The one table whose id is not called so. */
    private static final String FENCE_OF_IMAGES = "SELECT shardedid_fence('photo_image', 'photo_id', 12, 2047);";

    /** What PostgreSQL needs to move a shard from one server to another. */
    private static final Map<String, String> SETTINGS = Map.of("wal_level", "logical", "wal_retrieve_retry_interval",
            "200ms");

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        if (context.getEnvironment().acceptsProfiles(Profiles.of("two-databases & chaos"))) {
            throw new InvalidConfigurationPropertyValueException("spring.profiles.active",
                    String.join(",", context.getEnvironment().getActiveProfiles()),
                    "The profiles 'two-databases' and 'chaos' must not be combined; leave one of them out.");
        }
        if (context.getEnvironment().acceptsProfiles(Profiles.of("two-databases"))) {
            start(context);
        }
    }

    private static void start(ConfigurableApplicationContext context) {
        Map<String, CompletableFuture<PostgresServer>> starting = new TreeMap<>();
        NAMES.forEach((name) -> starting.put(name, CompletableFuture.supplyAsync(TwoDatabases::server)));
        Map<String, Object> properties = new HashMap<>();
        starting.forEach((name, server) -> {
            PostgresServer started = server.join();
            String bean = "postgres-" + name;
            context.getBeanFactory().registerSingleton(bean, started);
            // The first that is registered is destroyed last.
            ((DefaultSingletonBeanRegistry) context.getBeanFactory()).registerDisposableBean(bean, started::close);
            properties.put("shardedid.databases.%s.url".formatted(name), started.url());
            properties.put("shardedid.databases.%s.username".formatted(name), PostgresServer.USER);
        });
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("two-databases", properties));
    }

    private static PostgresServer server() {
        PostgresServer server = PostgresServer.start(SETTINGS);
        try (Connection connection = DriverManager.getConnection(server.url(), PostgresServer.USER, "");
                Statement statement = connection.createStatement();
                InputStream tables = new ClassPathResource("two-databases.sql").getInputStream()) {
            statement.execute(new String(tables.readAllBytes(), StandardCharsets.UTF_8));
            statement.execute(
                    ShardFence.script(IdLayout.standard(), SHARDS, "app_user", "photo", "photo_like", "storm_sharded")
                            + FENCE_OF_IMAGES);
        }
        catch (IOException | SQLException ex) {
            throw new IllegalStateException("Could not make the tables of a database", ex);
        }
        return server;
    }

}
