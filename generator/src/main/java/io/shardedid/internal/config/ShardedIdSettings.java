package io.shardedid.internal.config;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

import io.shardedid.IdLayout;
import io.shardedid.IdLayoutBuilder;
import io.shardedid.IdReader;
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
 * @see ShardedIdKey
 */
public final class ShardedIdSettings {

    /** What all keys begin with. */
    public static final String PREFIX = "shardedid.";

    /** The key under which an integration hands a ready {@link ShardedIdEngine} over. */
    public static final String ENGINE = "shardedid.engine";

    /**
     * The key by which an integration says that it answers for the engine. With it and
     * without {@link #ENGINE} a session factory with sharded ids is not built.
     */
    public static final String MANAGED = "shardedid.managed";

    /** The first whole number that JavaScript may round. */
    private static final long BEYOND_JAVASCRIPT = 1L << 53;

    /** What was set, defaults left out. */
    private final Map<ShardedIdKey, Object> set;

    private final IdLayout layout;

    private ShardedIdSettings(Map<ShardedIdKey, Object> set) {
        this.set = set;
        this.layout = readLayout();
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
        Map<ShardedIdKey, Object> set = new EnumMap<>(ShardedIdKey.class);
        List<String> unknown = new ArrayList<>();
        settings.forEach((name, value) -> {
            if (value != null && name.startsWith(PREFIX)) {
                ShardedIdKey.named(name)
                    .filter((key) -> !ModuleKeys.isMissing(name))
                    .ifPresentOrElse((key) -> set.put(key, key.read(value)), () -> unknown.add(name));
            }
            else if (value != null && UnknownKeys.behindAnotherPrefix(name).isPresent()) {
                unknown.add(name);
            }
        });
        UnknownKeys.refuse(unknown);
        return new ShardedIdSettings(set);
    }

