package io.shardedid.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

import io.shardedid.ShardKeyException;
import io.shardedid.hibernate.EntityShards;
import io.shardedid.shards.ShardUnknownException;
import jakarta.persistence.PersistenceException;
import org.hibernate.HibernateException;
import org.hibernate.JDBCException;
import org.hibernate.Transaction;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.service.spi.EventListenerGroup;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.InitializeCollectionEvent;
import org.hibernate.event.spi.InitializeCollectionEventListener;
import org.hibernate.event.spi.LoadEvent;
import org.hibernate.event.spi.LoadEventListener;
import org.hibernate.event.spi.PostLoadEvent;
import org.hibernate.event.spi.PostLoadEventListener;
import org.hibernate.event.spi.PreDeleteEvent;
import org.hibernate.event.spi.PreDeleteEventListener;
import org.hibernate.event.spi.PreInsertEvent;
import org.hibernate.event.spi.PreInsertEventListener;
import org.hibernate.event.spi.PreUpdateEvent;
import org.hibernate.event.spi.PreUpdateEventListener;
import org.hibernate.event.spi.PreUpsertEvent;
import org.hibernate.event.spi.PreUpsertEventListener;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Shows the bindings which rows a session is about to read and to write, and which it has
 * read. Queries, statements in HQL and SQL, and the reads of a stateless session have no
 * such event. Thread-safe.
 */
@SuppressWarnings("serial") // every listener of Hibernate is Serializable, none is
                            // serialized
