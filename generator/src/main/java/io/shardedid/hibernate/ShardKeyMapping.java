package io.shardedid.hibernate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.shardedid.ShardFunction;
import io.shardedid.ShardedId;

import jakarta.persistence.MapsId;
import org.hibernate.AnnotationException;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.mapping.SimpleValue;
import org.hibernate.mapping.ToOne;
import org.hibernate.mapping.Value;
import org.hibernate.property.access.spi.Getter;

/**
 * Resolves the path of a {@link ShardedId} on the boot model and refuses what cannot be a
 * shard key. Used once, while the session factory is built.
 */
final class ShardKeyMapping {

    private final PersistentClass entity;

    private final Property id;

    private final String element;

    private final String path;

    private final boolean colocated;

    private final ShardFunction function;

    ShardKeyMapping(PersistentClass entity, Property id, ShardedId annotation, ShardFunction function) {
        this.entity = entity;
        this.id = id;
        this.colocated = annotation.shardKey().isEmpty();
        this.element = this.colocated ? "colocateWith" : "shardKey";
        this.path = this.colocated ? annotation.colocateWith() : annotation.shardKey();
        this.function = function;
    }

    /**
     * Makes the reader of the key.
     * @throws AnnotationException if the path leads to no usable key
     */
    ShardKeyReader reader() {
        List<Getter> getters = new ArrayList<>();
        List<String> segments = List.of(this.path.split("\\.", -1));
        String owner = "Entity '%s'".formatted(this.entity.getEntityName());
        List<MappedAttribute> attributes = MappedAttribute.of(this.entity);
        for (int i = 0; i < segments.size(); i++) {
            MappedAttribute attribute = find(segments.get(i), owner, attributes);
            getters.add(attribute.getter());
            List<String> rest = segments.subList(i + 1, segments.size());
            Value value = attribute.property().getValue();
            if (value instanceof ToOne association) {
                return association(attribute, association, new AttributePath(this.path, getters), rest);
            }
            if (!(value instanceof Component embeddable)) {
                return scalar(attribute, new AttributePath(this.path, getters), rest);
            }
            owner = "Embeddable '%s'".formatted(embeddable.getComponentClassName());
            attributes = MappedAttribute.of(embeddable);
        }
        throw refused("is an embeddable", "name one of its attributes: " + names(this.path + ".", attributes));
    }

    private MappedAttribute find(String name, String owner, List<MappedAttribute> attributes) {
        return MappedAttribute.named(name, attributes)
            .orElseThrow(() -> new AnnotationException(
                    "%s has no attribute '%s' named by '@ShardedId(%s)' on '%s' (attributes: %s)%s".formatted(owner,
                            name, this.element, this.id.getName(), names("", attributes), hint(name))));
    }

    private String hint(String name) {
        boolean below = this.entity.getSubclassPropertyClosure()
            .stream()
            .anyMatch((property) -> property.getName().equals(name));
        return below ? "; it belongs to a subclass only, and all of them share the id" : "";
    }

    private ShardKeyReader scalar(MappedAttribute attribute, AttributePath read, List<String> rest) {
        if (!rest.isEmpty()) {
            throw refused(
                    "goes on below a plain value: '%s' has no attribute '%s'".formatted(attribute.name(), rest.get(0)),
                    "end the path at '%s'".formatted(attribute.name()));
        }
        if (!attribute.property().getValue().isSimpleValue()) {
            throw refused("is a collection", "name an attribute with one value");
        }
        if (attribute.property() == this.id || this.path.equals(this.id.getName())) {
            throw refused("is the generated attribute itself",
                    "name another attribute, or none to let the row found its own shard");
        }
        if (this.colocated) {
            if (attribute.type() != Long.class) {
                throw refused("must be a long or Long that holds a sharded id: type=" + attribute.type().getName(),
                        "use 'shardKey' for other keys");
            }
            return new ScalarShardKey(read, new CarriedShard(name()));
        }
        return new ScalarShardKey(read, plain(attribute));
    }

    private PlainKey plain(MappedAttribute attribute) {
        if (!this.function.supports(attribute.type())) {
            throw refused(
                    "cannot be a shard key: type=%s (shard function '%s' knows integer types, String, UUID and enums)"
                        .formatted(attribute.type().getName(), this.function.id()),
                    "name another attribute, or set 'shardedid.shard-function' to a function that knows this type");
        }
        return new PlainKey(name());
    }

