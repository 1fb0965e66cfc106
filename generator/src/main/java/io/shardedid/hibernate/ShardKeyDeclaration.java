package io.shardedid.hibernate;

import java.util.List;
import java.util.stream.Collectors;

import io.shardedid.ShardFunction;
import io.shardedid.ShardedId;
import io.shardedid.internal.key.IdForm;
import io.shardedid.internal.key.ShardOfKey;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;

/**
 * What an annotation says about the shard key, and where it stands: the beginning of
 * every refusal.
 *
 * @param entity the entity, the root of its hierarchy
 * @param id the annotated attribute
 * @param element {@code shardKey} or {@code colocateWith}
 * @param path the value of that element
 * @param optional whether the generator chooses the shard of a row without the key
 * @param function the shard function
 */
record ShardKeyDeclaration(PersistentClass entity, Property id, String element, String path, boolean optional,
        ShardFunction function) {

    static ShardKeyDeclaration of(ShardedId annotation, PersistentClass entity, Property id, ShardFunction function) {
        boolean named = !annotation.shardKey().isEmpty();
        return new ShardKeyDeclaration(entity, id, named ? "shardKey" : "colocateWith",
                named ? annotation.shardKey() : annotation.colocateWith(), annotation.optionalKey(), function);
    }

    boolean colocated() {
        return this.element.equals("colocateWith");
    }

    /** The key as messages name it. */
    String name() {
        return this.entity.getEntityName() + "." + this.path;
    }

    /**
     * Lets an attribute go through the shard function.
     * @throws ShardedIdMappingException if the function does not know its type
     */
    ShardOfKey plain(MappedAttribute attribute) {
        if (!this.function.supports(attribute.type())) {
            throw refused(
                    "cannot be a shard key: type=%s (shard function '%s' knows integer types, String, UUID and enums)"
                        .formatted(attribute.type().getTypeName(), this.function.id()),
                    "name another attribute, or set 'shardedid.shard-function' to a function that knows this type");
        }
        return new ShardOfKey.ByFunction(name());
    }

    /**
     * Lets an attribute that holds a sharded id hand its shard on.
     * @throws ShardedIdMappingException if its type can hold no id
     */
    ShardOfKey carried(MappedAttribute attribute) {
        IdForm form = MappedIdForm.of(attribute);
        if (form == null) {
            throw refused("must lead to a sharded id: type=%s (%s)".formatted(attribute.type().getTypeName(),
                    MappedIdForm.TYPES), "use 'shardKey' with an attribute that is a plain key");
        }
        return new ShardOfKey.HomeOfId(name(), form, colocated());
    }

    ShardedIdMappingException refused(String why, String whatToDo) {
        return new ShardedIdMappingException(
                (colocated() ? "Attribute '%s' named by 'colocateWith' of '@ShardedId' on '%s.%s' %s; %s"
                        : "Shard key '%s' of '@ShardedId' on '%s.%s' %s; %s")
                    .formatted(this.path, this.entity.getEntityName(), this.id.getName(), why, whatToDo));
    }

    static String names(String prefix, List<MappedAttribute> attributes) {
        return attributes.stream()
            .map((attribute) -> "'" + prefix + attribute.name() + "'")
            .sorted()
            .collect(Collectors.joining(", "));
    }

}
