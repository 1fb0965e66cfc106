package io.shardedid.internal.config;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

import io.shardedid.IdLayout;
import io.shardedid.IdLayoutBuilder;
import io.shardedid.IdReader;
import io.shardedid.LeaseAcquisition;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.WorkerLeases;
import io.shardedid.WorkerMode;
import io.shardedid.internal.lease.LeaseChange;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import org.jspecify.annotations.Nullable;

/**
 * The configuration under {@code shardedid.*}, read and checked. Immutable and
 * thread-safe.
 *
 * @since 0.1
 * @see ShardedIdKey
 */
public final class ShardedIdSettings {

    /** What all keys begin with. */
    public static final String PREFIX = UnknownKeys.PREFIX;

    /** The key under which an integration hands a ready {@link ShardedIdEngine} over. */
    public static final String ENGINE = "shardedid.engine";

    /**
     * The key by which an integration says that it answers for the engine. With it and
     * without {@link #ENGINE} a session factory with sharded ids is not built.
     */
    public static final String MANAGED = "shardedid.managed";

    private final SettingValues values;

    private final Layout layout;

    private ShardedIdSettings(SettingValues values) {
        this.values = values;
        this.layout = Layout.of(values);
    }

    /**
     * Reads the keys that start with {@code shardedid.}; others and those whose value is
     * null are left alone, but for keys whose prefix is misspelt.
     * @param settings strings as a file has them, or objects of the type of the key
     * @return the settings, with defaults for what is not set
     * @throws ShardedIdConfigurationException if a key is unknown, a value cannot be read
     * or the layout does not fit 63 bits; nothing was opened
     */
    public static ShardedIdSettings from(Map<String, ?> settings) {
        return new ShardedIdSettings(SettingValues.of(settings));
    }

    /**
     * Returns a builder that holds these settings, but no source of worker ids. The
     * caller adds {@link #workers} or a source of its own, and opens the engine.
     * @return a new builder
     * @throws ShardedIdConfigurationException if an engine was handed over, so that a
     * second one would be opened beside it
     * @since 0.1
     */
    public ShardedIdsBuilder builder() {
        if (engine().isPresent()) {
            throw new ShardedIdConfigurationException("Could not open an id engine: '%s' is set".formatted(ENGINE),
                    "use that engine");
        }
        ShardedIdsBuilder builder = ShardedIds.builder()
            .layout(layout())
            .shards(shards())
            .shardFunction(shardFunction())
            .maxAhead(maxAhead())
            .maxWait(maxWait());
        olderIdsBefore().ifPresent(builder::olderIdsBefore);
        return builder;
    }

    /**
     * Returns what reads ids by these settings, without an engine.
     * @return the reader; it does not know when the fleet began
     * @throws ShardedIdConfigurationException as in {@link ShardedIdsBuilder#reader}
     */
    public IdReader reader() {
        return builder().reader();
    }

    /**
     * Returns the source of worker ids that the mode names. It takes no worker id before
     * an engine opens.
     * @param environment where leases come from, used in mode {@code lease} alone
     * @return a new source
     * @throws ShardedIdConfigurationException if the settings of the worker do not go
     * together
     * @since 0.1
     */
    public WorkerLeases workers(LeaseEnvironment environment) {
        return switch (workerMode()) {
            case FIXED -> WorkerLeases.fixed(workerId().orElseThrow(() -> new ShardedIdConfigurationException(
                    "'%s' must be set: shardedid.worker.mode=fixed, shardedid.worker.id=null"
                        .formatted(ShardedIdKey.WORKER_ID.externalName()),
                    "give each process that runs at the same time another one", ShardedIdKey.WORKER_ID.externalName(),
                    "shardedid.worker.mode")));
            case LEASE -> environment.leases(this.values);
        };
    }

    /**
     * Returns the layout: the preset with the widths and the epoch that were set.
     * @return the layout
     */
    public IdLayout layout() {
        return this.layout.ids();
    }

