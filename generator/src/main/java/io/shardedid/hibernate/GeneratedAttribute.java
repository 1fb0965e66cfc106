package io.shardedid.hibernate;

import java.util.UUID;
import java.util.function.IntSupplier;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.UuidLayout;
import io.shardedid.internal.key.AssignedIdCheck;
import io.shardedid.internal.key.IdForm;
import io.shardedid.internal.key.NumberForm;
import io.shardedid.internal.key.UuidForm;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.PrimaryKey;
import org.hibernate.mapping.Property;
import org.jspecify.annotations.Nullable;

/**
 * The attribute that carries the annotation: the identifier, a part of it, or a plain
 * attribute beside it.
 *
 * @param entityName the entity
 * @param name the attribute
 * @param form how it holds ids
 * @param primitive whether it is a primitive, so that 0 stands for none
 * @param identifier whether it is the identifier or a part of it
 */
record GeneratedAttribute(String entityName, String name, IdForm form, boolean primitive, boolean identifier) {

    /**
     * Finds out about the annotated attribute.
     * @param entity the entity, null for an attribute of an embeddable that is no
     * identifier
     * @throws ShardedIdMappingException if no id can stand there
     */
    static GeneratedAttribute of(@Nullable PersistentClass entity, Property property) {
        if (entity == null) {
            throw new ShardedIdMappingException(
                    ("'@ShardedId' on '%s' of an embeddable in table '%s' must be on an attribute of the entity itself "
                            + "or of its identifier; move it there")
                        .formatted(property.getName(), property.getValue().getTable().getName()));
        }
        MappedAttribute attribute = MappedAttribute.of(entity, property);
        IdForm form = MappedIdForm.of(attribute);
        if (form == null && property.equals(entity.getIdentifierProperty())
                && property.getValue() instanceof Component) {
            throw new ShardedIdMappingException(
                    "Attribute '%s.%s' cannot carry '@ShardedId': it is an embeddable; put it on an attribute of '%s'"
                        .formatted(entity.getEntityName(), property.getName(), attribute.type().getTypeName()));
        }
        if (form == null) {
            throw new ShardedIdMappingException(
                    ("Attribute '%s.%s' cannot carry '@ShardedId': type=%s (%s); change the type, "
                            + "or wrap the id in a record as @EmbeddedId")
                        .formatted(entity.getEntityName(), property.getName(), attribute.type().getTypeName(),
                                MappedIdForm.TYPES));
        }
        boolean identifier = isIdentifier(entity, property);
        if (!identifier && !property.isInsertable()) {
            throw new ShardedIdMappingException(
                    ("'@ShardedId' on '%s.%s' has no effect: insertable=false keeps its column "
                            + "out of the insert; let it be inserted")
                        .formatted(entity.getEntityName(), property.getName()));
        }
        return new GeneratedAttribute(entity.getEntityName(), property.getName(), form, attribute.primitive(),
                identifier);
    }

    /**
     * Checks that ids of this kind can be made.
     * @throws ShardedIdMappingException if the layout has no room for UUIDs
     */
    void check(IdLayout layout) {
        if (this.form instanceof UuidForm) {
            try {
                UuidLayout.check(layout);
            }
            catch (ShardedIdConfigurationException ex) {
                throw new ShardedIdMappingException("Attribute '%s.%s' cannot carry '@ShardedId' on a UUID: %s"
                    .formatted(this.entityName, this.name, ex.getMessage()), ex);
            }
        }
    }

    /**
     * Returns whether Hibernate asks for the generator of a copy of the annotated
     * attribute. It has one for the identifier of an entity with an id class, and for
     * each foreign key of the id and a further column.
     */
    static boolean isCopy(@Nullable PersistentClass entity, Property property) {
        if (entity == null) {
            PrimaryKey primaryKey = property.getValue().getTable().getPrimaryKey();
            return primaryKey != null && property.getValue().getColumns().stream().allMatch(primaryKey::containsColumn);
        }
        return !isIdentifier(entity, property) && !entity.getSubclassPropertyClosure().contains(property);
    }

    private static boolean isIdentifier(PersistentClass entity, Property property) {
        return property.equals(entity.getIdentifierProperty())
                || entity.getIdentifier() instanceof Component several && several.getProperties().contains(property);
    }

    /**
     * Reads shards off the identifiers of the entity, or null if this attribute stands
     * beside the identifier.
     */
    @Nullable ShardCarrier carrier(PersistentClass entity, Property property) {
        if (!this.identifier) {
            return null;
        }
        return new ShardCarrier(this.form, (entity.getIdentifier() instanceof Component several)
                ? property.getGetter(several.getComponentClass()) : null);
    }

    /** Whether a value stands for none, so that the application has set none. */
    boolean absent(Object value) {
        return this.primitive && value.equals(0L);
    }

    /**
     * Checks the id that the application has assigned.
     * @throws ShardKeyException if the value is none, or not as the generator writes it,
     * or cannot be an id of this row
     */
    void checkAssigned(Object value, AssignedIdCheck check, Object owner, IntSupplier shardOfKey, IdReader ids) {
        if (this.form instanceof NumberForm number) {
            check.check(AssignedIdCheck.numberOf(value, number, this.entityName, this.name), owner, shardOfKey, ids);
        }
        else if (this.form instanceof UuidForm uuid) {
            check.check(uuidOf(value, uuid), owner, shardOfKey, ids);
        }
    }

    private UUID uuidOf(Object value, UuidForm uuid) {
        try {
            return uuid.uuidOf(value);
        }
        catch (NumberFormatException ex) {
            throw new ShardKeyException(
                    ("Could not keep the assigned id of '%s': %s='%s', it must hold a UUID; assign one that 'ShardedIds' "
                            + "made")
                        .formatted(this.entityName, this.name, value),
                    ShardKeyException.Reason.ID_NOT_OF_ROW);
        }
    }

    /**
     * Refuses a value that is set already but must not be kept. Hibernate does so itself
     * for identifiers.
     */
    void refuseToReplace(Object value) {
        if (!this.identifier) {
            throw new ShardKeyException(("Could not generate '%s' of '%s': it is set already, to '%s'; leave it null, "
                    + "or say '@ShardedId(allowAssigned = true)' to keep ids that 'ShardedIds' made")
                .formatted(this.name, this.entityName, value), ShardKeyException.Reason.ID_NOT_OF_ROW);
        }
    }

}
