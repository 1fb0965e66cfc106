package io.shardedid.hibernate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedId;
import io.shardedid.internal.NearestName;
import io.shardedid.internal.key.ShardOfKey;
import org.hibernate.annotations.TenantId;
import org.hibernate.mapping.Column;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.OneToOne;
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
 * @param declaration what the annotation says
 */
record ShardKeyMapping(ShardKeyDeclaration declaration) {

    /**
     * Takes up what an annotation says, or null if the generator chooses the shard.
     * @param annotation the annotation
     * @param entity the root of the hierarchy of the annotated entity
     * @param id the annotated attribute
     * @param layout reads the layout of the ids, empty if the settings cannot be read;
     * asked only if the annotation names a key
     * @param function reads the shard function; asked only if the annotation names a key
     * @return the mapping, or null
     * @throws ShardedIdMappingException if it cannot be meant so
     */
    static @Nullable ShardKeyMapping of(ShardedId annotation, PersistentClass entity, Property id,
            Supplier<Optional<IdLayout>> layout, Supplier<ShardFunction> function) {
        if (annotation.shardKey().isEmpty() && annotation.colocateWith().isEmpty()) {
            if (annotation.optionalKey()) {
                throw new ShardedIdMappingException(
                        ("'@ShardedId' on '%s.%s' has no key that could be optional: optionalKey=true, shardKey=\"\", "
                                + "colocateWith=\"\"; name the key, or leave 'optionalKey' out")
                            .formatted(entity.getEntityName(), id.getName()));
            }
            return null;
        }
        layout.get().filter((shardless) -> shardless.shardBits() == 0).ifPresent((shardless) -> {
            throw new ShardedIdMappingException(
                    ("'@ShardedId' on '%s.%s' must name no shard key, since ids of this layout carry no shard: "
                            + "shardKey=\"%s\", colocateWith=\"%s\", layout=%s; leave it out, or choose a layout with "
                            + "shard bits")
                        .formatted(entity.getEntityName(), id.getName(), annotation.shardKey(),
                                annotation.colocateWith(), shardless));
        });
        if (!annotation.shardKey().isEmpty() && !annotation.colocateWith().isEmpty()) {
            throw new ShardedIdMappingException(
                    ("'@ShardedId' on '%s.%s' has both shardKey=\"%s\" and colocateWith=\"%s\" (one of them at most); "
                            + "keep 'colocateWith' if the scalar holds a sharded id, else 'shardKey'")
                        .formatted(entity.getEntityName(), id.getName(), annotation.shardKey(),
                                annotation.colocateWith()));
        }
        return new ShardKeyMapping(ShardKeyDeclaration.of(annotation, entity, id, function.get()));
    }

    /**
     * Makes the key of a row whose id is made before it is written.
     * @return the key
     * @throws ShardedIdMappingException if the path leads to no usable key, or to an
     * attribute that has no value by then, or whose value is not written
     */
    ShardKey key() {
        Found found = found();
        Property attribute = found.attribute.property();
        ShardKey key = (attribute.getValue() instanceof ToOne association)
                ? association(association, found.text, found.read, found.rest)
                : scalar(found.attribute, found.read, found.rest);
        if (attribute.equals(this.declaration.entity().getVersion())) {
            throw unset("is the version, which Hibernate sets when it writes the row");
        }
        if (attribute.getValue() instanceof OneToOne side && side.getMappedByProperty() != null) {
            throw unset("is the side of a one-to-one association that has no column: mappedBy='%s'"
                .formatted(side.getMappedByProperty()));
        }
        if (!(attribute.getValue() instanceof ToOne) && attribute.getValue().hasFormula()) {
            throw unset("is a formula, which the database computes when it reads the row");
        }
        if (!attribute.isInsertable() && !writtenWithout(attribute)) {
            throw this.declaration.refused("is never written: insertable=false, and no other attribute has its column",
                    "let it be inserted, or name an attribute that is");
        }
        return key;
    }

    private boolean isPartOfId(Property property) {
        return this.declaration.entity().getIdentifier() instanceof Component several
                && several.getProperties().contains(property);
    }

    private ShardedIdMappingException unset(String why) {
        return this.declaration.refused(why, "name an attribute that is set before persist");
    }

