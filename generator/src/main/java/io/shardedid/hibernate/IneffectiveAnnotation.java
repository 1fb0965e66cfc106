package io.shardedid.hibernate;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

import io.shardedid.ShardedId;

import org.hibernate.AnnotationException;
import org.hibernate.SessionFactory;
import org.hibernate.SessionFactoryObserver;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.mapping.Collection;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.service.spi.SessionFactoryServiceRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Refuses annotations that Hibernate passes over without a word, for example on a getter
 * under field access: the application would miss its ids at the first insert, or store
 * null. Hibernate finds it by {@code META-INF/services}.
 */
public final class IneffectiveAnnotation implements Integrator {

    /** Called by Hibernate. */
    public IneffectiveAnnotation() {
    }

    @Override
    public void integrate(Metadata metadata, BootstrapContext context, SessionFactoryImplementor sessionFactory) {
        // 6.6 makes its generators after this
        sessionFactory.addObserver(new Check(metadata));
    }

    @Override
    public void disintegrate(SessionFactoryImplementor sessionFactory, SessionFactoryServiceRegistry registry) {
        // nothing was left there
    }

    /** Runs when all generators have been made, and before anybody has the factory. */
    private static final class Check implements SessionFactoryObserver {

        private static final long serialVersionUID = 1L;

        private transient @Nullable Metadata metadata;

        Check(Metadata metadata) {
            this.metadata = metadata;
        }

        @Override
        public void sessionFactoryCreated(SessionFactory factory) {
            Metadata mapping = Objects.requireNonNull(this.metadata, "runs once");
            this.metadata = null;
            SessionFactoryImplementor made = factory.unwrap(SessionFactoryImplementor.class);
            for (PersistentClass entity : mapping.getEntityBindings()) {
                annotated(entity.getMappedClass()).filter((attribute) -> !generated(entity, attribute, made))
                    .forEach((attribute) -> {
                        throw new AnnotationException(("'@ShardedId' on '%s.%s' has no effect: Hibernate generates "
                                + "nothing there (the access type is another, the attribute is transient, an "
                                + "association or an embeddable, or XML says metadata-complete); move it to a mapped "
                                + "attribute of a supported type")
                            .formatted(entity.getEntityName(), attribute));
                    });
            }
            mapping.getCollectionBindings().forEach(Check::refuseElements);
        }

        private static void refuseElements(Collection collection) {
            if (collection.getElement() instanceof Component element) {
                annotated(element.getComponentClass()).forEach((attribute) -> {
                    throw new AnnotationException(("'@ShardedId' on '%s.%s' has no effect: Hibernate generates nothing "
                            + "for the elements of a collection ('%s'); make the element an entity")
                        .formatted(element.getComponentClassName(), attribute, collection.getRole()));
                });
            }
        }

        private static boolean generated(PersistentClass entity, String attribute, SessionFactoryImplementor factory) {
            ShardedIdService service = factory.getServiceRegistry().requireService(ShardedIdService.class);
            return Stream.<PersistentClass>iterate(entity, Objects::nonNull, PersistentClass::getSuperclass)
                .anyMatch((next) -> service.generated().contain(next.getEntityName(), attribute));
        }

        /** The names of the annotated attributes of a class and its superclasses. */
        private static Stream<String> annotated(@Nullable Class<?> type) {
            return Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass)
                .flatMap((next) -> Stream.concat(Arrays.stream(next.getDeclaredFields()),
                        Arrays.stream(next.getDeclaredMethods())))
                .filter((member) -> ((AccessibleObject) member).isAnnotationPresent(ShardedId.class))
                .map(Check::attribute);
        }

        private static String attribute(Member member) {
            String name = member.getName();
            int prefix = !(member instanceof Method) ? 0 : name.startsWith("get") ? 3 : name.startsWith("is") ? 2 : 0;
            String rest = name.substring(prefix);
            boolean kept = prefix == 0 || rest.isEmpty() || rest.length() > 1 && Character.isUpperCase(rest.charAt(1));
            return kept ? rest : rest.substring(0, 1).toLowerCase(Locale.ROOT) + rest.substring(1);
        }

    }

}
