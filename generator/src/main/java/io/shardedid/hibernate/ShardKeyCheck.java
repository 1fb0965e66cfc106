package io.shardedid.hibernate;

import java.util.Arrays;
import java.util.Objects;

import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.GeneratedAttributes.ShardedRow;
import io.shardedid.key.KeyRefusal;

import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.Status;
import org.hibernate.event.spi.FlushEntityEvent;
import org.hibernate.event.spi.FlushEntityEventListener;
import org.hibernate.event.spi.PreInsertEvent;
import org.hibernate.event.spi.PreInsertEventListener;
import org.hibernate.event.spi.PreUpdateEvent;
import org.hibernate.event.spi.PreUpdateEventListener;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * Refuses inserts whose shard key leads to another shard than the id, and updates that
 * take a shard key to another shard. An insert is looked at when its statement is next,
 * so after {@code @PrePersist}. A session is looked at while it collects what to flush,
 * before any statement; a stateless session before each update. Statements in HQL or SQL
 * have no entity and are not seen. Safe for use by many threads.
 */
final class ShardKeyCheck implements PreInsertEventListener, FlushEntityEventListener, PreUpdateEventListener {

    private static final long serialVersionUID = 1L;

    private final transient ShardedIdService service;

    private final transient SessionFactoryImplementor factory;

    ShardKeyCheck(ShardedIdService service, SessionFactoryImplementor factory) {
        this.service = service;
        this.factory = factory;
    }

    @Override
    public boolean onPreInsert(PreInsertEvent event) {
        EntityPersister persister = event.getPersister();
        ShardedRow keyed = this.service.generated().row(persister.getRootEntityName());
        Object id = event.getId();
        // a trigger makes the id of a row that has none yet
        if (keyed != null && id != null) {
            new Row(event.getEntity(), id, keyed, this.service.readingIds()).refuseAnotherShard(persister,
                    event.getState());
        }
        return false;
    }

    @Override
    public void onFlushEntity(FlushEntityEvent event) {
        int[] dirty = event.getDirtyProperties();
        EntityEntry entry = event.getEntityEntry();
        Object[] before = entry.getLoadedState();
        if (dirty == null || before == null || entry.getStatus() != Status.MANAGED) {
            return;
        }
        EntityPersister persister = entry.getPersister();
        ShardedRow keyed = this.service.generated().row(persister.getRootEntityName());
        int index = (keyed != null) ? indexOf(keyed.key(), persister) : -1;
        if (keyed != null && Arrays.stream(dirty).anyMatch((changed) -> changed == index)) {
            Row row = new Row(event.getEntity(), entry.getId(), keyed, this.service.readingIds());
            if (!Objects.equals(row.shard(before[index]), row.shard(event.getPropertyValues()[index]))) {
                row.refuseUnlessOfItsId(event.getPropertyValues()[index]);
            }
        }
    }

    @Override
    public boolean onPreUpdate(PreUpdateEvent event) {
        EntityPersister persister = event.getPersister();
        ShardedRow keyed = this.service.generated().row(persister.getRootEntityName());
        int index = (keyed != null) ? indexOf(keyed.key(), persister) : -1;
        // a session has the old state, and was looked at when it collected
        if (keyed != null && index >= 0 && event.getOldState() == null) {
            Row row = new Row(event.getEntity(), event.getId(), keyed, this.service.readingIds());
            if (row.shardOfId() != null) {
                row.refuseUnlessOfItsId(event.getState()[index]);
            }
        }
        return false;
    }

    /** A key inside the id is not among the properties, and cannot change. */
    private static int indexOf(ShardKey key, EntityPersister persister) {
        return Arrays.asList(persister.getPropertyNames()).indexOf(key.attribute().root());
    }

    /** A row that is about to be updated. */
    private final class Row {

        private final Object entity;

        private final Object id;

        private final ShardedRow keyed;

        private final ShardedIdEngine ids;

        Row(Object entity, Object id, ShardedRow keyed, ShardedIdEngine ids) {
            this.entity = entity;
            this.id = id;
            this.keyed = keyed;
            this.ids = ids;
        }

        /** The shard that a key leads to, or null if the key is null. */
        private @Nullable Integer shard(@Nullable Object rootOfKey) {
            return (this.keyed.key().attribute().below(rootOfKey) != null)
                    ? Integer.valueOf(
                            this.keyed.key().shardOfValue(rootOfKey, this.entity, ShardKeyCheck.this.factory, this.ids))
                    : null;
        }

        /** Null where the identifier is not ours, or from before us. */
        private @Nullable Integer shardOfId() {
            return this.keyed.shardIn(this.id, this.ids);
        }

        private void refuseAnotherShard(EntityPersister persister, Object[] written) {
            Integer of = shardOfId();
            if (of == null) {
                return;
            }
            ShardKey key = this.keyed.key();
            Object root = rootAsWritten(persister, written);
            if (key instanceof ShardKey.Tenant && root == null) {
                // Hibernate sets the tenant of the session, which the id was made for
                return;
            }
            Integer now = shard(root);
            if (!of.equals(now) && !(now == null && key.optional())) {
                throw KeyRefusal.insertOfAnotherShard(this.entity, key.path(), this.id, of, now,
                        "(the key was set or changed after the id was made, for example by '@PrePersist'); "
                                + "set the key before persist");
            }
        }

        private @Nullable Object rootAsWritten(EntityPersister persister, Object[] written) {
            AttributePath attribute = this.keyed.key().attribute();
            int index = indexOf(this.keyed.key(), persister);
            if (index >= 0 && attribute.below(written[index]) != null) {
                return written[index];
            }
            // a key inside the id; or Hibernate writes a reference later, by an update
            return (index < 0 && attribute.root().equals(persister.getIdentifierPropertyName())) ? this.id
                    : attribute.first(this.entity);
        }

        private void refuseUnlessOfItsId(@Nullable Object rootOfKey) {
            Integer now = shard(rootOfKey);
            if ((now == null) ? !this.keyed.key().optional() : !now.equals(shardOfId())) {
                throw KeyRefusal.keyChanged(this.entity, this.keyed.key().path(), this.id, shardOfId(), now);
            }
        }

    }

}
