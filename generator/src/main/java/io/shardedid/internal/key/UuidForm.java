package io.shardedid.internal.key;

import java.util.UUID;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.ShardedIds;
import io.shardedid.UuidLayout;
import org.jspecify.annotations.Nullable;

/**
 * The form of a UUID that carries a shard.
 *
 * @since 0.1
 */
public non-sealed interface UuidForm extends IdForm {

    /** The UUID itself. */
    UuidForm PLAIN = new UuidForm() {
        @Override
        public Object valueOf(UUID id) {
            return id;
        }

        @Override
        public UUID uuidOf(Object value) {
            return (UUID) value;
        }
    };

    /**
     * Returns the value that the attribute has for an id.
     * @param id the id
     * @return the value
     */
    Object valueOf(UUID id);

    /**
     * Returns the id that a value of the attribute stands for.
     * @param value the value of the attribute
     * @return the id
     * @throws NumberFormatException if it stands for none
     */
    UUID uuidOf(Object value);

    @Override
    default Object next(int shard, ShardedIds ids) {
        return valueOf((shard != ShardOfKey.OWN_SHARD) ? ids.uuids().next(shard) : ids.uuids().next());
    }

    @Override
    default int shardOf(Object value, IdReader ids) {
        return ids.shardOf(uuidOf(value));
    }

    @Override
    default @Nullable Integer shardIn(Object value, IdReader ids) {
        UUID id = uuidOf(value);
        return ids.isOlder(id) ? null : Integer.valueOf(UuidLayout.shardOf(id));
    }

    @Override
    default boolean names(int shard, Object value, IdLayout layout) {
        UUID id = uuidOf(value);
        return UuidLayout.isVersion7(id) && UuidLayout.shardOf(id) == shard;
    }

}
