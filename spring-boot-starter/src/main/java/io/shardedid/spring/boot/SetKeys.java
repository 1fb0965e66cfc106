package io.shardedid.spring.boot;

import java.util.LinkedHashMap;
import java.util.Map;

import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The keys that an application sets. They are only bound here: {@link ShardedIdSettings}
 * has the defaults and rules, so that {@code persistence.xml} and
 * {@code application.properties} mean the same.
 *
 * @since 0.1
 */
public final class SetKeys {

    private SetKeys() {
    }

    /**
     * Returns what was set, as the map that {@code ShardedIdSettings} reads.
     * @param environment where it was set
     * @return values by key, without the keys that were not set
     */
    public static Map<String, Object> of(Environment environment) {
        return of(Binder.get(environment));
    }

    static Map<String, Object> of(Binder binder) {
        Map<String, Object> settings = new LinkedHashMap<>();
        for (ShardedIdKey key : ShardedIdKey.values()) {
            if (key.isPublic()) {
                binder.bind(key.externalName(), type(key)).ifBound((value) -> settings.put(key.externalName(), value));
            }
        }
        return settings;
    }

    /** The settings read what Spring Boot has no form for. */
    private static Class<?> type(ShardedIdKey key) {
        return (key.type().isEnum() || key.type().getName().startsWith("java.")) ? key.type() : String.class;
    }

}
