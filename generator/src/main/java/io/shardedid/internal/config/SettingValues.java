package io.shardedid.internal.config;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

import io.shardedid.ShardedIdConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * The values of the keys, each of which was read once.
 */
final class SettingValues {

    /** What was set, defaults left out. */
    private final Map<ShardedIdKey, Object> set;

    /** What was set, and the defaults of all other keys. */
    private final Map<ShardedIdKey, Object> inForce = new EnumMap<>(ShardedIdKey.class);

    private SettingValues(Map<ShardedIdKey, Object> set) {
        this.set = set;
        for (ShardedIdKey key : ShardedIdKey.values()) {
            String byDefault = key.defaultValue();
            if (set.containsKey(key)) {
                this.inForce.put(key, set.get(key));
            }
            else if (byDefault != null) {
                this.inForce.put(key, key.read(byDefault));
            }
        }
    }

    /**
     * Reads the keys of ours, and leaves others alone but for those whose prefix is
     * misspelt.
     * @throws ShardedIdConfigurationException if a key is unknown or a value cannot be
     * read
     */
    static SettingValues of(Map<String, ?> settings) {
        Map<ShardedIdKey, Object> set = new EnumMap<>(ShardedIdKey.class);
        Map<String, Object> unknown = new HashMap<>();
        settings.forEach((name, value) -> {
            if (value != null && name.startsWith(UnknownKeys.PREFIX)) {
                ShardedIdKey.named(name)
                    .filter((key) -> !ModuleKeys.isMissing(name))
                    .ifPresentOrElse((key) -> set.put(key, key.read(value)), () -> unknown.put(name, value));
            }
            else if (value != null && UnknownKeys.behindAnotherPrefix(name).isPresent()) {
                unknown.put(name, value);
            }
        });
        UnknownKeys.refuse(unknown);
        return new SettingValues(set);
    }

    Map<ShardedIdKey, Object> set() {
        return this.set;
    }

    /** Returns what was set, or null. */
    <T> @Nullable T set(ShardedIdKey key, SettingType<T> type) {
        Object value = this.set.get(key);
        return (value != null) ? type.javaType().cast(value) : null;
    }

    /** Returns the value in force, or null if a key without a default was not set. */
    @Nullable Object get(ShardedIdKey key) {
        return this.inForce.get(key);
    }

    /** Returns the value in force of a key with a default. */
    <T> T value(ShardedIdKey key, SettingType<T> type) {
        Object value = this.inForce.get(key);
        if (value == null) {
            throw new IllegalStateException("key must have a default: key='%s'".formatted(key.externalName()));
        }
        return type.javaType().cast(value);
    }

}
