package io.shardedid.hibernate;

import java.util.Arrays;
import java.util.Objects;

import io.shardedid.IdReader;
import io.shardedid.ShardKeyException;
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

    private final transient SessionFactoryImplementor factory;

    ShardKeyCheck(ShardedIdService service, SessionFactoryImplementor factory) {
        this.service = service;
        this.factory = factory;
    }

    @Override
    public boolean onPreInsert(PreInsertEvent event) {
        ShardedRow row = this.service.generated().row(event.getPersister().getRootEntityName());
        Object id = event.getId();
        ShardCarrier carrier = (row != null) ? row.id() : null;
        // the database makes the id of a row that has none yet
        if (row != null && carrier != null && id != null) {
            IdReader ids = this.service.reader();
            Object key = row.keyAsWritten(event.getPersister(), event.getState(), event.getEntity(), id);
            Integer now = shard(row, key, event.getEntity(), ids);
            // Hibernate sets the tenant of the session, which the id was made for
            boolean none = now == null && (row.key().optional() || row.key().tenant());
            // that it is no older id is asked only where the bits say so
            if (!none && (now == null || now != carrier.bitsOf(id, ids.layout()))) {
                refuseUnlessOlder(event.getEntity(), row, id, now, ids);
            }
        }
        return false;
    }

    private static void refuseUnlessOlder(Object entity, ShardedRow row, Object id, @Nullable Integer now,
            IdReader ids) {
        Integer of = row.shardIn(id, ids);
        if (of == null) {
            return;
        }
        throw new ShardKeyException(
                ("Could not insert '%s': shard key '%s' must lead to the shard of the id when the row is written: "
                        + "id=%s, shard of the id=%s, shard of the key=%s %s; set the key before persist")
                    .formatted(entity.getClass().getName(), row.key().path(), id, of, shown(now), (now == null)
                            ? "(the key is null)"
                            : "(the key was set or changed after the id was made, for example by '@PrePersist', or "
                                    + "the shard function gives one key two shards)"));
    }

    @Override
    public void onFlushEntity(FlushEntityEvent event) {
        int[] dirty = event.getDirtyProperties();
        EntityEntry entry = event.getEntityEntry();
        Object[] before = entry.getLoadedState();
        if (dirty == null || before == null || entry.getStatus() != Status.MANAGED) {
            return;
        }
        ShardedRow row = this.service.generated().row(entry.getPersister().getRootEntityName());
        int index = indexOf(row, entry.getPersister());
        if (row != null && Arrays.stream(dirty).anyMatch((changed) -> changed == index)) {
            Integer now = shardBelow(row, event.getPropertyValues()[index], event.getEntity());
            if (!Objects.equals(shardBelow(row, before[index], event.getEntity()), now)) {
                refuseUnlessOfItsId(event.getEntity(), row, entry.getId(), now);
            }
        }
    }

    @Override
    public boolean onPreUpdate(PreUpdateEvent event) {
        ShardedRow row = this.service.generated().row(event.getPersister().getRootEntityName());
        int index = indexOf(row, event.getPersister());
        // a session has the old state, and was looked at when it collected
        if (row != null && index >= 0 && event.getOldState() == null
                && row.shardIn(event.getId(), this.service.reader()) != null) {
            refuseUnlessOfItsId(event.getEntity(), row, event.getId(),
                    shardBelow(row, event.getState()[index], event.getEntity()));
        }
        return false;
    }

    private void refuseUnlessOfItsId(Object entity, ShardedRow row, Object id, @Nullable Integer now) {
        Integer of = row.shardIn(id, this.service.reader());
        if ((now == null) ? !row.key().optional() : !now.equals(of)) {
            throw new ShardKeyException(
                    ("Could not update '%s': shard key '%s' must stay in the shard of "
                            + "its row: id=%s, shard of the id=%s, shard of the key=%s (shardedid.on-key-change=fail); "
                            + "insert a new row and delete this one, or set 'shardedid.on-key-change' to allow")
                        .formatted(entity.getClass().getName(), row.key().path(), id, shown(of), shown(now)),
                    ShardKeyException.Reason.KEY_CHANGED);
        }
    }

    private static Object shown(@Nullable Integer shard) {
        return (shard != null) ? shard : "none";
    }

    /** A key inside the id is not among the properties, and cannot change. */
    private static int indexOf(@Nullable ShardedRow row, EntityPersister persister) {
        return (row != null) ? row.key().attribute().indexIn(persister.getPropertyNames()) : -1;
    }

    private @Nullable Integer shardBelow(ShardedRow row, @Nullable Object rootOfKey, Object entity) {
        return shard(row, row.key().attribute().below(rootOfKey), entity, this.service.reader());
    }

    /** The shard that a key leads to, or null if the key is null. */
    private @Nullable Integer shard(ShardedRow row, @Nullable Object key, Object entity, IdReader ids) {
        return (key != null) ? Integer.valueOf(row.key().shardOfValue(key, entity, this.factory, ids)) : null;
    }

}
