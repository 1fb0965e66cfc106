package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

/**
 * How the 63 usable bits of an id are divided. Time is on top, counted in ticks since an
 * epoch; shard, worker and sequence stand below it in any order. The standard layout,
 * {@link #standard()}:
 *
 * <pre>
 * bits  field     capacity
 *    1  sign      always 0
 *   40  time      34.84 years of milliseconds, until 2059-11-04 with the default epoch
 *   11  shard     2,048 logical shards
 *    7  worker    127 processes that insert at once, and the database
 *    5  sequence  32 ids a shard, a process and a millisecond
 * </pre>
 *
 * <p>
 * An id can be read only by the layout that made it. Immutable and thread-safe.
 *
 * <p>
 * Source of the idea, and of {@link #instagramExact()}: Instagram Engineering, "Sharding
 * &amp; IDs at Instagram" (2012).
 *
 * @since 0.1
 */
public final class IdLayout {

    /**
     * The epoch of all presets except {@code snowflake} and {@code sonyflake}, unless
     * another one is set: 2025-01-01T00:00:00Z.
     */
    public static final Instant DEFAULT_EPOCH = Instant.parse("2025-01-01T00:00:00Z");

    private static final int MOST_DIGITS = Long.toString(Long.MAX_VALUE).length();

    private final Instant epoch;

    private final long epochMicros;

    private final long tickMicros;

    private final List<IdField> order;

    private final int timeBits;

    private final int timeShift;

    private final BitField shard;

    private final BitField worker;

    private final BitField sequence;

    private final long lastId;

    /** Makes a layout from what {@link IdLayoutBuilder#build} has checked. */
    IdLayout(Instant epoch, Duration tick, int timeBits, List<IdField> order, BitField shard, BitField worker,
            BitField sequence) {
        this.epoch = epoch;
        this.epochMicros = epoch.getEpochSecond() * 1_000_000 + epoch.getNano() / 1000;
        this.tickMicros = tick.toNanos() / 1000;
        this.timeBits = timeBits;
        this.timeShift = shard.bits() + worker.bits() + sequence.bits();
        this.order = order;
        this.shard = shard;
        this.worker = worker;
        this.sequence = sequence;
        this.lastId = (1L << this.timeBits + this.timeShift) - 1;
    }

    /**
     * Returns the standard layout: 40 time, 11 shard, 7 worker, 5 sequence.
     * @return 2,048 shards, 128 worker ids (127 for processes, one for the database), 32
     * ids a shard, worker and millisecond
     */
    public static IdLayout standard() {
        return builder().build();
    }

    /**
     * Returns the layout with as many shards as Instagram had: 40 time, 13 shard, 5
     * worker, 5 sequence.
     * @return 8,192 shards, 32 worker ids (31 for processes, one for the database), 32
     * ids a shard, worker and millisecond
     */
    public static IdLayout manyShards() {
        return builder().shardBits(13).workerBits(5).sequenceBits(5).build();
    }

    /**
     * Returns the layout for about a thousand processes: 40 time, 11 shard, 10 worker, 2
     * sequence.
     * @return 2,048 shards, 1,024 worker ids (1,023 for processes, one for the database),
     * 4 ids a shard, worker and millisecond
     */
    public static IdLayout manyProcesses() {
        return builder().shardBits(11).workerBits(10).sequenceBits(2).build();
    }

    /**
     * Returns Instagram's own layout: 40 time, 13 shard, 10 sequence, no worker. One
     * process, or the database, may write.
     * @return 8,192 shards, 1,024 ids a shard and millisecond
     */
    public static IdLayout instagramExact() {
        return builder().shardBits(13).workerBits(0).sequenceBits(10).build();
    }

    /**
     * Returns the layout for one table that holds all shards: 40 time, 7 sequence, 11
     * shard, 5 worker. The sequence stands above the shard, so a process counts all its
     * ids together, whatever their shards, and the index on them is as dense as that of a
     * database sequence.
     * @return 2,048 shards, 32 worker ids (31 for processes, one for the database), 128
     * ids a worker and millisecond
     */
    public static IdLayout dense() {
        return builder().sequenceBits(7)
            .shardBits(11)
            .workerBits(5)
            .order(IdField.SEQUENCE, IdField.SHARD, IdField.WORKER)
            .build();
    }

