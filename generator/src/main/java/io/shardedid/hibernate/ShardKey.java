package io.shardedid.hibernate;

import io.shardedid.IdReader;
import io.shardedid.ShardKeyException;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.proxy.HibernateProxy;
import org.hibernate.proxy.LazyInitializer;
import org.jspecify.annotations.Nullable;

/**
 * The shard key of an entity: it finds the shard of a row that is about to be inserted.
 * Everything was resolved and checked when the session factory was built, so reading
 * selects nothing and looks nothing up by reflection. Immutable and thread-safe.
 *
 * @param attribute reads the key, or the association that leads to it, off the entity
 * @param target the target of that association, whose id is the key, or null
 * @param shard the way from the key to the shard
 * @param optional whether the generator chooses the shard of a row without the key
 * @param tenant whether the key is the {@code @TenantId}. Hibernate sets it after it
 * asked for the id, so an empty one is read from the session, which knows it. (A
 * primitive one Hibernate refuses unless the application has set it.)
 * @param filledBy the association that fills the key, a part of the id, by
 * {@code @MapsId} after Hibernate asked for the id; or null
 */
record ShardKey(AttributePath attribute, @Nullable Target target, ShardOfKey shard, boolean optional, boolean tenant,
        @Nullable ShardKey filledBy) {

    /**
     * Reads the shard key off an entity and maps it to its shard.
     * @return 0 to shards - 1, or {@link ShardOfKey#OWN_SHARD}
     * @throws ShardKeyException if the key is null and not optional, or leads to no
     * shard; the message names the entity and the key
     */
    int shardOf(Object entity, SharedSessionContractImplementor session, IdReader ids) {
        ShardKey filling = this.filledBy;
        if (filling != null && filling.attribute.read(entity) != null) {
            return filling.shardOf(entity, session, ids);
        }
        Object set = this.attribute.read(entity);
        Object value = (set == null && this.tenant) ? session.getTenantIdentifierValue() : set;
        return shardOfValue(value, entity, session.getFactory(), ids);
    }

    /**
     * Maps a value that the attribute at the end of the path has, or had, to its shard,
     * as {@link #shardOf} does.
     */
    int shardOfValue(@Nullable Object value, Object entity, SessionFactoryImplementor factory, IdReader ids) {
        if (value == null && this.optional) {
            return ShardOfKey.OWN_SHARD;
        }
        if (value == null) {
            throw new ShardKeyException(
                    ("Could not generate id of '%s': shard key '%s' is null (set it before persist; "
                            + "'@PrePersist' and auditing run later); if a row may have none, set '@ShardedId(optionalKey = "
                            + "true)', and the generator chooses the shard")
                        .formatted(entity.getClass().getName(), path()));
        }
        Target association = this.target;
        Object key = (association != null) ? association.keyOf(value, factory) : value;
        if (key == null) {
            throw new ShardKeyException(
                    "Could not find the shard of '%s': shard key '%s' is a '%s' without an id (persist the parent first)"
                        .formatted(entity.getClass().getName(), path(),
                                (association != null) ? association.entityName() : null));
        }
        return this.shard.shardOf(key, entity, ids);
    }

    /**
     * Maps what a query is given for the key to its shard: its value, or for an
     * association the row that it leads to.
     */
    int shardOfArgument(Object argument, SessionFactoryImplementor factory, IdReader ids) {
        boolean row = this.target != null && (HibernateProxy.extractLazyInitializer(argument) != null
                || factory.getMappingMetamodel().findEntityDescriptor(argument.getClass()) != null);
        return row ? shardOfValue(argument, argument, factory, ids) : this.shard.shardOf(argument, argument, ids);
    }

    String path() {
        return this.attribute.text();
    }

    /**
     * The target of an association, and where the key is in its identifier. The
     * identifier is known without a select, also of a proxy, a bytecode-enhanced
     * reference and a detached object.
     *
     * @param entityName the entity name of the target
     * @param part reads the key off the identifier; without getters unless that is
     * composite
     * @param primitive whether the key is a primitive, so that 0 stands for none
     * @param next the target of the association that the part is, if the identifier is
     * derived from another entity's; else null
     */
    record Target(String entityName, AttributePath part, boolean primitive, @Nullable Target next) {

        /** Returns the key, or null while the target or one behind it has no id. */
        @Nullable Object keyOf(Object target, SessionFactoryImplementor factory) {
            // Hibernate reads it off the object or its proxy, whatever session there is
            Object identifier = factory.getMappingMetamodel()
                .getEntityDescriptor(this.entityName)
                .getIdentifier(target, (SharedSessionContractImplementor) null);
            if (this.next != null) {
                // an object may be its own identifier, and its reference has no values
                LazyInitializer reference = HibernateProxy.extractLazyInitializer(identifier);
                Object read = (reference != null) ? reference.getInternalIdentifier() : identifier;
                Object behind = (read != null) ? this.part.read(read) : null;
                return (behind != null) ? this.next.keyOf(behind, factory) : null;
            }
            Object key = (identifier != null) ? this.part.read(identifier) : null;
            return (this.primitive && key instanceof Number number && number.longValue() == 0) ? null : key;
        }

    }

}
