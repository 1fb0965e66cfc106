package io.shardedid.spring.web;

import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.PublicIdFormats;
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
    static Optional<PublicIdFormat> otherForm(Class<?> type, PublicIdFormats formats) {
        return otherForm(type, formats, (member) -> true);
    }

    /**
     * Returns the form of what identifies an entity; other frameworks look it up by that.
     */
    static Optional<PublicIdFormat> otherFormOfIdentifier(Class<?> type, PublicIdFormats formats) {
        return otherForm(type, formats, (member) -> Arrays.stream(member.getAnnotations())
            .anyMatch((mark) -> mark.annotationType().getSimpleName().equals("Id")));
    }

    private static Optional<PublicIdFormat> otherForm(Class<?> type, PublicIdFormats formats,
            Predicate<AnnotatedElement> kind) {
        return ShardedAttribute.of(type)
            .filter((attribute) -> kind.test(attribute.member()))
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
