package io.shardedid.hibernate;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The attributes of a unit that have a generator, and how the shard keys of their rows
 * are read. Thread-safe.
 */
final class GeneratedAttributes {

    private final Set<String> attributes = ConcurrentHashMap.newKeySet();

    private final Map<String, ShardedRow> rows = new ConcurrentHashMap<>();

    boolean contain(String entity, String attribute) {
        return this.attributes.contains(entity + "." + attribute);
    }

    void add(String entity, String attribute) {
        this.attributes.add(entity + "." + attribute);
    }

    /**
     * Notes how the shard key of an entity is read. The key of the identifier comes
     * before that of another attribute.
     * @param entity the root of its hierarchy
     */
    void addRow(String entity, ShardedRow row) {
        this.rows.merge(entity, row, (old, now) -> (now.id() != null || old.id() == null) ? now : old);
    }

    /** Returns how the shard key of an entity is read, or null if it has none. */
    @Nullable ShardedRow row(String rootEntity) {
        return this.rows.get(rootEntity);
    }

}
