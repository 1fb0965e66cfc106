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

    /** Years of four digits, as ISO instants are written. */
    private static final Instant FIRST_EPOCH = Instant.parse("0001-01-01T00:00:00Z");

    private static final Instant LAST_EPOCH = Instant.parse("9999-12-31T23:59:59Z");

    private LayoutRules() {
    }

    private static int width(String name, int bits) {
        if (bits < 0 || bits > MAX_FIELD_BITS) {
            throw refused("%s must be in [0, %d]: %s=%d", name, MAX_FIELD_BITS, name, bits);
        }
        return bits;
    }

    static long epochMicros(Instant epoch) {
        if (epoch.getNano() % 1000 != 0) {
            throw refused("epoch must be whole microseconds: epoch=%s", epoch);
        }
        if (epoch.isBefore(FIRST_EPOCH) || epoch.isAfter(LAST_EPOCH)) {
            throw refused("epoch must be in [%s, %s]: epoch=%s", FIRST_EPOCH, LAST_EPOCH, epoch);
        }
        return epoch.getEpochSecond() * 1_000_000 + epoch.getNano() / 1000;
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

    static int bitsBelowTime(IdLayout.Builder builder, int timeBits) {
        int shard = width("shard-bits", builder.widthOf(IdField.SHARD));
        int worker = width("worker-bits", builder.widthOf(IdField.WORKER));
        int sequence = width("sequence-bits", builder.widthOf(IdField.SEQUENCE));
        int left = USABLE_BITS - timeBits;
        if (shard + worker + sequence > left) {
            throw refused("shard-bits + worker-bits + sequence-bits must be <= %d: shard-bits=%d, worker-bits=%d, "
                    + "sequence-bits=%d", left, shard, worker, sequence);
        }
        return shard + worker + sequence;
    }

    static void fits(String name, long value, int bits) {
        long last = (1L << bits) - 1;
        if (value < 0 || value > last) {
            throw new IllegalArgumentException("%s must be in [0, %d]: %s=%d".formatted(name, last, name, value));
        }
    }

    private static ShardedIdConfigurationException refused(String form, Object... values) {
        return new ShardedIdConfigurationException(form.formatted(values));
    }

}
