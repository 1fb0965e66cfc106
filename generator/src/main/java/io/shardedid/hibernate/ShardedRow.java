package io.shardedid.hibernate;

import io.shardedid.IdReader;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * The rows of an entity that has a shard key.
 *
 * @param key reads the shard key
 * @param id reads the shard off the identifier, null if another attribute carries it
 */
record ShardedRow(ShardKey key, @Nullable ShardCarrier id) {

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

    @Nullable Integer shardIn(Object identifier, IdReader ids) {
        return (this.id != null) ? this.id.shardIn(identifier, ids) : null;
    }

}
