package io.shardedid;

import java.math.BigInteger;

/**
 * Turns elapsed nanoseconds into cell units (a tick holds 2<sup>sequence bits</sup> of
 * them) with one multiplication, because a division would be the second most expensive
 * step in making an id.
 *
 * <p>
 * Never late, early by less than a nanosecond, never decreasing. This is about time only:
 * order and uniqueness rest on the cells.
 */
final class TickRate {

    /** The end of the times that {@link #units} takes: 73 minutes. A lease is shorter. */
    static final long MAX_NANOS = 1L << 42;

    /*
     * units = nanos * rate, where the rate lies between 2^-30 (ticks of 1 s, no sequence)
     * and 2^21 (ticks of 1 µs, 30 bits of sequence). Nanoseconds are scaled to below
     * 2^63, the rate to between 2^62 and 2^63; twice the high word of their product is
     * then at least the units, and what it is more is shifted out: 0 to 50 bits. The rate
     * is rounded up, so that a tick begins exactly when its time has come. Only the units
     * of ticks of 1 µs with 30 bits, which are shorter than a picosecond, are counted in
     * pairs: there nothing is shifted out, and the lowest bit stays 0.
     */

    private static final int NANOS_SHIFT = 21;

    private static final int RATE_EXPONENT = 62;

    private final long scaledRate;

    private final int unitsShift;

    TickRate(long tickNanos, int sequenceBits) {
        int rateShift = RATE_EXPONENT - Math.getExponent((double) (1L << sequenceBits) / tickNanos);
        this.scaledRate = BigInteger.ONE.shiftLeft(sequenceBits + rateShift)
            .add(BigInteger.valueOf(tickNanos - 1))
            .divide(BigInteger.valueOf(tickNanos))
            .longValueExact();
        this.unitsShift = NANOS_SHIFT + 1 + rateShift - Long.SIZE;
    }

    /**
     * Returns the units that begin in an elapsed time.
     * @param nanos 0 to MAX_NANOS - 1
     */
    long units(long nanos) {
        return Math.multiplyHigh(nanos << NANOS_SHIFT, this.scaledRate) << 1 >>> this.unitsShift;
    }

}
