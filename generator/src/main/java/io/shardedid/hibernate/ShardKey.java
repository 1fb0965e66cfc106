package io.shardedid.hibernate;

import io.shardedid.IdReader;
import io.shardedid.ShardKeyException;
import io.shardedid.internal.key.KeyRefusal;
import io.shardedid.internal.key.ShardOfKey;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.proxy.HibernateProxy;
import org.hibernate.proxy.LazyInitializer;
import org.jspecify.annotations.Nullable;

/**
 * The shard key of an entity: it finds the shard of a row that is about to be inserted.
 * Everything was resolved and checked when the session factory was built, so reading
 * selects nothing and looks nothing up by reflection. Immutable and thread-safe.
 */
sealed interface ShardKey {

    /**
     * Reads the shard key off an entity and maps it to its shard.
     * @param entity the entity
     * @param session the session that inserts the entity
     * @param ids reads the ids of this fleet
     * @return 0 to shards - 1, or {@link ShardOfKey#OWN_SHARD}
     * @throws io.shardedid.ShardKeyException if the key is null and not optional, or
     * leads to no shard; the message names the entity and the key
     */
    default int shardOf(Object entity, SharedSessionContractImplementor session, IdReader ids) {
        return shardOfValue(attribute().read(entity), entity, session.getFactory(), ids);
    }

    /**
     * Maps a value that the attribute at the end of the path has, or had, to its shard.
     * @param value the value, or null if there is none
     * @param entity the entity, for the message of a refusal
     * @param factory the session factory
     * @param ids reads the ids of this fleet
     * @return 0 to shards - 1, or {@link ShardOfKey#OWN_SHARD}
     * @throws io.shardedid.ShardKeyException as above
     */
    int shardOfValue(@Nullable Object value, Object entity, SessionFactoryImplementor factory, IdReader ids);

    /**
     * Maps what a query is given for the key to its shard.
     * @param argument the value of the key; for an association the row that it leads to,
     * or the id of that row
     * @param factory the session factory
     * @param ids reads the ids of this fleet
     * @return 0 to shards - 1
     * @throws io.shardedid.ShardKeyException if it leads to no shard
     */
    int shardOfArgument(Object argument, SessionFactoryImplementor factory, IdReader ids);

    /**
     * Returns how the key is read off an entity.
     * @return the path
     */
    AttributePath attribute();

    /**
     * Returns the way from the key to the shard.
     * @return the way
     */
    ShardOfKey shard();

    /**
     * Returns whether the generator chooses the shard of a row without the key. @return
     * false if a row with a null key fails
     */
    boolean optional();

    /**
     * Returns the key as the annotation spells it.
     * @return the text of the path
     */
    default String path() {
        return attribute().text();
    }

    private int withoutKey(Object entity) {
        if (optional()) {
            return ShardOfKey.OWN_SHARD;
        }
        throw KeyRefusal.keyIsNull(entity, path(), "set it before persist; '@PrePersist' and auditing run later");
    }

    /**
     * A value of the entity itself or of its embeddables.
     *
     * @param attribute reads the value off the entity
     * @param shard the way from the value to the shard
     * @param optional whether it may be null
     */
    record Scalar(AttributePath attribute, ShardOfKey shard, boolean optional) implements ShardKey {

        @Override
        public int shardOfValue(@Nullable Object value, Object entity, SessionFactoryImplementor factory,
                IdReader ids) {
            return (value != null) ? this.shard.shardOf(value, entity, ids) : ((ShardKey) this).withoutKey(entity);
        }

        @Override
        public int shardOfArgument(Object argument, SessionFactoryImplementor factory, IdReader ids) {
            return this.shard.shardOf(argument, argument, ids);
        }

    }

    /**
     * The {@code @TenantId} of the entity. Hibernate sets that attribute after it asked
     * for the id, so an empty one is read from the session, which knows it. (A primitive
     * one Hibernate refuses unless the application has set it.)
     *
     * @param key the attribute as a value of the entity
     */
    record Tenant(Scalar key) implements Later {

        @Override
        public int shardOf(Object entity, SharedSessionContractImplementor session, IdReader ids) {
            Object set = attribute().read(entity);
            return shardOfValue((set != null) ? set : session.getTenantIdentifierValue(), entity, session.getFactory(),
                    ids);
        }

    }

    /**
     * A part of the id that an association fills, by {@code @MapsId}, after Hibernate
     * asked for the id.
     *
     * @param key the part as a value of the entity
     * @param by reads the same value off the association
     */
    record Mapped(Scalar key, Association by) implements Later {

        @Override
        public int shardOf(Object entity, SharedSessionContractImplementor session, IdReader ids) {
            return (this.by.attribute().read(entity) != null) ? this.by.shardOf(entity, session, ids)
                    : this.key.shardOf(entity, session, ids);
        }

    }

    /** A value that Hibernate sets after it asked for the id. */
    sealed interface Later extends ShardKey {

        /** Returns the same as a value that the application has set. */
        Scalar key();

        @Override
        default int shardOfValue(@Nullable Object value, Object entity, SessionFactoryImplementor factory,
                IdReader ids) {
            return key().shardOfValue(value, entity, factory, ids);
        }

        @Override
        default int shardOfArgument(Object argument, SessionFactoryImplementor factory, IdReader ids) {
            return key().shardOfArgument(argument, factory, ids);
        }

        @Override
        default AttributePath attribute() {
            return key().attribute();
        }

        @Override
        default ShardOfKey shard() {
            return key().shard();
        }

        @Override
        default boolean optional() {
            return key().optional();
        }

    }

    /**
     * The id of an association's target. It is known without a select, also of a proxy, a
     * bytecode-enhanced reference and a detached object.
     *
     * @param attribute reads the target off the entity
     * @param target what is known of the target
     * @param shard whether its shard is handed on, or it is a plain key
     * @param optional whether the association may be null
     */
    record Association(AttributePath attribute, Target target, ShardOfKey shard, boolean optional) implements ShardKey {

        @Override
        public int shardOfValue(@Nullable Object value, Object entity, SessionFactoryImplementor factory,
                IdReader ids) {
            if (value == null) {
                return ((ShardKey) this).withoutKey(entity);
            }
            Object key = this.target.keyOf(value, factory);
            if (key == null) {
                throw new ShardKeyException(
                        "Could not generate id of '%s': shard key '%s' is a '%s' without an id (persist the parent first)"
                            .formatted(entity.getClass().getName(), path(), this.target.entityName()));
            }
            return this.shard.shardOf(key, entity, ids);
        }

        @Override
        public int shardOfArgument(Object argument, SessionFactoryImplementor factory, IdReader ids) {
            boolean row = HibernateProxy.extractLazyInitializer(argument) != null
                    || factory.getMappingMetamodel().findEntityDescriptor(argument.getClass()) != null;
            Object key = row ? this.target.keyOf(argument, factory) : argument;
            if (key == null) {
                throw new ShardKeyException("Could not find the shard of '%s': shard key '%s' is a '%s' without an id"
                    .formatted(argument.getClass().getName(), path(), this.target.entityName()));
            }
            return this.shard.shardOf(key, argument, ids);
        }

    }

    /**
     * The target of an association, and where the key is in its identifier.
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
