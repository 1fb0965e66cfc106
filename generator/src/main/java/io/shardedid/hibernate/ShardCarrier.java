package io.shardedid.hibernate;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.IdReader;
import io.shardedid.ShardedId;
import jakarta.persistence.MapsId;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.ToOne;
import org.hibernate.property.access.spi.Getter;
import org.jspecify.annotations.Nullable;

/**
 * The attribute of an identifier that carries the shard of the row. The mapping alone
 * decides here which attributes hold ids of ours.
 *
 * @param form how it holds the id
 * @param part reads it off a composite identifier, null if the identifier is that
 * attribute itself
 */
record ShardCarrier(IdForm form, @Nullable Getter part) {

    /** Finds the attribute in an identifier, or null if none carries a shard. */
    static @Nullable ShardCarrier of(PersistentClass entity) {
        Optional<MappedAttribute> found = candidates(entity).filter((attribute) -> isOurs(entity, attribute))
            .findFirst();
        IdForm form = found.map(MappedIdForm::of).orElse(null);
        boolean part = entity.getIdentifier() instanceof Component;
        return (form != null) ? new ShardCarrier(form, part ? found.get().getter() : null) : null;
    }

    private static Stream<MappedAttribute> candidates(PersistentClass entity) {
        if (entity.getIdentifier() instanceof Component several) {
            return MappedAttribute.of(several).stream();
        }
        return Stream.ofNullable(entity.getIdentifierProperty())
            .map((identifier) -> MappedAttribute.of(entity, identifier));
    }

    /**
     * Returns whether an identifier, or a part of it, holds ids of ours: generated here,
     * or taken over from a row whose id is.
     */
    static boolean isOurs(PersistentClass entity, MappedAttribute attribute) {
        return isOurs(entity, attribute, Set.of());
    }

    private static boolean isOurs(PersistentClass entity, MappedAttribute attribute, Set<String> before) {
        if (attribute.has(ShardedId.class)) {
            return true;
        }
        Set<String> seen = new HashSet<>(before);
        if (!seen.add(entity.getEntityName())) {
            return false;
        }
        boolean whole = attribute.property().equals(entity.getIdentifierProperty());
        // an id class repeats attributes of its entity, which are the annotated ones
        boolean repeated = entity.getIdentifierProperty() == null;
        return MappedAttribute.of(entity)
            .stream()
            .anyMatch((other) -> repeated && other.name().equals(attribute.name())
                    && (other.has(ShardedId.class) || leadsToOurs(other, seen))
                    || other.annotation(MapsId.class)
                        .filter((derived) -> whole || derived.value().equals(attribute.name()))
                        .isPresent() && leadsToOurs(other, seen));
    }

    private static boolean leadsToOurs(MappedAttribute attribute, Set<String> seen) {
        if (!(attribute.property().getValue() instanceof ToOne association)) {
            return false;
        }
        PersistentClass target = association.getMetadata().getEntityBinding(association.getReferencedEntityName());
        return target != null && candidates(target).anyMatch((candidate) -> isOurs(target, candidate, seen));
    }

    /** Reads the attribute off an identifier, or null while it has no value. */
    @Nullable Object read(Object identifier) {
        return (this.part != null) ? this.part.get(identifier) : identifier;
    }

    /** The shard that an identifier carries, or null where it is not ours, or older. */
    @Nullable Integer shardIn(Object identifier, IdReader ids) {
        Object id = read(identifier);
        return (id != null && !this.form.isOlder(id, ids)) ? Integer.valueOf(this.form.bitsOf(id, ids.layout())) : null;
    }

    /** The shard that the bits of an identifier name, or -1 if it has none. */
    int bitsOf(Object identifier, IdLayout layout) {
        Object id = read(identifier);
        return (id != null) ? this.form.bitsOf(id, layout) : -1;
    }

}
