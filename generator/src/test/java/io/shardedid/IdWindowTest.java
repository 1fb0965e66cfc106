package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class IdWindowTest {

    private static final Instant NOON = Instant.parse("2025-06-01T12:00:00Z");

    private static final IdWindow NONE = new IdWindow(0, -1);

    private final IdLayout layout = IdLayout.standard();

    static Stream<IdLayout> layouts() {
        return Stream.of(IdLayout.standard(), IdLayout.manyShards(), IdLayout.dense(), IdLayout.snowflake(),
                IdLayout.sonyflake());
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void holdsItsStartAndNotItsEnd(IdLayout any) {
        IdWindow hour = IdWindow.between(any, NOON, NOON.plusSeconds(3600));

        assertThat(holds(hour, any.firstIdAt(NOON))).isTrue();
        assertThat(holds(hour, any.firstIdAt(NOON) - 1)).isFalse();
        assertThat(holds(hour, any.firstIdAt(NOON.plusSeconds(3600)) - 1)).isTrue();
        assertThat(holds(hour, any.firstIdAt(NOON.plusSeconds(3600)))).isFalse();
    }

    /** Cuts at any nanosecond, most of them inside a tick. */
    @ParameterizedTest
    @MethodSource("layouts")
    void windowsThatMeetMissNothingAndShareNothing(IdLayout any) {
        Seed seed = Seed.ofThisRun();
        Random random = seed.random();
        for (int round = 0; round < 2000; round++) {
            Instant cut = NOON.plusNanos(random.nextInt(50_000_000));
            IdWindow before = IdWindow.between(any, NOON.minusSeconds(1), cut);
            IdWindow after = IdWindow.between(any, cut, NOON.plusSeconds(1));
            assertThat(after.firstId()).as("%s, cut=%s", seed, cut).isEqualTo(before.lastId() + 1);
            long tick = any.tickAt(cut) + random.nextInt(3) - 1;
            long id = any.firstIdAt(any.instantAt(tick)) | random.nextLong(1L << any.timeShift());
            assertThat(holds(before, id)).as("%s, cut=%s, id=%s", seed, cut, id).isNotEqualTo(holds(after, id));
        }
    }

    @Test
    void manyCutsMakeOnePartition() {
        List<IdWindow> days = new ArrayList<>();
        for (LocalDate day = LocalDate.of(2025, 3, 1); day.getYear() == 2025; day = day.plusDays(1)) {
            days.add(IdWindow.day(this.layout, day, ZoneId.of("Europe/Berlin")));
        }
        for (int i = 1; i < days.size(); i++) {
            assertThat(days.get(i).firstId()).isEqualTo(days.get(i - 1).lastId() + 1);
        }
    }

    @Test
    void dayIsAsLongAsItsZoneMakesIt() {
        IdWindow day = IdWindow.day(this.layout, LocalDate.of(2025, 3, 30), ZoneId.of("Europe/Berlin"));

        assertThat(this.layout.instantOf(day.firstId())).isEqualTo("2025-03-29T23:00:00Z");
        assertThat(this.layout.instantOf(day.lastId())).isEqualTo("2025-03-30T21:59:59.999Z");
    }

    @Test
    void spanOfNoTimeHoldsNoId() {
        IdWindow none = IdWindow.between(this.layout, NOON, NOON);

        assertThat(none.lastId()).isEqualTo(none.firstId() - 1);
        assertThat(holds(none, none.firstId())).isFalse();
    }

    @Test
    void whatLiesBeforeTheEpochStartsAtZero() {
        Instant epoch = this.layout.epoch();

        assertThat(IdWindow.between(this.layout, epoch.minusSeconds(1), epoch.plusMillis(1)).firstId()).isZero();
        assertThat(IdWindow.between(this.layout, Instant.MIN, epoch)).isEqualTo(NONE);
        assertThat(IdWindow.between(this.layout, Instant.MIN, epoch.minusSeconds(1))).isEqualTo(NONE);
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void whatLiesAfterTheRangeEndsAtTheLastId(IdLayout any) {
        Instant end = any.lastUsableInstant();

        assertThat(IdWindow.between(any, end, Instant.MAX).lastId()).isEqualTo(any.lastId());
        assertThat(IdWindow.between(any, end.plus(any.tick()), Instant.MAX)).isEqualTo(NONE);
        assertThat(IdWindow.between(any, Instant.MIN, Instant.MAX)).isEqualTo(new IdWindow(0, any.lastId()));
    }

    @Test
    void refusesAnEndBeforeTheStart() {
        assertThatIllegalArgumentException().isThrownBy(() -> IdWindow.between(this.layout, NOON, NOON.minusNanos(1)))
            .withMessageContainingAll("from=2025-06-01T12:00:00Z", "to=2025-06-01T11:59:59.999999999Z", "start");
    }

    @Test
    void lastHourHasNoEnd() {
        try (ShardedIds ids = ShardedIds.builder().workers(WorkerLeases.fixed(5)).open()) {
            Instant before = ids.clock().instant();
            IdWindow hour = IdWindow.last(ids, Duration.ofHours(1));

            assertThat(ids.layout().instantOf(hour.firstId())).isBetween(
                    before.minusSeconds(3600).truncatedTo(ChronoUnit.MILLIS), ids.clock().instant().minusSeconds(3600));
            assertThat(hour.lastId()).isEqualTo(ids.layout().lastId());
            assertThatIllegalArgumentException().isThrownBy(() -> IdWindow.last(ids, Duration.ofSeconds(-1)))
                .withMessageContaining("age=-1s");
        }
    }

    @Test
    void refusesBoundsThatAreNone() {
        assertThatIllegalArgumentException().isThrownBy(() -> new IdWindow(-1, 5))
            .withMessageContainingAll("first-id=-1", "last-id=5");
        assertThatIllegalArgumentException().isThrownBy(() -> new IdWindow(7, 5))
            .withMessageContainingAll("first-id=7", "last-id=5");
    }

    private static boolean holds(IdWindow window, long id) {
        return id >= window.firstId() && id <= window.lastId();
    }

}