    /**
     * Returns a builder that holds these settings, but no source of worker ids. The
     * caller adds {@link #workers} or a source of its own, and opens the engine.
     * @throws ShardedIdConfigurationException if an engine was handed over, so that a
     * second one would be opened beside it
     */
    public ShardedIdsBuilder builder() {
        if (isSet(ShardedIdKey.ENGINE)) {
            throw new ShardedIdConfigurationException("Could not open an id engine: '%s' is set".formatted(ENGINE),
                    "use that engine");
        }
        ShardedIdsBuilder builder = ShardedIds.builder()
            .layout(layout())
            .shards(shards())
            .shardFunction(shardFunction())
            .maxAhead(value(ShardedIdKey.CLOCK_MAX_AHEAD, Duration.class))
            .maxWait(value(ShardedIdKey.CLOCK_MAX_WAIT, Duration.class));
        find(ShardedIdKey.OLDER_IDS_BEFORE, Instant.class).ifPresent(builder::olderIdsBefore);
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
     * @throws ShardedIdConfigurationException if the settings of the worker do not go
     * together
     */
    public WorkerLeases workers(LeaseEnvironment environment) {
        return switch (workerMode()) {
            case FIXED -> WorkerLeases.fixed(workerId().orElseThrow(() -> new ShardedIdConfigurationException(
                    "'%s' must be set: shardedid.worker.mode=fixed, shardedid.worker.id=null"
                        .formatted(ShardedIdKey.WORKER_ID.externalName()),
                    "give each process that runs at the same time another one", ShardedIdKey.WORKER_ID.externalName(),
                    "shardedid.worker.mode")));
            case LEASE -> environment.leases(this);
        };
    }

    /** Returns the layout: the preset with the widths and the epoch that were set. */
    public IdLayout layout() {
        return this.layout;
    }

    /**
     * Returns the number of logical shards, which the engine checks against the layout.
     */
    public int shards() {
        return isSet(ShardedIdKey.SHARDS) ? value(ShardedIdKey.SHARDS, Integer.class)
                : ShardedIdsBuilder.defaultShards(this.layout);
    }

    /** Returns the shard function. */
    public ShardFunction shardFunction() {
        return value(ShardedIdKey.SHARD_FUNCTION, ShardFunction.class);
    }

    /** Returns how this process gets its worker id. */
    public WorkerMode workerMode() {
        return value(ShardedIdKey.WORKER_MODE, WorkerMode.class);
    }

    /**
     * Returns the worker id that was set, which the engine checks against the layout.
     * @return any number, or empty
     */
    public OptionalInt workerId() {
        return find(ShardedIdKey.WORKER_ID, Integer.class).map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }

    /**
     * Returns the offline change of a lease table to these settings.
     * @return the change, which connects when it is carried out
     * @throws ShardedIdConfigurationException if they name no database
     */
    public LeaseChange change() {
        return new LeaseChange(reader().terms(), LeaseEnvironment.UNKNOWN.settings(this), leaseTable());
    }

    /**
     * Opens the lease table of these settings, for a command.
     * @return the table, which connects when it is used first
     * @throws ShardedIdConfigurationException if they name no database
     */
    public LeaseStore leaseTable() {
        return LeaseEnvironment.store(this);
    }

    /**
     * Returns the engine that was handed over, and opens it if it waits for that.
     * @return the engine, which belongs to the integration that handed it over, or empty
     */
    public Optional<ShardedIdEngine> engine() {
        return find(ShardedIdKey.ENGINE, Object.class)
            .map((set) -> (set instanceof EngineOnDemand later) ? later.open() : (ShardedIdEngine) set);
    }

    /** Returns what the engine is opened by. */
    public ShardedIdSettings ofEngine() {
        return (this.set.get(ShardedIdKey.ENGINE) instanceof EngineOnDemand later) ? later.settings() : this;
    }

    /**
     * Returns whether a key was set, to whatever value.
     * @return false if the default is in force
     */
    public boolean isSet(ShardedIdKey key) {
        return this.set.containsKey(key);
    }

    /**
     * Returns the value in force.
     * @return an object of the type of the key, or null if a key without a default was
     * not set
     */
    public @Nullable Object get(ShardedIdKey key) {
        Object value = this.set.get(key);
        String byDefault = key.defaultValue();
        return (value != null || byDefault == null) ? value : key.read(byDefault);
    }

    /** Returns the value in force of a key that has a default. */
    public <T> T value(ShardedIdKey key, Class<T> type) {
        return find(key, type).orElseThrow(
                () -> new IllegalStateException("key must have a default: key='%s'".formatted(key.externalName())));
    }

    <T> Optional<T> find(ShardedIdKey key, Class<T> type) {
        return Optional.ofNullable(get(key)).map(type::cast);
    }

    private IdLayout readLayout() {
        String preset = value(ShardedIdKey.LAYOUT_PRESET, String.class);
        IdLayoutBuilder builder = IdLayout.preset(preset).toBuilder();
        if (isSet(ShardedIdKey.EPOCH)) {
            builder.epoch(value(ShardedIdKey.EPOCH, Instant.class));
        }
        find(ShardedIdKey.LAYOUT_SHARD_BITS, Integer.class).ifPresent(builder::shardBits);
        find(ShardedIdKey.LAYOUT_WORKER_BITS, Integer.class).ifPresent(builder::workerBits);
        find(ShardedIdKey.LAYOUT_SEQUENCE_BITS, Integer.class).ifPresent(builder::sequenceBits);
        IdLayout ids = builder.build();
        if (preset.equals("javascript") && ids.lastId() >= BEYOND_JAVASCRIPT) {
            throw new ShardedIdConfigurationException(
                    ("shard-bits + worker-bits + sequence-bits must be <= 19 with "
                            + "shardedid.layout.preset=javascript: shard-bits=%s, worker-bits=%s, sequence-bits=%s "
                            + "(JavaScript would round larger ids)")
                        .formatted(ids.shardBits(), ids.workerBits(), ids.sequenceBits()),
                    "lower the widths that are set, or choose another preset", "shardedid.layout.preset",
                    "shardedid.layout.shard-bits", "shardedid.layout.worker-bits", "shardedid.layout.sequence-bits");
        }
        return ids;
    }

    @Override
    public String toString() {
        return this.set.entrySet()
            .stream()
            .filter((entry) -> entry.getKey().isPublic() && entry.getKey() != ShardedIdKey.LEASE_PASSWORD)
            .map((entry) -> entry.getKey().externalName() + "=" + switch (entry.getKey()) {
                case LEASE_URL -> LeaseConnections.url(entry.getValue().toString(), null, null).describe();
                default -> entry.getValue();
            })
            .collect(Collectors.joining(", ", "[", "]"));
    }

}
