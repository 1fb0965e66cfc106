package io.shardedid.hibernate;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

import io.shardedid.IdReader;

import org.hibernate.boot.Metadata;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.proxy.HibernateProxy;
import org.hibernate.proxy.LazyInitializer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the shard in which a row of a session factory lives: by the id of a row, by its
 * shard key, or by the row itself. It is made for integrations that look at statements,
 * and costs nothing where none asks for it. Thread-safe.
 * <p>
 * The shard of an id is {@link io.shardedid.ShardedIds#shardOf}, no matter who made the
 * id.
 *
 * @apiNote The type is public for integrations such as {@code shardedid-routing}.
 * @since 0.1
 */
public final class EntityShards {

    private final ShardedIdService service;

    private final SessionFactoryImplementor factory;

    private final Map<String, Entity> entities;

    private EntityShards(ShardedIdService service, SessionFactoryImplementor factory, Map<String, Entity> entities) {
        this.service = service;
        this.factory = factory;
        this.entities = entities;
    }

    /**
     * Reads the mapping of a session factory that has been built.
     * @param metadata the boot model
     * @param factory the session factory, with its generators made
     * @return the shards of its entities
     */
    public static EntityShards of(Metadata metadata, SessionFactoryImplementor factory) {
        ShardedIdService service = factory.getServiceRegistry().requireService(ShardedIdService.class);
        Map<String, Entity> entities = new HashMap<>();
        for (PersistentClass mapped : metadata.getEntityBindings()) {
            PersistentClass root = mapped.getRootClass();
            ShardedRow row = service.generated().row(root.getEntityName());
            entities.put(mapped.getEntityName(),
                    new Entity(root.getEntityName(), ShardCarrier.of(root), (row != null) ? row.key() : null));
        }
        return new EntityShards(service, factory, Map.copyOf(entities));
    }

    /**
     * Returns what reads the ids of the session factory.
     * @return the reader
     */
    public IdReader reader() {
        return this.service.reader();
    }

    /**
     * Returns the entities whose rows have no shard: neither does their id carry one, nor
     * have they a shard key.
     * @return names of the roots of hierarchies, in order
     */
    public List<String> unsharded() {
        return this.entities.values()
            .stream()
            .filter((entity) -> !entity.sharded())
            .map(Entity::root)
            .distinct()
            .sorted()
            .toList();
    }

    /**
     * Returns whether rows of an entity have a shard.
     * @param entityName the name of the entity, as Hibernate has it
     * @return false if neither the id carries one nor a shard key is declared
     */
    public boolean sharded(String entityName) {
        return entity(entityName).sharded();
    }

    /**
     * Returns the root of the hierarchy that an entity is in.
     * @param entityName the name of the entity
     * @return the name of the root, or the same name if there is no such entity
     */
    public String rootOf(String entityName) {
        return entity(entityName).root;
    }

    /**
     * Returns the shard of the row that an identifier names.
     * @param entityName the name of the entity
     * @param identifier the identifier, in the type of its attribute
     * @return 0 to shards - 1; empty if the identifiers of the entity carry no shard
     * @throws io.shardedid.ShardKeyException if the number is no id of a row
     */
    public OptionalInt shardOfId(String entityName, Object identifier) {
        ShardCarrier carrier = entity(entityName).id;
        Object id = (carrier != null) ? carrier.read(identifier) : null;
        return (carrier != null && id != null) ? OptionalInt.of(carrier.form().shardOf(id, reader()))
                : OptionalInt.empty();
    }

    /**
     * Returns the attribute whose value is the identifier of an entity.
     * @param entityName the name of the entity
     * @return its name, or null if the identifier is no single attribute
     */
    public @Nullable String idProperty(String entityName) {
        return this.factory.getMappingMetamodel().getEntityDescriptor(entityName).getIdentifierPropertyName();
    }

    /**
     * Returns how the shard key of an entity is spelled.
     * @param entityName the name of the entity
     * @return the path that the annotation names, or null if there is none
     */
    public @Nullable String keyPath(String entityName) {
        ShardKey key = entity(entityName).key;
        return (key != null) ? key.path() : null;
    }

    /**
     * Returns the shard of the rows with a shard key.
     * @param entityName the name of the entity
     * @param key the value of the key, or the row that an association leads to, or its id
     * @return 0 to shards - 1; empty if the entity has no shard key
     * @throws io.shardedid.ShardKeyException if the key leads to no shard
     */
    public OptionalInt shardOfKey(String entityName, Object key) {
        ShardKey by = entity(entityName).key;
        return (by != null) ? OptionalInt.of(by.shardOfArgument(key, this.factory, reader())) : OptionalInt.empty();
    }

    /**
     * Returns the shard of a row: the shard of its id, or that of its key while it has no
     * id. Selects nothing, also for a reference that is not loaded.
     * @param row an entity, or a proxy of one
     * @return 0 to shards - 1; empty if the row has neither
     * @throws io.shardedid.ShardKeyException if the id or the key leads to no shard
     */
    public OptionalInt shardOfRow(Object row) {
        LazyInitializer proxy = HibernateProxy.extractLazyInitializer(row);
        if (proxy != null && proxy.isUninitialized()) {
            return shardOfId(proxy.getEntityName(), proxy.getInternalIdentifier());
        }
        Object object = (proxy != null) ? proxy.getImplementation() : row;
        EntityPersister persister = this.factory.getMappingMetamodel().findEntityDescriptor(object.getClass());
        if (persister == null) {
            return OptionalInt.empty();
        }
        Object id = persister.getIdentifier(object, (SharedSessionContractImplementor) null);
        if (id != null && !(id instanceof Number number && number.longValue() == 0)) {
            OptionalInt byId = shardOfId(persister.getEntityName(), id);
            if (byId.isPresent()) {
                return byId;
            }
        }
        ShardKey key = entity(persister.getEntityName()).key;
        Object value = (key != null) ? key.attribute().read(object) : null;
        return (key != null && value != null) ? OptionalInt.of(key.shardOfValue(value, object, this.factory, reader()))
                : OptionalInt.empty();
    }

    private Entity entity(String name) {
        return this.entities.getOrDefault(name, new Entity(name, null, null));
    }

    /** The root of an entity's hierarchy, and what reads its shard off id and key. */
    private record Entity(String root, @Nullable ShardCarrier id, @Nullable ShardKey key) {

        boolean sharded() {
            return this.id != null || this.key != null;
        }

    }

}
