package io.shardedid.format;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.config.JsonAsString;
import io.shardedid.config.ShardedIdKey;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.jackson.IdText;
import io.shardedid.jackson.IdTexts;
import io.shardedid.key.ShardedAttribute;

import org.jspecify.annotations.Nullable;

/**
 * The forms of the ids of an application: one for all entities, and those that
 * {@link PublicId} sets on a class or on its nearest superclass. Sealed ids of an entity
 * without a {@link PublicId} have the simple name of the topmost superclass that is an
 * entity as their tag. Immutable and thread-safe. A copy by serialization has no keys: it
 * fails on sealed ids.
 *
 * @since 0.1
 */
public final class PublicIdFormats implements IdTexts {

    private static final long serialVersionUID = 1L;

    private static final String ENTITY = "jakarta.persistence.Entity";

    /** The form of the entities that set none. */
    private final PublicIdForm form;

    private final transient @Nullable SealingKeys keys;

    /**
     * Makes the forms of an application that has configured nothing: decimal ids, unless
     * {@link PublicId} says otherwise. There are no keys for sealed ids, so that they
     * fail. {@code ServiceLoader} calls this.
     */
    public PublicIdFormats() {
        this(PublicIdForm.DECIMAL, null);
    }

    private PublicIdFormats(PublicIdForm form, @Nullable SealingKeys keys) {
        this.form = form;
        this.keys = keys;
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
     * Returns the keys of an application.
     * @param settings its settings: {@code shardedid.sealing.keys}
     * @return the keys, or null if the application seals no ids
     * @throws ShardedIdConfigurationException if the keys cannot be read
     */
    public static @Nullable SealingKeys keys(ShardedIdSettings settings) {
        Object set = settings.get(ShardedIdKey.SEALING_KEYS);
        if (!(set instanceof String text)) {
            return (SealingKeys) set;
        }
        try {
            return SealingKeys.of(List.of(text.split(",", -1)));
        }
        catch (ShardedIdConfigurationException ex) {
            String key = ShardedIdKey.SEALING_KEYS.externalName();
            throw new ShardedIdConfigurationException(ex.problem().in("Could not read '%s': ".formatted(key), key),
                    null);
        }
    }

    @Override
    public PublicIdFormats configured(ShardedIdSettings settings) {
        return of((PublicIdForm) Objects.requireNonNull(settings.get(ShardedIdKey.FORM)), keys(settings));
    }

    @Override
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

    @Override
    public Optional<IdText> forAttribute(Class<?> entity, String attribute, Class<?> type) {
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

    @Override
    public PublicIdFormat withoutEntity() {
        if (this.form == PublicIdForm.SEALED) {
            throw new ShardedIdConfigurationException(
                    "A sealed id needs its entity: shardedid.form=sealed, entity=null (its name is sealed with "
                            + "the id)",
                    "name it, as in '@JsonShardedId(Photo.class)'", "shardedid.form");
        }
        return format(new Owner(Object.class, false, this.form, "", ""));
    }

    @Override
    public boolean plain() {
        return this.form == PublicIdForm.DECIMAL;
    }

    @Override
    public void check(Collection<Class<?>> entities, JsonAsString json) {
        for (Class<?> entity : entities) {
            ShardedAttribute.of(entity)
                .flatMap((attribute) -> forAttribute(entity, attribute.name(), attribute.type()).stream())
                .filter((format) -> !format.plain() && json == JsonAsString.FALSE)
                .findFirst()
                .ifPresent((format) -> {
                    throw new ShardedIdConfigurationException(
                            ("'shardedid.json.as-string' must not be false where ids have another form than decimal: "
                                    + "shardedid.json.as-string=false, entity='%s'")
                                .formatted(entity.getName()),
                            "remove the key", "shardedid.json.as-string");
                });
        }
        entities.forEach(this::refuseUnsealedSuperclass);
        refuseSharedTags(entities);
    }

    /**
     * Refuses to seal an entity below one that is not sealed: what names only the upper
     * one, as a reference to it does, would show the numbers.
     */
    private void refuseUnsealedSuperclass(Class<?> entity) {
        if (owner(entity).form() == PublicIdForm.SEALED) {
            lineage(entity).filter((type) -> isEntity(type) && owner(type).form() != PublicIdForm.SEALED)
                .findFirst()
                .ifPresent((upper) -> {
                    throw new ShardedIdConfigurationException(
                            "Ids of '%s' are sealed, and those of '%s', which it extends, are not: form=%s (their rows have their ids in common)"
                                .formatted(entity.getName(), upper.getName(), owner(upper).form().externalName()),
                            "move '@PublicId' to '%s'".formatted(root(entity).getName()));
                });
        }
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
