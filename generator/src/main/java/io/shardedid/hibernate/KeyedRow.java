package io.shardedid.hibernate;

import io.shardedid.hibernate.key.IdForm;
import io.shardedid.hibernate.key.ShardKeyReader;
import org.hibernate.property.access.spi.Getter;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the rows of an entity that has a shard key.
 *
 * @param key reads the shard key
 * @param id the form of the identifier, null if that is not the attribute that carries
 * the shard
 * @param part reads the attribute that carries the shard off a composite identifier, null
 * if the identifier is that attribute itself
 */
record KeyedRow(ShardKeyReader key, @Nullable IdForm id, @Nullable Getter part) {

    /** The number in an identifier, or null if the identifier carries no shard. */
    @Nullable Long number(Object identifier) {
        Object carrying = (this.part != null) ? this.part.get(identifier) : identifier;
        return (this.id != null && carrying != null) ? Long.valueOf(this.id.idOf(carrying)) : null;
    }

}
