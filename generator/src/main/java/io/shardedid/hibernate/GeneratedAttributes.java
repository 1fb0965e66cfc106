package io.shardedid.hibernate;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.shardedid.IdLayout;
import io.shardedid.IdStrategy;

import org.jspecify.annotations.Nullable;

/**
 * The attributes of a unit that have a generator, who makes their ids, and how the shard
 * keys of their rows are read. Thread-safe.
 */
final class GeneratedAttributes {

    private final Map<String, IdStrategy> strategies = new ConcurrentHashMap<>();

    private final Map<String, ShardedRow> rows = new ConcurrentHashMap<>();

    boolean contain(String entity, String attribute) {
        return this.strategies.containsKey(entity + "." + attribute);
    }

    /**
     * Notes that there is a generator.
     * @throws ShardedIdMappingException if another attribute's ids could be the same
     */
    void add(String entity, String attribute, IdStrategy strategy, IdLayout layout) {
        String name = entity + "." + attribute;
        this.strategies.put(name, strategy);
        if (layout.workerBits() > 0) {
            return;
        }
        this.strategies.forEach((other, itsStrategy) -> {
            if (itsStrategy != strategy) {
                throw new ShardedIdMappingException(
                        ("'@ShardedId' on '%s' and on '%s' have different strategies, %s and %s, and ids of this layout do "
                                + "not tell who made them: layout=%s; use one strategy, or a layout with worker bits")
                            .formatted(name, other, strategy, itsStrategy, layout));
            }
        });
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
