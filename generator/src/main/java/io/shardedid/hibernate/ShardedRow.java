package io.shardedid.hibernate;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.ShardKeyException;

import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * The rows of an entity that has a shard key.
 *
 * @param key reads the shard key
 * @param id reads the shard off the identifier, null if another attribute carries it
 * @param layout the layout of the ids
 */
record ShardedRow(ShardKey key, @Nullable ShardCarrier id, IdLayout layout) {

    /**
     * The shard key with which a row is about to be inserted, or null if it has none.
     * @param written the values of the insert, in the order of the persister
     */
    @Nullable Object keyAsWritten(EntityPersister persister, Object[] written, Object entity, Object identifier) {
        AttributePath path = this.key.attribute();
        int index = path.indexIn(persister.getPropertyNames());
        Object value = (index >= 0) ? path.below(written[index]) : null;
        if (value != null) {
            return value;
        }
        // a key inside the id; or Hibernate writes a reference later, by an update
        return (index < 0 && path.beginsWith(persister.getIdentifierPropertyName())) ? path.below(identifier)
                : path.read(entity);
    }

    /**
     * Whether a key leads to the shard in the bits of an identifier. That is so for each
     * id whose key has not changed since. It says nothing about older ids, which this
     * generator did not make.
     * @param value the key, or null if the row has none
     */
    boolean agree(@Nullable Object value, Object identifier, Object entity, SessionFactoryImplementor factory,
            IdReader ids) {
        ShardCarrier carrier = this.id;
        if (carrier == null || value == null) {
            return carrier == null || this.key.optional();
        }
        try {
            return carrier.names(this.key.shardOfValue(value, entity, factory, ids), identifier, this.layout);
        }
        catch (ShardKeyException ex) {
            return false;
        }
    }

    /**
     * The shard that an identifier carries, or null where it is not ours, or from before
     * us.
     */
    @Nullable Integer shardIn(Object identifier, IdReader ids) {
        return (this.id != null) ? this.id.shardIn(identifier, ids) : null;
    }

}
