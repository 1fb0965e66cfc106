package io.shardedid.internal.config;

import java.util.Map;

import io.shardedid.ShardedIdConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Readers of a message write the key that it suggests, so it is the right one or none.
 */
class UnknownKeysTest {

    private static final String NONE = "none";

    @ParameterizedTest
    @CsvSource({ "mode, worker.mode", "preset, layout.preset", "lease.window, worker.lease.window",
            "lease-table, worker.lease.table", "lease.table, worker.lease.table", "machine-id, worker.id",
            "worker.node-id, worker.id", "shard-bits, layout.shard-bits", "lease.mode, worker.mode",
            "namespace, worker.lease.namespace", "worker.namespace, worker.lease.namespace", "max.wait, clock.max-wait",
            "lease.url, worker.lease.url", "woker.lease.window, worker.lease.window", "as-string, json.as-string",
            "schema, worker.lease.initialize-schema", "function, shard-function", "layout.shards, shards",
            "worker.lease.timeout, worker.lease.startup-timeout" })
    void keyWithTheSameLastWordComesFirst(String written, String meant) {
        assertThat(nearest(written)).isEqualTo(meant);
    }

    @ParameterizedTest
    @CsvSource({ "shardz, shards", "workerid, worker.id", "layout.shard_bits, layout.shard-bits", "shrads, shards",
            "epcoh, epoch", "worker.ids, worker.id", "worker.lease.windwo, worker.lease.window",
            "layout.shardBits, layout.shard-bits", "clock.max-sckew, clock.max-skew",
            "older-ids-befor, older-ids-before", "worker.lease.urll, worker.lease.url" })
    void lettersMeanAnotherKeyByOneTypingErrorAtMost(String written, String meant) {
        assertThat(nearest(written)).isEqualTo(meant);
    }

    @ParameterizedTest
    @CsvSource({ "node", "home", "version", "enabled", "cluster", "lease.ttl", "worker.lease.ttl", "layout.name",
            "shard-count", "bits", "layout.bits", "port", "datacenter", "worker.lease.renew", "max-workers", "strategy",
            "database.c.url", "database.c.username", "replica.password", "url", "layout", "worker" })
    void nameThatIsLikeNoKeyMeansNone(String written) {
        assertThat(nearest(written)).isEqualTo(NONE);
    }

    @ParameterizedTest
    @CsvSource({ "sharded-id.shards, shards", "sharded.id.worker.lease.windwo, worker.lease.window",
            "shardedid-layout.preset, layout.preset", "shardedId.clock.max-sckew, clock.max-skew",
            "sharded_id.lease.window, worker.lease.window" })
    void prefixThatIsMisspeltIsComparedFirst(String written, String meant) {
        assertThat(refusal(written).problem().nearest()).containsEntry(written, "shardedid." + meant);
    }

    /** Nobody may move the lease table because of what other settings end with. */
    @ParameterizedTest
    @ValueSource(strings = { "sharded-id.database.c.url", "shardedid-ui.port", "my.datasource.url", "sharded.url" })
    void nameOfOthersIsLeftAlone(String written) {
        assertThat(ShardedIdSettings.from(Map.of(written, "x"))).hasToString("[]");
    }

    @Test
    void messageNamesTheKey() {
        assertThat(refusal("shardedid.preset")).hasMessageContainingAll("shardedid.preset", "shardedid.layout.preset",
                "correct");
    }

    private static String nearest(String written) {
        String meant = refusal("shardedid." + written).problem().nearest().get("shardedid." + written);
        return (meant != null) ? meant.substring("shardedid.".length()) : NONE;
    }

    private static ShardedIdConfigurationException refusal(String key) {
        return catchThrowableOfType(ShardedIdConfigurationException.class,
                () -> ShardedIdSettings.from(Map.of(key, "x")));
    }

}
