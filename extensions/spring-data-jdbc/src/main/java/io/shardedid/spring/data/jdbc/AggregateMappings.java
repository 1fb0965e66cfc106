package io.shardedid.spring.data.jdbc;

import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import io.shardedid.IdStrategy;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.key.NumberForm;
import io.shardedid.key.ShardOfKey;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.data.jdbc.core.mapping.AggregateReference;
import org.springframework.data.mapping.context.MappingContext;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;

/**
 * Resolves what {@code @ShardedId} means for an aggregate, and refuses what Spring Data
 * JDBC cannot do. Used once for each aggregate.
 *
 * @param context the mapping of Spring Data
 * @param engine the engine, asked only if there is an annotation
 */
record AggregateMappings(MappingContext<? extends RelationalPersistentEntity<?>, RelationalPersistentProperty> context,
        Supplier<ShardedIdEngine> engine) {

    /**
     * Returns the ids of an aggregate root, or empty if it has none of ours.
     * @throws ShardedIdConfigurationException if the mapping cannot work
     */
    Optional<AggregateMapping> of(RelationalPersistentEntity<?> root) {
        refuseBelow(root, new HashSet<>());
        AggregateMapping mapping = null;
        for (RelationalPersistentProperty property : root) {
            ShardedId annotation = property.findAnnotation(ShardedId.class);
            if (annotation != null) {
                mapping = resolve(root, property, annotation);
            }
        }
        return Optional.ofNullable(mapping);
    }

    /** Spring Data JDBC asks for the ids of aggregate roots alone. */
    private void refuseBelow(RelationalPersistentEntity<?> owner, Set<Class<?>> seen) {
        for (RelationalPersistentProperty property : owner) {
            RelationalPersistentEntity<?> nested = property.isAssociation() ? null
                    : this.context.getPersistentEntity(property);
            if (nested == null || !seen.add(nested.getType())) {
                continue;
            }
            for (RelationalPersistentProperty below : nested) {
                if (below.findAnnotation(ShardedId.class) != null) {
                    throw refused(nested, below,
                            ("would have no effect inside the aggregate of '%s': Spring Data JDBC asks only the "
                                    + "aggregate root for its id")
                                .formatted(owner.getType().getName()),
                            "leave it out, or make the entity an aggregate of its own and refer to it by "
                                    + "'AggregateReference'");
                }
            }
            refuseBelow(nested, seen);
        }
    }

    private AggregateMapping resolve(RelationalPersistentEntity<?> root, RelationalPersistentProperty id,
            ShardedId annotation) {
        if (!id.isIdProperty()) {
            throw refused(root, id, "must be on the identifier with Spring Data JDBC",
                    "annotate it with 'org.springframework.data.annotation.Id', or set the attribute yourself by "
                            + "ids.nextFor(key)");
        }
        NumberForm form = NumberForm.Plain.of(wrapped(id.getType()));
        if (form == null) {
            throw refused(root, id,
                    "cannot be on this type with Spring Data JDBC: type=%s (supported: long, Long, String)"
                        .formatted(id.getType().getName()),
                    "change the type");
        }
        if (annotation.strategy() == IdStrategy.DATABASE) {
            throw refused(root, id,
                    "has no effect with Spring Data JDBC: strategy=DATABASE (it reads back the id that a "
                            + "trigger makes without being told)",
                    "leave '@ShardedId' out here, or use strategy APPLICATION");
        }
        return new AggregateMapping(root, id, form, annotation.allowAssigned(), key(root, id, annotation));
    }

    private AggregateMapping.@Nullable Key key(RelationalPersistentEntity<?> root, RelationalPersistentProperty id,
            ShardedId annotation) {
        boolean named = !annotation.shardKey().isEmpty();
        boolean colocated = !annotation.colocateWith().isEmpty();
        if (!named && !colocated) {
            if (annotation.optionalKey()) {
                throw refused(root, id,
                        "has no key that could be optional: optionalKey=true, shardKey=\"\", " + "colocateWith=\"\"",
                        "name the key, or leave 'optionalKey' out");
            }
            return null;
        }
        if (named && colocated) {
            throw refused(root, id,
                    "has both shardKey=\"%s\" and colocateWith=\"%s\" (one of them at most)"
                        .formatted(annotation.shardKey(), annotation.colocateWith()),
                    "keep 'colocateWith' if the scalar holds a sharded id, else 'shardKey'");
        }
        if (this.engine.get().layout().shardBits() == 0) {
            throw refused(root, id,
                    ("must name no shard key, since ids of this layout carry no shard: shardKey=\"%s\", "
                            + "colocateWith=\"%s\", layout=%s")
                        .formatted(annotation.shardKey(), annotation.colocateWith(), this.engine.get().layout()),
                    "leave it out, or choose a layout with shard bits");
        }
        return new Path(root, id, colocated, colocated ? annotation.colocateWith() : annotation.shardKey(),
                annotation.optionalKey())
            .key();
    }

    private static Class<?> wrapped(Class<?> type) {
        return MethodType.methodType(type).wrap().returnType();
    }

    private static ShardedIdConfigurationException refused(RelationalPersistentEntity<?> entity,
            RelationalPersistentProperty property, String why, String whatToDo) {
        return new ShardedIdConfigurationException(
                "'@ShardedId' on '%s.%s' %s".formatted(entity.getType().getName(), property.getName(), why), whatToDo);
    }

    /** The path of a shard key, while it is resolved. */
    private final class Path {

        private final RelationalPersistentEntity<?> root;

        private final RelationalPersistentProperty id;

        private final boolean colocated;

        private final String path;

        private final boolean optional;

        Path(RelationalPersistentEntity<?> root, RelationalPersistentProperty id, boolean colocated, String path,
                boolean optional) {
            this.root = root;
            this.id = id;
            this.colocated = colocated;
            this.path = path;
            this.optional = optional;
        }

        AggregateMapping.Key key() {
            List<String> segments = List.of(this.path.split("\\.", -1));
            List<RelationalPersistentProperty> properties = new ArrayList<>();
            RelationalPersistentEntity<?> owner = this.root;
            for (int i = 0; i < segments.size(); i++) {
                RelationalPersistentProperty property = find(owner, segments.get(i));
                properties.add(property);
                RelationalPersistentEntity<?> embedded = property.isEmbedded()
                        ? AggregateMappings.this.context.getPersistentEntity(property) : null;
                if (embedded == null) {
                    return new AggregateMapping.Key(this.path, List.copyOf(properties),
                            shardOf(property, segments.subList(i + 1, segments.size())), this.optional);
                }
                owner = embedded;
            }
            throw refused("is an embedded object", "name one of its attributes: " + names(owner));
        }

        private RelationalPersistentProperty find(RelationalPersistentEntity<?> owner, String name) {
            RelationalPersistentProperty property = owner.getPersistentProperty(name);
            if (property == null) {
                throw new ShardedIdConfigurationException(
                        "Entity '%s' has no attribute '%s' named by '@ShardedId(%s)' on '%s' (attributes: %s)"
                            .formatted(owner.getType().getName(), name, this.colocated ? "colocateWith" : "shardKey",
                                    this.id.getName(), names(owner)));
            }
            return property;
        }

        private ShardOfKey shardOf(RelationalPersistentProperty property, List<String> rest) {
            if (property.equals(this.id)) {
                throw refused("is the generated attribute itself",
                        "name another attribute, or none, so that the generator chooses the shard");
            }
            if (AggregateReference.class.isAssignableFrom(property.getType())) {
                return reference(property, rest);
            }
            if (property.isCollectionLike() || property.isMap() || property.isEntity()) {
                throw refused("is no single value of the row", "name an attribute with one value");
            }
            if (!rest.isEmpty()) {
                throw refused("goes on below a plain value: '%s' has no attribute '%s'".formatted(property.getName(),
                        rest.get(0)), "end the path at '%s'".formatted(property.getName()));
            }
            if (this.optional && property.getType().isPrimitive()) {
                throw refused(
                        "cannot be optional, since a primitive is never null: optionalKey=true, type=%s"
                            .formatted(property.getType().getName()),
                        "declare it as %s, or leave 'optionalKey' out"
                            .formatted(wrapped(property.getType()).getSimpleName()));
            }
            return this.colocated ? carried(wrapped(property.getType())) : plain(wrapped(property.getType()));
        }

        /** The id of another aggregate, whose shard is handed on if it carries one. */
        private ShardOfKey reference(RelationalPersistentProperty property, List<String> rest) {
            if (this.colocated) {
                throw refused(
                        "must be a scalar that holds a sharded id: '%s' is a reference".formatted(property.getName()),
                        "use 'shardKey = \"%s\"', which takes over the shard too".formatted(property.getName()));
            }
            ResolvableType type = (property.getField() != null)
                    ? ResolvableType.forField(property.getRequiredField(), property.getOwner().getType())
                    : ResolvableType.forMethodReturnType(property.getRequiredGetter(), property.getOwner().getType());
            Class<?> target = type.as(AggregateReference.class).getGeneric(0).toClass();
            Class<?> key = type.as(AggregateReference.class).getGeneric(1).toClass();
            RelationalPersistentEntity<?> entity = AggregateMappings.this.context.getPersistentEntity(target);
            RelationalPersistentProperty identifier = (entity != null) ? entity.getIdProperty() : null;
            if (!rest.isEmpty() && (identifier == null || !rest.equals(List.of(identifier.getName())))) {
                throw refused("leads beyond the id of '%s', which alone is known without a select"
                    .formatted(target.getName()), "name '%s'".formatted(property.getName()));
            }
            return (identifier != null && identifier.findAnnotation(ShardedId.class) != null) ? carried(key)
                    : plain(key);
        }

        private ShardOfKey plain(Class<?> type) {
            if (!AggregateMappings.this.engine.get().reader().shardFunction().supports(type)) {
                throw refused(
                        "cannot be a shard key: type=%s (shard function '%s' knows integer types, String, UUID and enums)"
                            .formatted(type.getName(),
                                    AggregateMappings.this.engine.get().reader().shardFunction().id()),
                        "name another attribute, or set 'shardedid.shard-function' to a function that knows this type");
            }
            return new ShardOfKey.ByFunction(this.root.getType().getName() + "." + this.path);
        }

        private ShardOfKey carried(Class<?> type) {
            NumberForm form = NumberForm.Plain.of(type);
            if (form == null) {
                throw refused(
                        "must lead to a sharded id: type=%s (supported: long, Long, String)".formatted(type.getName()),
                        "use 'shardKey' with an attribute that is a plain key");
            }
            return new ShardOfKey.HomeOfId(this.root.getType().getName() + "." + this.path, form, this.colocated);
        }

        private ShardedIdConfigurationException refused(String why, String whatToDo) {
            return new ShardedIdConfigurationException(
                    (this.colocated ? "Attribute '%s' named by 'colocateWith' of '@ShardedId' on '%s.%s' %s"
                            : "Shard key '%s' of '@ShardedId' on '%s.%s' %s")
                        .formatted(this.path, this.root.getType().getName(), this.id.getName(), why),
                    whatToDo);
        }

        private static String names(RelationalPersistentEntity<?> owner) {
            return StreamSupport.stream(owner.spliterator(), false)
                .map((property) -> "'" + property.getName() + "'")
                .sorted()
                .collect(Collectors.joining(", "));
        }

    }

}
