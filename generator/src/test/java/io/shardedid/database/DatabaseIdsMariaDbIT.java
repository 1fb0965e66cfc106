package io.shardedid.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;

import io.shardedid.IdLayout;
import io.shardedid.IdParts;
import io.shardedid.Seed;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * MariaDB reads ids as the engine does, and finds the same shards.
 */
@Tag("database")
class DatabaseIdsMariaDbIT {

    private static final int KEYS = 1_000;

    private final Seed seed = Seed.ofThisRun();

    private final TestDatabase database = TestServer.MARIADB.freshDatabase();

    private void create(IdLayout layout, ShardFunction function) {
        new DatabaseIds(layout, Math.min(2000, 1 << layout.shardBits()), function, Duration.ofSeconds(1),
                Duration.ofMillis(500))
            .create(IdDatabase.MARIADB, "", List.of())
            .forEach(this.database::execute);
    }

    @ParameterizedTest
    @ValueSource(strings = { "modulo", "hash" })
    void keysFallIntoTheSameShards(String name) throws Exception {
        ShardFunction function = name.equals("hash") ? ShardFunction.hash() : ShardFunction.modulo();
        create(IdLayout.instagram(), function);
        Random random = new Random(this.seed.value());
        long[] keys = LongStream.concat(LongStream.of(0, -1, Long.MIN_VALUE, Long.MAX_VALUE), random.longs(KEYS))
            .toArray();
        try (Connection connection = this.database.connect();
                PreparedStatement select = connection.prepareStatement("SELECT shardedid_shard_for(?), "
                        + "shardedid_shard_for_text(?), shardedid_shard_for_uuid(?), shardedid_shard_for_text(NULL)")) {
            for (long key : keys) {
                UUID uuid = new UUID(key, random.nextLong());
                String text = "é€𝄞" + key;
                select.setLong(1, key);
                select.setString(2, text);
                select.setString(3, uuid.toString());
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    assertThat(row.getInt(1)).as("shard of %d, %s", key, this.seed)
                        .isEqualTo(function.shardOf(key, 2000));
                    assertThat(row.getInt(2)).as("shard of '%s', %s", text, this.seed)
                        .isEqualTo(function.shardOf(text, 2000));
                    assertThat(row.getInt(3)).as("shard of %s, %s", uuid, this.seed)
                        .isEqualTo(function.shardOf(uuid, 2000));
                    assertThat(row.getString(4)).isNull();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "instagram", "instagram-exact", "fleet", "dense", "snowflake", "sonyflake" })
    void idsParseAlike(String preset) throws Exception {
        IdLayout layout = IdLayout.preset(preset);
        create(layout, ShardFunction.modulo());
        int shard = Math.min(1341, (1 << layout.shardBits()) - 1);
        Random random = new Random(this.seed.value());
        try (Connection connection = this.database.connect();
                PreparedStatement select = connection.prepareStatement("SELECT shardedid_shard(id), "
                        + "shardedid_instant(id), shardedid_first_id_at(shardedid_instant(id)) FROM (SELECT ? AS id) i")) {
            for (int i = 0; i < 100; i++) {
                long id = layout.compose(random.nextLong(1L << 38), shard, 0, 0);
                IdParts parts = layout.parse(id);
                select.setLong(1, id);
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    assertThat(row.getInt(1)).as("%d, %s", id, this.seed).isEqualTo(shard);
                    assertThat(row.getObject(2, LocalDateTime.class).toInstant(ZoneOffset.UTC))
                        .as("%d, %s", id, this.seed)
                        .isEqualTo(parts.instant());
                    assertThat(row.getLong(3)).as("%d, %s", id, this.seed).isEqualTo(layout.firstIdAt(parts.instant()));
                }
            }
        }
    }

    @Test
    void legacyIdIsAPlainNumber() {
        IdLayout layout = IdLayout.instagram();
        create(layout, ShardFunction.modulo());
        new DatabaseIds(layout, 2000, ShardFunction.modulo(), Duration.ofSeconds(1), Duration.ofMillis(500))
            .since(layout.instantAt(1_000))
            .create(IdDatabase.MARIADB, "", List.of())
            .forEach(this.database::execute);
        long old = layout.compose(999, 12, 3, 3);
        long young = layout.compose(1_000, 12, 3, 3);

        assertThat(this.database.query("SELECT shardedid_colocated(%d)".formatted(old)))
            .isEqualTo(String.valueOf(old % 2000));
        assertThat(this.database.query("SELECT shardedid_colocated(%d)".formatted(young))).isEqualTo("12");
        assertThat(this.database.query("SELECT shardedid_colocated(-1)")).isEqualTo("1999");
        create(layout, ShardFunction.modulo());
        assertThat(this.database.query("SELECT shardedid_colocated(%d)".formatted(young))).isEqualTo("12");
    }

    @Test
    void refusesAnIdOfTwoReadings() {
        IdLayout layout = IdLayout.instagram();
        new DatabaseIds(layout, 2000, ShardFunction.modulo(), Duration.ofSeconds(1), Duration.ofMillis(500))
            .sinceFirstLease(Instant.now())
            .create(IdDatabase.MARIADB, "", List.of())
            .forEach(this.database::execute);
        assertThatThrownBy(() -> this.database.query("SELECT shardedid_colocated(%d)".formatted(1L << 40))).cause()
            .hasMessageContaining("Could not find the shard of an id that is older than the first lease");
        assertThat(this.database.query("SELECT shardedid_colocated(4711)")).isEqualTo("711");
    }

    @Test
    void dropLeavesNoFunction() {
        create(IdLayout.instagram(), ShardFunction.modulo());
        new DatabaseIds(IdLayout.instagram(), 2000, ShardFunction.modulo(), Duration.ofSeconds(1),
                Duration.ofMillis(500))
            .drop(IdDatabase.MARIADB, "", List.of())
            .forEach(this.database::execute);
        assertThat(this.database
            .query("SELECT count(*) FROM information_schema.routines WHERE routine_schema = DATABASE()"))
            .isEqualTo("0");
    }

    @Test
    void refusesToMakeIds() {
        assertThatThrownBy(
                () -> new DatabaseIds(IdLayout.instagram(), 2000, ShardFunction.modulo(), Duration.ofSeconds(1),
                        Duration.ofMillis(500))
                    .script(IdDatabase.MARIADB, "", IdTrigger.keyless("photo", "id")))
            .isInstanceOf(ShardedIdConfigurationException.class)
            .hasMessage(
                    "MariaDB reads ids, it cannot make them: trigger on 'photo' (its sequences move only by literal "
                            + "numbers); let the application make them");
    }

}
