package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeasedCellsTest {

    private static final long CLOCK_TICK = 1000;

    private static final long NANOS = Duration.ofMinutes(1).toNanos();

    private final Seed seed = Seed.ofThisRun();

    private final Random random = this.seed.random();

    @Test
    void tellsTheTickOfEachTimeWhateverTheLastTimeWas() {
        for (Duration tick : new Duration[] { Duration.ofMillis(1), Duration.ofMillis(10), Duration.ofNanos(7000) }) {
            IdLayout layout = IdLayout.standard().toBuilder().tick(tick).build();
            LeasedCells leased = leasedCells(layout);
            for (int i = 0; i < 1000; i++) {
                long begin = (this.random.nextLong(NANOS / tick.toNanos() - 2) + 1) * tick.toNanos();
                long end = begin + tick.toNanos();
                // over both edges of a tick, forth and back
                for (long elapsed : new long[] { begin - 1, begin, end - 1, end, end - 1, begin, begin - 1 }) {
                    long floor = CLOCK_TICK + elapsed / tick.toNanos() << layout.sequenceBits();
                    assertThat(leased.floor(elapsed)).as("%s, tick=%s, elapsed=%s", this.seed, tick, elapsed)
                        .isEqualTo(floor);
                    assertThat(leased.start(elapsed)).as("%s, tick=%s, elapsed=%s", this.seed, tick, elapsed)
                        .isBetween(floor, floor + 15);
                }
            }
        }
    }

    @Test
    void tellsTheFirstTickAfterALaterOne() {
        IdLayout layout = IdLayout.standard();
        LeasedCells leased = leasedCells(layout);
        leased.floor(Duration.ofMillis(5).toNanos());
        assertThat(leased.floor(0)).isEqualTo(CLOCK_TICK << layout.sequenceBits());
    }

    /** The monotonic clock of many machines begins when they start. */
    @Test
    void withoutALeaseNoMomentIsLeasedAndNothingBeginsLater() {
        LeasedCells none = leasedCells(IdLayout.standard(), TickLease.NONE);
        for (Duration uptime : new Duration[] { Duration.ofSeconds(-1), Duration.ZERO, Duration.ofMinutes(1),
                Duration.ofMinutes(73), Duration.ofDays(1) }) {
            assertThat(none.elapsedAt(uptime.toNanos())).as("%s", uptime).isEqualTo(LeasedCells.OUT_OF_TIME);
            assertThat(none.beginsLater(uptime.toNanos())).as("%s", uptime).isFalse();
        }
    }

    private static LeasedCells leasedCells(IdLayout layout) {
        Duration sinceEpoch = Duration.between(Instant.EPOCH, layout.instantAt(CLOCK_TICK));
        TickLease lease = new TickLease(1, CLOCK_TICK, layout.lastTick(), NANOS,
                new LeaseClock(0, sinceEpoch.toNanos()));
        return leasedCells(layout, lease);
    }

    private static LeasedCells leasedCells(IdLayout layout, TickLease lease) {
        EngineTerms terms = new EngineTerms(layout, 1, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(1), null,
                TimeSource.system());
        return new LeasedCells(lease, new ShardCells(1, -1), terms,
                new TickRate(layout.tick().toNanos(), layout.sequenceBits()), layout.sequenceBits());
    }

}
