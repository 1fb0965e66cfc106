package io.shardedid.spring.boot;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

class UnknownPropertiesTest {

    @ParameterizedTest
    @ValueSource(strings = { "shardedid.shards", "shardedid.clock.max-ahead", "shardedid.clock.maxAhead",
            "shardedid.clock.max_ahead", "shardedid.worker.lease.initialize-schema", "spring.jpa.shardedid", "shards" })
    void knownNamesPass(String name) {
        assertThat(UnknownProperties.in(properties(name))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "shardedid.shardz", "shardedid.worker.lease", "shardedid.worker.lease.windows",
            "shardedid.shards.more", "shardedid.engine", "shardedid.managed", "shardedid.routing.guard" })
    void unknownNamesAreFound(String name) {
        assertThat(UnknownProperties.in(properties(name))).containsExactly(name);
    }

    @ParameterizedTest
    @ValueSource(strings = { "SHARDEDID_SHARDS", "SHARDEDID_CLOCK_MAXAHEAD", "SHARDEDID_CLOCK_MAX_AHEAD",
            "SHARDEDID_WORKER_LEASE_STARTUPTIMEOUT", "SHARDEDID_ON-KEY-CHANGE", "SHARDEDID", "PATH" })
    void knownVariablesPass(String name) {
        assertThat(UnknownProperties.in(variables(name))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "SHARDEDID_SERVICE_HOST", "SHARDEDID_SERVICE_PORT", "SHARDEDID_SERVICE_PORT_HTTP",
            "SHARDEDID_PORT", "SHARDEDID_PORT_8080_TCP", "SHARDEDID_PORT_8080_TCP_ADDR",
            "SHARDEDID_SAMPLE_SERVICE_HOST", "SHARDEDID_SAMPLE_PORT_53_UDP_PROTO" })
    void variablesThatKubernetesSetsForServicesPass(String name) {
        assertThat(UnknownProperties.in(variables(name))).isEmpty();
    }

    @Test
    void unknownVariablesAreFound() {
        assertThat(UnknownProperties.in(variables("SHARDEDID_WORKERID"))).containsExactly("shardedid.workerid");
        assertThat(UnknownProperties.in(variables("SHARDEDID_WORKER_LEASE_WINDOWS")))
            .containsExactly("shardedid.worker.lease.windows");
    }

    /** Images have them for scripts of their own. */
    @ParameterizedTest
    @ValueSource(strings = { "SHARDEDID_VERSION", "SHARDEDID_HOME", "SHARDEDID_URL_PREFIX" })
    void variablesThatMeanNoKeyPass(String name) {
        assertThat(UnknownProperties.in(variables(name))).isEmpty();
    }

    /** Kubernetes permits the hyphen. */
    @Test
    void variableWithHyphensIsBound() {
        StandardEnvironment environment = environment();
        environment.getPropertySources()
            .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment",
                    Map.of("SHARDEDID_ON-KEY-CHANGE", "fail")));
        assertThat(Binder.get(environment).bind("shardedid.on-key-change", String.class).get()).isEqualTo("fail");
    }

    /** Spring Boot binds the first words of a name in any spelling but with a dot. */
    @ParameterizedTest
    @ValueSource(strings = { "spring.shardedid.shards", "sharded.id.shards", "hibernate.shardedid.shards" })
    void namesBehindAnotherPrefixAreFound(String name) {
        assertThat(UnknownProperties.in(properties(name))).containsExactly(name);
    }

    @ParameterizedTest
    @ValueSource(strings = { "SHARDED_ID_SHARDS", "SPRING_SHARDEDID_SHARDS", "SPRING_SHARDED_ID_SHARDS" })
    void variablesBehindAnotherPrefixAreFound(String name) {
        assertThat(UnknownProperties.in(variables(name))).containsExactly(name);
    }

    @Test
    void unknownSystemPropertiesPass() {
        StandardEnvironment environment = environment();
        environment.getPropertySources()
            .addFirst(new MapPropertySource(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
                    Map.of("shardedid.shardz", "1")));

        assertThat(UnknownProperties.in(environment)).isEmpty();
    }

    @Test
    void buildSetsNothingUnderThePrefixOfUsers() {
        assertThat(System.getProperties().stringPropertyNames()).noneMatch((name) -> name.startsWith("shardedid."));
    }

    private static StandardEnvironment properties(String name) {
        StandardEnvironment environment = environment();
        environment.getPropertySources().addFirst(new MapPropertySource("application", Map.of(name, "1")));
        return environment;
    }

    private static StandardEnvironment variables(String name) {
        StandardEnvironment environment = environment();
        environment.getPropertySources().addFirst(new SystemEnvironmentPropertySource("variables", Map.of(name, "1")));
        return environment;
    }

    private static StandardEnvironment environment() {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().forEach((source) -> environment.getPropertySources().remove(source.getName()));
        return environment;
    }

}