    /**
     * Returns the number of logical shards, which the engine checks against the layout.
     * @return any number
     */
    public int shards() {
        return this.layout.shards();
    }

    /**
     * Returns the shard function.
     * @return the function
     */
    public ShardFunction shardFunction() {
        return this.layout.shardFunction();
    }

    /**
     * Returns the time before which ids are older.
     * @return the time, or empty if the very first lease draws the line
     */
    public Optional<Instant> olderIdsBefore() {
        return Optional.ofNullable(this.layout.olderIdsBefore());
    }

    /**
     * Returns how this process gets its worker id.
     * @return the mode
     */
    public WorkerMode workerMode() {
        return this.values.value(ShardedIdKey.WORKER_MODE, SettingType.WORKER_MODE);
    }

    /**
     * Returns the worker id that was set, which the engine checks against the layout.
     * @return any number, or empty
     */
    public OptionalInt workerId() {
        Integer id = this.values.set(ShardedIdKey.WORKER_ID, SettingType.INTEGER);
        return (id != null) ? OptionalInt.of(id) : OptionalInt.empty();
    }

    /**
     * Returns whose rows of a lease table are those of this application.
     * @return the namespace
     * @since 0.1
     */
    public String leaseNamespace() {
        return this.values.value(ShardedIdKey.LEASE_NAMESPACE, SettingType.TEXT);
    }

    /**
     * Returns how long a lease lasts without renewal.
     * @return the window, which the engine checks
     * @since 0.1
     */
    public Duration leaseWindow() {
        return this.values.value(ShardedIdKey.LEASE_WINDOW, SettingType.DURATION);
    }

    /**
     * Returns when the first lease is taken.
     * @return {@link LeaseAcquisition#STARTUP} unless set otherwise
     * @since 0.1
     */
    public LeaseAcquisition leaseAcquisition() {
        return this.values.value(ShardedIdKey.LEASE_ACQUIRE, SettingType.LEASE_ACQUISITION);
    }

    /**
     * Returns the offline change of a lease table to these settings.
     * @return the change, which connects when it is carried out
     * @throws ShardedIdConfigurationException if they name no database
     * @since 0.1
     */
    public LeaseChange change() {
        return new LeaseChange(reader().terms(), LeaseEnvironment.UNKNOWN.settings(this.values), leaseTable());
    }

    /**
     * Opens the lease table of these settings, for a command.
     * @return the table, which connects when it is used first
     * @throws ShardedIdConfigurationException if they name no database
     * @since 0.1
     */
    public LeaseStore leaseTable() {
        return LeaseEnvironment.store(this.values);
    }

    /**
     * Returns how far ids may run ahead of the clock.
     * @return not negative
     */
    public Duration maxAhead() {
        return this.values.value(ShardedIdKey.CLOCK_MAX_AHEAD, SettingType.DURATION);
    }

    /**
     * Returns how long a caller may wait for an id.
     * @return not negative
     */
    public Duration maxWait() {
        return this.values.value(ShardedIdKey.CLOCK_MAX_WAIT, SettingType.DURATION);
    }

    /**
     * Returns what happens when an update takes a shard key to another shard.
     * @return {@link KeyChange#ALLOW} unless set otherwise
     */
    public KeyChange onKeyChange() {
        return this.values.value(ShardedIdKey.ON_KEY_CHANGE, SettingType.KEY_CHANGE);
    }

    /**
     * Returns whether ids are written as strings in JSON.
     * @return true unless set otherwise
     */
    public boolean jsonAsString() {
        return this.values.value(ShardedIdKey.JSON_AS_STRING, SettingType.BOOLEAN);
    }

    /**
     * Returns the engine that was handed over.
     * @return the engine, which belongs to the integration that handed it over, or empty
     */
    public Optional<ShardedIdEngine> engine() {
        return Optional.ofNullable(this.values.set(ShardedIdKey.ENGINE, SettingType.ENGINE));
    }