    /** Whether others write the columns of an attribute, as where it has them twice. */
    private boolean writtenWithout(Property attribute) {
        PersistentClass entity = this.declaration.entity();
        Set<Column> written = new HashSet<>(entity.getIdentifier().getColumns());
        if (entity.getDiscriminator() != null) {
            written.addAll(entity.getDiscriminator().getColumns());
        }
        for (Property other : entity.getSubclassPropertyClosure()) {
            List<Selectable> columns = other.getValue().getSelectables();
            for (int i = 0; i < columns.size(); i++) {
                if (other.isInsertable() && other.getValue().isColumnInsertable(i)
                        && columns.get(i) instanceof Column column) {
                    written.add(column);
                }
            }
        }
        return written.containsAll(attribute.getValue().getColumns());
    }

    private Found found() {
        String path = this.declaration.path();
        if (path.contains(",")) {
            throw this.declaration.refused("must be one path",
                    "name the one by which rows are found, or an attribute that holds both values");
        }
        List<String> segments = List.of(path.split("\\.", -1));
        List<Getter> getters = new ArrayList<>();
        String owner = "Entity '%s'".formatted(this.declaration.entity().getEntityName());
        List<MappedAttribute> attributes = MappedAttribute.of(this.declaration.entity());
        for (int i = 0; i < segments.size(); i++) {
            MappedAttribute attribute = find(segments.get(i), owner, attributes);
            getters.add(attribute.getter());
            Value value = attribute.property().getValue();
            if (value instanceof ToOne || !(value instanceof Component embeddable)) {
                return new Found(attribute, String.join(".", segments.subList(0, i + 1)),
                        new AttributePath(path, getters), segments.subList(i + 1, segments.size()));
            }
            owner = "Embeddable '%s'".formatted(embeddable.getComponentClassName());
            attributes = MappedAttribute.of(embeddable);
        }
        throw this.declaration.refused("is an embeddable",
                "name one of its attributes: " + ShardKeyDeclaration.names(path + ".", attributes));
    }

    private MappedAttribute find(String name, String owner, List<MappedAttribute> attributes) {
        return MappedAttribute.named(name, attributes)
            .orElseThrow(() -> new ShardedIdMappingException(
                    "%s has no attribute '%s'%s named by '@ShardedId(%s)' on '%s' (attributes: %s)%s".formatted(owner,
                            name, nearest(name, attributes), this.declaration.element(),
                            this.declaration.id().getName(), ShardKeyDeclaration.names("", attributes), hint(name))));
    }

    private static String nearest(String name, List<MappedAttribute> attributes) {
        List<String> names = attributes.stream().map(MappedAttribute::name).toList();
        return NearestName.of(name, names).map(" (nearest: '%s')"::formatted).orElse("");
    }

    private String hint(String name) {
        boolean below = this.declaration.entity()
            .getSubclassPropertyClosure()
            .stream()
            .anyMatch((property) -> property.getName().equals(name));
        if (below) {
            return "; it belongs to a subclass only, and all of them share the id";
        }
        Property identifier = this.declaration.entity().getIdentifierProperty();
        boolean inId = identifier != null && identifier.getValue() instanceof Component parts
                && MappedAttribute.named(name, MappedAttribute.of(parts)).isPresent();
        return inId ? "; it is a part of the id: write '%s.%s'".formatted(identifier.getName(), name) : "";
    }

    private ShardKey association(ToOne association, String text, AttributePath read, List<String> rest) {
        if (this.declaration.colocated()) {
            throw this.declaration.refused(
                    "must be a scalar that holds a sharded id: '%s' is an association".formatted(text),
                    "use 'shardKey = \"%s\"', which takes over the shard too".formatted(text));
        }
        Associated found = associated(association, text, rest);
        return new ShardKey.Association(read, found.target, found.shard, this.declaration.optional());
    }

    /**
     * Resolves an association to the id of its target, since nothing else of the target
     * is known without a select.
     * @param text the path up to the association
     * @param rest what follows in the path
     * @throws ShardedIdMappingException if that is anything but the id
     */
    private Associated associated(ToOne association, String text, List<String> rest) {
        PersistentClass target = targetOf(association);
        Property identifier = target.getIdentifierProperty();
        if (identifier == null || identifier.getValue() instanceof Component) {
            return partOfCompositeId(target, text, rest);
        }
        if (!rest.isEmpty() && !rest.equals(List.of(identifier.getName()))) {
            throw this.declaration.refused(
                    "leads beyond the id of '%s', which alone is known without a select"
                        .formatted(target.getEntityName()),
                    "name '%s' or '%1$s.%s', which mean the same".formatted(text, identifier.getName()));
        }
        MappedAttribute key = MappedAttribute.of(target, identifier);
        return new Associated(
                new ShardKey.Target(target.getEntityName(), new AttributePath("", List.of()), key.primitive(), null),
                ShardCarrier.isOurs(target, key) ? this.declaration.carried(key) : this.declaration.plain(key));
    }

