package io.shardedid.hibernate.key;

import io.shardedid.ShardedIds;

import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;

/**
 * A shard key that is the {@code @TenantId} of the entity. Hibernate sets that attribute
 * after it asked for the id, so an empty one is read from the session, which knows it. (A
 * primitive one Hibernate refuses unless the application has set it.)
 * <p>
 * The type is public for package {@code io.shardedid.hibernate} only and is no API.
 *
 * @param key the attribute as a plain key
 * @since 0.1
 */
public record TenantShardKey(ScalarShardKey key) implements ShardKeyReader {

    @Override
    public int shardOf(Object entity, SharedSessionContractImplementor session, ShardedIds ids) {
        Object set = attribute().first(entity);
        return shardOfValue((set != null) ? set : session.getTenantIdentifierValue(), entity, session.getFactory(),
                ids);
    }

    @Override
    public int shardOfValue(@Nullable Object value, Object entity, SessionFactoryImplementor factory, ShardedIds ids) {
        return this.key.shardOfValue(value, entity, factory, ids);
    }

    @Override
    public ShardOfKey shard() {
        return this.key.shard();
    }

    @Override
    public AttributePath attribute() {
        return this.key.attribute();
    }

}
