package io.shardedid.format;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;

import org.jspecify.annotations.Nullable;

/**
 * The forms of the ids of an application: one for all entities, and those that
 * {@link PublicId} sets. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class PublicIdFormats {

    private static final String ENTITY = "jakarta.persistence.Entity";

    private final PublicIdForm form;

    private final @Nullable SealingKeys keys;

    private PublicIdFormats(PublicIdForm form, @Nullable SealingKeys keys) {
        this.form = form;
        this.keys = keys;
    }

    /**
     * Returns the forms of an application that has configured nothing.
     * @return decimal ids, unless {@link PublicId} says otherwise; there are no keys for
     * sealed ids, so that they fail
     */
    public static PublicIdFormats decimal() {
        return new PublicIdFormats(PublicIdForm.DECIMAL, null);
    }

    /**
     * Returns the forms of an application.
     * @param form the form of all ids whose entity sets none by {@link PublicId}
     * @param keys the keys of sealed ids, or null if the application seals none
     * @return the forms
     * @throws ShardedIdConfigurationException if the form is
     * {@link PublicIdForm#CONFIGURED}, or if it is {@link PublicIdForm#SEALED} and there
     * are no keys
     */
    public static PublicIdFormats of(PublicIdForm form, @Nullable SealingKeys keys) {
        if (form == PublicIdForm.CONFIGURED) {
            throw new ShardedIdConfigurationException("'shardedid.form' must be one of %s: shardedid.form='configured'"
                .formatted(String.join(", ", PublicIdForm.names())), "name a form", "shardedid.form");
        }
        if (form == PublicIdForm.SEALED && keys == null) {
            throw new ShardedIdConfigurationException(
                    "'shardedid.form=sealed' needs a key: shardedid.sealing.keys=null (at least 1)",
                    SealingKeys.REMEDY + ", and set 'shardedid.sealing.keys'", "shardedid.form",
                    "shardedid.sealing.keys");
        }
        return new PublicIdFormats(form, keys);
    }

    /**
     * Returns the form of the ids of an entity. Each call makes a new object, so keep the
     * result.
     * @param entity the class of the entity, or a subclass of it such as a proxy
     * @return the form that {@link PublicId} sets on the class or on its nearest
     * superclass, and otherwise the form for all entities; sealed ids of an entity
     * without a {@link PublicId#tag()} have the simple name of the annotated class as
     * their tag, or that of the topmost superclass that is an entity
     * @throws ShardedIdConfigurationException if the prefix or the tag makes no sense, or
     * if the ids are sealed and there are no keys
     */
    public PublicIdFormat forEntity(Class<?> entity) {
        Owner owner = owner(entity);
        PublicIdFormat format = format(owner);
        try {
            return owner.prefix().isEmpty() ? format : format.prefixed(owner.prefix());
        }
        catch (ShardedIdConfigurationException ex) {
            throw new ShardedIdConfigurationException(
                    ex.problem().in("'@PublicId' on '%s' makes no sense: ".formatted(owner.type().getName())), null);
        }
    }

    /**
     * Returns the form of an attribute that holds the id of its entity.
     * @param entity the class of the entity, or a subclass of it such as a proxy
     * @param attribute the name of the attribute, for messages
     * @param type the type of the attribute
     * @return the form, or empty for an attribute that is no {@code long} or {@code Long}
     * and therefore keeps the form of its type
     * @throws ShardedIdConfigurationException as {@link #forEntity(Class)} does, and if
     * the ids are to be sealed, or {@link PublicId} sets their form, and the attribute is
     * no {@code long} or {@code Long}
     */
    public Optional<PublicIdFormat> forAttribute(Class<?> entity, String attribute, Class<?> type) {
        PublicIdFormat format = forEntity(entity);
        if (type == long.class || type == Long.class) {
            return Optional.of(format);
        }
        Owner owner = owner(entity);
        if (owner.form() == PublicIdForm.SEALED) {
            throw new ShardedIdConfigurationException(
                    ("Attribute '%s' of '%s' cannot be sealed: type=%s (long or Long, because one block has no "
                            + "room for more and a tag)")
                        .formatted(attribute, entity.getName(), type.getName()),
                    "set '@PublicId(form = DECIMAL)' on the entity, which leaves its ids as they are");
        }
        if (owner.annotated() && !format.plain()) {
            throw new ShardedIdConfigurationException(
                    "'@PublicId' on '%s' cannot set the form of '%s': type=%s (long or Long)"
                        .formatted(owner.type().getName(), attribute, type.getName()),
                    "remove the annotation");
        }
        return Optional.empty();
    }

    /**
     * Refuses entities that would seal their ids with the same tag, so that an id of one
     * would open as an id of the other. Entities of one hierarchy may share their tag;
     * entities that only have a mapped superclass in common may not.
     * @param entities the classes of all entities with sharded ids
     * @throws ShardedIdConfigurationException if two of them share a tag
     */
    public void refuseSharedTags(Collection<Class<?>> entities) {
        Map<String, Class<?>> roots = new HashMap<>();
        for (Class<?> entity : entities) {
            Owner owner = owner(entity);
            Class<?> root = root(entity);
            Class<?> other = (owner.form() == PublicIdForm.SEALED) ? roots.putIfAbsent(owner.tag(), root) : null;
            if (other != null && other != root) {
                throw new ShardedIdConfigurationException("Ids of '%s' and '%s' are sealed with the same tag: tag='%s'"
                    .formatted(other.getName(), root.getName(), owner.tag()),
                        "set '@PublicId(form = SEALED, tag = …)' on one of them");
            }
        }
    }

    /**
     * Returns the form of ids whose entity is not known.
     * @return the form for all entities
     * @throws ShardedIdConfigurationException if that is {@link PublicIdForm#SEALED},
     * because the text of a sealed id depends on its entity
     */
    public PublicIdFormat withoutEntity() {
        if (this.form == PublicIdForm.SEALED) {
            throw new ShardedIdConfigurationException(
                    "A sealed id needs its entity: shardedid.form=sealed, entity=null (its name is sealed with "
                            + "the id)",
                    "name it, as in '@JsonShardedId(Photo.class)'", "shardedid.form");
        }
        return format(new Owner(Object.class, false, this.form, "", ""));
    }

    /**
     * Returns the form of all entities that set none themselves.
     * @return any form but {@link PublicIdForm#CONFIGURED}
     */
    public PublicIdForm form() {
        return this.form;
    }

    private Owner owner(Class<?> entity) {
        Class<?> annotated = lineage(entity).filter((type) -> type.isAnnotationPresent(PublicId.class))
            .findFirst()
            .orElse(null);
        if (annotated == null) {
            Class<?> root = root(entity);
            return new Owner(root, false, this.form, "", root.getSimpleName());
        }
        PublicId said = Objects.requireNonNull(annotated.getDeclaredAnnotation(PublicId.class));
        return new Owner(annotated, true, (said.form() != PublicIdForm.CONFIGURED) ? said.form() : this.form,
                said.prefix(), said.tag().isEmpty() ? annotated.getSimpleName() : said.tag());
    }

    private PublicIdFormat format(Owner owner) {
        return switch (owner.form()) {
            case CROCKFORD -> PublicIdFormat.crockford();
            case BASE62 -> PublicIdFormat.base62();
            case SEALED -> PublicIdFormat.sealed(keys(owner.type()), owner.tag());
            default -> PublicIdFormat.decimal();
        };
    }

    private SealingKeys keys(Class<?> entity) {
        if (this.keys == null) {
            throw new ShardedIdConfigurationException(
                    "Ids of '%s' are sealed, and no key is set: shardedid.sealing.keys=null (at least 1)"
                        .formatted(entity.getName()),
                    SealingKeys.REMEDY + ", and set 'shardedid.sealing.keys'", "shardedid.sealing.keys");
        }
        return this.keys;
    }

    /**
     * Returns the topmost entity that a class extends: the entities of a hierarchy have
     * their ids in common. A class that is none, as with Spring Data JDBC, is its own.
     */
    private static Class<?> root(Class<?> type) {
        return lineage(type).filter(PublicIdFormats::isEntity).reduce((lower, upper) -> upper).orElse(type);
    }

    private static Stream<Class<?>> lineage(Class<?> type) {
        return Stream.iterate(type, Objects::nonNull, Class::getSuperclass);
    }

    /** The annotation of Jakarta Persistence, which need not be there. */
    private static boolean isEntity(Class<?> type) {
        return Arrays.stream(type.getDeclaredAnnotations())
            .anyMatch((mark) -> mark.annotationType().getName().equals(ENTITY));
    }

    /**
     * Returns the form for all entities.
     * @return for example {@code PublicIdFormats[sealed]}, without a key
     */
    @Override
    public String toString() {
        return "PublicIdFormats[%s]".formatted(this.form.externalName());
    }

    /**
     * What is known of the ids of an entity.
     *
     * @param type the class that says it, or the topmost entity
     * @param annotated whether the class has a {@link PublicId}
     * @param form the form of the ids
     * @param prefix the prefix, or empty
     * @param tag the tag of sealed ids
     */
    private record Owner(Class<?> type, boolean annotated, PublicIdForm form, String prefix, String tag) {
    }

}
