package io.shardedid;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class IdLayoutTimeTest {

    private static final IdLayout LAYOUT = IdLayout.standard();

    private static final Instant NOON = Instant.parse("2026-06-01T12:00:00.123Z");

    @Test
    void boundsOfAnInstantHoldEveryIdOfItsTickAndNoOther() {
        long tick = LAYOUT.tickAt(NOON);

        assertThat(LAYOUT.firstIdAt(NOON)).isEqualTo(LAYOUT.compose(tick, 0, 0, 0));
        assertThat(LAYOUT.firstIdAt(NOON.plusNanos(999_999))).isEqualTo(LAYOUT.firstIdAt(NOON));
        assertThat(LAYOUT.firstIdAt(NOON.plusMillis(1))).isEqualTo(LAYOUT.compose(tick, 2047, 127, 31) + 1);
    }

    @Test
    void boundsReachFromTheEpochToTheLastNanosecondOfTheLastTick() {
        Instant last = LAYOUT.lastUsableInstant();

        assertThat(LAYOUT.firstIdAt(LAYOUT.epoch())).isZero();
        long first = LAYOUT.compose(LAYOUT.lastTick(), 0, 0, 0);
        assertThat(LAYOUT.firstIdAt(last)).isEqualTo(first);
        assertThat(LAYOUT.firstIdAt(last.plusNanos(999_999))).isEqualTo(first);
    }

    /**
     * Its epoch has milliseconds, so nanoseconds of an instant may be fewer than those.
     */
    @Test
    void tickBeginsNoNanosecondEarlier() {
        IdLayout snowflake = IdLayout.preset("snowflake");
        Instant second = snowflake.epoch().plusSeconds(1);

        assertThat(snowflake.tickAt(second)).isEqualTo(1000);
        assertThat(snowflake.tickAt(second.minusNanos(1))).isEqualTo(999);
    }

    @ParameterizedTest
    @ValueSource(strings = { "2024-12-31T23:59:59.999999999Z", "2059-11-04T19:53:47.776Z",
            "-1000000000-01-01T00:00:00Z", "+1000000000-12-31T23:59:59.999999999Z" })
    void refusesAnInstantOutsideTheRange(String text) {
        Instant instant = Instant.parse(text);

        assertThatIllegalArgumentException().isThrownBy(() -> LAYOUT.firstIdAt(instant))
            .withMessageContainingAll("[2025-01-01T00:00:00Z, 2059-11-04T19:53:47.775Z]", "instant=" + text);
    }

    @Test
    void refusesATickOutsideTheRange() {
        assertThatIllegalArgumentException().isThrownBy(() -> LAYOUT.instantAt(-1))
            .withMessageContainingAll("[0, 1099511627775]", "tick=-1");
        assertThatIllegalArgumentException().isThrownBy(() -> LAYOUT.instantAt(1L << 40))
            .withMessageContainingAll("[0, 1099511627775]", "tick=1099511627776");
    }

    @Test
    void countsTicksThatDivideNoSecond() {
        IdLayout layout = IdLayout.builder().tick(Duration.ofNanos(7_000)).epoch(Instant.EPOCH).build();

        assertThat(layout.tickAt(Instant.parse("1970-01-01T00:00:01Z"))).isEqualTo(142_857);
        assertThat(layout.instantAt(142_857)).isEqualTo("1970-01-01T00:00:00.999999Z");
        assertThat(layout.tickAt(Instant.parse("1970-01-01T00:00:00.999998999Z"))).isEqualTo(142_856);
    }

    @Test
    void tellsTicksOfTheWallClockOnBothSidesOfTheEpoch() {
        IdLayout layout = IdLayout.builder().epoch(Instant.parse("2025-01-01T00:00:00.000001Z")).build();
        long epochNanos = 1_735_689_600_000_001_000L;

        assertThat(layout.tickAtEpochNanos(epochNanos)).isZero();
        assertThat(layout.tickAtEpochNanos(epochNanos - 1)).isEqualTo(-1);
        assertThat(layout.tickAtEpochNanos(epochNanos + 999_999)).isZero();
        assertThat(layout.tickAtEpochNanos(epochNanos + 1_000_000)).isOne();
        assertThat(layout.nanosIntoTick(epochNanos - 1)).isEqualTo(999_999);
        assertThat(layout.nanosIntoTick(epochNanos + 1_000_123)).isEqualTo(123);
    }

    @Test
    void countsFromEpochsFartherAwayThanNanosecondsReach() {
        IdLayout old = IdLayout.builder()
            .timeBits(51)
            .shardBits(4)
            .workerBits(4)
            .sequenceBits(4)
            .epoch(Instant.parse("0001-01-01T00:00:00Z"))
            .build();

        long tick = old.tickAtEpochNanos(1_735_689_600_000_000_000L);

        assertThat(old.instantAt(tick)).isEqualTo("2025-01-01T00:00:00Z");
        assertThat(old.tickAt(Instant.parse("2025-01-01T00:00:00Z"))).isEqualTo(tick);
    }

}
