package io.shardedid.hibernate;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.shardedid.IdLayout;
import io.shardedid.IdStrategy;
import io.shardedid.ShardedIdEngine;
import io.shardedid.key.IdForm;

import org.hibernate.AnnotationException;
import org.hibernate.property.access.spi.Getter;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a unit that have a generator, who makes their ids, and how the shard
 * keys of their rows are read. Safe for use by many threads.
 */
final class GeneratedAttributes {

    private final Map<String, IdStrategy> strategies = new ConcurrentHashMap<>();

    private final Map<String, ShardedRow> rows = new ConcurrentHashMap<>();

    boolean contain(String entity, String attribute) {
        return this.strategies.containsKey(entity + "." + attribute);
    }

    /**
     * Notes that there is a generator.
     * @throws AnnotationException if another attribute's ids could be the same
     */
    void add(String entity, String attribute, IdStrategy strategy, IdLayout layout) {
        String name = entity + "." + attribute;
        this.strategies.put(name, strategy);
        if (layout.workerBits() > 0) {
            return;
        }
        this.strategies.forEach((other, itsStrategy) -> {
            if (itsStrategy != strategy) {
                throw new AnnotationException(
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

    /**
     * The rows of an entity that has a shard key.
     *
     * @param key reads the shard key
     * @param id the form of the identifier, null if that is not the attribute that
     * carries the shard
     * @param part reads the attribute that carries the shard off a composite identifier,
     * null if the identifier is that attribute itself
     */
    record ShardedRow(ShardKey key, @Nullable IdForm id, @Nullable Getter part) {

        /**
         * The shard that an identifier carries, or null where it is not ours, or from
         * before us.
         */
        @Nullable Integer shardIn(Object identifier, ShardedIdEngine ids) {
            Object carrying = (this.part != null) ? this.part.get(identifier) : identifier;
            return (this.id != null && carrying != null) ? this.id.shardIn(carrying, ids) : null;
        }

    }

}
