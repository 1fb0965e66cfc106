package io.shardedid.hibernate;

import io.shardedid.ShardKeyException;
import io.shardedid.hibernate.key.MappedAttribute;
import io.shardedid.hibernate.key.MappedIdForm;
import io.shardedid.key.AssignedIdCheck;
import io.shardedid.key.IdForm;

import org.hibernate.AnnotationException;
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
 * @param form how ids stand in it
 * @param primitive whether it is a primitive, so that 0 stands for none
 * @param identifier whether it is the identifier or a part of it
 */
record GeneratedAttribute(String entityName, String name, IdForm form, boolean primitive, boolean identifier) {

    /**
     * Finds out about the annotated attribute.
     * @param entity the entity, null for an attribute of an embeddable that is no
     * identifier
     * @throws AnnotationException if no id can stand there
     */
    static GeneratedAttribute of(@Nullable PersistentClass entity, Property property) {
        if (entity == null) {
            throw new AnnotationException(
                    ("'@ShardedId' on '%s' of an embeddable in table '%s' must be on an attribute of the entity itself "
                            + "or of its identifier; move it there")
                        .formatted(property.getName(), property.getValue().getTable().getName()));
        }
        MappedAttribute attribute = MappedAttribute.of(entity, property);
        IdForm form = MappedIdForm.of(attribute);
        if (form == null) {
            throw new AnnotationException(
                    ("Attribute '%s.%s' cannot carry '@ShardedId': type=%s (%s); change the type, "
                            + "or wrap the id in a record as @EmbeddedId")
                        .formatted(entity.getEntityName(), property.getName(), attribute.type().getName(),
                                MappedIdForm.TYPES));
        }
        boolean identifier = property.equals(entity.getIdentifierProperty())
                || entity.getIdentifier() instanceof Component several && several.getProperties().contains(property);
        if (!identifier && !property.isInsertable()) {
            throw new AnnotationException(("'@ShardedId' on '%s.%s' has no effect: insertable=false keeps its column "
                    + "out of the insert; let it be inserted")
                .formatted(entity.getEntityName(), property.getName()));
        }
        return new GeneratedAttribute(entity.getEntityName(), property.getName(), form, attribute.primitive(),
                identifier);
    }

    /**
     * Tells whether an attribute of no entity is the second view of an identifier that
     * Hibernate has where there is an id class.
     */
    static boolean repeatsIdentifier(Property property) {
        PrimaryKey primaryKey = property.getValue().getTable().getPrimaryKey();
        return primaryKey != null && property.getValue().getColumns().stream().allMatch(primaryKey::containsColumn);
    }

    /** Whether a value stands for none, so that the application has set none. */
    boolean absent(Object value) {
        return this.primitive && value.equals(0L);
    }

    /**
     * Returns the id that the application has assigned.
     * @throws ShardKeyException if the value is none, or not as the generator writes it
     */
    long assigned(Object value) {
        return AssignedIdCheck.numberOf(value, this.form, this.entityName, this.name);
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
