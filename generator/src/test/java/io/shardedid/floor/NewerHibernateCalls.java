package io.shardedid.floor;

import java.util.EnumSet;
import java.util.function.Function;

import io.shardedid.ShardedId;
import jakarta.persistence.EntityManager;
import org.hibernate.SessionFactory;
import org.hibernate.generator.AnnotationBasedGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.GeneratorCreationContext;
import org.hibernate.mapping.RootClass;
import org.hibernate.models.spi.MemberDetails;
import org.hibernate.type.Type;

/**
 * What compiles against the Hibernate of the class path and would fail on the oldest one.
 */
final class NewerHibernateCalls {

    private NewerHibernateCalls() {
    }

    static final class CallsMethods {

        Type type(GeneratorCreationContext context) {
            return context.getType();
        }

        Function<GeneratorCreationContext, RootClass> root() {
            return GeneratorCreationContext::getRootClass;
        }

        /** The name is an old one, the parameters are not. */
        Object reference(EntityManager session, Object entity) {
            return session.getReference(entity);
        }

        /** Nothing new. */
        boolean open(SessionFactory factory) {
            return factory.isOpen();
        }

    }

    static final class NamesAClass {

        String name(MemberDetails member) {
            return String.valueOf(member);
        }

    }

    /** 6.6 to 7.2 call the form with a Member. */
    static final class HasOneFormOfTwo implements AnnotationBasedGenerator<ShardedId> {

        private static final long serialVersionUID = 1;

        @Override
        public void initialize(ShardedId annotation, GeneratorCreationContext context) {
        }

        @Override
        public boolean generatedOnExecution() {
            return false;
        }

        @Override
        public EnumSet<EventType> getEventTypes() {
            return EnumSet.noneOf(EventType.class);
        }

    }

}
