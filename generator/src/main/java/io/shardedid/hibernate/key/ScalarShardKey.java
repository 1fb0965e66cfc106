package io.shardedid.hibernate.key;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIds;

import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jspecify.annotations.Nullable;

/**
 * A shard key that is a value of the entity itself or of its embeddables.
 */
record ScalarShardKey(AttributePath attribute, ShardOfKey shard) implements ShardKeyReader {

    @Override
    public int shardOfValue(@Nullable Object value, Object entity, SessionFactoryImplementor factory, ShardedIds ids) {
        Object key = this.attribute.below(value);
        if (key == null) {
            throw missing(entity, this.attribute);
        }
        return this.shard.shardOf(key, entity, ids);
    }

    static ShardKeyException missing(Object entity, AttributePath attribute) {
        return new ShardKeyException(("Could not generate id of '%s': shard key '%s' is null (set it before persist; "
                + "@PrePersist, auditing and @TenantId run later)")
            .formatted(entity.getClass().getName(), attribute.text()));
    }

}
