package io.shardedid.hibernate;

import java.time.Instant;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.UuidLayout;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
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
     * Finds out about the annotated attribute. The entity is null for one of an
     * embeddable that is no identifier.
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

    /** Refuses a UUID for which the layout has no room. */
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

    /** Reads shards off identifiers, or null if this attribute stands beside them. */
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
     * Checks that an id which the application has assigned is one that the generator
     * could have made for this row by now.
     * @param key the shard key of the row, or null
     * @throws ShardKeyException if it is not written as the generator writes it, is of
     * another shard than the key, or of a time that has not come
     */
    void checkAssigned(Object id, @Nullable ShardKey key, Object owner, SharedSessionContractImplementor session,
            IdReader ids) {
        int shard = shardOfAssigned(id, owner, ids);
        int expected = (key != null) ? key.shardOf(owner, session, ids) : ShardOfKey.OWN_SHARD;
        if (key != null && expected != ShardOfKey.OWN_SHARD && shard != expected) {
            throw notKept(id, owner, ("its shard must be that of shard key '%s': shard=%s, shard of the key=%s; assign "
                    + "what 'nextFor(key)' returns")
                .formatted(key.path(), shard, expected));
        }
        if (this.form.isOlder(id, ids)) {
            return;
        }
        Instant time = this.form.timeOf(id, ids.layout());
        if (time.isAfter(ids.latest())) {
            throw notKept(id, owner, "its time must have come: time=%s, latest=%s; assign one that 'ShardedIds' made"
                .formatted(time, ids.latest()));
        }
    }

    private int shardOfAssigned(Object id, Object owner, IdReader ids) {
        try {
            if (this.form.isAsWritten(id)) {
                return this.form.shardOf(id, ids);
            }
        }
        catch (ShardKeyException ex) {
            throw notKept(id, owner, String.valueOf(ex.getMessage()));
        }
        catch (NumberFormatException ex) {
            // the rule is the same as for a text that is too short
        }
        throw notKept(id, owner, "it must be %s; assign one that 'ShardedIds' made".formatted(this.form.rule()));
    }

    private ShardKeyException notKept(Object id, Object owner, String why) {
        return new ShardKeyException("Could not keep the assigned id of '%s': %s='%s', %s"
            .formatted(owner.getClass().getName(), this.name, id, why), ShardKeyException.Reason.ID_NOT_OF_ROW);
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
