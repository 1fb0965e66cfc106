package io.shardedid.routing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.internal.config.ModuleKeys;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The keys of this module, where it is on the class path. */
class RoutingKeysTest {

    @ParameterizedTest
    @ValueSource(strings = { "shardedid.routing.guard", "shardedid.databases.initial-map",
            "shardedid.databases.refresh", "shardedid.databases.enter", "shardedid.databases.start",
            "shardedid.databases.parallelism", "shardedid.databases.a.url", "shardedid.databases.a.bean",
            "shardedid.databases.west-1.password", "shardedid.databases.a.hikari.maximum-pool-size" })
    void keysAreKnown(String name) {
        assertThat(ModuleKeys.known(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "shardedid.routing", "shardedid.routing.gaurd", "shardedid.databases.a",
            "shardedid.databases.a.uri", "shardedid.databases.a.b.url", "shardedid.databases.map" })
    void otherNamesAreUnknown(String name) {
        assertThat(ModuleKeys.known(name)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = { "SHARDEDID_ROUTING_GUARD", "SHARDEDID_DATABASES_INITIALMAP", "SHARDEDID_DATABASES_INITIAL_MAP",
                    "SHARDEDID_DATABASES_A_URL", "SHARDEDID_DATABASES_A_HIKARI_MINIMUMIDLE" })
    void variablesAreKnown(String name) {
        assertThat(ModuleKeys.knownVariable(name)).isTrue();
    }

    /** So that the start names the artifact where it is missing. */
    @Test
    void generatorKnowsTheArtifactOfEachKey() throws IOException {
        Properties artifacts = new Properties();
        artifacts.load(ModuleKeys.class.getResourceAsStream("/META-INF/shardedid/artifacts.properties"));
        String keys = new ClassPathResource("META-INF/shardedid/keys").getContentAsString(StandardCharsets.UTF_8);

        assertThat(keys.lines().filter((line) -> !line.startsWith("#"))).hasSize(12)
            .allSatisfy((key) -> assertThat(artifacts).containsEntry(key.replaceFirst("^(\\w+\\.\\w+)\\..*", "$1"),
                    "shardedid-routing"));
    }

    @Test
    void misspeltKeyIsRefusedWithTheNearestOne() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class))
            .withPropertyValues("shardedid.worker.lease.acquire=first-use", "shardedid.routing.gaurd=log")
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .hasMessageStartingWith("Unknown configuration key: 'shardedid.routing.gaurd' "
                        + "(nearest: 'shardedid.routing.guard'); correct or remove it (known: 'shardedid.routing.guard', "));
    }

    /** Spring Boot would bind the URL of such a name and not its pool's settings. */
    @ParameterizedTest
    @CsvSource({ "shardedid.databases.db_a.url, shardedid.databases.db_a.url, 'db_a'",
            "shardedid.databases.West.bean, shardedid.databases.West.bean, 'West'",
            "shardedid.databases[eu west].password, shardedid.databases.eu west.password, 'eu west'",
            "SHARDEDID_DATABASES_DB_A_URL, shardedid.databases.db.a.url, 'db.a'",
            "SHARDEDID_DATABASES_DB_A_HIKARI_MAXIMUMPOOLSIZE, shardedid.databases.db.a.hikari.maximumpoolsize, 'db.a'" })
    void nameOfADatabaseThatVariablesCannotHoldIsRefused(String set, String key, String name) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> DatabasesProperties.of(environment(set)))
            .satisfies((ex) -> assertThat(ex.problem().keys()).containsExactly(key))
            .withMessageContainingAll(name, "lower-case", "rename");
    }

    @ParameterizedTest
    @ValueSource(strings = { "shardedid.databases.west-1.url", "SHARDEDID_DATABASES_WEST1_URL" })
    void nameOfADatabaseThatVariablesHoldIsTaken(String set) {
        assertThat(DatabasesProperties.of(environment(set)).names()).singleElement()
            .asString()
            .startsWith("west")
            .endsWith("1");
    }

    private static StandardEnvironment environment(String set) {
        StandardEnvironment environment = new StandardEnvironment();
        Map<String, Object> values = Map.of(set, "x");
        environment.getPropertySources()
            .addFirst(
                    set.startsWith("SHARDEDID_") ? new SystemEnvironmentPropertySource("test-systemEnvironment", values)
                            : new MapPropertySource("test", values));
        return environment;
    }

    @Test
    void springBoot3IsRefusedBecauseItWouldReadTheModuleInParts() {
        List<ApplicationContextInitializer<?>> read = new ArrayList<>();
        SpringFactoriesLoader.forDefaultResourceLocation().load(ApplicationContextInitializer.class).forEach(read::add);

        assertThat(read).hasAtLeastOneElementOfType(RoutingSpringBoot.class);
        assertThatThrownBy(() -> new RoutingSpringBoot("3.5.16").initialize(new GenericApplicationContext()))
            .isInstanceOf(ShardedIdConfigurationException.class)
            .hasMessage(
                    "Spring Boot must be 4.0 or later for 'shardedid-routing': version=3.5.16; change the version of "
                            + "Spring Boot, or remove that artifact");
        assertThatNoException().isThrownBy(() -> new RoutingSpringBoot().initialize(new GenericApplicationContext()));
    }

    @Test
    void nothingIsAddedWhereNobodyLooks() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RoutingAutoConfiguration.class))
            .withPropertyValues("shardedid.routing.guard=off")
            .run((context) -> assertThat(context).doesNotHaveBean(ShardBindings.class)
                .doesNotHaveBean(RoutedSessionFactories.class));
    }

    @Test
    void codeForSeveralDatabasesRunsWhereNobodyLooks() {
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ShardedIdAutoConfiguration.class, RoutingAutoConfiguration.class,
                    ShardsAutoConfiguration.class))
            .withPropertyValues("shardedid.routing.guard=off", "shardedid.worker.mode=fixed", "shardedid.worker.id=1")
            .run((context) -> {
                Shards shards = context.getBean(Shards.class);

                assertThat(shards.inShardFor(4L, () -> shards.inShardFor(7L, () -> "here"))).isEqualTo("here");
                assertThat(shards.inEach(() -> "here")).containsExactly(Map.entry("home", "here"));
                assertThat(shards.map().databases()).containsExactly("home");
                assertThat(shards.map()).as("made once").isSameAs(shards.map());
                assertThat(context).doesNotHaveBean(ShardBindings.class);
            });
    }

}
