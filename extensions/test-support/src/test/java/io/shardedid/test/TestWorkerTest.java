package io.shardedid.test;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class TestWorkerTest {

    private static final Instant NOON = Instant.parse("2025-06-01T12:00:00Z");

    private final TestClock clock = TestClock.at(NOON);

    private final IdLayout layout = IdLayout.standard();

    @Test
    void firstIdCarriesTheTimeOfTheClock() {
        try (ShardedIdEngine ids = open(3)) {
            assertThat(ids.next(7)).isEqualTo(this.layout.compose(this.layout.tickAt(NOON), 7, 3, 0));
            assertThat(ids.next(7)).isEqualTo(this.layout.compose(this.layout.tickAt(NOON), 7, 3, 1));
            assertThat(this.clock.instant()).as("nobody waited").isEqualTo(NOON);
        }
    }

    @Test
    void sameCallsMakeTheSameIds() {
        assertThat(run()).isEqualTo(run());
    }

    private static long[] run() {
        TestClock clock = TestClock.at(NOON);
        try (ShardedIdEngine ids = ShardedIds.builder().timeSource(clock).workers(TestWorker.of(0)).open()) {
            return LongStream.range(0, 1000).map((i) -> {
                clock.advance(Duration.ofMillis(i % 3));
                return (i % 2 == 0) ? ids.next() : ids.nextFor(i);
            }).toArray();
        }
    }

    @Test
    void idsFollowTheClockForYears() {
        try (ShardedIdEngine ids = open(0)) {
            for (int day = 0; day < 3000; day++) {
                assertThat(ids.parse(ids.next(1)).instant()).isEqualTo(this.clock.instant());
                assertThat(ids.clock().instant()).isEqualTo(this.clock.instant());
                this.clock.advance(Duration.ofDays(1));
            }
        }
    }

    @Test
    void moreIdsThanATickHoldsTakeTimeOfTheClockAlone() {
        Set<Long> seen = new HashSet<>();
        try (ShardedIdEngine ids = open(0)) {
            for (int i = 0; i < 100_000; i++) {
                seen.add(ids.next(1));
            }
        }
        assertThat(seen).hasSize(100_000);
        assertThat(this.clock.instant()).isAfter(NOON).isBefore(NOON.plusSeconds(10));
    }

    @Test
    void eachWorkerHasAnEngineOfItsOwn() {
        try (ShardedIdEngine one = open(0); ShardedIdEngine other = open(0)) {
            assertThat(one.next(1)).isEqualTo(other.next(1));
        }
    }

    @Test
    void tellsWhoHoldsTheWorkerId() {
        try (ShardedIdEngine ids = open(5)) {
            assertThat(ids.workers()).singleElement()
                .satisfies((holding) -> assertThat(holding.worker()).isEqualTo(5),
                        (holding) -> assertThat(holding.owner()).isEqualTo("test"),
                        (holding) -> assertThat(holding.mine()).isTrue());
            assertThat(ids.stats().worker()).isEqualTo(5);
        }
    }

    @Test
    void makesNoIdAfterItsEngineClosed() {
        ShardedIdEngine ids = open(0);
        ids.close();

        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(() -> ids.next(1));
    }

    private ShardedIdEngine open(int worker) {
        return ShardedIds.builder().timeSource(this.clock).workers(TestWorker.of(worker)).open();
    }

}
