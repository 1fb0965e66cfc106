package io.shardedid.hibernate;

import java.lang.reflect.Member;
import java.util.EnumSet;

import io.shardedid.ShardedId;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.AnnotationBasedGenerator;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.GeneratorCreationContext;
import org.jspecify.annotations.Nullable;

/**
 * Computes the id of a {@link ShardedId} attribute before the insert.
 */
public class ShardedIdValueGenerator implements BeforeExecutionGenerator, AnnotationBasedGenerator<ShardedId> {

    private static final long serialVersionUID = 1L;

    /** Called by Hibernate. */
    public ShardedIdValueGenerator() {
    }

    /**
     * Called by Hibernate 6.6 to 7.2.
     * @param annotation the annotation
     * @param member the annotated member
     * @param context the attribute
     */
    @Override
    @SuppressWarnings("removal")
    public void initialize(ShardedId annotation, Member member, GeneratorCreationContext context) {
        initialize(annotation, context);
    }

    /**
     * Called by Hibernate 7.3 and later.
     * @param annotation the annotation
     * @param context the attribute
     */
    @Override
    public void initialize(ShardedId annotation, GeneratorCreationContext context) {
    }

    @Override
    public Object generate(SharedSessionContractImplementor session, Object owner, @Nullable Object currentValue,
            EventType eventType) {
        throw new UnsupportedOperationException();
    }

    @Override
    public EnumSet<EventType> getEventTypes() {
        return EnumSet.of(EventType.INSERT);
    }

}
