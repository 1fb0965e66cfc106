package io.shardedid.internal.config;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.BiConsumer;

import io.shardedid.IdLayout;
import io.shardedid.LeaseAcquisition;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.internal.MessageText;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import org.jspecify.annotations.Nullable;

/**
 * The configuration keys, each with its default, its type and the part of the lease that
 * it sets. They are the same in {@code persistence.xml} and in
 * {@code application.properties}. The metadata of the starter says what each one means.
 */
public enum ShardedIdKey {

    EPOCH("shardedid.epoch", IdLayout.DEFAULT_EPOCH.toString(), SettingType.INSTANT),

    SHARDS("shardedid.shards", Integer.toString(ShardedIdsBuilder.DEFAULT_SHARDS), SettingType.INTEGER),

    SHARD_FUNCTION("shardedid.shard-function", ShardedIdsBuilder.DEFAULT_SHARD_FUNCTION.id(),
            SettingType.SHARD_FUNCTION),

    OLDER_IDS_BEFORE("shardedid.older-ids-before", null, SettingType.INSTANT),

    LAYOUT_PRESET("shardedid.layout.preset", ShardedIdsBuilder.DEFAULT_PRESET, SettingType.TEXT),

    LAYOUT_SHARD_BITS("shardedid.layout.shard-bits", null, SettingType.INTEGER),

    LAYOUT_WORKER_BITS("shardedid.layout.worker-bits", null, SettingType.INTEGER),

    LAYOUT_SEQUENCE_BITS("shardedid.layout.sequence-bits", null, SettingType.INTEGER),

    WORKER_MODE("shardedid.worker.mode", "lease", SettingType.WORKER_MODE),

    WORKER_ID("shardedid.worker.id", null, SettingType.INTEGER, LeaseSettings.Builder::workerId),

    LEASE_TABLE("shardedid.worker.lease.table", JdbcLeases.DEFAULT_TABLE, SettingType.TEXT),

    LEASE_NAMESPACE("shardedid.worker.lease.namespace", LeaseSettings.DEFAULT_NAMESPACE, SettingType.TEXT,
            LeaseSettings.Builder::namespace),

    LEASE_WORKER_IDS("shardedid.worker.lease.worker-ids", null, SettingType.WORKER_IDS,
            LeaseSettings.Builder::workerIds),

    LEASE_INITIALIZE_SCHEMA("shardedid.worker.lease.initialize-schema",
            SettingType.externalName(JdbcLeases.DEFAULT_INITIALIZATION), SettingType.SCHEMA_INITIALIZATION),

    LEASE_WINDOW("shardedid.worker.lease.window", MessageText.duration(LeaseSettings.DEFAULT_WINDOW),
            SettingType.DURATION, LeaseSettings.Builder::window),

    LEASE_STARTUP_TIMEOUT("shardedid.worker.lease.startup-timeout",
            MessageText.duration(LeaseSettings.DEFAULT_STARTUP_TIMEOUT), SettingType.DURATION,
            LeaseSettings.Builder::startupTimeout),

    LEASE_ACQUIRE("shardedid.worker.lease.acquire", "startup", SettingType.LEASE_ACQUISITION,
            (lease, first) -> lease.firstUse(first == LeaseAcquisition.FIRST_USE)),

    LEASE_TOLERATE_LOST_COMMITS("shardedid.worker.lease.tolerate-lost-commits", "false", SettingType.BOOLEAN,
            LeaseSettings.Builder::tolerateLostCommits),

    LEASE_PROMOTED_CLOCK_BEHIND("shardedid.worker.lease.promoted-clock-behind",
            MessageText.duration(LeaseSettings.DEFAULT_PROMOTED_CLOCK_BEHIND), SettingType.DURATION,
            LeaseSettings.Builder::promotedClockBehind),

    LEASE_DATA_SOURCE("shardedid.worker.lease.data-source", null, SettingType.TEXT),

    LEASE_URL("shardedid.worker.lease.url", null, SettingType.TEXT),

    LEASE_USERNAME("shardedid.worker.lease.username", null, SettingType.TEXT),

    LEASE_PASSWORD("shardedid.worker.lease.password", null, SettingType.TEXT),

    CLOCK_MAX_AHEAD("shardedid.clock.max-ahead", MessageText.duration(ShardedIdsBuilder.DEFAULT_MAX_AHEAD),
            SettingType.DURATION),

    CLOCK_MAX_WAIT("shardedid.clock.max-wait", MessageText.duration(ShardedIdsBuilder.DEFAULT_MAX_WAIT),
            SettingType.DURATION),

    CLOCK_MAX_SKEW("shardedid.clock.max-skew", MessageText.duration(LeaseSettings.DEFAULT_MAX_SKEW),
            SettingType.DURATION, LeaseSettings.Builder::maxSkew),

    ON_KEY_CHANGE("shardedid.on-key-change", "allow", SettingType.KEY_CHANGE),

    JSON_AS_STRING("shardedid.json.as-string", "true", SettingType.BOOLEAN),

    /** Not for users: a ready {@code ShardedIdEngine} in a map of settings. */
    ENGINE("shardedid.engine", null, SettingType.ENGINE),

    /** Not for users: whether an integration answers for the engine. */
    MANAGED("shardedid.managed", "false", SettingType.BOOLEAN);

    private final String externalName;

    private final @Nullable String defaultValue;

    private final SettingType<?> type;

    /** Takes the value over into the settings of a lease, if they have it. */
    private final BiConsumer<LeaseSettings.Builder, Object> lease;

    ShardedIdKey(String externalName, @Nullable String defaultValue, SettingType<?> type) {
        this(externalName, defaultValue, type, (lease, value) -> {
        });
    }

    <T> ShardedIdKey(String externalName, @Nullable String defaultValue, SettingType<T> type,
            BiConsumer<LeaseSettings.Builder, T> lease) {
        this.externalName = externalName;
        this.defaultValue = defaultValue;
        this.type = type;
        this.lease = (settings, value) -> lease.accept(settings, type.javaType().cast(value));
    }

    void apply(Object value, LeaseSettings.Builder settings) {
        this.lease.accept(settings, value);
    }

    /** Returns the key as configuration spells it. */
    public String externalName() {
        return this.externalName;
    }

    /**
     * Returns the default.
     * @return the value as configuration spells it, or null if there is none, or if it
     * follows from other keys
     */
    public @Nullable String defaultValue() {
        return this.defaultValue;
    }

    /** Returns the type of the value. */
    public Class<?> type() {
        return this.type.javaType();
    }

    /**
     * Returns whether users set this key.
     * @return false for what integrations hand over as objects
     */
    public boolean isPublic() {
        return this != ENGINE && this != MANAGED;
    }

    /**
     * Returns whether the value is kept from logs, messages and endpoints.
     * @return true for a password, and for a URL, which may contain a password
     */
    public boolean isSecret() {
        return this == LEASE_PASSWORD || this == LEASE_URL;
    }

    /**
     * Looks a key up by its name.
     * @return the key, or empty if there is none
     */
    public static Optional<ShardedIdKey> named(String externalName) {
        return Arrays.stream(values()).filter((key) -> key.externalName.equals(externalName)).findFirst();
    }

    /**
     * Reads a value of this key.
     * @param value text as a file has it, or an object of {@link #type()}
     * @return an object of {@link #type()}
     * @throws io.shardedid.ShardedIdConfigurationException if the value cannot be read
     */
    public Object read(Object value) {
        return this.type.read(this.externalName, value);
    }

}
