package io.shardedid.config;

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
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.format.PublicIdForm;
import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.format.SealingKeys;
import io.shardedid.worker.WorkerLeases;
import io.shardedid.worker.WorkerMode;
import io.shardedid.worker.table.LeaseConnections;

import org.jspecify.annotations.Nullable;

/**
 * The configuration under {@code shardedid.*}, read and checked. Immutable and safe for
 * use by many threads.
 *
 * @see ShardedIdKey
 */
public final class ShardedIdSettings {

    /** What all keys begin with. */
    public static final String PREFIX = "shardedid.";

    /** The key under which an integration hands a ready {@link ShardedIdEngine} over. */
    public static final String ENGINE = "shardedid.engine";

    /**
     * The key by which an integration says that it answers for the engine: its own
     * {@code ShardedIdSettings}, or {@code true}. With it and without {@link #ENGINE} a
     * session factory with sharded ids is not built.
     */
    public static final String MANAGED = "shardedid.managed";

    /** The first whole number that JavaScript may round. */
    private static final long BEYOND_JAVASCRIPT = 1L << 53;

    /** What was set, defaults left out. */
    private final Map<ShardedIdKey, Object> set;

    private final IdLayout layout;

    private ShardedIdSettings(Map<ShardedIdKey, Object> set) {
        this.set = set;
        this.layout = checkedLayout();
        refuseNumbersOfOtherForms();
    }

    /**
     * Reads the keys that start with {@code shardedid.}; others and those whose value is
     * null are left alone, but for keys whose prefix is misspelt.
     * @param settings strings as they stand in a file, or objects of the type of the key
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
                    .ifPresentOrElse((key) -> set.put(key, key.read(value)), () -> unknown.add(name));
            }
            else if (value != null && UnknownKeys.behindAnotherPrefix(name).isPresent()) {
                unknown.add(name);
            }
        });
        UnknownKeys.refuse(unknown);
        return new ShardedIdSettings(set);
    }

    private void refuseNumbersOfOtherForms() {
        PublicIdForm form = publicIds().form();
        if (form != PublicIdForm.DECIMAL && jsonAsString() == JsonAsString.FALSE) {
            throw new ShardedIdConfigurationException(
                    ("'shardedid.json.as-string' must not be false where ids have another form than decimal: "
                            + "shardedid.json.as-string=false, shardedid.form=%s; remove one of the keys")
                        .formatted(form.externalName()));
        }
    }

    private IdLayout checkedLayout() {
        IdLayoutBuilder builder = IdLayout.preset((String) value(ShardedIdKey.LAYOUT_PRESET)).toBuilder();
        if (this.set.get(ShardedIdKey.EPOCH) instanceof Instant epoch) {
            builder.epoch(epoch);
        }
        if (get(ShardedIdKey.LAYOUT_SHARD_BITS) instanceof Integer bits) {
            builder.shardBits(bits);
        }
        if (get(ShardedIdKey.LAYOUT_WORKER_BITS) instanceof Integer bits) {
            builder.workerBits(bits);
        }
        if (get(ShardedIdKey.LAYOUT_SEQUENCE_BITS) instanceof Integer bits) {
            builder.sequenceBits(bits);
        }
        IdLayout built = builder.build();
        if (value(ShardedIdKey.LAYOUT_PRESET).equals("javascript") && built.lastId() >= BEYOND_JAVASCRIPT) {
            throw new ShardedIdConfigurationException(
                    ("shard-bits + worker-bits + sequence-bits must be <= 19 with shardedid.layout.preset=javascript: "
                            + "shard-bits=%d, worker-bits=%d, sequence-bits=%d; JavaScript would round larger ids")
                        .formatted(built.shardBits(), built.workerBits(), built.sequenceBits()));
        }
        return built;
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
            throw new ShardedIdConfigurationException(
                    "An engine was handed over, none can be opened: '%s' is set; use that one".formatted(ENGINE));
        }
        ShardedIdsBuilder builder = ShardedIds.builder()
            .layout(this.layout)
            .shards(shards())
            .shardFunction(shardFunction())
            .maxAhead(maxAhead())
            .maxWait(maxWait());
        legacyBefore().ifPresent(builder::legacyBefore);
        return builder;
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
        if (workerMode() == WorkerMode.RANDOM && workerId().isPresent()) {
            throw new ShardedIdConfigurationException(
                    "'%s' must not be set with 'shardedid.worker.mode=random', which draws one: shardedid.worker.id=%d; "
                        .formatted(ShardedIdKey.WORKER_ID.externalName(), workerId().getAsInt())
                            + "remove it, or set 'shardedid.worker.mode' to 'fixed'");
        }
        return switch (workerMode()) {
            case FIXED -> WorkerLeases.fixed(workerId().orElseThrow(() -> new ShardedIdConfigurationException(
                    "'%s' must be set: shardedid.worker.mode=fixed, shardedid.worker.id=null; give each process that "
                        .formatted(ShardedIdKey.WORKER_ID.externalName()) + "runs at the same time another one")));
            case NONE -> WorkerLeases.none();
            case RANDOM -> WorkerLeases.random();
            case LEASE -> environment.leases(this);
        };
    }

    /**
     * Returns the layout: the preset with the widths and the epoch that were set.
     * @return the layout
     */
    public IdLayout layout() {
        return this.layout;
    }

    /**
     * Returns the number of logical shards, which the engine checks against the layout.
     * @return any number
     */
    public int shards() {
        return isSet(ShardedIdKey.SHARDS) ? (Integer) value(ShardedIdKey.SHARDS)
                : ShardedIdsBuilder.defaultShards(this.layout);
    }