final class RoutingEvents implements PostLoadEventListener, PreInsertEventListener, PreUpdateEventListener,
        PreUpsertEventListener, PreDeleteEventListener {

    private static final long serialVersionUID = 1L;

    private final transient ShardBindings bindings;

    private final transient EntityShards entities;

    /** Whether rows that have no shard are looked at too. */
    private final boolean several;

    RoutingEvents(ShardBindings bindings, EntityShards entities) {
        this.bindings = bindings;
        this.entities = entities;
        this.several = bindings.homes().several();
    }

    /** Adds the listeners to a session factory that has been built. */
    void register(SessionFactoryImplementor factory) {
        EventListenerRegistry listeners = factory.getServiceRegistry().requireService(EventListenerRegistry.class);
        EventListenerGroup<LoadEventListener> loads = listeners.getEventListenerGroup(EventType.LOAD);
        List<LoadEventListener> loading = copy(loads);
        loads.clearListeners();
        loads.appendListener((event, type) -> onLoad(event, type, loading));
        EventListenerGroup<InitializeCollectionEventListener> collections = listeners
            .getEventListenerGroup(EventType.INIT_COLLECTION);
        List<InitializeCollectionEventListener> initializing = copy(collections);
        collections.clearListeners();
        collections.appendListener((event) -> onInitializeCollection(event, initializing));
        listeners.getEventListenerGroup(EventType.POST_LOAD).prependListener(this);
        listeners.getEventListenerGroup(EventType.PRE_INSERT).prependListener(this);
        listeners.getEventListenerGroup(EventType.PRE_UPDATE).prependListener(this);
        listeners.getEventListenerGroup(EventType.PRE_UPSERT).prependListener(this);
        listeners.getEventListenerGroup(EventType.PRE_DELETE).prependListener(this);
    }

    @SuppressWarnings("deprecation") // nothing else can stand around listeners
    private static <T> List<T> copy(EventListenerGroup<T> group) {
        List<T> listeners = new ArrayList<>();
        group.listeners().forEach(listeners::add);
        return listeners;
    }

    private void onLoad(LoadEvent event, LoadEventListener.LoadType type, List<LoadEventListener> listeners) {
        ShardBindings.Scope scope;
        try {
            scope = mayRead(event, type)
                    ? enter(event.getEntityClassName(), event.getEntityId(), type == LoadEventListener.GET) : null;
        }
        catch (ShardUnknownException ex) {
            if (!RoutedSessionFactories.isNoId(ex) && (type != LoadEventListener.GET || !ex.hidesRow())) {
                throw ex;
            }
            // as with one database, there is no such row
            ShardBindings.findsNothing(ex);
            event.setResult(null);
            return;
        }
        try {
            for (LoadEventListener listener : listeners) {
                listener.onLoad(event, type);
            }
        }
        catch (JDBCException ex) {
            throw unanswered(ex, event);
        }
        finally {
            leave(scope);
        }
    }

    /**
     * Where a transaction can only be rolled back, because its connection has died or a
     * statement before has failed, {@code find} takes each {@link JDBCException} for a
     * row that does not exist. So it gets another exception then, of which Spring makes
     * the same.
     */
    private static RuntimeException unanswered(JDBCException failure, LoadEvent event) {
        Transaction transaction = event.getSession().accessTransaction();
        if (!transaction.isActive() || !transaction.getRollbackOnly()) {
            return failure;
        }
        RuntimeException converted = event.getSession()
            .getExceptionConverter()
            .convert((HibernateException) failure, event.getLockOptions());
        return (converted instanceof JDBCException) ? new PersistenceException(failure.getMessage(), failure)
                : converted;
    }

    /** A reference is made without a statement. */
    private static boolean mayRead(LoadEvent event, LoadEventListener.LoadType type) {
        if (!type.isAllowProxyCreation()) {
            return true;
        }
        EntityPersister persister = event.getFactory()
            .getMappingMetamodel()
            .findEntityDescriptor(event.getEntityClassName());
        return persister == null || !persister.hasProxy();
    }

    private void onInitializeCollection(InitializeCollectionEvent event,
            List<InitializeCollectionEventListener> listeners) {
        Object owner = event.getAffectedOwnerIdOrNull();
        String entity = event.getAffectedOwnerEntityName();
        ShardBindings.Scope scope = (owner != null && entity != null) ? enter(entity, owner, false) : null;
        try {
            for (InitializeCollectionEventListener listener : listeners) {
                listener.onInitializeCollection(event);
            }
        }
        finally {
            leave(scope);
        }
    }

    /** Binds the transaction, or the call where there is none. */
    private ShardBindings.@Nullable Scope enter(String name, Object id, boolean asked) {
        String entity = this.entities.rootOf(name);
        boolean inTransaction = TransactionSynchronizationManager.isSynchronizationActive();
        if (inTransaction && this.bindings.isNamed(entity, id)) {
            return null;
        }
        OptionalInt shard = shardOfId(entity, id, this.several, true);
        if (shard.isEmpty()) {
            touchWithoutShard(entity, false);
            return (this.several && !this.entities.sharded(entity) && !this.bindings.isPlaced())
                    ? this.bindings.openForReference(entity) : null;
        }
        if (asked) {
            this.bindings.ask(shard.getAsInt(), entity, id);
        }
        else {
            this.bindings.touch(shard.getAsInt(), entity, id);
        }
        return (this.several && !inTransaction) ? this.bindings.open(shard.getAsInt(), entity, false) : null;
    }

    /**
     * Returns the shard of an id.
     * @param strict whether an id without a shard fails. With one database there is
     * nothing to choose, and a row that was loaded is there already
     * @param asked whether a row is only looked for
     */
    private OptionalInt shardOfId(String entity, Object id, boolean strict, boolean asked) {
        try {
            return this.entities.shardOfId(entity, id);
        }
        catch (ShardKeyException | NumberFormatException ex) {
            if (!strict) {
                return OptionalInt.empty();
            }
            String message = "Could not choose a database: id=%s of '%s' has no shard: %s; open a scope by the shard key: shards.inShardFor(key, …)"
                .formatted(Shown.value(id), entity, Shown.line(ex.getMessage()));
            throw asked ? this.bindings.nowhere(message, ex) : new ShardUnknownException(message, ex);
        }
    }

    private static void leave(ShardBindings.@Nullable Scope scope) {
        if (scope != null) {
            scope.close();
        }
    }

    @Override
    public void onPostLoad(PostLoadEvent event) {
        String entity = event.getPersister().getRootEntityName();
        if (this.bindings.isNamed(entity, event.getId())) {
            return;
        }
        OptionalInt shard = shardOfId(entity, event.getId(), false, false);
        if (shard.isPresent()) {
            this.bindings.loaded(shard.getAsInt(), entity, event.getId());
        }
    }

    @Override
    public boolean onPreInsert(PreInsertEvent event) {
        write(event.getPersister(), event.getEntity(), event.getId());
        return false;
    }

    @Override
    public boolean onPreUpsert(PreUpsertEvent event) {
        write(event.getPersister(), event.getEntity(), event.getId());
        return false;
    }

    @Override
    public boolean onPreUpdate(PreUpdateEvent event) {
        write(event.getPersister(), event.getEntity(), event.getId());
        return false;
    }

    @Override
    public boolean onPreDelete(PreDeleteEvent event) {
        write(event.getPersister(), event.getEntity(), event.getId());
        return false;
    }

    private void write(EntityPersister persister, @Nullable Object row, @Nullable Object id) {
        String entity = persister.getRootEntityName();
        OptionalInt shard = (id != null) ? shardOfId(entity, id, this.several, false) : OptionalInt.empty();
        if (shard.isEmpty() && row != null) {
            // the database makes the id, or it carries no shard
            shard = shardOfRow(row);
        }
        if (shard.isPresent()) {
            this.bindings.touch(shard.getAsInt(), entity, (id != null) ? id : "new");
        }
        else {
            touchWithoutShard(entity, true);
        }
    }

    private OptionalInt shardOfRow(Object row) {
        try {
            return this.entities.shardOfRow(row);
        }
        catch (ShardKeyException ex) {
            if (this.several) {
                throw ex;
            }
            return OptionalInt.empty();
        }
    }

    private void touchWithoutShard(String entity, boolean writes) {
        if (this.several && !this.entities.sharded(entity)) {
            this.bindings.touchReference(writes, entity);
        }
    }

}