    /** The only way into a composite id is by the name of one of its parts. */
    private Associated partOfCompositeId(PersistentClass target, String text, List<String> rest) {
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
            .orElseThrow(() -> this.declaration
                .refused("must name a part of the composite id of '%s'".formatted(target.getEntityName()),
                        "name one of " + ShardKeyDeclaration.names(
                                String.join(".", Stream.concat(Stream.of(text), prefix.stream()).toList()) + ".",
                                parts)));
        AttributePath read = new AttributePath("", List.of(part.getter()));
        if (part.property().getValue() instanceof ToOne derived) {
            // the identifier is derived from another entity's, whose shard counts
            Associated behind = associated(derived, String.join(".", text, String.join(".", rest.subList(0, depth))),
                    rest.subList(depth, rest.size()));
            return new Associated(new ShardKey.Target(target.getEntityName(), read, false, behind.target),
                    behind.shard);
        }
        return new Associated(new ShardKey.Target(target.getEntityName(), read, part.primitive(), null),
                ShardCarrier.isOurs(target, part) ? this.declaration.carried(part) : this.declaration.plain(part));
    }

    private static PersistentClass targetOf(ToOne association) {
        return association.getMetadata().getEntityBinding(association.getReferencedEntityName());
    }

    private ShardKey scalar(MappedAttribute attribute, AttributePath read, List<String> rest) {
        if (!rest.isEmpty()) {
            throw this.declaration.refused(
                    "goes on below a plain value: '%s' has no attribute '%s'".formatted(attribute.name(), rest.get(0)),
                    "end the path at '%s'".formatted(attribute.name()));
        }
        if (!attribute.property().getValue().isSimpleValue()) {
            throw this.declaration.refused("is a collection", "name an attribute with one value");
        }
        if (attribute.property().equals(this.declaration.id()) || read.text().equals(this.declaration.id().getName())) {
            throw this.declaration.refused("is the generated attribute itself",
                    "name another attribute, or none, so that the generator chooses the shard");
        }
        if (this.declaration.optional() && attribute.primitive()) {
            throw this.declaration.refused(
                    "cannot be optional, since a primitive is never null: optionalKey=true, type=%s"
                        .formatted(attribute.getter().getReturnTypeClass().getTypeName()),
                    "declare it as %s, or leave 'optionalKey' out".formatted(attribute.type().getSimpleName()));
        }
        ShardOfKey shard = this.declaration.colocated() ? this.declaration.carried(attribute)
                : this.declaration.plain(attribute);
        ShardKey.Scalar key = new ShardKey.Scalar(read, shard, this.declaration.optional());
        boolean tenant = !this.declaration.colocated() && read.length() == 1 && attribute.has(TenantId.class);
        if (tenant) {
            return new ShardKey.Tenant(key);
        }
        ShardKey.Mapped mapped = mapped(attribute.property(), key);
        return (mapped != null) ? mapped : key;
    }

    /**
     * A part of the id that an association with {@code @MapsId} fills after the id was
     * asked for: its value is the id of the association's target.
     */
    private ShardKey.@Nullable Mapped mapped(Property part, ShardKey.Scalar key) {
        PersistentClass entity = this.declaration.entity();
        for (Property property : isPartOfId(part) ? entity.getPropertyClosure() : List.<Property>of()) {
            if (property.getValue() instanceof ToOne association
                    && association.getColumns().equals(part.getValue().getColumns())
                    && !(targetOf(association).getIdentifier() instanceof Component)) {
                ShardKey.Target target = associated(association, property.getName(), List.of()).target;
                AttributePath read = new AttributePath(key.path(),
                        List.of(property.getGetter(entity.getMappedClass())));
                return new ShardKey.Mapped(key, new ShardKey.Association(read, target, key.shard(), key.optional()));
            }
        }
        return null;
    }

    /**
     * Where a path has come to an attribute with columns.
     *
     * @param attribute the attribute
     * @param text the path up to there
     * @param read reads it off the entity
     * @param rest what follows in the path
     */
    private record Found(MappedAttribute attribute, String text, AttributePath read, List<String> rest) {

    }

    /**
     * What an association was resolved to.
     *
     * @param target the target and where the key is in its identifier
     * @param shard the way from that key to the shard
     */
    private record Associated(ShardKey.Target target, ShardOfKey shard) {

    }

}
