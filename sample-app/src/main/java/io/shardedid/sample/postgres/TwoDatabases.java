package io.shardedid.sample.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.Profiles;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * Starts the two PostgreSQL servers of the profile {@code two-databases} and makes their
 * tables, before the application asks where its databases are. They end after everything
 * that uses them.
 */
final class TwoDatabases implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final List<String> NAMES = List.of("a", "b");

    /** What PostgreSQL needs to move a shard from one server to another. */
    private static final Map<String, String> SETTINGS = Map.of("wal_level", "logical");

    @Override
    public void initialize(ConfigurableApplicationContext context) {
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
        try (Connection connection = DriverManager.getConnection(server.url(), PostgresServer.USER, "")) {
            ScriptUtils.executeSqlScript(connection, new ClassPathResource("two-databases.sql"));
        }
        catch (SQLException ex) {
            throw new IllegalStateException("Could not make the tables of a database", ex);
        }
        return server;
    }

}
