package io.shardedid.hibernate;

import java.lang.annotation.Annotation;
import java.lang.invoke.MethodType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.property.access.spi.Getter;

/**
 * An attribute of the boot model together with the class that it is read from.
 *
 * @param property the attribute
 * @param owner the entity or embeddable class that has it
 */
record MappedAttribute(Property property, Class<?> owner) {

    /** An attribute of an entity or of its embedded identifier. */
    static MappedAttribute of(PersistentClass entity, Property property) {
        boolean embedded = entity.getIdentifierProperty() != null
                && entity.getIdentifier() instanceof Component identifier
                && identifier.getProperties().contains(property);
        return new MappedAttribute(property,
                embedded ? ((Component) entity.getIdentifier()).getComponentClass() : entity.getMappedClass());
    }

    /** The part of a composite identifier that a field or getter stands for. */
    static MappedAttribute partOfId(PersistentClass entity, Member member) {
        List<MappedAttribute> parts = (entity.getIdentifier() instanceof Component several) ? of(several) : List.of();
        return parts.stream()
            .filter((part) -> part.name().equals(member.getName())
                    || member.getName().equalsIgnoreCase("get" + part.name()))
            .findFirst()
            .orElseThrow(() -> new ShardedIdMappingException("'@ShardedId' on '%s.%s' must be on an attribute of the id"
                .formatted(entity.getEntityName(), member.getName())));
    }

    /** What an entity, its superclasses and its identifier declare. */
    static List<MappedAttribute> of(PersistentClass entity) {
        return Stream.concat(identifiers(entity), entity.getPropertyClosure().stream())
            .filter((property) -> !property.isSynthetic())
            .map((property) -> new MappedAttribute(property, entity.getMappedClass()))
            .toList();
    }

    private static Stream<Property> identifiers(PersistentClass entity) {
        if (entity.getIdentifierProperty() != null) {
            return Stream.of(entity.getIdentifierProperty());
        }
        // an id class holds mere ids where the entity has associations
        Component parts = (entity.getIdentifierMapper() != null) ? entity.getIdentifierMapper()
                : (entity.getIdentifier() instanceof Component several) ? several : null;
        return (parts != null) ? parts.getProperties().stream() : Stream.empty();
    }

    static List<MappedAttribute> of(Component embeddable) {
        return embeddable.getProperties()
            .stream()
            .map((property) -> new MappedAttribute(property, embeddable.getComponentClass()))
            .toList();
    }

    static Optional<MappedAttribute> named(String name, List<MappedAttribute> among) {
        return among.stream().filter((attribute) -> attribute.name().equals(name)).findFirst();
    }

    String name() {
        return this.property.getName();
    }

    Getter getter() {
        return this.property.getGetter(this.owner);
    }

    /** The type, also where it is a type variable; never a primitive. */
    Class<?> type() {
        Class<?> type = (getter().getReturnType() instanceof Class<?> declared) ? declared
                : this.property.getType().getReturnedClass();
        return MethodType.methodType(type).wrap().returnType();
    }

    boolean primitive() {
        return getter().getReturnTypeClass().isPrimitive();
    }

    boolean has(Class<? extends Annotation> annotation) {
        return annotation(annotation).isPresent();
    }

    /** An annotation of the field or getter that the attribute is read from. */
    <A extends Annotation> Optional<A> annotation(Class<A> annotation) {
        return (getter().getMember() instanceof AnnotatedElement member)
                ? Optional.ofNullable(member.getAnnotation(annotation)) : Optional.empty();
    }

}