    /**
     * Returns the layout whose ids stay below 2<sup>53</sup>, so that JavaScript does not
     * round them where JSON has them as numbers: 34 time in ticks of 100 ms, 10 shard, 4
     * worker, 5 sequence.
     * @return 1,024 shards, 16 worker ids (15 for processes, one for the database), 32
     * ids a shard, worker and 100 ms, 54 years
     */
    public static IdLayout javascript() {
        return builder().tick(Duration.ofMillis(100)).timeBits(34).shardBits(10).workerBits(4).sequenceBits(5).build();
    }

    /**
     * Returns Twitter's layout: 41 time since 2010-11-04T01:42:54.657Z, 10 worker (5
     * datacenter, 5 worker), 12 sequence, no shard.
     * @return 1,024 worker ids (1,023 for processes, one for the database), 4,096 ids a
     * worker and millisecond
     */
    public static IdLayout snowflake() {
        return builder().epoch(Instant.ofEpochMilli(1288834974657L))
            .timeBits(41)
            .shardBits(0)
            .workerBits(10)
            .sequenceBits(12)
            .build();
    }

    /**
     * Returns Sonyflake's layout: 39 time since 2014-09-01T00:00:00Z in ticks of 10 ms, 8
     * sequence, 16 machine, no shard. The machine is the worker.
     * @return 65,536 worker ids (65,535 for processes, one for the database), 256 ids a
     * worker and 10 ms, 174 years
     */
    public static IdLayout sonyflake() {
        return builder().epoch(Instant.parse("2014-09-01T00:00:00Z"))
            .tick(Duration.ofMillis(10))
            .timeBits(39)
            .sequenceBits(8)
            .workerBits(16)
            .shardBits(0)
            .order(IdField.SEQUENCE, IdField.WORKER, IdField.SHARD)
            .build();
    }

    /**
     * Returns a preset by its name in the configuration key
     * {@code shardedid.layout.preset}.
     * @param name the name, for example {@code instagram-exact}
     * @return the preset with its own epoch, which is that of Twitter for
     * {@code snowflake}, 2014-09-01T00:00:00Z for {@code sonyflake}, and
     * {@link #DEFAULT_EPOCH} for all others
     * @throws ShardedIdConfigurationException if there is no such preset; the message
     * lists the presets
     */
    public static IdLayout preset(String name) {
        return IdLayoutPreset.named(name).layout();
    }

    /**
     * Returns the names of the presets.
     * @return what {@link #preset(String)} accepts, our own first
     */
    public static List<String> presetNames() {
        return IdLayoutPreset.names();
    }

    /**
     * Returns a builder that starts from the fields of the standard layout.
     * @return a new builder
     */
    public static IdLayoutBuilder builder() {
        return new IdLayoutBuilder();
    }

    /**
     * Returns a builder that starts from this layout.
     * @return a new builder with the epoch, tick, widths and order of this one
     */
    public IdLayoutBuilder toBuilder() {
        return new IdLayoutBuilder().epoch(this.epoch)
            .tick(tick())
            .timeBits(this.timeBits)
            .shardBits(this.shard.bits())
            .workerBits(this.worker.bits())
            .sequenceBits(this.sequence.bits())
            .order(this.order.toArray(IdField[]::new));
    }

    /**
     * Packs an id. The packing is injective: different parts make different ids.
     * @param tick ticks since the epoch, 0 to {@link #lastTick()}
     * @param shard 0 to 2<sup>shard bits</sup> - 1
     * @param worker 0 to 2<sup>worker bits</sup> - 1
     * @param sequence 0 to 2<sup>sequence bits</sup> - 1
     * @return the id, never negative
     * @throws IllegalArgumentException if a part does not fit its field
     */
    public long compose(long tick, int shard, int worker, int sequence) {
        BitField.checkFits("tick", tick, this.timeBits);
        BitField.checkFits("shard", shard, this.shard.bits());
        BitField.checkFits("worker", worker, this.worker.bits());
        BitField.checkFits("sequence", sequence, this.sequence.bits());
        return pack(tick, shard, worker, sequence);
    }

    /** Packs parts that fit, which the engine takes care of. */
    long pack(long tick, long shard, long worker, long sequence) {
        return tick << this.timeShift | this.shard.at(shard) | this.worker.at(worker) | this.sequence.at(sequence);
    }

    /**
     * Takes an id apart.
     * @param id an id of this layout, 0 to {@link #lastId()}
     * @return its parts
     * @throws IllegalArgumentException if the id is outside that range
     */
    public IdParts parse(long id) {
        return new IdParts(instantOf(id), shardOf(id), workerOf(id), this.sequence.of(id));
    }

