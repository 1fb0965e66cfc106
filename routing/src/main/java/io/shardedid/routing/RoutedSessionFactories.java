package io.shardedid.routing;

import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

import io.shardedid.ShardKeyException;
import io.shardedid.hibernate.EntityShards;
import io.shardedid.shards.ShardUnknownException;
import org.hibernate.SessionFactory;
import org.hibernate.boot.Metadata;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;

/**
 * The session factories whose statements are looked at, and what is known of their
 * entities. It puts itself into the settings of each entity manager factory before that
 * is built, where {@link RoutingIntegrator} finds it. Safe for use by many threads.
 */
final class RoutedSessionFactories implements BeanPostProcessor, AopInfrastructureBean {

    /**
     * The setting that carries this object. Its name is none of the configuration keys.
     */
    static final String SETTING = RoutedSessionFactories.class.getName();

    private final ObjectProvider<ShardBindings> bindings;

    private final ObjectProvider<Databases> databases;

    private final List<Unit> units = new CopyOnWriteArrayList<>();

    RoutedSessionFactories(ObjectProvider<ShardBindings> bindings, ObjectProvider<Databases> databases) {
        this.bindings = bindings;
        this.databases = databases;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof AbstractEntityManagerFactoryBean factory) {
            factory.getJpaPropertyMap().put(SETTING, this);
            this.databases.ifAvailable((known) -> {
                DatabasesStart.prepare(factory.getJpaPropertyMap(), known.several());
                if (factory.getJpaDialect() == null) {
                    factory.setJpaDialect(new RoutedJpaDialect(this.bindings::getObject));
                }
            });
        }
        return bean;
    }

    void add(SessionFactoryImplementor factory, Metadata metadata) {
        EntityShards entities = EntityShards.of(metadata, factory);
        new RoutingEvents(this.bindings.getObject(), entities).register(factory);
        this.units.add(new Unit(factory, metadata, entities));
    }

    void remove(SessionFactory factory) {
        this.units.removeIf((unit) -> unit.factory == factory);
    }

    /** Looks at the mapping of each session factory. */
    void forEach(BiConsumer<SessionFactoryImplementor, Metadata> action) {
        this.units.forEach((unit) -> action.accept(unit.factory, unit.metadata));
    }

    /** Returns the names of the entities that have neither a shard nor an annotation. */
    List<String> withoutShardAndWithout(Class<? extends Annotation> annotation) {
        return this.units.stream()
            .flatMap((unit) -> unit.entities.unsharded()
                .stream()
                .filter((name) -> !unit.factory.getMappingMetamodel()
                    .getEntityDescriptor(name)
                    .getMappedClass()
                    .isAnnotationPresent(annotation)))
            .distinct()
            .sorted()
            .toList();
    }

    /** Returns the names of the entities whose rows have no shard. */
    List<String> unsharded() {
        return this.units.stream().flatMap((unit) -> unit.entities.unsharded().stream()).distinct().sorted().toList();
    }

    /**
     * Returns those of some rows that have no id yet, so that they can be new once more
     * after they could not be saved. Null if one of them could not, because other rows
     * are saved with it, or because its version counts as well.
     */
    @Nullable List<Object> withoutId(Iterable<?> rows) {
        List<Object> fresh = new ArrayList<>();
        for (Object row : rows) {
            EntityPersister persister = (row != null) ? persister(row) : null;
            if (row == null || persister == null || persister.hasCascades() || persister.isVersioned()
                    || persister.getIdentifierType().getReturnedClass().isPrimitive()) {
                return null;
            }
            if (persister.getIdentifierMapping().getIdentifier(row) == null) {
                fresh.add(row);
            }
        }
        return fresh;
    }

    /** Makes rows new again. */
    void forgetIds(List<Object> rows) {
        for (Object row : rows) {
            Objects.requireNonNull(persister(row)).setIdentifier(row, null, null);
        }
    }

    private @Nullable EntityPersister persister(Object row) {
        for (Unit unit : this.units) {
            EntityPersister persister = unit.factory.getMappingMetamodel().findEntityDescriptor(row.getClass());
            if (persister != null) {
                return persister;
            }
        }
        return null;
    }

    /** Returns what is known of an entity, or null if no factory has it. */
    @Nullable EntityShards of(Class<?> entity) {
        return this.units.stream()
            .filter((unit) -> unit.factory.getMappingMetamodel().findEntityDescriptor(entity) != null)
            .map(Unit::entities)
            .findFirst()
            .orElse(null);
    }

    /** Returns the shard of an entity; empty for anything else. */
    OptionalInt shardOfRow(Object row) {
        return this.units.stream()
            .map((unit) -> unit.entities.shardOfRow(row))
            .filter(OptionalInt::isPresent)
            .findFirst()
            .orElse(OptionalInt.empty());
    }

    /**
     * Returns the shard of an id.
     * @throws ShardUnknownException if the id has none
     */
    static OptionalInt shardOfId(EntityShards entities, String entity, Object id) {
        try {
            return entities.shardOfId(entity, id);
        }
        catch (ShardKeyException | NumberFormatException ex) {
            throw new ShardUnknownException(
                    "Could not choose a database: id=%s of '%s' has no shard: %s; open a scope by the shard key: shards.inShardFor(key, …)"
                        .formatted(id, entity, ex.getMessage()),
                    ex);
        }
    }

    /** A session factory and its entities. */
    private record Unit(SessionFactoryImplementor factory, Metadata metadata, EntityShards entities) {
    }

}
