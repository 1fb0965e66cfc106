package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IdReaderTest {

    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00.25Z");

    private static final Instant LINE = Instant.parse("2026-03-01T00:00:00Z");

    private static final IdLayout LAYOUT = IdLayout.standard();

    /** Max-ahead, and as far as two clocks may differ. */
    private static final Duration TOLERANCE = Duration.ofSeconds(1 + 10);

    private final IdReader lined = ShardedIds.builder().olderIdsBefore(LINE).reader().withClock(() -> NOW);

    private final IdReader unlined = ShardedIds.builder().reader().withClock(() -> NOW);

    @Test
    void anIdIsOursFromTheLineToTheLatestTime() {
        assertThat(this.lined.latest()).isEqualTo(NOW.plus(TOLERANCE));
        assertThat(this.lined.couldBeMade(at(LINE, 7))).isTrue();
        assertThat(this.lined.couldBeMade(at(LINE.minusMillis(1), 7))).isFalse();
        assertThat(this.lined.couldBeMade(at(NOW.plus(TOLERANCE), 7))).isTrue();
        assertThat(this.lined.couldBeMade(at(NOW.plus(TOLERANCE).plusMillis(1), 7))).isFalse();
        assertThat(this.lined.couldBeMade(at(NOW, 1999))).isTrue();
        assertThat(this.lined.couldBeMade(at(NOW, 2000))).isFalse();
        assertThat(this.lined.couldBeMade(-1)).isFalse();
    }

    @Test
    void whatCouldNotBeMadeHasADoubtAndNothingElseHas() {
        Random random = new Random(20261123);
        int ours = 0;
        for (int round = 0; round < 20_000; round++) {
            long id = random.nextLong() >> random.nextInt(64);
            assertThat(this.lined.couldBeMade(id)).as("%s", id).isEqualTo(this.lined.problemsWith(id).isEmpty());
            assertThat(this.unlined.couldBeMade(id)).as("%s", id).isEqualTo(this.unlined.problemsWith(id).isEmpty());
            ours += this.unlined.couldBeMade(id) ? 1 : 0;
        }
        assertThat(ours).isBetween(500, 19_500);
    }

    @Test
    void aShortNumberIsProbablyOlderWhereNobodyKnowsSinceWhenIdsAreMade() {
        long shortest = 1L << 40;
        assertThat(this.unlined.isOlder(42)).isFalse();
        assertThat(this.unlined.mayBeOlder(42)).isTrue();
        assertThat(this.unlined.couldBeMade(42)).isFalse();
        assertThat(this.unlined.problemsWith(42)).singleElement()
            .asString()
            .contains("41 significant bits", "shardedid.older-ids-before");
        assertThat(this.unlined.mayBeOlder(shortest)).isFalse();
        assertThat(this.unlined.couldBeMade(shortest)).isTrue();
        assertThat(this.lined.problemsWith(42)).singleElement()
            .asString()
            .contains("2025-01-01T00:00:00Z", "2026-03-01T00:00:00Z");
    }

    @Test
    void aUuidIsOursByTheSameRule() {
        assertThat(this.lined.problemsWith(uuid(LINE, 7))).isEmpty();
        assertThat(this.lined.problemsWith(uuid(NOW.plus(TOLERANCE), 7))).isEmpty();
        assertThat(this.lined.problemsWith(uuid(NOW.plus(TOLERANCE).plusMillis(1), 2000))).satisfiesExactly(
                (problem) -> assertThat(problem).contains("2026-11-23T12:00:11.251Z"),
                (problem) -> assertThat(problem).contains("2000", "[0, 1999]"));
        assertThat(this.lined.problemsWith(uuid(LINE.minusMillis(1), 7))).singleElement()
            .asString()
            .contains("2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00Z");
        UUID random = UUID.fromString("0f8fad5b-d9cb-469f-a165-70867728950e");
        assertThat(this.lined.problemsWith(random)).singleElement().asString().contains("version is 4", "variant 2");
        assertThat(this.lined.isOlder(random)).isTrue();
    }

    @Test
    void readsAfterItsEngineWasClosed() {
        ShardedIdEngine ids = ShardedIds.builder().olderIdsBefore(LINE).workers(WorkerLeases.fixed(0)).open();
        IdReader reader = ids.reader();
        ids.close();
        assertThat(reader.shardOf(at(NOW, 7))).isEqualTo(7);
        assertThat(ids.shardOf(at(NOW, 7))).isEqualTo(7);
        assertThat(reader.shardOfKey(2005L)).isEqualTo(5);
        assertThat(ids.problemsWith(-1)).isNotEmpty();
    }

    @Test
    void aReaderOfSettingsIsCheckedAsAnEngineIs() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIds.builder().shards(2049).reader().withClock(() -> NOW))
            .withMessageContaining("[1, 2048]");
    }

    private static long at(Instant time, int shard) {
        return LAYOUT.compose(LAYOUT.tickAt(time), shard, 3, 5);
    }

    private static UUID uuid(Instant time, int shard) {
        return UuidLayout.pack(time.toEpochMilli(), 5, shard, 3, 0);
    }

}
