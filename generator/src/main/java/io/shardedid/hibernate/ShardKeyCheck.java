package io.shardedid.hibernate;

import java.util.Arrays;
import java.util.Objects;

import io.shardedid.IdReader;
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
 * have no entity and are not seen. Thread-safe.
 */
final class ShardKeyCheck implements PreInsertEventListener, FlushEntityEventListener, PreUpdateEventListener {

    private static final long serialVersionUID = 1L;

    private final transient ShardedIdService service;

    private final transient GeneratedAttributes generated;

    private final transient SessionFactoryImplementor factory;

    ShardKeyCheck(ShardedIdService service, SessionFactoryImplementor factory) {
        this.service = service;
        this.generated = service.generated();
        this.factory = factory;
    }

    @Override
    public boolean onPreInsert(PreInsertEvent event) {
        EntityPersister persister = event.getPersister();
        ShardedRow keyed = this.generated.row(persister.getRootEntityName());
        Object id = event.getId();
        // a trigger makes the id of a row that has none yet
        if (keyed != null && id != null) {
            Object entity = event.getEntity();
            IdReader ids = this.service.reader();
            Object key = keyed.keyAsWritten(persister, event.getState(), entity, id);
            if (!keyed.agree(key, id, entity, this.factory, ids)) {
                new Row(entity, id, keyed, ids).refuseAnotherShard(key);
            }
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
        ShardedRow keyed = this.generated.row(persister.getRootEntityName());
        int index = (keyed != null) ? indexOf(keyed, persister) : -1;
        if (keyed != null && Arrays.stream(dirty).anyMatch((changed) -> changed == index)) {
            Row row = new Row(event.getEntity(), entry.getId(), keyed, this.service.reader());
            Object key = row.key(event.getPropertyValues()[index]);
            if (!Objects.equals(row.shard(row.key(before[index])), row.shard(key))) {
                row.refuseUnlessOfItsId(key);
            }
        }
    }

    @Override
    public boolean onPreUpdate(PreUpdateEvent event) {
        EntityPersister persister = event.getPersister();
        ShardedRow keyed = this.generated.row(persister.getRootEntityName());
        int index = (keyed != null) ? indexOf(keyed, persister) : -1;
        // a session has the old state, and was looked at when it collected
        if (keyed != null && index >= 0 && event.getOldState() == null) {
            Row row = new Row(event.getEntity(), event.getId(), keyed, this.service.reader());
            if (row.shardOfId() != null) {
                row.refuseUnlessOfItsId(row.key(event.getState()[index]));
            }
        }
        return false;
    }

    /** A key inside the id is not among the properties, and cannot change. */
    private static int indexOf(ShardedRow keyed, EntityPersister persister) {
        return keyed.key().attribute().indexIn(persister.getPropertyNames());
    }

    /** A row that is about to be written. */
    private final class Row {

        private final Object entity;

        private final Object id;

        private final ShardedRow keyed;

        private final IdReader ids;

        Row(Object entity, Object id, ShardedRow keyed, IdReader ids) {
            this.entity = entity;
            this.id = id;
            this.keyed = keyed;
            this.ids = ids;
        }

        private @Nullable Object key(@Nullable Object rootOfKey) {
            return this.keyed.key().attribute().below(rootOfKey);
        }

        /** The shard that a key leads to, or null if the key is null. */
        private @Nullable Integer shard(@Nullable Object key) {
            return (key != null)
                    ? Integer
                        .valueOf(this.keyed.key().shardOfValue(key, this.entity, ShardKeyCheck.this.factory, this.ids))
                    : null;
        }

        /** Null where the identifier is not ours, or from before us. */
        private @Nullable Integer shardOfId() {
            return this.keyed.shardIn(this.id, this.ids);
        }

        private void refuseAnotherShard(@Nullable Object key) {
            Integer of = shardOfId();
            ShardKey read = this.keyed.key();
            // Hibernate sets the tenant of the session, which the id was made for
            if (of == null || read instanceof ShardKey.Tenant && key == null) {
                return;
            }
            Integer now = shard(key);
            if (!of.equals(now) && !(now == null && read.optional())) {
                throw KeyRefusal.insertOfAnotherShard(this.entity, read.path(), this.id, of, now, (now == null)
                        ? "(the key is null); set it before persist"
                        : "(the key was set or changed after the id was made, for example by '@PrePersist', or the "
                                + "shard function gives one key two shards); set the key before persist");
            }
        }

        private void refuseUnlessOfItsId(@Nullable Object key) {
            Integer now = shard(key);
            if ((now == null) ? !this.keyed.key().optional() : !now.equals(shardOfId())) {
                throw KeyRefusal.keyChanged(this.entity, this.keyed.key().path(), this.id, shardOfId(), now);
            }
        }

    }

}
