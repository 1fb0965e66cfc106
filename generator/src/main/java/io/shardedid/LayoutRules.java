package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;

/**
 * What makes a layout possible: its limits, each with the message that names it.
 */
final class LayoutRules {

    private static final int USABLE_BITS = 63;

    private static final int MAX_FIELD_BITS = 30;

    /**
     * Microseconds of a range stay countable in a long, with a bit to spare: 146,000
     * years.
     */
    private static final int MAX_MICROS_BITS = 62;

    private LayoutRules() {
    }

    static int width(String name, int bits) {
        if (bits < 0 || bits > MAX_FIELD_BITS) {
            throw refused("%s must be in [0, %d]: %s=%d", name, MAX_FIELD_BITS, name, bits);
        }
        return bits;
    }

    static long epochMicros(Instant epoch) {
        if (epoch.getNano() % 1000 != 0) {
            throw refused("epoch must be whole microseconds: epoch=%s", epoch);
        }
        return Math.addExact(Math.multiplyExact(epoch.getEpochSecond(), 1_000_000L), epoch.getNano() / 1000);
    }

    static long tickMicros(Duration tick) {
        if (tick.compareTo(Duration.ofNanos(1000)) < 0 || tick.compareTo(Duration.ofSeconds(1)) > 0
                || tick.toNanos() % 1000 != 0) {
            throw refused("tick must be whole microseconds in [PT0.000001S, PT1S]: tick=%s", tick);
        }
        return tick.toNanos() / 1000;
    }

    static List<IdField> order(List<IdField> order) {
        if (order.size() != IdField.values().length || !EnumSet.allOf(IdField.class).equals(EnumSet.copyOf(order))) {
            throw refused("order must name each of %s once: order=%s", List.of(IdField.values()), order);
        }
        return List.copyOf(order);
    }

    static int timeBits(int bits, long tickMicros) {
        int most = MAX_MICROS_BITS - (64 - Long.numberOfLeadingZeros(tickMicros - 1));
        if (bits < 1 || bits > most) {
            throw refused("time-bits must be in [1, %d] for ticks of %d µs: time-bits=%d", most, tickMicros, bits);
        }
        return bits;
    }

    static void fitTogether(IdLayout layout) {
        int left = USABLE_BITS - layout.timeBits();
        if (layout.shardBits() + layout.workerBits() + layout.sequenceBits() > left) {
            throw refused("shard-bits + worker-bits + sequence-bits must be <= %d: shard-bits=%d, worker-bits=%d, "
                    + "sequence-bits=%d", left, layout.shardBits(), layout.workerBits(), layout.sequenceBits());
        }
    }

    static void fits(String name, long value, int bits) {
        long last = (1L << bits) - 1;
        if (value < 0 || value > last) {
            throw new IllegalArgumentException("%s must be in [0, %d]: %s=%d".formatted(name, last, name, value));
        }
    }

    static void notNegative(long id) {
        if (id < 0) {
            throw new IllegalArgumentException("id must be >= 0: id=" + id);
        }
    }

    private static ShardedIdConfigurationException refused(String form, Object... values) {
        return new ShardedIdConfigurationException(form.formatted(values));
    }

}
