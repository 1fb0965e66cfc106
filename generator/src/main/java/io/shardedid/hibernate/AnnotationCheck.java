package io.shardedid.hibernate;

import java.util.Objects;
import java.util.stream.Stream;

import org.hibernate.SessionFactory;
import org.hibernate.SessionFactoryObserver;
import org.hibernate.boot.Metadata;
import org.hibernate.cfg.JdbcSettings;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.mapping.Collection;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.jspecify.annotations.Nullable;

/**
 * Refuses annotations that Hibernate passes over without a word, for example on a getter
 * under field access: the application would miss its ids at the first insert, or store
 * null. Runs once, when all generators have been made, and before anybody has the
 * factory.
 */
final class AnnotationCheck implements SessionFactoryObserver {

    private static final long serialVersionUID = 1L;

    private transient @Nullable Metadata metadata;

    AnnotationCheck(Metadata metadata) {
        this.metadata = metadata;
    }

    @Override
    public void sessionFactoryCreated(SessionFactory factory) {
        Metadata mapping = Objects.requireNonNull(this.metadata, "runs once");
        this.metadata = null;
        SessionFactoryImplementor made = factory.unwrap(SessionFactoryImplementor.class);
        ShardedIdService service = made.getServiceRegistry().requireService(ShardedIdService.class);
        boolean sharded = false;
        for (PersistentClass entity : mapping.getEntityBindings()) {
            for (ShardedAttribute attribute : ShardedAttribute.of(entity.getMappedClass()).toList()) {
                check(entity, attribute, service.generated());
                sharded = true;
            }
        }
        if (sharded) {
            checkColumns(mapping, made, service);
        }
        mapping.getCollectionBindings().forEach(AnnotationCheck::refuseElements);
    }

    private static void checkColumns(Metadata mapping, SessionFactoryImplementor made, ShardedIdService service) {
        IdColumns columns = new IdColumns(mapping, made.getJdbcServices().getDialect(), service.layout().lastId());
        for (PersistentClass entity : mapping.getEntityBindings()) {
            Stream<MappedAttribute> parts = (entity.getIdentifier() instanceof Component several)
                    ? MappedAttribute.of(several).stream() : Stream.empty();
            Stream.concat(MappedAttribute.of(entity).stream(), parts)
                .filter((attribute) -> service.generated().contain(entity.getEntityName(), attribute.name()))
                .forEach((attribute) -> columns.add(entity, attribute.property()));
            ShardedAttribute.of(entity.getMappedClass())
                .map((attribute) -> attribute.annotation().colocateWith())
                .filter((path) -> !path.isEmpty())
                .forEach((path) -> columns.addReference(entity.getRecursiveProperty(path)));
        }
        columns.addReferences();
        if (!service.reactive() && !Boolean.FALSE.toString()
            .equals(String.valueOf(made.getProperties().get(JdbcSettings.ALLOW_METADATA_ON_BOOT)))) {
            columns.read(made.getJdbcServices().getBootstrapJdbcConnectionAccess());
        }
        columns.check();
    }

    private static void check(PersistentClass entity, ShardedAttribute attribute, GeneratedAttributes generated) {
        if (Stream.<PersistentClass>iterate(entity, Objects::nonNull, PersistentClass::getSuperclass)
            .noneMatch((next) -> generated.contain(next.getEntityName(), attribute.name()))) {
            throw new ShardedIdMappingException(
                    ("'@ShardedId' on '%s.%s' has no effect: Hibernate generates nothing there (the access type is "
                            + "another, the attribute is transient, an association or an embeddable, '@MapsId' takes the "
                            + "id from another entity, or XML says metadata-complete); move it to a mapped attribute of "
                            + "a supported type, or leave it out where '@MapsId' shares an id")
                        .formatted(entity.getEntityName(), attribute.name()));
        }
    }

    private static void refuseElements(Collection collection) {
        if (collection.getElement() instanceof Component element) {
            ShardedAttribute.of(element.getComponentClass()).forEach((attribute) -> {
                throw new ShardedIdMappingException(
                        ("'@ShardedId' on '%s.%s' has no effect: Hibernate generates nothing "
                                + "for the elements of a collection ('%s'); make the element an entity")
                            .formatted(element.getComponentClassName(), attribute.name(), collection.getRole()));
            });
        }
    }

}
