package io.shardedid;

/**
 * Turns elapsed nanoseconds into cell units (a tick holds 2<sup>sequence bits</sup> of
 * them) with one multiplication, because a division would be the second dearest thing on
 * the way of an id.
 *
 * <p>
 * Rounding may be off by less than one unit. That only tells time: order and uniqueness
 * rest on the cells.
 */
final class TickRate {

    /** The longest time that {@link #units} takes: 73 minutes. A lease is shorter. */
    static final long MAX_NANOS = 1L << 42;

    private static final int PRE_SHIFT = 20;

    private static final int MAGIC_BITS = 61;

    private final long magic;

    private final int postShift;

    TickRate(long tickNanos, int sequenceBits) {
        double unitsPerNano = (double) (1L << sequenceBits) / tickNanos;
        this.postShift = MAGIC_BITS - (Long.SIZE - PRE_SHIFT) - Math.getExponent(unitsPerNano);
        this.magic = (long) Math.scalb(unitsPerNano, Long.SIZE - PRE_SHIFT + this.postShift);
    }

    long units(long nanos) {
        return Math.multiplyHigh(nanos << PRE_SHIFT, this.magic) >>> this.postShift;
    }

}
