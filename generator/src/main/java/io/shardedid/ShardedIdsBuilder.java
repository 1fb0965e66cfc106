package io.shardedid;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * Collects the choices of an engine, and opens it. This is the one way to open an engine;
 * the starter and the integration in Hibernate call it too. Not thread-safe.
 *
 * @since 0.1
 */
public final class ShardedIdsBuilder {

    /** The number of logical shards unless another is set, Instagram's. */
    public static final int DEFAULT_SHARDS = 2000;

    /** The name of the layout's preset unless another layout is set. */
    public static final String DEFAULT_PRESET = "standard";

    /** The shard function unless another one is set. */
    public static final ShardFunction DEFAULT_SHARD_FUNCTION = ShardFunction.modulo();

    /** How far ids may run ahead of the clock unless another bound is set. */
    public static final Duration DEFAULT_MAX_AHEAD = Duration.ofSeconds(1);

    /** How long a caller may wait for an id unless another bound is set. */
    public static final Duration DEFAULT_MAX_WAIT = Duration.ofSeconds(5);

    private static final System.Logger LOG = System.getLogger(ShardedIdsBuilder.class.getName());

    private static final Duration END_IS_NEAR = Duration.ofDays(365);

    private IdLayout layout = IdLayout.preset(DEFAULT_PRESET);

    private @Nullable Integer shards;

    private ShardFunction shardFunction = DEFAULT_SHARD_FUNCTION;

    private Duration maxAhead = DEFAULT_MAX_AHEAD;

    private Duration maxWait = DEFAULT_MAX_WAIT;

    private TimeSource time = TimeSource.system();

    private EngineRegistry registry = EngineRegistry.JVM;

    private @Nullable LeaseSource workers;

    private @Nullable Instant olderIdsBefore;

    ShardedIdsBuilder() {
    }

    /**
     * Sets the layout.
     * @param layout the layout; that of {@link #DEFAULT_PRESET} when not called
     * @return this builder
     */
    public ShardedIdsBuilder layout(IdLayout layout) {
        this.layout = Objects.requireNonNull(layout, "layout");
        return this;
    }

    /**
     * Sets the number of logical shards.
     * @param shards 1 to 2<sup>shard bits</sup>; {@link #defaultShards} of the layout
     * when not called. Fixed once rows exist
     * @return this builder
     */
    public ShardedIdsBuilder shards(int shards) {
        this.shards = shards;
        return this;
    }

    /**
     * Sets the shard function.
     * @param shardFunction the function; {@link #DEFAULT_SHARD_FUNCTION} when not called
     * @return this builder
     * @throws NullPointerException if the function or its id is null
     * @throws ShardedIdConfigurationException if it has the id of a function of ours
     */
    public ShardedIdsBuilder shardFunction(ShardFunction shardFunction) {
        this.shardFunction = Objects.requireNonNull(shardFunction, "shardFunction");
        String id = Objects.requireNonNull(shardFunction.id(), "shardFunction.id()");
        if (!(shardFunction instanceof KeyShardFunction) && List.of("modulo", "hash").contains(id)) {
            throw new ShardedIdConfigurationException(
                    ("Shard function must have an id of its own: id='%s', class=%s (no process could tell it from the "
                            + "built-in one)")
                        .formatted(id, shardFunction.getClass().getName()),
                    "return another id", "shardedid.shard-function");
        }
        return this;
    }

    /**
     * Sets where worker ids come from, for example {@code WorkerLeases.fixed(7)}.
     * @param workers the source; there is no default
     * @return this builder
     */
    public ShardedIdsBuilder workers(LeaseSource workers) {
        this.workers = Objects.requireNonNull(workers, "workers");
        return this;
    }

    /**
     * Sets how far ids may run ahead of the clock when a shard has used up its sequence.
     * @param maxAhead one tick to 1 hour; {@link #DEFAULT_MAX_AHEAD} when not called
     * @return this builder
     */
    public ShardedIdsBuilder maxAhead(Duration maxAhead) {
        this.maxAhead = Objects.requireNonNull(maxAhead, "maxAhead");
        return this;
    }

    /**
     * Sets how long a caller may wait for an id.
     * @param maxWait more than zero, to 1 hour; {@link #DEFAULT_MAX_WAIT} when not called
     * @return this builder
     */
    public ShardedIdsBuilder maxWait(Duration maxWait) {
        this.maxWait = Objects.requireNonNull(maxWait, "maxWait");
        return this;
    }

    /**
     * Sets the time before which ids are older: those whose time is before it are plain
     * numbers, those at or after it carry their shard. It replaces the time of the very
     * first lease, which is wrong if the lease table was lost or the rows were copied to
     * another database.
     * @param olderIdsBefore epoch to now, and not after the very first lease; the time of
     * that lease when not called
     * @return this builder
     */
    public ShardedIdsBuilder olderIdsBefore(Instant olderIdsBefore) {
        this.olderIdsBefore = Objects.requireNonNull(olderIdsBefore, "olderIdsBefore");
        return this;
    }