    /**
     * Reads an id from a text that writes it in decimal, whichever layout made it: 1 to
     * 19 ASCII digits, leading zeros included, with a minus sign before a negative
     * number. No layout makes negative numbers, but older rows may have them. A text with
     * spaces, a plus sign, another notation or the digits of another script is no id.
     * @param text any text
     * @return the number, or empty if the text is none of 64 bits
     * @since 0.1
     */
    public static OptionalLong parseText(String text) {
        int digits = text.startsWith("-") ? text.length() - 1 : text.length();
        if (digits < 1 || digits > MOST_DIGITS
                || !text.chars().skip(text.length() - digits).allMatch((c) -> c >= '0' && c <= '9')) {
            return OptionalLong.empty();
        }
        try {
            long id = Long.parseLong(text);
            return (id == 0 && digits < text.length()) ? OptionalLong.empty() : OptionalLong.of(id);
        }
        catch (NumberFormatException beyond64Bits) {
            return OptionalLong.empty();
        }
    }

    /**
     * Returns the shard that an id carries: shift and mask.
     * @param id an id of this layout, 0 to {@link #lastId()}
     * @return 0 to 2<sup>shard bits</sup> - 1
     * @throws IllegalArgumentException if the id is outside that range
     */
    public int shardOf(long id) {
        return this.shard.of(checked(id));
    }

    /**
     * Returns the worker id that an id carries.
     * @param id an id of this layout, 0 to {@link #lastId()}
     * @return 0 to 2<sup>worker bits</sup> - 1
     * @throws IllegalArgumentException if the id is outside that range
     */
    public int workerOf(long id) {
        return this.worker.of(checked(id));
    }

    /**
     * Returns the tick that an id carries.
     * @param id an id of this layout, 0 to {@link #lastId()}
     * @return ticks since the epoch
     * @throws IllegalArgumentException if the id is outside that range
     */
    public long tickOf(long id) {
        return checked(id) >>> this.timeShift;
    }

    /**
     * Returns the start of the tick that an id carries.
     * @param id an id of this layout, 0 to {@link #lastId()}
     * @return the instant, in whole ticks since the epoch
     * @throws IllegalArgumentException if the id is outside that range
     */
    public Instant instantOf(long id) {
        return instantAt(tickOf(id));
    }

    /**
     * Returns the smallest id that the tick of an instant can hold. A span of time is
     * half open: {@code id >= firstIdAt(from) and id < firstIdAt(to)}, which is what
     * {@link IdWindow#between} returns.
     * @param instant epoch to {@link #lastUsableInstant()}
     * @return the id, not that of any row
     * @throws IllegalArgumentException if the instant is outside the range of the layout
     */
    public long firstIdAt(Instant instant) {
        return tickAt(instant) << this.timeShift;
    }

    /**
     * Returns the tick that holds an instant.
     * @param instant epoch to {@link #lastUsableInstant()}
     * @return ticks since the epoch
     * @throws IllegalArgumentException if the instant is outside the range of the layout
     */
    public long tickAt(Instant instant) {
        if (instant.isBefore(this.epoch) || !instant.isBefore(lastUsableInstant().plus(tick()))) {
            throw new IllegalArgumentException(
                    "instant must be in [%s, %s]: instant=%s".formatted(this.epoch, lastUsableInstant(), instant));
        }
        long seconds = instant.getEpochSecond() - this.epoch.getEpochSecond();
        return (seconds * 1_000_000 + Math.floorDiv(instant.getNano() - this.epoch.getNano(), 1000)) / this.tickMicros;
    }

    /**
     * Returns the tick that holds a time of the wall clock, which may lie outside the
     * range of the layout.
     * @param epochNanos nanoseconds since 1970
     * @return ticks since the epoch of this layout; negative before it
     */
    public long tickAtEpochNanos(long epochNanos) {
        return Math.floorDiv(microsAt(epochNanos), this.tickMicros);
    }

    /** How much of its tick has passed at a time of the wall clock, in nanoseconds. */
    long nanosIntoTick(long epochNanos) {
        return Math.floorMod(microsAt(epochNanos), this.tickMicros) * 1000 + Math.floorMod(epochNanos, 1000);
    }

    private long microsAt(long epochNanos) {
        return Math.floorDiv(epochNanos, 1000) - this.epochMicros;
    }