    /**
     * Returns the shard function.
     * @return the function
     */
    public ShardFunction shardFunction() {
        return (ShardFunction) value(ShardedIdKey.SHARD_FUNCTION);
    }

    /**
     * Returns the time before which ids are legacy.
     * @return the time, or empty if the very first lease draws the line
     */
    public Optional<Instant> legacyBefore() {
        return Optional.ofNullable((Instant) get(ShardedIdKey.LEGACY_BEFORE));
    }

    /**
     * Returns how this process comes by its worker id.
     * @return the mode
     */
    public WorkerMode workerMode() {
        return (WorkerMode) value(ShardedIdKey.WORKER_MODE);
    }

    /**
     * Returns the worker id that was set, which the engine checks against the layout.
     * @return any number, or empty
     */
    public OptionalInt workerId() {
        return this.set.get(ShardedIdKey.WORKER_ID) instanceof Integer id ? OptionalInt.of(id) : OptionalInt.empty();
    }

    /**
     * Returns how far ids may run ahead of the clock.
     * @return not negative
     */
    public Duration maxAhead() {
        return (Duration) value(ShardedIdKey.CLOCK_MAX_AHEAD);
    }

    /**
     * Returns how long a caller may wait for an id.
     * @return not negative
     */
    public Duration maxWait() {
        return (Duration) value(ShardedIdKey.CLOCK_MAX_WAIT);
    }

    /**
     * Returns what happens when an update takes a shard key to another shard.
     * @return {@link KeyChange#ALLOW} unless set otherwise
     */
    public KeyChange onKeyChange() {
        return (KeyChange) value(ShardedIdKey.ON_KEY_CHANGE);
    }

    /**
     * Returns which whole numbers leave as strings in JSON.
     * @return {@link JsonAsString#TRUE} unless set otherwise
     */
    public JsonAsString jsonAsString() {
        return (JsonAsString) value(ShardedIdKey.JSON_AS_STRING);
    }

    /**
     * Returns the forms of ids outside the database.
     * @return decimal for all entities unless set otherwise
     * @since 0.1
     */
    public PublicIdFormats publicIds() {
        return PublicIdFormats.of((PublicIdForm) value(ShardedIdKey.FORM),
                (SealingKeys) get(ShardedIdKey.SEALING_KEYS));
    }

    /**
     * Refuses what JSON and the web could not do with the ids of an entity, before there
     * are any ids.
     * @param entity the class of the entity
     * @param attribute the name of the attribute with its id
     * @param type the type of the attribute
     * @throws ShardedIdConfigurationException as
     * {@link PublicIdFormats#forAttribute(Class, String, Class)} does, and if the ids
     * have another form than the plain number while JSON is to carry numbers
     * @since 0.1
     */
    public void checkForm(Class<?> entity, String attribute, Class<?> type) {
        boolean plain = publicIds().forAttribute(entity, attribute, type).map(PublicIdFormat::plain).orElse(true);
        if (!plain && jsonAsString() == JsonAsString.FALSE) {
            throw new ShardedIdConfigurationException(
                    ("'shardedid.json.as-string' must not be false where ids have another form than decimal: "
                            + "shardedid.json.as-string=false, entity='%s'; remove the key")
                        .formatted(entity.getName()));
        }
    }

    /**
     * Returns the engine that was handed over.
     * @return the engine, which belongs to whoever handed it over, or empty
     */
    public Optional<ShardedIdEngine> engine() {
        return Optional.ofNullable((ShardedIdEngine) this.set.get(ShardedIdKey.ENGINE));
    }

    /**
     * Tells whether an integration answers for the engine.
     * @return true if {@link #MANAGED} is set, and not to false
     */
    public boolean managed() {
        Object managed = this.set.get(ShardedIdKey.MANAGED);
        return managed != null && !Boolean.FALSE.equals(managed);
    }

    /**
     * Returns the settings of the integration that answers for the engine.
     * @return the settings, or empty if the integration gave none
     * @since 0.1
     */
    public Optional<ShardedIdSettings> managing() {
        return this.set.get(ShardedIdKey.MANAGED) instanceof ShardedIdSettings settings ? Optional.of(settings)
                : Optional.empty();
    }

    /**
     * Tells whether a key was set, to whatever value.
     * @param key the key
     * @return false if the default is in force
     */
    public boolean isSet(ShardedIdKey key) {
        return this.set.containsKey(key);
    }

    /**
     * Returns the value in force.
     * @param key the key
     * @return an object of the type of the key, or null if a key without a default was
     * not set
     */
    public @Nullable Object get(ShardedIdKey key) {
        Object value = this.set.get(key);
        String byDefault = key.defaultValue();
        return (value != null || byDefault == null) ? value : key.read(byDefault);
    }

    Object value(ShardedIdKey key) {
        Object value = get(key);
        if (value == null) {
            throw new IllegalStateException("key must have a default: key='%s'".formatted(key.externalName()));
        }
        return value;
    }

    @Override
    public String toString() {
        return this.set.entrySet()
            .stream()
            .filter((entry) -> entry.getKey().isPublic() && entry.getKey() != ShardedIdKey.LEASE_PASSWORD)
            .map((entry) -> entry.getKey().externalName() + "=" + ((entry.getKey() == ShardedIdKey.LEASE_URL)
                    ? LeaseConnections.url(entry.getValue().toString(), null, null).describe() : entry.getValue()))
            .collect(Collectors.joining(", ", "[", "]"));
    }

}
