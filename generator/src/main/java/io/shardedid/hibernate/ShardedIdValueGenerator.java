package io.shardedid.hibernate;

import java.lang.reflect.Member;
import java.util.EnumSet;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIds;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.AnnotationBasedGenerator;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.GeneratorCreationContext;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.jspecify.annotations.Nullable;

/**
 * Computes the id of a {@link ShardedId} attribute before the insert: reads the shard key
 * off the entity and asks the engine for the next id of its shard. No statement, no
 * connection, no lock. Thread-safe.
 *
 * @implNote Hibernate makes several of these for one attribute, so counters and leases
 * live in the engine, behind {@link ShardedIdService}
 * @since 0.1
 */
public class ShardedIdValueGenerator implements BeforeExecutionGenerator, AnnotationBasedGenerator<ShardedId> {

    private static final long serialVersionUID = 1L;

    private transient @Nullable Resolved resolved;

    /** Whether another generator makes this attribute's ids already. */
    private transient boolean repeated;

    /** Called by Hibernate. */
    public ShardedIdValueGenerator() {
    }

    /**
     * Called by Hibernate 6.6 to 7.2.
     * @param annotation the annotation
     * @param member the annotated member
     * @param context the attribute
     * @throws ShardedIdMappingException if the mapping cannot work
     */
    @Override
    @SuppressWarnings("removal")
    public void initialize(ShardedId annotation, Member member, GeneratorCreationContext context) {
        Property property = context.getProperty();
        PersistentClass entity = context.getPersistentClass();
        // for a part of a composite id, 6.6 names the whole of it or nothing
        boolean part = property == null || entity != null && property.getValue() instanceof Component
                && !member.getDeclaringClass().isAssignableFrom(entity.getMappedClass());
        resolve(annotation, context, part ? MappedAttribute.partOfId(entity, member).property() : property);
    }

    /**
     * Called by Hibernate 7.3 and later.
     * @param annotation the annotation
     * @param context the attribute
     * @throws ShardedIdMappingException if the mapping cannot work
     */
    @Override
    public void initialize(ShardedId annotation, GeneratorCreationContext context) {
        resolve(annotation, context, context.getProperty());
    }

    private void resolve(ShardedId annotation, GeneratorCreationContext context, Property id) {
        ShardedIdService service = ShardedIdServiceContributor.checked(context.getServiceRegistry());
        PersistentClass entity = context.getPersistentClass();
        if (GeneratedAttribute.isCopy(entity, id)) {
            this.repeated = true;
            return;
        }
        GeneratedAttribute attribute = GeneratedAttribute.of(entity, id);
        ShardKey key = ShardKeyMapping.keyOf(annotation, entity, id, service::layoutIfReadable, service::shardFunction);
        if (key != null) {
            service.generated().addRow(entity.getEntityName(), new ShardedRow(key, attribute.carrier(entity, id)));
        }
        service.generated().add(attribute.entityName(), attribute.name());
        attribute.check(service.layout());
        // the mapping first: an engine may take a worker id away from others
        this.resolved = new Resolved(attribute, key, annotation.allowAssigned(), service.generating());
    }

    /**
     * Returns the id of an entity that is about to be inserted.
     * @param session the session
     * @param owner the entity, null in an HQL insert
     * @param currentValue the id that the application assigned, or null; kept with
     * {@link ShardedId#allowAssigned()}; otherwise this method fails, unless Hibernate
     * has failed before
     * @param eventType always an insert
     * @return the id, in the type of the attribute
     * @throws ShardKeyException if the shard key is null and not optional, or leads to no
     * shard, or the assigned id cannot be one of this row; no id was issued
     * @throws io.shardedid.ShardedIdException as in {@link ShardedIds#next(int)}
     */
    @Override
    public Object generate(SharedSessionContractImplementor session, @Nullable Object owner,
            @Nullable Object currentValue, EventType eventType) {
        Resolved ready = this.resolved;
        if (ready == null) {
            throw new IllegalStateException("'ShardedIdValueGenerator' must not be named in a mapping by itself "
                    + "(@GenericGenerator, or generic-generator in XML); put '@ShardedId' on the attribute");
        }
        GeneratedAttribute attribute = ready.attribute;
        if (owner != null && currentValue != null && !attribute.absent(currentValue)) {
            if (ready.allowAssigned) {
                attribute.checkAssigned(currentValue, ready.key, owner, session, ready.ids.reader());
                return currentValue;
            }
            attribute.refuseToReplace(currentValue);
        }
        return attribute.form().next(ready.shard(session, owner), ready.ids);
    }

    @Override
    public EnumSet<EventType> getEventTypes() {
        return this.repeated ? EnumSet.noneOf(EventType.class) : EnumSet.of(EventType.INSERT);
    }

    @Override
    public boolean allowAssignedIdentifiers() {
        Resolved ready = this.resolved;
        return ready != null && ready.allowAssigned;
    }

    /**
     * Returns what Hibernate's refusal of an insert-select in HQL says of the generator.
     */
    @Override
    public String toString() {
        return "@ShardedId (an insert-select in HQL must name the id among the inserted attributes, and select it)";
    }

    /**
     * What was found out at boot.
     *
     * @param attribute the annotated attribute
     * @param key the shard key, or null
     * @param allowAssigned whether ids of the application are kept
     * @param ids makes the ids
     */
    private record Resolved(GeneratedAttribute attribute, @Nullable ShardKey key, boolean allowAssigned,
            ShardedIds ids) {

        int shard(SharedSessionContractImplementor session, @Nullable Object owner) {
            ShardKey of = this.key;
            if (of == null) {
                return ShardOfKey.OWN_SHARD;
            }
            if (owner == null) {
                throw new ShardKeyException(
                        ("Could not generate id of '%s': an insert in HQL has no entity to read shard key '%s' from "
                                + "(name the id among the inserted attributes and pass ids.nextFor(key))")
                            .formatted(this.attribute.entityName(), of.path()));
            }
            return of.shardOf(owner, session, this.ids.reader());
        }

    }

}
