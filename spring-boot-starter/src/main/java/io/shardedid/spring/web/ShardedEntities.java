package io.shardedid.spring.web;

import java.util.Optional;
import java.util.stream.Stream;

import io.shardedid.jackson.IdText;
import io.shardedid.jackson.IdTexts;
import io.shardedid.key.ShardedAttribute;
import jakarta.persistence.EntityManagerFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.data.mapping.context.MappingContext;
import org.springframework.util.ClassUtils;

/**
 * Finds the entities whose ids have another form than the plain number. Writers and
 * readers that know nothing of forms ask for them.
 */
final class ShardedEntities {

    private static final boolean PERSISTENCE = isPresent("jakarta.persistence.EntityManagerFactory");

    private static final boolean SPRING_DATA = isPresent("org.springframework.data.mapping.context.MappingContext");

    private ShardedEntities() {
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, ShardedEntities.class.getClassLoader());
    }

    /**
     * Returns the entities of all session factories and the aggregates of Spring Data
     * that have sharded ids.
     */
    static Stream<Class<?>> in(ListableBeanFactory beans) {
        return Stream
            .concat(PERSISTENCE ? Persistence.entities(beans) : Stream.empty(),
                    SPRING_DATA ? SpringData.aggregates(beans) : Stream.empty())
            .distinct()
            .filter((type) -> ShardedAttribute.of(type).findAny().isPresent());
    }

    /**
     * Returns the form in which the sharded ids of an entity leave.
     * @return the form, or empty for the plain number, for a type of its own form, and
     * for a class without sharded ids
     */
    static Optional<IdText> otherForm(Class<?> type, IdTexts formats) {
        return ShardedAttribute.of(type)
            .flatMap((attribute) -> formats.forAttribute(type, attribute.name(), attribute.type()).stream())
            .filter((format) -> !format.plain())
            .findFirst();
    }

    /** Loaded where there is Jakarta Persistence. */
    private static final class Persistence {

        static Stream<Class<?>> entities(ListableBeanFactory beans) {
            return beans.getBeanProvider(EntityManagerFactory.class)
                .stream()
                .flatMap((factory) -> factory.getMetamodel().getEntities().stream())
                .map((entity) -> entity.getJavaType());
        }

    }

    /** Loaded where there is Spring Data. */
    private static final class SpringData {

        static Stream<Class<?>> aggregates(ListableBeanFactory beans) {
            return beans.<MappingContext<?, ?>>getBeanProvider(ResolvableType.forClass(MappingContext.class))
                .stream()
                .flatMap((context) -> context.getPersistentEntities().stream())
                .map((entity) -> entity.getType());
        }

    }

}