    private ShardKeyReader association(MappedAttribute attribute, ToOne association, AttributePath read,
            List<String> rest) {
        PersistentClass target = targetOf(association);
        if (this.colocated) {
            throw refused(
                    "must be a scalar that holds a sharded id: '%s' is an association".formatted(attribute.name()),
                    "use 'shardKey = \"%s\"', which takes over the shard too".formatted(attribute.name()));
        }
        Property identifier = target.getIdentifierProperty();
        if (identifier != null && !(identifier.getValue() instanceof Component)) {
            if (!rest.isEmpty() && !rest.equals(List.of(identifier.getName()))) {
                throw refused(
                        "leads beyond the id of '%s', which alone is known without a select"
                            .formatted(target.getEntityName()),
                        "name '%s' or '%1$s.%s', which mean the same".formatted(attribute.name(),
                                identifier.getName()));
            }
            MappedAttribute targetId = new MappedAttribute(identifier, target.getMappedClass());
            return reader(read, target, new AttributePath("", List.of()), targetId, carries(target));
        }
        MappedAttribute part = partOfCompositeId(attribute, target, rest);
        return reader(read, target, new AttributePath(part.name(), List.of(part.getter())), part,
                part.has(ShardedId.class));
    }

    /** The only way into a composite identifier is by the name of one of its parts. */
    private MappedAttribute partOfCompositeId(MappedAttribute association, PersistentClass target, List<String> rest) {
        Property identifier = target.getIdentifierProperty();
        String prefix = association.name() + "." + ((identifier != null) ? identifier.getName() + "." : "");
        List<MappedAttribute> parts = (target.getIdentifier() instanceof Component several)
                ? MappedAttribute.of(several) : List.of();
        return parts.stream()
            .filter((part) -> String.join(".", rest)
                .equals((prefix + part.name()).substring(association.name().length() + 1)))
            .filter((part) -> part.property().getValue().isSimpleValue())
            .findFirst()
            .orElseThrow(() -> refused("must name a part of the composite id of '%s'".formatted(target.getEntityName()),
                    "one of " + names(prefix, parts)));
    }

    private AssociationShardKey reader(AttributePath read, PersistentClass target, AttributePath id,
            MappedAttribute key, boolean carries) {
        ShardOfKey shard = carries ? new CarriedShard(name()) : plain(key);
        return new AssociationShardKey(read, target.getEntityName(), id, key.primitive(), shard);
    }

    /**
     * Tells whether ids of an entity carry their shard: generated by us, or shared with a
     * parent whose ids do.
     */
    private static boolean carries(PersistentClass entity) {
        Set<String> seen = new HashSet<>();
        PersistentClass next = entity;
        while (next != null && seen.add(next.getEntityName())) {
            if (new MappedAttribute(next.getIdentifierProperty(), next.getMappedClass()).has(ShardedId.class)) {
                return true;
            }
            next = MappedAttribute.of(next)
                .stream()
                .filter((attribute) -> attribute.property().getValue() instanceof ToOne && attribute.has(MapsId.class))
                .findFirst()
                .map((attribute) -> targetOf((ToOne) attribute.property().getValue()))
                .filter((parent) -> parent.getIdentifierProperty() != null)
                .orElse(null);
        }
        return false;
    }

    private static PersistentClass targetOf(ToOne association) {
        SimpleValue value = association;
        return value.getMetadata().getEntityBinding(association.getReferencedEntityName());
    }

    private String name() {
        return this.entity.getEntityName() + "." + this.path;
    }

    private AnnotationException refused(String why, String whatToDo) {
        return new AnnotationException("'@ShardedId(%s = \"%s\")' on '%s.%s' %s; %s".formatted(this.element, this.path,
                this.entity.getEntityName(), this.id.getName(), why, whatToDo));
    }

    private static String names(String prefix, List<MappedAttribute> attributes) {
        return attributes.stream()
            .map((attribute) -> "'" + prefix + attribute.name() + "'")
            .sorted()
            .collect(Collectors.joining(", "));
    }

}
