package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

import io.shardedid.internal.MessageText;

/**
 * Collects the choices of a layout, and checks them. {@link IdLayout#builder()} and
 * {@link IdLayout#toBuilder()} return one. Not thread-safe.
 *
 * @since 0.1
 */
public final class IdLayoutBuilder {

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

    private static final String WIDTH_KEYS = "shardedid.layout.";

    private Instant epoch = IdLayout.DEFAULT_EPOCH;

    private Duration tick = Duration.ofMillis(1);

    private List<IdField> order = List.of(IdField.SHARD, IdField.WORKER, IdField.SEQUENCE);

    private int shardBits = 11;

    private int workerBits = 7;

    private int sequenceBits = 5;

    private int timeBits = 40;

    IdLayoutBuilder() {
    }

    /**
     * Sets the instant of tick 0.
     * @param epoch whole microseconds, in the years 1 to 9999, before the oldest row that
     * will ever get an id
     * @return this builder
     */
    public IdLayoutBuilder epoch(Instant epoch) {
        this.epoch = Objects.requireNonNull(epoch, "epoch");
        return this;
    }

    /**
     * Sets the length of a tick.
     * @param tick whole microseconds, 1 µs to 1 s
     * @return this builder
     */
    public IdLayoutBuilder tick(Duration tick) {
        this.tick = Objects.requireNonNull(tick, "tick");
        return this;
    }

    /**
     * Sets the width of the time: how long the layout lasts.
     * @param bits 1 to what the other fields leave of 63, and not more than
     * 2<sup>62</sup> microseconds (146,000 years); 40 when not called
     * @return this builder
     */
    public IdLayoutBuilder timeBits(int bits) {
        this.timeBits = bits;
        return this;
    }

    /**
     * Sets the width of the shard.
     * @param bits 0 to 30
     * @return this builder
     */
    public IdLayoutBuilder shardBits(int bits) {
        this.shardBits = bits;
        return this;
    }

    /**
     * Sets the width of the worker id.
     * @param bits 0 to 30
     * @return this builder
     */
    public IdLayoutBuilder workerBits(int bits) {
        this.workerBits = bits;
        return this;
    }

    /**
     * Sets the width of the sequence.
     * @param bits 0 to 30
     * @return this builder
     */
    public IdLayoutBuilder sequenceBits(int bits) {
        this.sequenceBits = bits;
        return this;
    }

    /**
     * Sets the order of the fields below the time. With the sequence above the shard a
     * process counts its ids over all shards together: they strictly increase, and all
     * shards share 2<sup>sequence bits</sup> ids a tick.
     * @param fields each of the three once, high to low
     * @return this builder
     */
    public IdLayoutBuilder order(IdField... fields) {
        this.order = List.of(fields);
        return this;
    }

    /**
     * Checks the choices and makes the layout.
     * @return the layout
     * @throws ShardedIdConfigurationException if the widths do not fit 63 bits, or a
     * choice is outside its range
     */
    public IdLayout build() {
        checkEpoch();
        checkTick();
        checkOrder();
        checkTimeBits();
        checkWidths();
        return new IdLayout(this.epoch, this.tick, this.timeBits, this.order, placed(IdField.SHARD),
                placed(IdField.WORKER), placed(IdField.SEQUENCE));
    }

    private void checkEpoch() {
        if (this.epoch.getNano() % 1000 != 0 || this.epoch.isBefore(FIRST_EPOCH) || this.epoch.isAfter(LAST_EPOCH)) {
            throw refused("epoch must be whole microseconds in [%s, %s]: epoch=%s".formatted(FIRST_EPOCH, LAST_EPOCH,
                    this.epoch), "shardedid.epoch");
        }
    }

    private void checkTick() {
        if (this.tick.compareTo(Duration.ofNanos(1000)) < 0 || this.tick.compareTo(Duration.ofSeconds(1)) > 0
                || this.tick.toNanos() % 1000 != 0) {
            throw refused(
                    "tick must be whole microseconds in [1us, 1s]: tick=%s".formatted(MessageText.duration(this.tick)));
        }
    }

    private void checkOrder() {
        List<IdField> all = List.of(IdField.values());
        if (this.order.size() != all.size() || !this.order.containsAll(all)) {
            throw refused("order must name each of %s once: order=%s".formatted(all, this.order));
        }
    }

    private void checkTimeBits() {
        long tickMicros = this.tick.toNanos() / 1000;
        int most = MAX_MICROS_BITS - (64 - Long.numberOfLeadingZeros(tickMicros - 1));
        if (this.timeBits < 1 || this.timeBits > most) {
            throw refused("time-bits must be in [1, %s] for ticks of %s µs: time-bits=%s".formatted(most, tickMicros,
                    this.timeBits));
        }
    }

    private void checkWidths() {
        checkWidth("shard-bits", this.shardBits);
        checkWidth("worker-bits", this.workerBits);
        checkWidth("sequence-bits", this.sequenceBits);
        int left = USABLE_BITS - this.timeBits;
        if (this.shardBits + this.workerBits + this.sequenceBits > left) {
            throw refused(
                    ("shard-bits + worker-bits + sequence-bits must be <= %s: shard-bits=%s, worker-bits=%s, "
                            + "sequence-bits=%s")
                        .formatted(left, this.shardBits, this.workerBits, this.sequenceBits),
                    WIDTH_KEYS + "shard-bits", WIDTH_KEYS + "worker-bits", WIDTH_KEYS + "sequence-bits");
        }
    }

    private static void checkWidth(String name, int bits) {
        if (bits < 0 || bits > MAX_FIELD_BITS) {
            throw refused("%s must be in [0, %s]: %1$s=%s".formatted(name, MAX_FIELD_BITS, bits), WIDTH_KEYS + name);
        }
    }

    private static ShardedIdConfigurationException refused(String failure, String... keys) {
        return new ShardedIdConfigurationException(failure, null, keys);
    }

    private BitField placed(IdField field) {
        int shift = this.order.subList(this.order.indexOf(field) + 1, this.order.size())
            .stream()
            .mapToInt(this::widthOf)
            .sum();
        return new BitField(widthOf(field), shift);
    }

    private int widthOf(IdField field) {
        return switch (field) {
            case SHARD -> this.shardBits;
            case WORKER -> this.workerBits;
            case SEQUENCE -> this.sequenceBits;
        };
    }

}
