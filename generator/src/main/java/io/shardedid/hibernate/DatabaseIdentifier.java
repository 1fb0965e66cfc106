package io.shardedid.hibernate;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.shardedid.IdStrategy;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.key.NumberForm;
import io.shardedid.key.ShardOfKey;

import org.hibernate.boot.Metadata;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.mapping.ToOne;
import org.jspecify.annotations.Nullable;

/**
 * An identifier with {@code @ShardedId(strategy = DATABASE)}, as the boot model has it.
 * Immutable; used by the thread that builds the session factory.
 *
 * @apiNote The type is public for {@code shardedid-database-ids}, which lets the database
 * make such identifiers.
 * @since 0.1
 */
public final class DatabaseIdentifier {

    private static final String WHAT_TO_DO = "name another key, or use strategy APPLICATION";

    private final ShardedId annotation;

    private final PersistentClass entity;

    private final ShardedIdService service;

    private final @Nullable ShardKeyMapping mapping;

    private DatabaseIdentifier(ShardedId annotation, PersistentClass entity, ShardedIdService service) {
        this.annotation = annotation;
        this.entity = entity;
        this.service = service;
        this.mapping = ShardKeyMapping.of(annotation, entity, attribute(), service::layoutIfReadable,
                service::shardFunction);
    }

    /**
     * Finds the identifiers of a boot model.
     * @param metadata the boot model
     * @param service the service of the session factory
     * @return one for each hierarchy of entities that declares the strategy
     * @throws ShardedIdMappingException if an annotation contradicts itself
     */
    public static List<DatabaseIdentifier> of(Metadata metadata, ShardedIdService service) {
        List<DatabaseIdentifier> found = new ArrayList<>();
        for (PersistentClass entity : metadata.getEntityBindings()) {
            declared(entity).ifPresent((annotation) -> found.add(new DatabaseIdentifier(annotation, entity, service)));
        }
        return found;
    }

    /** What an entity says about its identifier, if the database is to make it. */
    static Optional<ShardedId> declared(PersistentClass entity) {
        Property id = entity.isInherited() ? null : entity.getIdentifierProperty();
        return (id == null || id.getValue() instanceof Component || entity.getMappedClass() == null) ? Optional.empty()
                : MappedAttribute.of(entity, id)
                    .annotation(ShardedId.class)
                    .filter((annotation) -> annotation.strategy() == IdStrategy.DATABASE);
    }

    /**
     * The refusal of an attribute that no module lets the database make.
     * @param entity the entity
     * @param id the attribute with the strategy
     */
    static ShardedIdMappingException leftOver(PersistentClass entity, Property id) {
        return (declared(entity).isPresent() && id.equals(entity.getIdentifierProperty()))
                ? refused(entity, id, "needs an artifact that is not on the class path",
                        "add 'io.shardedid:shardedid-database-ids', or use strategy APPLICATION")
                : refused(entity, id, "must be on an identifier that is one attribute", "use strategy APPLICATION");
    }

    /**
     * Returns the entity, the root of its hierarchy.
     * @return the entity
     */
    public PersistentClass entity() {
        return this.entity;
    }

    /**
     * Returns the identifier.
     * @return an attribute of the entity
     */
    public Property attribute() {
        return this.entity.getIdentifierProperty();
    }

    /**
     * Returns the type of the identifier.
     * @return the type, never a primitive
     */
    public Class<?> type() {
        return MappedAttribute.of(this.entity, attribute()).type();
    }

    /**
     * Returns whether ids that the application assigns are to be kept.
     * @return what the annotation says
     */
    public boolean allowAssigned() {
        return this.annotation.allowAssigned();
    }

    /**
     * Returns the shard key.
     * @return the key, or empty if the database chooses the shard
     * @throws ShardedIdMappingException if the path leads to no usable key
     */
    public Optional<Key> key() {
        return Optional.ofNullable(this.mapping).map((mapped) -> Key.of(mapped.key(), mapped.attribute()));
    }

    /**
     * Takes note that the database makes the identifier, so that rows are checked by it
     * and no other maker of ids gets in its way.
     * @throws ShardedIdMappingException if another attribute's ids could be the same, or
     * the processes make UUIDs only
     * @throws ShardedIdConfigurationException if this process would make the same ids
     */
    public void leaveToDatabase() {
        GeneratedAttributes generated = this.service.generated();
        generated.add(this.entity.getEntityName(), attribute().getName(), IdStrategy.DATABASE, this.service.layout());
        if (this.service.onlyUuids()) {
            throw GeneratedAttribute.refusedByChance(this.entity.getEntityName(), attribute().getName());
        }
        this.service.reserveWorkerOfDatabase();
        if (this.mapping != null) {
            generated.addRow(this.entity.getEntityName(), new ShardedRow(this.mapping.key(),
                    new ShardCarrier(NumberForm.Plain.NUMBER, null), this.service.layout()));
        }
    }

    /**
     * Makes the refusal of the identifier.
     * @param why the rule and the values that break it
     * @param whatToDo what to do
     * @return the refusal
     */
    public ShardedIdMappingException refused(String why, String whatToDo) {
        return refused(this.entity, attribute(), why, whatToDo);
    }

    /**
     * Makes the refusal of the shard key.
     * @param why the rule and the values that break it
     * @return the refusal
     * @throws IllegalStateException if there is no key
     */
    public ShardedIdMappingException refusedKey(String why) {
        ShardKeyMapping mapped = this.mapping;
        if (mapped == null) {
            throw new IllegalStateException("There must be a shard key");
        }
        return mapped.declaration().refused(why, WHAT_TO_DO);
    }

    private static ShardedIdMappingException refused(PersistentClass entity, Property id, String why, String whatToDo) {
        return new ShardedIdMappingException("'@ShardedId(strategy = DATABASE)' on '%s.%s' %s; %s"
            .formatted(entity.getEntityName(), id.getName(), why, whatToDo));
    }

    /**
     * A shard key, up to the column of the row.
     *
     * @param attribute the attribute of the row, a scalar or an association
     * @param value the attribute whose value the column has: the same one, or the
     * identifier of the target; null if the key is a part of a composite identifier
     * @param type the type of that value, never a primitive
     * @param shard the way from the value to the shard
     * @param optional whether a row may have no key
     * @since 0.1
     */
    public record Key(Property attribute, @Nullable Property value, Class<?> type, ShardOfKey shard, boolean optional) {

        private static Key of(ShardKey key, MappedAttribute attribute) {
            MappedAttribute value = attribute;
            if (attribute.property().getValue() instanceof ToOne association) {
                value = identifier((ShardKey.Association) key, association);
            }
            return new Key(attribute.property(), (value != null) ? value.property() : null,
                    ((value != null) ? value : attribute).type(), key.shard(), key.optional());
        }

        private static @Nullable MappedAttribute identifier(ShardKey.Association key, ToOne association) {
            PersistentClass target = association.getMetadata().getEntityBinding(association.getReferencedEntityName());
            return (key.target().part().length() > 0) ? null
                    : MappedAttribute.of(target, target.getIdentifierProperty());
        }

    }

}
