package io.shardedid.jackson;

import java.io.Serializable;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.ShardedId;
import io.shardedid.key.ShardedAttribute;
import org.jspecify.annotations.Nullable;

/**
 * What a module was told, and what follows for a member. Both Jacksons share it.
 *
 * <p>
 * A mapper that is serialized carries neither the keys of sealed ids, so that its copy
 * refuses them, nor the watch over numbers.
 *
 * @param more returns the attributes of a class that hold ids although nothing on them
 * says so
 * @param numbers what becomes of the numbers that nothing marks
 * @param formats the forms of the ids
 * @param plainToo whether plain numbers are read beside texts of another form
 */
record IdRules(BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>> more, UnmarkedNumbers numbers,
        IdTexts formats, boolean plainToo) implements Serializable {

    JsonIds namedBy(Class<?> type, List<Class<?>> arguments) {
        refuseHiddenMarks(type);
        return JsonIds.namedBy(type, arguments, this.more);
    }

    IdText format(@Nullable JsonShardedId mark) {
        return JsonIds.format(mark, this.formats);
    }

    /** How a member is read: rows from before may have negative ids, and keys as well. */
    JsonIds.Reading reading(@Nullable JsonShardedId mark) {
        return new JsonIds.Reading(format(mark), this.plainToo, mark == null);
    }

    /** How an attribute of an entity is read. */
    JsonIds.Reading reading(IdText format) {
        return new JsonIds.Reading(format, this.plainToo, true);
    }

    /**
     * Returns the form of a member that is one id, as something on it says, or empty. An
     * attribute that is named is found by its class instead.
     * @throws IllegalArgumentException if the member cannot have the form, or is marked
     * and holds no ids
     */
    Optional<IdText> form(Member member) {
        JsonShardedId mark = member.mark();
        if (mark != null) {
            IdText format = JsonIds.orRefused(member.bean, member.name, () -> format(mark));
            member.refuseOwnForm(format);
            if (member.hasOwnForm()) {
                return Optional.empty();
            }
            if (!member.holdsIds.test(format)) {
                throw JsonIds.noIds(member.bean, member.name, member.described);
            }
            return (member.type == long.class || member.type == Long.class) ? Optional.of(format) : Optional.empty();
        }
        return (member.annotations.get(ShardedId.class) == null) ? Optional.empty()
                : form(member.bean, member.name, member.type);
    }

    /**
     * Returns the form of an attribute that is annotated in its class, or empty. Jackson
     * 3 passes over final fields, and what stands on them, where a constructor sets them.
     */
    Optional<IdText> formOfHidden(Class<?> bean, String attribute, Class<?> type) {
        return ShardedAttribute.is(bean, attribute) ? form(bean, attribute, type) : Optional.empty();
    }

    private Optional<IdText> form(Class<?> bean, String attribute, Class<?> type) {
        return JsonIds.orRefused(bean, attribute, () -> this.formats.forAttribute(bean, attribute, type));
    }

    /**
     * Refuses marks on constructors that Jackson does not look at, unless fields or
     * methods have the same: on those of a superclass, and on the synthetic one that
     * Kotlin makes where a parameter is a value class.
     */
    private static void refuseHiddenMarks(Class<?> bean) {
        for (Class<?> type = bean; type != null; type = type.getSuperclass()) {
            for (Constructor<?> constructor : type.getDeclaredConstructors()) {
                if (type != bean || constructor.isSynthetic()) {
                    refuseHiddenMarks(bean, constructor, Set.of());
                }
            }
        }
    }

    /**
     * Refuses marks on the constructors of a class whose parameters Jackson could not
     * tell which member they are of: without their names it leaves them out.
     * @param seen the marks that it found on the members
     */
    static void refuseHiddenMarks(Class<?> bean, Stream<@Nullable JsonShardedId> seen) {
        Set<JsonShardedId> found = seen.filter(Objects::nonNull).collect(Collectors.toSet());
        for (Constructor<?> constructor : bean.getDeclaredConstructors()) {
            refuseHiddenMarks(bean, constructor, found);
        }
    }

    /**
     * Refuses marks on the parameters of constructors that read a class from something
     * that is no object of attributes, where ids have another form than the number.
     * @param seen the marks of the attributes that are read
     */
    void refuseUnreadMarks(Class<?> bean, Set<JsonShardedId> seen) {
        for (Constructor<?> constructor : bean.getDeclaredConstructors()) {
            Set<JsonShardedId> plain = marks(constructor.getParameters());
            plain.removeIf((mark) -> !format(mark).plain());
            plain.addAll(seen);
            refuseHiddenMarks(bean, constructor, plain);
        }
    }

    private static void refuseHiddenMarks(Class<?> bean, Constructor<?> constructor, Set<JsonShardedId> seen) {
        Class<?> type = constructor.getDeclaringClass();
        Set<JsonShardedId> hidden = marks(constructor.getParameters());
        hidden.removeAll(seen);
        if (!hidden.isEmpty()) {
            hidden.removeAll(marks(type.getDeclaredFields()));
            hidden.removeAll(marks(type.getDeclaredMethods()));
        }
        if (!hidden.isEmpty()) {
            throw new IllegalArgumentException(
                    ("Could not see the ids of '%s': '@JsonShardedId' stands on the constructor of '%s' (Jackson "
                            + "does not look there); put it on the field or the getter, in Kotlin "
                            + "'@get:JsonShardedId'")
                        .formatted(bean.getName(), type.getName()));
        }
    }

    private static Set<JsonShardedId> marks(AnnotatedElement[] elements) {
        return Arrays.stream(elements)
            .map((element) -> element.getAnnotation(JsonShardedId.class))
            .filter(Objects::nonNull)
            .collect(Collectors.toCollection(HashSet::new));
    }

    private Object writeReplace() {
        return new Carried(this.more, this.numbers.areStrings(), this.formats, this.plainToo);
    }

    @SuppressWarnings("serial")
    private record Carried(BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>> more, boolean asStrings,
            IdTexts formats, boolean plainToo) implements Serializable {

        private Object readResolve() {
            return new IdRules(this.more, this.asStrings ? UnmarkedNumbers.asStrings() : UnmarkedNumbers.asTheyAre(),
                    this.formats, this.plainToo);
        }

    }

    /**
     * A member of a class as a Jackson describes it, for writing or for reading.
     *
     * @param bean the class
     * @param name the name of the member
     * @param type its erased type
     * @param described its type, for messages
     * @param annotations what stands on it
     * @param own whether a serializer or deserializer stands on it
     * @param ownInside returns whether one of its elements, keys or conversions does
     * @param holdsIds returns whether ids of a form can be found in it
     */
    record Member(Class<?> bean, String name, Class<?> type, String described, JsonIds.Annotations annotations,
            boolean own, BooleanSupplier ownInside, Predicate<IdText> holdsIds) {

        @Nullable JsonShardedId mark() {
            return this.annotations.get(JsonShardedId.class);
        }

        private boolean hasOwnForm() {
            return this.own || JsonIds.hasOwnFormat(this.annotations);
        }

        /**
         * Refuses that annotations of Jackson have a say where ids have another form than
         * the number. Defaults of the mapper have none.
         */
        void refuseOwnForm(IdText format) {
            if (!format.plain() && (hasOwnForm() || this.ownInside.getAsBoolean())) {
                throw JsonIds.ownForm(this.bean, this.name, format);
            }
        }

    }

}
