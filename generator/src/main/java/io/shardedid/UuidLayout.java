package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import io.shardedid.internal.MessageText;

/**
 * The bits of a UUID that carries a shard: version 7 of RFC 9562, whose free bits hold
 * what ids of 64 bits hold. All readers of version 7 read its time. This layout is fixed.
 *
 * <pre>
 * bits  field     capacity
 *   48  time      milliseconds since 1970, until 10889; ids are made as long as the
 *                 layout of the numbers lasts
 *    4  version   always 7
 *   12  sequence  4,096 a shard, a process and a millisecond; then it carries into the
 *                 next millisecond
 *    2  variant   always 2
 *   13  shard     8,192 logical shards
 *   16  worker    65,536 processes
 *   33  random
 * </pre>
 *
 * @since 0.1
 */
public final class UuidLayout {

    static final int SEQUENCE_BITS = 12;

    static final int SHARD_BITS = 13;

    static final int WORKER_BITS = 16;

    static final int RANDOM_BITS = 33;

    private static final int VERSION = 7;

    /** As {@link UUID#variant()} says it: the upper bits 10. */
    private static final int VARIANT = 2;

    private static final int TIME_SHIFT = 16;

    private static final long LAST_MILLIS = (1L << 48) - 1;

    private static final long VARIANT_BITS = Long.MIN_VALUE;

    private static final Duration TICK = Duration.ofMillis(1);

    private UuidLayout() {
    }

    /** Packs parts that fit, which the engine takes care of. */
    static UUID pack(long epochMillis, long sequence, int shard, int worker, long random) {
        return new UUID(epochMillis << TIME_SHIFT | (long) VERSION << SEQUENCE_BITS | sequence,
                VARIANT_BITS | (long) shard << WORKER_BITS + RANDOM_BITS | (long) worker << RANDOM_BITS
                        | random >>> Long.SIZE - RANDOM_BITS);
    }

    /**
     * Returns whether a UUID is of version 7, so that its fields can be read. The bits do
     * not show which generator made a UUID of version 7.
     * @param id any UUID
     * @return true for version 7 in the variant of RFC 9562
     */
    public static boolean isVersion7(UUID id) {
        return id.version() == VERSION && id.variant() == VARIANT;
    }

    /**
     * Takes a UUID apart.
     * @param id a UUID of version 7 in the variant of RFC 9562
     * @return its parts
     * @throws IllegalArgumentException if it is of another version or variant
     */
    public static IdParts parse(UUID id) {
        return new IdParts(instantOf(id), shardOf(id),
                (int) (id.getLeastSignificantBits() >>> RANDOM_BITS) & (1 << WORKER_BITS) - 1,
                (int) id.getMostSignificantBits() & (1 << SEQUENCE_BITS) - 1);
    }

    /**
     * Returns the shard that the bits of a UUID name.
     * @param id a UUID of version 7 in the variant of RFC 9562
     * @return 0 to 8191
     * @throws IllegalArgumentException if it is of another version or variant
     */
    public static int shardOf(UUID id) {
        return (int) (checked(id).getLeastSignificantBits() >>> WORKER_BITS + RANDOM_BITS) & (1 << SHARD_BITS) - 1;
    }

    /**
     * Returns the time of a UUID.
     * @param id a UUID of version 7 in the variant of RFC 9562
     * @return the start of the millisecond in which it was made
     * @throws IllegalArgumentException if it is of another version or variant
     */
    public static Instant instantOf(UUID id) {
        return Instant.ofEpochMilli(checked(id).getMostSignificantBits() >>> TIME_SHIFT);
    }

    /**
     * Returns the smallest UUID of version 7 that a moment can have, for the lower bound
     * of a query by time. UUIDs sort by their bytes, unsigned, as databases sort them.
     * @param instant 1970 or later; parts of a millisecond are cut off
     * @return the UUID
     * @throws IllegalArgumentException if the 48 bits cannot hold the time
     */
    public static UUID firstIdAt(Instant instant) {
        long millis = instant.toEpochMilli();
        if (millis < 0 || millis > LAST_MILLIS) {
            throw new IllegalArgumentException("time of a UUID must be in [%s, %s]: time=%s".formatted(Instant.EPOCH,
                    Instant.ofEpochMilli(LAST_MILLIS), instant));
        }
        return pack(millis, 0, 0, 0, 0);
    }

    private static UUID checked(UUID id) {
        if (!isVersion7(id)) {
            throw new IllegalArgumentException(
                    ("UUID must be of version 7 and variant 2, which alone carries a shard: uuid=%s, version=%s, "
                            + "variant=%s")
                        .formatted(id, id.version(), id.variant()));
        }
        return id;
    }

    /**
     * Checks that UUIDs can be made under the leases of a layout of numbers.
     * @param layout the layout that says what a tick is, and how wide shards and workers
     * are
     * @throws ShardedIdConfigurationException if its ticks are no milliseconds of UUIDs,
     * or its shards or workers find no room there
     */
    public static void check(IdLayout layout) {
        require(layout, layout.tick().equals(TICK),
                "its ticks must be of 1 ms: tick=%s".formatted(MessageText.duration(layout.tick())));
        require(layout, layout.epoch().getNano() % 1_000_000 == 0 && !layout.epoch().isBefore(Instant.EPOCH),
                "its epoch must be a whole millisecond of 1970 or later: epoch=%s".formatted(layout.epoch()));
        require(layout, layout.shardBits() <= SHARD_BITS,
                "its shards must fit %s bits: shard-bits=%s".formatted(SHARD_BITS, layout.shardBits()));
        require(layout, layout.workerBits() <= WORKER_BITS,
                "its workers must fit %s bits: worker-bits=%s".formatted(WORKER_BITS, layout.workerBits()));
        require(layout, layout.timeBits() + SEQUENCE_BITS <= ShardCells.MAX_BITS,
                "its time must fit %s bits: time-bits=%s".formatted(ShardCells.MAX_BITS - SEQUENCE_BITS,
                        layout.timeBits()));
    }

    private static void require(IdLayout layout, boolean rule, String why) {
        if (!rule) {
            throw new ShardedIdConfigurationException(
                    "Layout has no room for UUIDs: %s, layout=%s".formatted(why, layout),
                    "choose the preset 'standard', 'many-shards' or 'many-processes', or use ids of 64 bits");
        }
    }

}