    /**
     * Returns whether an integration answers for the engine.
     * @return true if {@link #MANAGED} is set to true
     */
    public boolean managed() {
        return this.values.value(ShardedIdKey.MANAGED, SettingType.BOOLEAN);
    }

    /**
     * Returns whether a key was set, to whatever value.
     * @param key the key
     * @return false if the default is in force
     */
    public boolean isSet(ShardedIdKey key) {
        return this.values.set().containsKey(key);
    }

    /**
     * Returns the value in force.
     * @param key the key
     * @return an object of the type of the key, or null if a key without a default was
     * not set
     */
    public @Nullable Object get(ShardedIdKey key) {
        return this.values.get(key);
    }

    @Override
    public String toString() {
        return this.values.set()
            .entrySet()
            .stream()
            .filter((entry) -> entry.getKey().isPublic() && entry.getKey() != ShardedIdKey.LEASE_PASSWORD)
            .map((entry) -> entry.getKey().externalName() + "=" + switch (entry.getKey()) {
                case LEASE_URL -> LeaseConnections.url(entry.getValue().toString(), null, null).describe();
                default -> entry.getValue();
            })
            .collect(Collectors.joining(", ", "[", "]"));
    }

    /**
     * How ids are made up.
     *
     * @param ids the layout
     * @param shards the number of logical shards
     * @param shardFunction the shard function
     * @param olderIdsBefore the time before which ids are older, or null
     */
    private record Layout(IdLayout ids, int shards, ShardFunction shardFunction, @Nullable Instant olderIdsBefore) {

        /** The first whole number that JavaScript may round. */
        private static final long BEYOND_JAVASCRIPT = 1L << 53;

        static Layout of(SettingValues values) {
            String preset = values.value(ShardedIdKey.LAYOUT_PRESET, SettingType.TEXT);
            IdLayout ids = ids(values, preset);
            if (preset.equals("javascript") && ids.lastId() >= BEYOND_JAVASCRIPT) {
                throw new ShardedIdConfigurationException(
                        ("shard-bits + worker-bits + sequence-bits must be <= 19 with "
                                + "shardedid.layout.preset=javascript: shard-bits=%s, worker-bits=%s, sequence-bits=%s "
                                + "(JavaScript would round larger ids)")
                            .formatted(ids.shardBits(), ids.workerBits(), ids.sequenceBits()),
                        "lower the widths that are set, or choose another preset", "shardedid.layout.preset",
                        "shardedid.layout.shard-bits", "shardedid.layout.worker-bits",
                        "shardedid.layout.sequence-bits");
            }
            Integer shards = values.set(ShardedIdKey.SHARDS, SettingType.INTEGER);
            return new Layout(ids, (shards != null) ? shards : ShardedIdsBuilder.defaultShards(ids),
                    values.value(ShardedIdKey.SHARD_FUNCTION, SettingType.SHARD_FUNCTION),
                    values.set(ShardedIdKey.OLDER_IDS_BEFORE, SettingType.INSTANT));
        }

        /** The preset with the widths and the epoch that were set. */
        private static IdLayout ids(SettingValues values, String preset) {
            IdLayoutBuilder builder = IdLayout.preset(preset).toBuilder();
            Instant epoch = values.set(ShardedIdKey.EPOCH, SettingType.INSTANT);
            if (epoch != null) {
                builder.epoch(epoch);
            }
            width(values, ShardedIdKey.LAYOUT_SHARD_BITS).ifPresent(builder::shardBits);
            width(values, ShardedIdKey.LAYOUT_WORKER_BITS).ifPresent(builder::workerBits);
            width(values, ShardedIdKey.LAYOUT_SEQUENCE_BITS).ifPresent(builder::sequenceBits);
            return builder.build();
        }

        private static Optional<Integer> width(SettingValues values, ShardedIdKey key) {
            return Optional.ofNullable(values.set(key, SettingType.INTEGER));
        }

    }

}