    /**
     * Returns the start of a tick.
     * @param tick ticks since the epoch, 0 to {@link #lastTick()}
     * @return the instant
     * @throws IllegalArgumentException if the tick is outside that range
     */
    public Instant instantAt(long tick) {
        BitField.checkFits("tick", tick, this.timeBits);
        long micros = tick * this.tickMicros;
        return this.epoch.plusSeconds(micros / 1_000_000).plusNanos(micros % 1_000_000 * 1000);
    }

    /**
     * Returns the instant of tick 0.
     * @return the epoch
     */
    public Instant epoch() {
        return this.epoch;
    }

    /**
     * Returns the length of a tick.
     * @return whole microseconds, 1 µs to 1 s
     */
    public Duration tick() {
        return Duration.ofNanos(this.tickMicros * 1000);
    }

    /**
     * Returns the start of the last tick that fits: no id is made after it.
     * @return epoch + (2<sup>time bits</sup> - 1) ticks
     */
    public Instant lastUsableInstant() {
        return instantAt(lastTick());
    }

    /**
     * Returns the last tick that fits.
     * @return 2<sup>time bits</sup> - 1
     */
    public long lastTick() {
        return (1L << this.timeBits) - 1;
    }

    /**
     * Returns the largest id that fits.
     * @return 2<sup>all bits</sup> - 1; of 63 bits that is {@link Long#MAX_VALUE}
     */
    public long lastId() {
        return this.lastId;
    }

    /**
     * Returns the width of the time.
     * @return bits
     */
    public int timeBits() {
        return this.timeBits;
    }

    /**
     * Returns the width of the shard.
     * @return bits, 0 when the layout has no shard
     */
    public int shardBits() {
        return this.shard.bits();
    }

    /**
     * Returns the width of the worker id.
     * @return bits, 0 when the layout has no worker
     */
    public int workerBits() {
        return this.worker.bits();
    }

    /**
     * Returns the width of the sequence.
     * @return bits, 0 when the layout has no sequence
     */
    public int sequenceBits() {
        return this.sequence.bits();
    }

    /**
     * Returns the fields below the time.
     * @return all three, high to low, also those of width 0
     */
    public List<IdField> order() {
        return this.order;
    }

    /**
     * Returns the text by which two processes find out whether they read and make the
     * same ids.
     * @return epoch, tick, and fields with their widths, high to low
     */
    public String fingerprint() {
        return "epoch=%s,tick=%s,%s".formatted(this.epoch, tick(), fields("=", ",", 0));
    }

    /**
     * Returns the fields and their widths in words.
     * @return for example {@code time 40, shard 11, worker 7, sequence 5}, high to low,
     * without fields of width 0
     */
    public String describe() {
        return fields(" ", ", ", 1);
    }

    private String fields(String is, String and, int narrowest) {
        StringBuilder text = new StringBuilder("time").append(is).append(this.timeBits);
        for (IdField field : this.order) {
            if (widthOf(field) >= narrowest) {
                text.append(and).append(field.name().toLowerCase(Locale.ROOT)).append(is).append(widthOf(field));
            }
        }
        return text.toString();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof IdLayout that && fingerprint().equals(that.fingerprint());
    }

    @Override
    public int hashCode() {
        return fingerprint().hashCode();
    }

    @Override
    public String toString() {
        return fingerprint();
    }

    /**
     * Returns the width of a field.
     * @param field the field
     * @return bits
     */
    public int widthOf(IdField field) {
        return switch (field) {
            case SHARD -> this.shard.bits();
            case WORKER -> this.worker.bits();
            case SEQUENCE -> this.sequence.bits();
        };
    }

    int timeShift() {
        return this.timeShift;
    }

    /** Whether ids of a process are counted over all shards, not in each. */
    boolean sequenceAboveShard() {
        return this.sequence.shift() > this.shard.shift();
    }

    /**
     * Returns how many bits stand below a field.
     * @param field the field
     * @return bits
     */
    public int shiftOf(IdField field) {
        return switch (field) {
            case SHARD -> this.shard.shift();
            case WORKER -> this.worker.shift();
            case SEQUENCE -> this.sequence.shift();
        };
    }

    private long checked(long id) {
        if (id < 0 || id > this.lastId) {
            throw new IllegalArgumentException("id must be in [0, %s]: id=%s".formatted(this.lastId, id));
        }
        return id;
    }

}
