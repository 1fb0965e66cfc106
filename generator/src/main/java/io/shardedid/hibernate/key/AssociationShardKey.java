package io.shardedid.hibernate.key;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIds;

import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;

/**
 * A shard key that is the id of an association's target. It is known without a select,
 * also of a proxy, a bytecode-enhanced reference and a detached object.
 *
 * @param attribute reads the target off the entity
 * @param target the entity name of the target
 * @param id reads the key off the target's identifier; without getters unless that is
 * composite
 * @param primitive whether the key is a primitive, so that 0 stands for none
 * @param shard whether its shard is handed on, or it is a plain key
 */
record AssociationShardKey(AttributePath attribute, String target, AttributePath id, boolean primitive,
        ShardOfKey shard) implements ShardKeyReader {

    @Override
    public int shardOfValue(@Nullable Object value, Object entity, SessionFactoryImplementor factory, ShardedIds ids) {
        Object parent = this.attribute.below(value);
        if (parent == null) {
            throw ScalarShardKey.missing(entity, this.attribute);
        }
        // Hibernate reads it off the object or its proxy, whatever session there is
        Object identifier = factory.getMappingMetamodel()
            .getEntityDescriptor(this.target)
            .getIdentifier(parent, (SharedSessionContractImplementor) null);
        Object key = (identifier != null) ? this.id.read(identifier) : null;
        if (key == null || this.primitive && key instanceof Number number && number.longValue() == 0) {
            throw new ShardKeyException(
                    "Could not generate id of '%s': shard key '%s' is a '%s' without an id (persist the parent first)"
                        .formatted(entity.getClass().getName(), path(), this.target));
        }
        return this.shard.shardOf(key, entity, ids);
    }

}
