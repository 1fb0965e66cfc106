package io.shardedid.internal.config;

import java.util.Map;

import io.shardedid.ShardedIdConfigurationException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The keys of modules that are not there. {@code RoutingKeysTest} has the module. */
class ModuleKeysTest {

    @Test
    void keysOfAModuleThatIsNotThereNameTheArtifact() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIdSettings
                .from(Map.of("shardedid.routing.guard", "log", "shardedid.databases.a.url", "jdbc:x")))
            .withMessageContainingAll("shardedid-routing", "shardedid.databases.a.url", "artifact");
    }

    @Test
    void keysOfAModuleThatIsNotThereAreUnknown() {
        assertThat(ModuleKeys.known("shardedid.routing.guard")).isFalse();
        assertThat(ModuleKeys.knownVariable("SHARDEDID_ROUTING_GUARD")).isFalse();
    }

    @Test
    void claimsOnlyWhatIsBelowThePrefixes() {
        assertThat(ModuleKeys.claims("shardedid.databases.a.url")).isTrue();
        assertThat(ModuleKeys.claims("shardedid.databasesx")).isFalse();
        assertThat(ModuleKeys.claims("shardedid.shards")).isFalse();
    }

}
