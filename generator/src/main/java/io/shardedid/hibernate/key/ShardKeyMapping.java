package io.shardedid.hibernate.key;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedId;

import org.hibernate.AnnotationException;
import org.hibernate.annotations.TenantId;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.mapping.ToOne;
import org.hibernate.mapping.Value;
import org.hibernate.property.access.spi.Getter;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the path of a shard key on the boot model and refuses what cannot be one. Used
 * once, while the session factory is built.
 * <p>
 * The type is public for package {@code io.shardedid.hibernate} only and is no API.
 *
 * @param declaration what the annotation says
 * @since 0.1
 */
public record ShardKeyMapping(ShardKeyDeclaration declaration) {

    /**
     * Takes up what an annotation says, or null if the row founds its own shard.
     * @param annotation the annotation
     * @param entity the root of the hierarchy of the annotated entity
     * @param id the annotated attribute
     * @param layout reads the layout of the ids, empty if the settings cannot be read;
     * asked only if the annotation names a key
     * @param function reads the shard function; asked only if the annotation names a key
     * @return the mapping, or null
     * @throws AnnotationException if it cannot be meant so
     */
    public static @Nullable ShardKeyMapping of(ShardedId annotation, PersistentClass entity, Property id,
            Supplier<Optional<IdLayout>> layout, Supplier<ShardFunction> function) {
        if (annotation.shardKey().isEmpty() && annotation.colocateWith().isEmpty()) {
            return null;
        }
        layout.get().filter((shardless) -> shardless.shardBits() == 0).ifPresent((shardless) -> {
            throw new AnnotationException(
                    ("'@ShardedId' on '%s.%s' must name no shard key, since ids of this layout carry no shard: "
                            + "shardKey=\"%s\", colocateWith=\"%s\", layout=%s; leave it out, or choose a layout with "
                            + "shard bits")
                        .formatted(entity.getEntityName(), id.getName(), annotation.shardKey(),
                                annotation.colocateWith(), shardless));
        });
        if (!annotation.shardKey().isEmpty() && !annotation.colocateWith().isEmpty()) {
            throw new AnnotationException(
                    ("'@ShardedId' on '%s.%s' has both shardKey=\"%s\" and colocateWith=\"%s\" (one of them at most); "
                            + "keep 'colocateWith' if the scalar holds a sharded id, else 'shardKey'")
                        .formatted(entity.getEntityName(), id.getName(), annotation.shardKey(),
                                annotation.colocateWith()));
        }
        return new ShardKeyMapping(ShardKeyDeclaration.of(annotation, entity, id, function.get()));
    }

    /**
     * Makes the reader of the key.
     * @return the reader
     * @throws AnnotationException if the path leads to no usable key
     */
    public ShardKeyReader reader() {
        Found found = found();
        return (found.attribute.property().getValue() instanceof ToOne association)
                ? association(association, found.text, found.read, found.rest)
                : scalar(found.attribute, found.read, found.rest);
    }

    /**
     * The attribute of the row that the path leads to: a scalar or an association.
     * @throws AnnotationException if it leads to none
     */
    MappedAttribute attribute() {
        return found().attribute;
    }

    private Found found() {
        String path = this.declaration.path();
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
            .orElseThrow(() -> new AnnotationException(
                    "%s has no attribute '%s' named by '@ShardedId(%s)' on '%s' (attributes: %s)%s".formatted(owner,
                            name, this.declaration.element(), this.declaration.id().getName(),
                            ShardKeyDeclaration.names("", attributes), hint(name))));
    }

    private String hint(String name) {
        boolean below = this.declaration.entity()
            .getSubclassPropertyClosure()
            .stream()
            .anyMatch((property) -> property.getName().equals(name));
        return below ? "; it belongs to a subclass only, and all of them share the id" : "";
    }

    private ShardKeyReader association(ToOne association, String text, AttributePath read, List<String> rest) {
        if (this.declaration.colocated()) {
            throw this.declaration.refused(
                    "must be a scalar that holds a sharded id: '%s' is an association".formatted(text),
                    "use 'shardKey = \"%s\"', which takes over the shard too".formatted(text));
        }
        return new AssociationKeyMapping(this.declaration, text, association).reader(read, rest);
    }

    private ShardKeyReader scalar(MappedAttribute attribute, AttributePath read, List<String> rest) {
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
                    "name another attribute, or none to let the row found its own shard");
        }
        if (!this.declaration.colocated()) {
            ScalarShardKey key = new ScalarShardKey(read, this.declaration.plain(attribute));
            boolean tenant = read.getters().size() == 1 && attribute.has(TenantId.class);
            return tenant ? new TenantShardKey(key) : key;
        }
        return new ScalarShardKey(read, this.declaration.carried(attribute));
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

}
