package io.shardedid.routing;

import java.lang.annotation.Annotation;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.hibernate.EntityShards;
import io.shardedid.shards.ShardMovedException;
import io.shardedid.shards.ShardUnknownException;
import org.hibernate.SessionFactory;
import org.hibernate.boot.Metadata;
import org.hibernate.engine.jdbc.spi.SqlExceptionHelper;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.exception.spi.SQLExceptionConverter;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.jpa.boot.spi.IntegratorProvider;
import org.hibernate.jpa.boot.spi.JpaSettings;
import org.hibernate.mapping.Collection;
import org.hibernate.mapping.Join;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Table;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;

/**
 * The session factories whose statements are looked at, and what is known of their
 * entities. It puts a {@link RoutingIntegrator} into the settings of each entity manager
 * factory before that is built: a service file could be lost when jars are merged.
 * Thread-safe.
 */
final class RoutedSessionFactories implements BeanPostProcessor, AopInfrastructureBean {

    private final ObjectProvider<ShardBindings> bindings;

    private final ObjectProvider<Databases> databases;

    private final ObjectProvider<DataSource> dataSource;

    /** What the application has set, or null. */
    private final @Nullable String keyChange;

    private final List<Unit> units = new CopyOnWriteArrayList<>();

    RoutedSessionFactories(ObjectProvider<ShardBindings> bindings, ObjectProvider<Databases> databases,
            ObjectProvider<DataSource> dataSource, @Nullable String keyChange) {
        this.bindings = bindings;
        this.databases = databases;
        this.dataSource = dataSource;
        this.keyChange = keyChange;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof AbstractEntityManagerFactoryBean factory) {
            Databases known = this.databases.getIfAvailable();
            if (known == null) {
                addTo(factory.getJpaPropertyMap());
            }
            else if (isRouted(factory.getDataSource())) {
                addTo(factory.getJpaPropertyMap());
                DatabasesStart.prepare(factory.getJpaPropertyMap(), known.several(), this.keyChange);
                if (factory.getJpaDialect() == null) {
                    factory.setJpaDialect(new RoutedJpaDialect(this.bindings::getObject));
                }
            }
        }
        return bean;
    }

    /** Hands an integrator to Hibernate, beside those of the application. */
    void addTo(Map<String, Object> unit) {
        Object others = unit.get(JpaSettings.INTEGRATOR_PROVIDER);
        if (others != null && !(others instanceof IntegratorProvider)) {
            throw new ShardedIdConfigurationException(
                    "'%s' must be an object with a router: value=%s".formatted(JpaSettings.INTEGRATOR_PROVIDER, others),
                    "set the object by a 'HibernatePropertiesCustomizer'", JpaSettings.INTEGRATOR_PROVIDER);
        }
        List<Integrator> integrators = new ArrayList<>();
        integrators.add(new RoutingIntegrator(this));
        if (others instanceof IntegratorProvider provider) {
            integrators.addAll(provider.getIntegrators());
        }
        unit.put(JpaSettings.INTEGRATOR_PROVIDER, (IntegratorProvider) () -> integrators);
    }

    /**
     * Returns whether connections come from the router. A factory that does not say where
     * it has them from counts as routed, because a mistake there would write into the
     * wrong database.
     */
    private boolean isRouted(@Nullable DataSource source) {
        if (source == null || source == this.dataSource.getIfUnique()) {
            return true;
        }
        try {
            return source.isWrapperFor(RoutingDataSource.class);
        }
        catch (SQLException ex) {
            return true;
        }
    }

    void add(SessionFactoryImplementor factory, Metadata metadata) {
        EntityShards entities = EntityShards.of(metadata, factory);
        ShardBindings known = this.bindings.getObject();
        new RoutingEvents(known, entities).register(factory);
        if (known.homes().several()) {
            refuseMoved(factory.getJdbcServices().getSqlExceptionHelper(), known);
        }
        this.units.add(new Unit(factory, metadata, entities));
    }

    /** Lets what a fence refuses reach the caller of a session as it is. */
    private static void refuseMoved(SqlExceptionHelper helper, ShardBindings bindings) {
        SQLExceptionConverter others = helper.getSqlExceptionConverter();
        helper.setSqlExceptionConverter((failure, message, sql) -> {
            ShardMovedException moved = Refusals.byFence(failure);
            if (moved != null) {
                bindings.hasMoved();
                throw moved;
            }
            return others.convert(failure, message, sql);
        });
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

    /** Returns the tables with rows that have a shard, as SQL names them. */
    Set<String> tablesWithShards() {
        return this.units.stream().flatMap(Unit::tablesWithShards).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns what is known of an entity, or null if no factory has it. */
    @Nullable EntityShards of(Class<?> entity) {
        return this.units.stream()
            .filter((unit) -> unit.factory.getMappingMetamodel().findEntityDescriptor(entity) != null)
            .findFirst()
            .map(Unit::entities)
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

    /** Returns whether the reason of a refusal is an id that no row can have. */
    static boolean isNoId(ShardUnknownException refusal) {
        return refusal.getCause() instanceof ShardKeyException ex && ex.reason() == ShardKeyException.Reason.NO_SUCH_ID;
    }

    /** A session factory and its entities. */
    private record Unit(SessionFactoryImplementor factory, Metadata metadata, EntityShards entities) {

        Stream<String> tablesWithShards() {
            Stream<Table> ofRows = this.metadata.getEntityBindings()
                .stream()
                .filter(this::isSharded)
                .flatMap((entity) -> Stream.concat(Stream.of(entity.getTable()),
                        entity.getJoins().stream().map(Join::getTable)));
            Stream<Table> ofCollections = this.metadata.getCollectionBindings()
                .stream()
                .filter((collection) -> !collection.isOneToMany() && isSharded(collection.getOwner()))
                .map(Collection::getCollectionTable);
            return Stream.concat(ofRows, ofCollections)
                .filter((table) -> table != null && table.isPhysicalTable())
                .map((table) -> this.factory.getSqlStringGenerationContext().format(table.getQualifiedTableName()));
        }

        private boolean isSharded(PersistentClass entity) {
            return this.entities.sharded(entity.getEntityName());
        }

    }

}
