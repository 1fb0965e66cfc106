package io.shardedid.hibernate;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.key.IdForm;

import org.hibernate.property.access.spi.Getter;
import org.jspecify.annotations.Nullable;

/**
 * The attribute of an identifier that carries the shard of the row.
 *
 * @param form how the id stands in it
 * @param part reads it off a composite identifier, null if the identifier is that
 * attribute itself
 */
record ShardCarrier(IdForm form, @Nullable Getter part) {

    /** Reads the attribute off an identifier, or null while it has no value. */
    @Nullable Object read(Object identifier) {
        return (this.part != null) ? this.part.get(identifier) : identifier;
    }

    /**
     * The shard that an identifier carries, or null where it is not ours, or from before
     * us.
     */
    @Nullable Integer shardIn(Object identifier, ShardedIdEngine ids) {
        Object id = read(identifier);
        return (id != null) ? this.form.shardIn(id, ids) : null;
    }

    /** Whether the bits of an identifier name a shard, whoever made it. */
    boolean names(int shard, Object identifier, IdLayout layout) {
        Object id = read(identifier);
        return id != null && this.form.names(shard, id, layout);
    }

}