    /**
     * Sets the clocks, for tests.
     * @param time the clocks; {@link TimeSource#system()} when not called
     * @return this builder
     */
    public ShardedIdsBuilder timeSource(TimeSource time) {
        this.time = Objects.requireNonNull(time, "time");
        return this;
    }

    ShardedIdsBuilder registry(EngineRegistry registry) {
        this.registry = registry;
        return this;
    }

    /**
     * Checks the choices and opens the engine, or joins the one that this JVM has for the
     * same worker.
     * @return the ids; close them when done
     * @throws ShardedIdConfigurationException if a choice is outside its range, or the
     * engine that is open already has other settings
     * @throws ShardedIdException if no worker id can be had
     */
    public ShardedIdEngine open() {
        LeaseSource source = this.workers;
        if (source == null) {
            throw new ShardedIdConfigurationException("workers must be set: workers=null",
                    "for example workers(WorkerLeases.fixed(7))");
        }
        EngineTerms terms = terms();
        IdLayout layout = terms.layout();
        require(layout.timeBits() + layout.sequenceBits() <= ShardCells.MAX_BITS, "shardedid.layout.sequence-bits",
                "time-bits + sequence-bits must be <= %s to make ids: time-bits=%s, sequence-bits=%s",
                ShardCells.MAX_BITS, layout.timeBits(), layout.sequenceBits());
        EngineHandle opened = this.registry.join(terms, this.shardFunction, source);
        this.registry.list(opened);
        warnBeforeTheEnd();
        return opened;
    }

    /**
     * Checks the choices and makes what reads ids without an engine. Where
     * {@link #olderIdsBefore} was not set, it does not know since when ids are made.
     * @return the reader
     * @throws ShardedIdConfigurationException if a choice is outside its range
     */
    public IdReader reader() {
        return new IdReader(terms(), this.shardFunction, () -> 0, this::now);
    }

    private EngineTerms terms() {
        int count = (this.shards != null) ? this.shards : defaultShards(this.layout);
        check(count);
        return new EngineTerms(this.layout, count, this.shardFunction.id(), this.maxAhead, this.maxWait,
                this.olderIdsBefore, this.time);
    }

    /**
     * Returns the number of logical shards of a layout unless another is set.
     * @param layout the layout
     * @return {@link #DEFAULT_SHARDS}, or as many as the layout has room for if those are
     * fewer
     */
    public static int defaultShards(IdLayout layout) {
        return Math.min(DEFAULT_SHARDS, 1 << layout.shardBits());
    }

    private void check(int count) {
        long shardsOfLayout = 1L << this.layout.shardBits();
        require(count >= 1 && count <= shardsOfLayout, "shardedid.shards",
                "shards must be in [1, %s] (shard-bits=%s): shards=%s", shardsOfLayout, this.layout.shardBits(), count);
        require(this.maxAhead.compareTo(this.layout.tick()) >= 0 && this.maxAhead.compareTo(Duration.ofHours(1)) <= 0,
                "shardedid.clock.max-ahead", "max-ahead must be in [%s (one tick), 1h]: shardedid.clock.max-ahead=%s",
                MessageText.duration(this.layout.tick()), MessageText.duration(this.maxAhead));
        require(this.maxWait.compareTo(Duration.ZERO) > 0 && this.maxWait.compareTo(Duration.ofHours(1)) <= 0,
                "shardedid.clock.max-wait", "max-wait must be in (0s, 1h]: shardedid.clock.max-wait=%s",
                MessageText.duration(this.maxWait));
        Instant now = now();
        require(!this.layout.epoch().isAfter(now), "shardedid.epoch",
                "epoch must not be in the future: shardedid.epoch=%s, now=%s", this.layout.epoch(), now);
        Instant line = this.olderIdsBefore;
        require(line == null || !line.isBefore(this.layout.epoch()) && !line.isAfter(now), "shardedid.older-ids-before",
                "older-ids-before must be in [%s (the epoch), %s (now)]: shardedid.older-ids-before=%s",
                this.layout.epoch(), now, line);
    }

    private void warnBeforeTheEnd() {
        Duration left = Duration.between(now(), this.layout.lastUsableInstant());
        if (left.compareTo(END_IS_NEAR) < 0) {
            LOG.log(System.Logger.Level.WARNING,
                    "The time range of the layout ends soon: last usable instant={0}, days left={1}; no id is made after "
                            + "it, see {2}",
                    this.layout.lastUsableInstant(), Long.toString(Math.max(0, left.toDays())),
                    MessageText.OTHER_LAYOUT);
        }
    }

    private Instant now() {
        return Instant.ofEpochMilli(this.time.epochNanos() / 1_000_000);
    }

    private static void require(boolean rule, String key, String form, @Nullable Object... values) {
        if (!rule) {
            throw new ShardedIdConfigurationException(form.formatted(values), null, key);
        }
    }

}
