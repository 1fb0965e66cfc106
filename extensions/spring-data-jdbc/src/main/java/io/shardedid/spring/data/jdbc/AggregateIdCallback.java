package io.shardedid.spring.data.jdbc;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.config.KeyChange;
import io.shardedid.config.ModuleKeys;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.jackson.IdTexts;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.data.relational.core.conversion.DbAction;
import org.springframework.data.relational.core.conversion.MutableAggregateChange;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.event.BeforeConvertCallback;
import org.springframework.data.relational.core.mapping.event.BeforeSaveCallback;
import org.springframework.util.ClassUtils;

/**
 * Gives an aggregate root its id before Spring Data JDBC decides how to write it, and
 * compares the shard of the id with the shard key when the row is written. It comes after
 * auditing and after every callback with an order of its own, so keys that are set there
 * count. Thread-safe.
 */
final class AggregateIdCallback
        implements BeforeConvertCallback<Object>, BeforeSaveCallback<Object>, SmartInitializingSingleton, Ordered {

    private final ObjectProvider<ShardedIds> engines;

    private final ObjectProvider<ShardedIdSettings> settings;

    private final ObjectProvider<JdbcMappingContext> mappings;

    /** As many as the application has aggregates. */
    private final Map<Class<?>, Optional<AggregateMapping>> aggregates = new ConcurrentHashMap<>();

    AggregateIdCallback(ObjectProvider<ShardedIds> engines, ObjectProvider<ShardedIdSettings> settings,
            ObjectProvider<JdbcMappingContext> mappings) {
        this.engines = engines;
        this.settings = settings;
        this.mappings = mappings;
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    /**
     * Refuses what cannot work when the application starts. What Spring Data comes to
     * know later, it refuses at the first save.
     */
    @Override
    public void afterSingletonsInstantiated() {
        this.mappings.stream()
            .flatMap((mapping) -> mapping.getPersistentEntities().stream().toList().stream())
            .forEach((entity) -> aggregate(entity.getType()));
    }

    @Override
    public Object onBeforeConvert(Object aggregate) {
        Optional<AggregateMapping> mapped = aggregate(ClassUtils.getUserClass(aggregate));
        return mapped.isPresent() ? mapped.get().withId(aggregate, engine()) : aggregate;
    }

    @Override
    public Object onBeforeSave(Object aggregate, MutableAggregateChange<Object> change) {
        aggregate(ClassUtils.getUserClass(aggregate)).ifPresent((mapped) -> change.forEachAction((action) -> {
            if (action instanceof DbAction.InsertRoot) {
                mapped.checkInsert(aggregate, engine().reader());
            }
            else if (action instanceof DbAction.UpdateRoot && onKeyChange() == KeyChange.FAIL) {
                mapped.checkUpdate(aggregate, engine().reader());
            }
        }));
        return aggregate;
    }

    private KeyChange onKeyChange() {
        ShardedIdSettings read = this.settings.getIfUnique();
        return (read != null) ? read.onKeyChange() : KeyChange.ALLOW;
    }

    /**
     * Returns what the annotation of an aggregate means.
     * @throws ShardedIdConfigurationException if it cannot work
     */
    private Optional<AggregateMapping> aggregate(Class<?> type) {
        Optional<AggregateMapping> known = this.aggregates.get(type);
        if (known != null) {
            return known;
        }
        // more than one thread may find the same out
        Optional<AggregateMapping> found = this.mappings.stream()
            .filter((mapping) -> mapping.hasPersistentEntityFor(type))
            .findFirst()
            .flatMap((mapping) -> {
                RelationalPersistentEntity<?> root = mapping.getRequiredPersistentEntity(type);
                return new AggregateMappings(mapping, this::engine).of(root);
            });
        found.ifPresent((mapped) -> checkForm(type));
        this.aggregates.put(type, found);
        return found;
    }

    /** Without settings nobody knows the forms: the application has its own engine. */
    private void checkForm(Class<?> type) {
        ModuleKeys.refusePublicIdIfMissing(type);
        ShardedIdSettings read = this.settings.getIfUnique();
        if (read != null) {
            Set<Class<?>> sharded = new LinkedHashSet<>(Set.of(type));
            this.aggregates.forEach((other, itsMapping) -> itsMapping.ifPresent((ids) -> sharded.add(other)));
            IdTexts.of(read).check(sharded, read.jsonAsString());
        }
    }

    private ShardedIdEngine engine() {
        ShardedIds bean = this.engines.getIfUnique();
        if (bean instanceof ShardedIdEngine engine) {
            return engine;
        }
        throw new ShardedIdConfigurationException(
                ("Could not choose the engine of Spring Data JDBC: beans of type 'ShardedIds'=%s%s (one must "
                        + "be there, or be primary, and be a 'ShardedIdEngine')")
                    .formatted(this.engines.stream().count(),
                            (bean != null) ? ", type='%s'".formatted(bean.getClass().getName()) : ""),
                "leave it to the auto-configuration, or mark the one that is meant '@Primary'");
    }

}
