package io.shardedid.routing;

import io.shardedid.ShardedIdConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Refuses Spring Boot 3, before any bean is made: there the migrations would run over one
 * database only, and the pools would come beside the data source of the application.
 */
final class RoutingSpringBoot implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private final @Nullable String version;

    RoutingSpringBoot() {
        this(SpringBootVersion.getVersion());
    }

    RoutingSpringBoot(@Nullable String version) {
        this.version = version;
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        if (this.version != null && this.version.startsWith("3.")) {
            throw new ShardedIdConfigurationException(
                    "Spring Boot must be 4.0 or later for 'shardedid-routing': version=%s".formatted(this.version),
                    "change the version of Spring Boot, or remove that artifact");
        }
    }

}
