package io.shardedid.hibernate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedId;
import org.hibernate.annotations.TenantId;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.mapping.Selectable;
import org.hibernate.mapping.ToOne;
import org.hibernate.mapping.Value;
import org.hibernate.property.access.spi.Getter;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the path of a shard key on the boot model and refuses what cannot be one. Used
 * once, while the session factory is built.
 *
 * @param entity the entity, the root of its hierarchy
 * @param id the annotated attribute
 * @param colocated whether {@code colocateWith} names the key, else {@code shardKey}
 * @param path the value of that element
 * @param optional whether the generator chooses the shard of a row without the key
 * @param function the shard function
 */
record ShardKeyMapping(PersistentClass entity, Property id, boolean colocated, String path, boolean optional,
        ShardFunction function) {

    /**
     * Makes the key that an annotation names, or null if the generator chooses the shard.
     * @param entity the root of the hierarchy of the annotated entity
     * @param layout reads the layout of the ids, empty if the settings cannot be read;
     * asked only if the annotation names a key
     * @param function reads the shard function; asked only if the annotation names a key
     */
    static @Nullable ShardKey keyOf(ShardedId annotation, PersistentClass entity, Property id,
            Supplier<Optional<IdLayout>> layout, Supplier<ShardFunction> function) {
        String where = "'@ShardedId' on '%s.%s'".formatted(entity.getEntityName(), id.getName());
        String keys = "shardKey=\"%s\", colocateWith=\"%s\"".formatted(annotation.shardKey(),
                annotation.colocateWith());
        if (annotation.shardKey().isEmpty() && annotation.colocateWith().isEmpty()) {
            if (annotation.optionalKey()) {
                throw new ShardedIdMappingException(
                        "%s has no key that could be optional: optionalKey=true, %s; name the key, or leave 'optionalKey' out"
                            .formatted(where, keys));
            }
            return null;
        }
        layout.get().filter((shardless) -> shardless.shardBits() == 0).ifPresent((shardless) -> {
            throw new ShardedIdMappingException(
                    ("%s must name no shard key, since ids of this layout carry no shard: %s, layout=%s; leave it out, or "
                            + "choose a layout with shard bits")
                        .formatted(where, keys, shardless));
        });
        if (!annotation.shardKey().isEmpty() && !annotation.colocateWith().isEmpty()) {
            throw new ShardedIdMappingException(
                    ("%s has two keys (one of them at most): %s; keep 'colocateWith' if the scalar holds a sharded id, else "
                            + "'shardKey'")
                        .formatted(where, keys));
        }
        boolean colocated = annotation.shardKey().isEmpty();
        return new ShardKeyMapping(entity, id, colocated, colocated ? annotation.colocateWith() : annotation.shardKey(),
                annotation.optionalKey(), function.get())
            .key();
    }

    private ShardKey key() {
        Found found = found();
        Property attribute = found.attribute.property();
        ShardKey key = (attribute.getValue() instanceof ToOne association)
                ? association(association, found.text, found.read, found.rest)
                : scalar(found.attribute, found.read, found.rest);
        if (attribute.equals(this.entity.getVersion())) {
            throw refused("is the version, which Hibernate sets when it writes the row",
                    "name an attribute that is set before persist");
        }
        if (!isWritten(attribute)) {
            throw refused(
                    "is never written: it has no column, as a formula or a side with 'mappedBy', or "
                            + "insertable=false, and no other attribute has its column",
                    "name an attribute that is written");
        }
        return key;
    }

    /** Whether its columns are written, also by an attribute that has them too. */
    private boolean isWritten(Property attribute) {
        List<Selectable> own = attribute.getValue().getSelectables();
        if (attribute.isInsertable() && !own.isEmpty() && !attribute.getValue().hasFormula()) {
            return true;
        }
        Set<Selectable> written = new HashSet<>(this.entity.getIdentifier().getColumns());
        if (this.entity.getDiscriminator() != null) {
            written.addAll(this.entity.getDiscriminator().getColumns());
        }
        for (Property other : this.entity.getSubclassPropertyClosure()) {
            List<Selectable> columns = other.getValue().getSelectables();
            for (int i = 0; i < columns.size(); i++) {
                if (other.isInsertable() && other.getValue().isColumnInsertable(i) && !columns.get(i).isFormula()) {
                    written.add(columns.get(i));
                }
            }
        }
        return !own.isEmpty() && written.containsAll(own);
    }

    private Found found() {
        if (this.path.contains(",")) {
            throw refused("must be one path",
                    "name the one by which rows are found, or an attribute that holds both values");
        }
        List<String> segments = List.of(this.path.split("\\.", -1));
        List<Getter> getters = new ArrayList<>();
        String owner = "Entity '%s'".formatted(this.entity.getEntityName());
        List<MappedAttribute> attributes = MappedAttribute.of(this.entity);
        for (int i = 0; i < segments.size(); i++) {
            MappedAttribute attribute = find(segments.get(i), owner, attributes);
            getters.add(attribute.getter());
            Value value = attribute.property().getValue();
            if (value instanceof ToOne || !(value instanceof Component embeddable)) {
                return new Found(attribute, String.join(".", segments.subList(0, i + 1)),
                        new AttributePath(this.path, getters), segments.subList(i + 1, segments.size()));
            }
            owner = "Embeddable '%s'".formatted(embeddable.getComponentClassName());
            attributes = MappedAttribute.of(embeddable);
        }
        throw refused("is an embeddable", "name one of its attributes: " + names(this.path + ".", attributes));
    }

    private MappedAttribute find(String name, String owner, List<MappedAttribute> attributes) {
        return MappedAttribute.named(name, attributes)
            .orElseThrow(() -> new ShardedIdMappingException(
                    "%s has no attribute '%s' named by '@ShardedId(%s)' on '%s' (attributes: %s)%s".formatted(owner,
                            name, element(), this.id.getName(), names("", attributes), hint(name))));
    }

    private String hint(String name) {
        boolean below = this.entity.getSubclassPropertyClosure()
            .stream()
            .anyMatch((property) -> property.getName().equals(name));
        if (below) {
            return "; it belongs to a subclass only, and all of them share the id";
        }
        Property identifier = this.entity.getIdentifierProperty();
        boolean inId = identifier != null && identifier.getValue() instanceof Component parts
                && MappedAttribute.named(name, MappedAttribute.of(parts)).isPresent();
        return inId ? "; it is a part of the id: write '%s.%s'".formatted(identifier.getName(), name) : "";
    }

    /**
     * Resolves an association to the id of its target, since nothing else of the target
     * is known without a select.
     */
    private ShardKey association(ToOne association, String text, AttributePath read, List<String> rest) {
        if (this.colocated) {
            throw refused("must be a scalar that holds a sharded id: '%s' is an association".formatted(text),
                    "use 'shardKey = \"%s\"', which takes over the shard too".formatted(text));
        }
        PersistentClass target = targetOf(association);
        Property identifier = target.getIdentifierProperty();
        if (identifier == null || identifier.getValue() instanceof Component) {
            return partOfCompositeId(target, text, read, rest);
        }
        if (!rest.isEmpty() && !rest.equals(List.of(identifier.getName()))) {
            throw refused(
                    "leads beyond the id of '%s', which alone is known without a select"
                        .formatted(target.getEntityName()),
                    "name '%s' or '%1$s.%s', which mean the same".formatted(text, identifier.getName()));
        }
        MappedAttribute key = MappedAttribute.of(target, identifier);
        return key(target, key, read, new AttributePath("", List.of()));
    }

    private ShardKey key(PersistentClass target, MappedAttribute key, AttributePath read, AttributePath part) {
        return key(read, new ShardKey.Target(target.getEntityName(), part, key.primitive(), null),
                ShardCarrier.isOurs(target, key) ? carried(key) : plain(key));
    }

    private ShardKey key(AttributePath read, ShardKey.@Nullable Target target, ShardOfKey shard) {
        return new ShardKey(read, target, shard, this.optional, false, null);
    }

    /** The only way into a composite id is by the name of one of its parts. */
    private ShardKey partOfCompositeId(PersistentClass target, String text, AttributePath read, List<String> rest) {
        Property identifier = target.getIdentifierProperty();
        List<String> prefix = (identifier != null) ? List.of(identifier.getName()) : List.of();
        List<MappedAttribute> parts = (target.getIdentifier() instanceof Component several)
                ? MappedAttribute.of(several) : List.of();
        int depth = prefix.size() + 1;
        MappedAttribute part = parts.stream()
            .filter((candidate) -> rest.size() >= depth && rest.subList(0, prefix.size()).equals(prefix)
                    && rest.get(depth - 1).equals(candidate.name()))
            .filter((candidate) -> rest.size() == depth || candidate.property().getValue() instanceof ToOne)
            .findFirst()
            .orElseThrow(
                    () -> refused("must name a part of the composite id of '%s'".formatted(target.getEntityName()),
                            "name one of " + names(
                                    String.join(".", Stream.concat(Stream.of(text), prefix.stream()).toList()) + ".",
                                    parts)));
        AttributePath inId = new AttributePath("", List.of(part.getter()));
        if (part.property().getValue() instanceof ToOne derived) {
            // the identifier is derived from another entity's, whose shard counts
            ShardKey behind = association(derived, String.join(".", text, String.join(".", rest.subList(0, depth))),
                    inId, rest.subList(depth, rest.size()));
            return key(read, new ShardKey.Target(target.getEntityName(), inId, false, behind.target()), behind.shard());
        }
        return key(target, part, read, inId);
    }

    private static PersistentClass targetOf(ToOne association) {
        return association.getMetadata().getEntityBinding(association.getReferencedEntityName());
    }

    private ShardKey scalar(MappedAttribute attribute, AttributePath read, List<String> rest) {
        if (!rest.isEmpty()) {
            throw refused(
                    "goes on below a plain value: '%s' has no attribute '%s'".formatted(attribute.name(), rest.get(0)),
                    "end the path at '%s'".formatted(attribute.name()));
        }
        if (!attribute.property().getValue().isSimpleValue()) {
            throw refused("is a collection", "name an attribute with one value");
        }
        if (attribute.property().equals(this.id) || read.text().equals(this.id.getName())) {
            throw refused("is the generated attribute itself",
                    "name another attribute, or none, so that the generator chooses the shard");
        }
        if (this.optional && attribute.primitive()) {
            throw refused(
                    "cannot be optional, since a primitive is never null: optionalKey=true, type=%s"
                        .formatted(attribute.getter().getReturnTypeClass().getTypeName()),
                    "declare it as %s, or leave 'optionalKey' out".formatted(attribute.type().getSimpleName()));
        }
        ShardOfKey shard = this.colocated ? carried(attribute) : plain(attribute);
        boolean tenant = !this.colocated && read.length() == 1 && attribute.has(TenantId.class);
        return new ShardKey(read, null, shard, this.optional, tenant, filling(attribute.property(), read, shard));
    }

    /**
     * The association with {@code @MapsId} that fills a part of the id after the id was
     * asked for, or null: the value of the part is the id of the association's target.
     */
    private @Nullable ShardKey filling(Property part, AttributePath read, ShardOfKey shard) {
        boolean inId = this.entity.getIdentifier() instanceof Component several
                && several.getProperties().contains(part);
        for (Property property : inId ? this.entity.getPropertyClosure() : List.<Property>of()) {
            if (property.getValue() instanceof ToOne association
                    && association.getColumns().equals(part.getValue().getColumns())
                    && !(targetOf(association).getIdentifier() instanceof Component)) {
                PersistentClass target = targetOf(association);
                boolean primitive = MappedAttribute.of(target, target.getIdentifierProperty()).primitive();
                AttributePath by = new AttributePath(read.text(),
                        List.of(property.getGetter(this.entity.getMappedClass())));
                return key(by,
                        new ShardKey.Target(target.getEntityName(), new AttributePath("", List.of()), primitive, null),
                        shard);
            }
        }
        return null;
    }

    /** Lets an attribute go through the shard function, which has to know its type. */
    private ShardOfKey plain(MappedAttribute attribute) {
        if (!this.function.supports(attribute.type())) {
            throw refused(
                    "cannot be a shard key: type=%s (shard function '%s' knows integer types, String, UUID and enums)"
                        .formatted(attribute.type().getTypeName(), this.function.id()),
                    "name another attribute, or set 'shardedid.shard-function' to a function that knows this type");
        }
        return new ShardOfKey.ByFunction(name());
    }

    /** Lets an attribute that holds a sharded id hand its shard on. */
    private ShardOfKey carried(MappedAttribute attribute) {
        IdForm form = MappedIdForm.of(attribute);
        if (form == null) {
            throw refused("must lead to a sharded id: type=%s (%s)".formatted(attribute.type().getTypeName(),
                    MappedIdForm.TYPES), "use 'shardKey' with an attribute that is a plain key");
        }
        return new ShardOfKey.CarriedById(name(), form, this.colocated);
    }

    /** The key as messages name it. */
    private String name() {
        return this.entity.getEntityName() + "." + this.path;
    }

    private String element() {
        return this.colocated ? "colocateWith" : "shardKey";
    }

    private ShardedIdMappingException refused(String why, String whatToDo) {
        return new ShardedIdMappingException("'%s', named by '%s' of '@ShardedId' on '%s.%s', %s; %s"
            .formatted(this.path, element(), this.entity.getEntityName(), this.id.getName(), why, whatToDo));
    }

    private static String names(String prefix, List<MappedAttribute> attributes) {
        return attributes.stream()
            .map((attribute) -> "'" + prefix + attribute.name() + "'")
            .sorted()
            .collect(Collectors.joining(", "));
    }

    /** An attribute with columns, the path up to it, and the rest of the path. */
    private record Found(MappedAttribute attribute, String text, AttributePath read, List<String> rest) {

    }

}
