package io.shardedid.hibernate;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.shardedid.IdLayout;
import io.shardedid.LeaseAcquisition;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerMode;
import io.shardedid.internal.config.LeaseEnvironment;
import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ShardedIdSettingsTest {

    private static void refused(String fields, String key, Object value) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIdSettings.from(Map.of(key, value)))
            .withMessageContainingAll(fields.split(" \\| "));
    }

    @Test
    void hasTheDefaultsOfTheDocumentation() {
        ShardedIdSettings settings = ShardedIdSettings.from(Map.of());
        assertThat(settings.layout()).isEqualTo(IdLayout.standard());
        assertThat(settings.layout().epoch()).isEqualTo("2025-01-01T00:00:00Z");
        assertThat(settings.shards()).isEqualTo(2_000);
        assertThat(settings.shardFunction()).isSameAs(ShardFunction.modulo());
        assertThat(settings.workerMode()).isEqualTo(WorkerMode.LEASE);
        assertThat(settings.workerId()).isEmpty();
        assertThat(settings.get(ShardedIdKey.LEASE_TABLE)).isEqualTo("shardedid_worker");
        assertThat(settings.get(ShardedIdKey.LEASE_NAMESPACE)).isEqualTo("default");
        assertThat(settings.get(ShardedIdKey.LEASE_INITIALIZE_SCHEMA)).isEqualTo(SchemaInitialization.EMBEDDED);
        assertThat(settings.get(ShardedIdKey.LEASE_WINDOW)).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.get(ShardedIdKey.LEASE_STARTUP_TIMEOUT)).isEqualTo(Duration.ofSeconds(90));
        assertThat(settings.get(ShardedIdKey.LEASE_ACQUIRE)).isEqualTo(LeaseAcquisition.STARTUP);
        assertThat(settings.get(ShardedIdKey.CLOCK_MAX_AHEAD)).isEqualTo(Duration.ofSeconds(1));
        assertThat(settings.get(ShardedIdKey.CLOCK_MAX_WAIT)).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.get(ShardedIdKey.CLOCK_MAX_SKEW)).isEqualTo(Duration.ofHours(1));
        assertThat(settings.get(ShardedIdKey.JSON_AS_STRING)).isEqualTo(true);
        assertThat(settings.engine()).isEmpty();
        assertThat(settings.get(ShardedIdKey.MANAGED)).isEqualTo(false);
    }

    @Test
    void readsText() {
        ShardedIdSettings settings = ShardedIdSettings.from(Map.ofEntries(
                Map.entry("shardedid.epoch", " 2024-06-01T00:00:00Z "), Map.entry("shardedid.shards", "512"),
                Map.entry("shardedid.shard-function", "hash"), Map.entry("shardedid.layout.preset", "many-shards"),
                Map.entry("shardedid.layout.sequence-bits", "4"), Map.entry("shardedid.worker.mode", "fixed"),
                Map.entry("shardedid.worker.id", "5"), Map.entry("shardedid.worker.lease.initialize-schema", "never"),
                Map.entry("shardedid.worker.lease.acquire", "first-use"),
                Map.entry("shardedid.worker.lease.table", "ids.worker"), Map.entry("shardedid.json.as-string", "false"),
                Map.entry("hibernate.show_sql", "true")));
        assertThat(settings.layout()).isEqualTo(
                IdLayout.manyShards().toBuilder().epoch(Instant.parse("2024-06-01T00:00:00Z")).sequenceBits(4).build());
        assertThat(settings.shards()).isEqualTo(512);
        assertThat(settings.shardFunction()).isSameAs(ShardFunction.hash());
        assertThat(settings.workerMode()).isEqualTo(WorkerMode.FIXED);
        assertThat(settings.workerId()).hasValue(5);
        assertThat(settings.get(ShardedIdKey.LEASE_INITIALIZE_SCHEMA)).isEqualTo(SchemaInitialization.NEVER);
        assertThat(settings.get(ShardedIdKey.LEASE_ACQUIRE)).isEqualTo(LeaseAcquisition.FIRST_USE);
        assertThat(settings.get(ShardedIdKey.LEASE_TABLE)).isEqualTo("ids.worker");
        assertThat(settings.get(ShardedIdKey.JSON_AS_STRING)).isEqualTo(false);
        assertThat(settings.isSet(ShardedIdKey.SHARDS)).isTrue();
        assertThat(settings.isSet(ShardedIdKey.CLOCK_MAX_AHEAD)).isFalse();
    }

    @Test
    void takesObjectsAsTheyAre() {
        ShardFunction function = new First();
        ShardedIdSettings settings = ShardedIdSettings
            .from(Map.of("shardedid.epoch", Instant.parse("2024-06-01T00:00:00Z"), "shardedid.shards", 512,
                    "shardedid.shard-function", function, "shardedid.worker.mode", WorkerMode.FIXED,
                    "shardedid.clock.max-ahead", Duration.ofMillis(20), "shardedid.json.as-string", false));
        assertThat(settings.layout().epoch()).isEqualTo("2024-06-01T00:00:00Z");
        assertThat(settings.shards()).isEqualTo(512);
        assertThat(settings.shardFunction()).isSameAs(function);
        assertThat(settings.workerMode()).isEqualTo(WorkerMode.FIXED);
        assertThat(settings.get(ShardedIdKey.CLOCK_MAX_AHEAD)).isEqualTo(Duration.ofMillis(20));
        assertThat(settings.get(ShardedIdKey.JSON_AS_STRING)).isEqualTo(false);
    }

    @ParameterizedTest
    @ValueSource(strings = { "shardedId.shards", "sharded-id.shards", "SHARDEDID.SHARDS", "sharded.id.shards",
            "SHARDED_ID_SHARDS", "hibernate.shardedid.shards", "spring.shardedid.shards",
            "javax.persistence.shardedid.shards", "SPRING_JPA_SHARDEDID_SHARDS" })
    void refusesAKeyBehindAnotherPrefix(String name) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIdSettings.from(Map.of(name, "64")))
            .withMessageContainingAll("'" + name + "'", "'shardedid.shards'");
    }

    /** What begins otherwise, or is like no key of ours, is somebody else's. */
    @ParameterizedTest
    @ValueSource(strings = { "hibernate.shardedid.dialect", "acme.shardedid.shards", "my-shardedid.shards",
            "spring.jpa.properties.shardedid.shards", "SHARDED_ID_PORT", "SHARDED_ID_SERVICE_HOST", "hibernate.shards",
            "shards", "shardedid", "hibernate.shardedid.engine" })
    void leavesKeysOfOthersAlone(String name) {
        assertThat(ShardedIdSettings.from(Map.of(name, "64")).shards()).isEqualTo(2_000);
    }

    @Test
    void idsOfThePresetJavascriptStayBelowWhatJavaScriptRounds() {
        ShardedIdSettings settings = ShardedIdSettings.from(Map.of("shardedid.layout.preset", "javascript"));

        assertThat(settings.layout().lastId()).isEqualTo((1L << 53) - 1);
        assertThat(settings.layout().lastUsableInstant()).isBetween("2079-06-11T00:00:00Z", "2079-06-12T00:00:00Z");
        assertThat(settings.shards()).isEqualTo(1024);
        assertThat(ShardedIdSettings.from(Map.of("shardedid.layout.preset", "javascript", "shardedid.layout.shard-bits",
                "9", "shardedid.layout.worker-bits", "5"))
            .layout()
            .lastId()).isEqualTo((1L << 53) - 1);
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIdSettings
                .from(Map.of("shardedid.layout.preset", "javascript", "shardedid.layout.worker-bits", "5")))
            .withMessageContainingAll("shardedid.layout.preset=javascript", "shard-bits=10", "<= 19");
    }

    @Test
    void takesNullForUnset() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("shardedid.shards", null);
        assertThat(ShardedIdSettings.from(settings).isSet(ShardedIdKey.SHARDS)).isFalse();
    }

    @Test
    void makesAShardFunctionByTheNameOfItsClass() {
        assertThat(ShardedIdSettings.from(Map.of("shardedid.shard-function", First.class.getName())).shardFunction())
            .isInstanceOf(First.class);
    }

    @ParameterizedTest
    @CsvSource({ "30s,PT30S", "500ms,PT0.5S", "PT30S,PT30S", "250us,PT0.00025S", "7ns,PT0.000000007S", "2m,PT2M",
            "3h,PT3H", "1d,PT24H", "pt1.5s,PT1.5S", "0s,PT0S" })
    void readsDurations(String text, Duration expected) {
        assertThat(ShardedIdSettings.from(Map.of("shardedid.clock.max-wait", text)).get(ShardedIdKey.CLOCK_MAX_WAIT))
            .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({ "30", "-1s", "PT-30S", "1.5s", "30 seconds", "''", "1s2s" })
    void refusesDurationsOfAnotherForm(String text) {
        refused("shardedid.clock.max-wait='" + text + "'", "shardedid.clock.max-wait", text);
    }

    @Test
    void refusesALocalTimeAsEpoch() {
        refused("shardedid.epoch='2025-01-01T00:00:00'", "shardedid.epoch", "2025-01-01T00:00:00");
    }

    @Test
    void presetBringsItsEpochAndNoShardsUnlessSet() {
        ShardedIdSettings snowflake = ShardedIdSettings.from(Map.of("shardedid.layout.preset", "snowflake"));
        ShardedIdSettings later = ShardedIdSettings
            .from(Map.of("shardedid.layout.preset", "snowflake", "shardedid.epoch", "2020-01-01T00:00:00Z"));

        assertThat(snowflake.layout()).isEqualTo(IdLayout.snowflake());
        assertThat(snowflake.shards()).isOne();
        assertThat(later.layout().epoch()).isEqualTo("2020-01-01T00:00:00Z");
        assertThat(ShardedIdSettings.from(Map.of()).shards()).isEqualTo(2000);
    }

    @Test
    void refusesOtherWords() {
        refused("shardedid.worker.mode='guess'", "shardedid.worker.mode", "guess");
        refused("shardedid.worker.lease.acquire='FIRST_USE'", "shardedid.worker.lease.acquire", "FIRST_USE");
        refused("shardedid.json.as-string='yes'", "shardedid.json.as-string", "yes");
        refused("shardedid.worker.lease.tolerate-lost-commits='yes'", "shardedid.worker.lease.tolerate-lost-commits",
                "yes");
        refused("shardedid.shards='2_000'", "shardedid.shards", "2_000");
        refused("shardedid.worker.lease.table=' '", "shardedid.worker.lease.table", " ");
        refused("shardedid.layout.preset='twitter'", "shardedid.layout.preset", "twitter");
    }

    @Test
    void refusesObjectsOfOtherTypes() {
        refused("shardedid.shards='7'", "shardedid.shards", 7L);
        refused("shardedid.engine='engine' | @PredictableIds", "shardedid.engine", "engine");
        refused("shardedid.managed='7'", ShardedIdSettings.MANAGED, 7);
    }

    @Test
    void refusesAShardFunctionThatIsNone() {
        refused("shardedid.shard-function='com.acme.Missing'", "shardedid.shard-function", "com.acme.Missing");
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIdSettings.from(Map.of("shardedid.shard-function", "java.lang.String")))
            .withMessageContaining("shardedid.shard-function='java.lang.String' (java.lang.ClassCastException: ");
    }

    @Test
    void refusesWidthsThatDoNotFit() {
        refused("shard-bits=11 | worker-bits=8", "shardedid.layout.worker-bits", "8");
    }

    @Test
    void refusesUnknownKeysAndNamesTheNearest() {
        String known = String.join(", ",
                Arrays.stream(ShardedIdKey.values())
                    .filter(ShardedIdKey::isPublic)
                    .map((key) -> "'" + key.externalName() + "'")
                    .toList());
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIdSettings
                .from(Map.of("shardedid.worker.ids", "7", "shardedid.cluster", "x", "shardedid.layout.shardBits", 3)))
            .withMessageContainingAll("'shardedid.cluster'", "'shardedid.layout.shardBits'",
                    "'shardedid.layout.shard-bits'");
    }

    @Test
    void refusesToLeaseWithoutADatabase() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIdSettings.from(Map.of()).workers(LeaseEnvironment.UNKNOWN))
            .withMessageContainingAll("shardedid.worker.mode=lease", "shardedid.worker.lease.url=null")
            .satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("fixed"));
    }

    /** The connections of the application have a login of their own. */
    @Test
    void refusesALoginWithoutAnAddress() {
        LeaseEnvironment application = new LeaseEnvironment(LeaseConnections.url("jdbc:h2:mem:x", null, null), false,
                "", List.of(), List.of(), false, null);
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(
                () -> ShardedIdSettings.from(Map.of("shardedid.worker.lease.username", "keeper")).workers(application))
            .withMessageContainingAll("shardedid.worker.lease.username", "shardedid.worker.lease.password", "remove");
    }

    @Test
    void keepsThePasswordToItself() {
        assertThat(ShardedIdSettings.from(Map.of("shardedid.worker.lease.password", "s3cret")).toString())
            .doesNotContain("s3cret");
    }

    @Test
    void opensNoSecondEngineBesideOneThatWasHandedOver() {
        try (ShardedIdEngine ids = TestUnit.engine(21)) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> ShardedIdSettings.from(Map.of(ShardedIdSettings.ENGINE, ids)).builder())
                .withMessageContaining("shardedid.engine");
        }
    }

    @ParameterizedTest
    @EnumSource(ShardedIdKey.class)
    void readsItsOwnDefaults(ShardedIdKey key) {
        if (key.defaultValue() != null) {
            assertThat(key.read(key.defaultValue())).isInstanceOf(key.type());
        }
        assertThat(key.externalName()).startsWith(ShardedIdSettings.PREFIX);
        assertThat(ShardedIdKey.named(key.externalName())).contains(key);
    }

    public static final class First implements ShardFunction {

        @Override
        public int shardOf(Object key, int shards) {
            return 0;
        }

        @Override
        public String id() {
            return "first";
        }

    }

}
