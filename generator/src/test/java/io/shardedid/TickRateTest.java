package io.shardedid;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TickRateTest {

    private final Seed seed = Seed.ofThisRun();

    @Test
    void isNeverLateAndEarlyByLessThanANanosecond() {
        Random random = this.seed.random();
        for (int bits = 0; bits <= 30; bits++) {
            for (long tickMicros = 1; tickMicros <= 1_000_000; tickMicros = Math.max(tickMicros + 1,
                    tickMicros * 11 / 10)) {
                TickRate rate = new TickRate(tickMicros * 1000, bits);
                check(rate, tickMicros * 1000, bits, 0);
                check(rate, tickMicros * 1000, bits, TickRate.MAX_NANOS - 1);
                check(rate, tickMicros * 1000, bits, tickMicros * 1000);
                for (int i = 0; i < 10; i++) {
                    check(rate, tickMicros * 1000, bits, random.nextLong() >>> 22 + random.nextInt(42));
                }
            }
        }
    }

    private void check(TickRate rate, long tickNanos, int bits, long nanos) {
        long units = rate.units(nanos);
        // units that are shorter than a picosecond are counted in pairs
        long lower = exact(tickNanos, bits, nanos) & ((bits == 30 && tickNanos == 1000) ? ~1L : ~0L);
        long upper = exact(tickNanos, bits, nanos + 1);
        if (units < lower || units > upper) {
            assertThat(units).as("tickNanos=%s, sequenceBits=%s, nanos=%s, %s", tickNanos, bits, nanos, this.seed)
                .isBetween(lower, upper);
        }
    }

    private static long exact(long tickNanos, int bits, long nanos) {
        return BigInteger.valueOf(nanos).shiftLeft(bits).divide(BigInteger.valueOf(tickNanos)).longValueExact();
    }

    @Test
    void neverDecreases() {
        Random random = this.seed.random();
        for (int i = 0; i < 10_000; i++) {
            TickRate rate = new TickRate((1 + random.nextInt(1_000_000)) * 1000L, random.nextInt(31));
            long nanos = random.nextLong() >>> 23;
            assertThat(rate.units(nanos + 1)).as("%s", this.seed).isGreaterThanOrEqualTo(rate.units(nanos));
        }
    }

    @Test
    void coversAnHourAndItsLastTickInEachLayout() {
        long hour = Duration.ofHours(1).toNanos();

        assertThat(TickRate.MAX_NANOS).isGreaterThan(hour);
        for (int bits = 0; bits <= 30; bits++) {
            TickRate rate = new TickRate(1_000_000, bits);
            assertThat(rate.units(hour - 1) >>> bits).isEqualTo(3_599_999);
            assertThat(rate.units(hour)).isEqualTo(3_600_000L << bits);
            assertThat(new TickRate(1000, bits).units(hour) >>> bits).isEqualTo(3_600_000_000L);
            assertThat(new TickRate(1_000_000_000, bits).units(hour) >>> bits).isEqualTo(3600);
        }
    }

    @Test
    void beginsEachTickAndEachUnitWhenItsTimeHasCome() {
        TickRate rate = new TickRate(1_000_000, 5);

        assertThat(rate.units(999_999)).isEqualTo(31);
        assertThat(rate.units(1_000_000)).isEqualTo(32);
        assertThat(rate.units(499_999)).isEqualTo(15);
        assertThat(rate.units(500_000)).isEqualTo(16);
    }

}
