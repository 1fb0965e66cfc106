package io.shardedid.jackson;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.shardedid.PublicId;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.key.ShardedAttribute;
import org.jspecify.annotations.Nullable;

/**
 * Decides which members of a class hold ids in JSON, and makes the messages about texts
 * and types that hold none. Jackson 3 and Jackson 2 share all of it. An instance knows
 * the attributes that one entity names in its {@link ShardedId}; it is immutable and
 * thread-safe.
 *
 * @apiNote This class is no API for applications. It is public because ShardedId's Spring
 * Boot starter describes the same members in OpenAPI, and repeats the same rules in its
 * problem details.
 * @since 0.1
 */
public final class JsonIds {

    /** What JSON must say where an id is read. */
    public static final String RULE = "an id must be a whole 64-bit number, as a string or a number";

    /** What JSON must say where an id is read in another form than the plain number. */
    public static final String RULE_OF_TEXT = "an id must be a text as it was given out";

    /** What JSON must not say where an id of type {@code long} is read. */
    public static final String NOT_NULL = "an id of type 'long' must not be null";

    private static final String FITTING = "'@JsonShardedId' fits 'long', 'Long', 'OptionalLong', and collections, "
            + "arrays, maps and optionals of them";

    /** What stands on classes whose id may be in an embeddable. */
    private static final Set<String> ENTITIES = Set.of("jakarta.persistence.Entity",
            "jakarta.persistence.MappedSuperclass", "org.springframework.data.relational.core.mapping.Table");

    /** Knows no attribute that holds ids without saying so. */
    static final BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>> NOTHING_MORE = NothingMore.NOTHING;

    /** What JavaScript calls {@code Number.MAX_SAFE_INTEGER}. */
    private static final long LARGEST_SAFE = (1L << 53) - 1;

    private static final @Nullable JsonFormat FOR_OTHER_MAPPERS = JsonShardedId.class.getAnnotation(JsonFormat.class);

    /** The attributes, and whose ids they hold: {@code void.class} if that is unknown. */
    private final Map<String, Class<?>> named;

    private JsonIds(Map<String, Class<?>> named) {
        this.named = named;
    }

    /**
     * Looks for the attributes that a class or its superclasses name in
     * {@link ShardedId#shardKey()} or {@link ShardedId#colocateWith()}: they hold ids of
     * other rows.
     * @param type a class, an entity or not
     * @return what is named, which is nothing for most classes
     */
    public static JsonIds namedBy(Class<?> type) {
        return namedBy(type, List.of(), NOTHING_MORE);
    }

    /**
     * Looks for the attributes that a class or its superclasses name, and for those that
     * the caller knows to hold ids.
     * @param type a class, an entity or not
     * @param arguments the erased type arguments of the class, as far as they are known
     * @param more returns the names of further attributes of a class and its type
     * arguments that hold ids, each with its entity or {@code void.class}, or an empty
     * map
     * @return what is named, which is nothing for most classes
     */
    public static JsonIds namedBy(Class<?> type, List<Class<?>> arguments,
            BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>> more) {
        Map<String, Class<?>> named = new HashMap<>(more.apply(type, arguments));
        ShardedAttribute.of(type).map(ShardedAttribute::annotation).forEach((annotation) -> {
            named.putIfAbsent(annotation.shardKey(), void.class);
            named.putIfAbsent(annotation.colocateWith(), void.class);
        });
        return new JsonIds(named);
    }

    /**
     * Returns whether an attribute of an entity or an embeddable holds a sharded id:
     * because it is annotated, or because the {@link ShardedId} of the class names it.
     * @param owner the class with the attribute
     * @param attribute the name of the attribute
     * @return true if a field, a getter or an accessor of that name is annotated, or if
     * the attribute is named
     */
    public static boolean isId(Class<?> owner, String attribute) {
        return namedBy(owner).named.containsKey(attribute) || ShardedAttribute.is(owner, attribute);
    }

    /**
     * Returns the entity whose ids an attribute holds.
     * @param owner the class with the attribute, for which {@link #isId} holds
     * @param attribute the name of the attribute
     * @return the owner if the attribute is its id, the entity that {@link JsonShardedId}
     * names there, or {@code void.class} if nothing says it
     */
    public static Class<?> entityOf(Class<?> owner, String attribute) {
        if (ShardedAttribute.is(owner, attribute)) {
            return owner;
        }
        return members(owner, attribute).map((member) -> member.getAnnotation(JsonShardedId.class))
            .filter(Objects::nonNull)
            .findFirst()
            .<Class<?>>map(JsonShardedId::value)
            .orElse(void.class);
    }

    /** The fields, getters and accessors of an attribute. */
    private static Stream<AnnotatedElement> members(Class<?> owner, String attribute) {
        String getter = "get" + attribute.substring(0, 1).toUpperCase(Locale.ROOT) + attribute.substring(1);
        return Stream.<Class<?>>iterate(owner, (type) -> type != null && type != Object.class, Class::getSuperclass)
            .flatMap((type) -> Stream.concat(
                    Arrays.stream(type.getDeclaredFields()).filter((field) -> field.getName().equals(attribute)),
                    Arrays.stream(type.getDeclaredMethods())
                        .filter((method) -> method.getName().equals(getter) || method.getName().equals(attribute))));
    }

    /**
     * Returns the form of the ids in a member with a mark.
     * @param mark the mark, or null for a member that has {@link ShardedId} alone
     * @param formats the forms of the application
     * @return the form; the plain number for null, because an attribute with
     * {@link ShardedId} whose form is another one is known by its class
     * @throws io.shardedid.ShardedIdConfigurationException if the form needs the entity
     * or a key, and there is none, or the mark names a class that is no entity
     */
    public static IdText format(@Nullable JsonShardedId mark, IdTexts formats) {
        if (mark == null) {
            return IdText.decimal();
        }
        if (mark.value() != void.class && !mayHaveIds(mark.value())) {
            throw new ShardedIdConfigurationException(
                    "'@JsonShardedId' must name the entity whose id it is: class='%s' (it is no entity)"
                        .formatted(mark.value().getName()),
                    "name the entity, or no class");
        }
        return format(mark.value(), formats);
    }

    private static boolean mayHaveIds(Class<?> type) {
        return ShardedAttribute.of(type).findAny().isPresent() || Arrays.stream(type.getAnnotations())
            .anyMatch((each) -> each instanceof PublicId || ENTITIES.contains(each.annotationType().getName()));
    }

    private static IdText format(Class<?> entity, IdTexts formats) {
        return (entity != void.class) ? formats.forEntity(entity) : formats.withoutEntity();
    }

    /**
     * Returns the form of an attribute for which {@link #contains} holds.
     * @param bean the class with the attribute, for messages
     * @param attribute the name of the attribute
     * @param formats the forms of the application
     * @return the form
     * @throws IllegalArgumentException if the form needs the entity or a key, and there
     * is none
     */
    public IdText format(Class<?> bean, String attribute, IdTexts formats) {
        return orRefused(bean, attribute, () -> format(this.named.getOrDefault(attribute, void.class), formats));
    }

    /**
     * Reads an id that a client sent in a URL or a form. Negative numbers are older ids,
     * which {@link IdText#pattern()} does not name.
     * @param text any text
     * @param format the form of the id
     * @param log takes the reason of a failure, which the client is not told
     * @return the id
     * @throws NoIdException if the text is no id
     */
    public static Long read(String text, IdText format, Consumer<String> log) {
        try {
            long id = format.parse(text);
            if (!text.startsWith("-", format.prefix().length())) {
                return id;
            }
            log.accept("Could not read an id: text='%s' (it must not be negative); take the text as it was given out"
                .formatted(text));
        }
        catch (IllegalArgumentException ex) {
            log.accept(String.valueOf(ex.getMessage()));
        }
        throw new NoIdException(format.plain() ? NoIdException.NUMBER : RULE_OF_TEXT);
    }

    /** Writes the path to a property, as {@code photos[0].author}. */
    static <R> String where(List<R> path, Function<R, @Nullable String> name, ToIntFunction<R> index) {
        StringBuilder where = new StringBuilder();
        for (R step : path) {
            String property = name.apply(step);
            if (property == null) {
                where.append('[').append(index.applyAsInt(step)).append(']');
            }
            else {
                where.append(where.isEmpty() ? "" : ".").append(property);
            }
        }
        return where.toString();
    }

    /** Jackson refuses the class that it is about to read or write with this text. */
    static <T> T orRefused(Class<?> bean, String attribute, Supplier<T> format) {
        try {
            return format.get();
        }
        catch (ShardedIdConfigurationException ex) {
            throw new IllegalArgumentException("Could not choose the form of attribute '%s' of '%s': %s"
                .formatted(attribute, bean.getName(), ex.getMessage()), ex);
        }
    }

    /**
     * Returns whether JavaScript rounds a whole number: its magnitude is beyond
     * 2<sup>53</sup> - 1.
     */
    static boolean isUnsafe(Object number) {
        if (number instanceof Long whole) {
            return isUnsafe(whole.longValue());
        }
        if (number instanceof BigInteger big) {
            return big.abs().compareTo(BigInteger.valueOf(LARGEST_SAFE)) > 0;
        }
        if (number instanceof OptionalLong optional) {
            return optional.isPresent() && isUnsafe(optional.getAsLong());
        }
        return number instanceof Number whole && isUnsafe(whole.longValue());
    }

    static boolean isUnsafe(long number) {
        return number > LARGEST_SAFE || number < -LARGEST_SAFE;
    }

    /** Returns a number, or -1 for one that no {@code long} holds. */
    static long number(Object number) {
        if (number instanceof BigInteger big && big.bitLength() >= Long.SIZE) {
            return -1;
        }
        return (number instanceof OptionalLong optional) ? optional.orElse(-1) : ((Number) number).longValue();
    }

    /** Returns the digits of a number for which {@link #isUnsafe(Object)} holds. */
    static String digits(Object number) {
        return (number instanceof OptionalLong optional) ? Long.toString(optional.getAsLong()) : number.toString();
    }

    /** Returns whether a value of a type can be a number that JavaScript rounds. */
    static boolean canBeUnsafe(Class<?> type) {
        return isNumber(type) || type == BigInteger.class || type == AtomicLong.class;
    }

    /**
     * Returns whether the class names no attribute.
     * @return true for every class without a {@link ShardedId}
     */
    public boolean isEmpty() {
        return this.named.isEmpty();
    }

    /**
     * Returns whether an attribute is named and is a number that JavaScript would round.
     * Associations and paths are not.
     * @param attribute the name of the attribute
     * @param type its type
     * @return true for a {@code long} or {@code Long} that is named
     */
    public boolean contains(String attribute, Class<?> type) {
        return this.named.containsKey(attribute) && (type == long.class || type == Long.class);
    }

    /**
     * Returns whether a member says by an annotation that the 64-bit numbers in it are
     * ids, and does not set their form itself.
     * @param annotations what stands on the member
     * @return true for {@link ShardedId} or {@link JsonShardedId} without
     * {@link JsonFormat}
     */
    public static boolean isMarked(Annotation[] annotations) {
        return isMarked(new Annotations() {
            @Override
            public <A extends Annotation> @Nullable A get(Class<A> type) {
                return Arrays.stream(annotations).filter(type::isInstance).map(type::cast).findFirst().orElse(null);
            }
        });
    }

    /** The same of a member as a Jackson describes it. */
    static boolean isMarked(Annotations annotations) {
        return (annotations.get(ShardedId.class) != null || annotations.get(JsonShardedId.class) != null)
                && !hasOwnFormat(annotations);
    }

    /**
     * Returns whether {@link JsonFormat} stands on a member. Jackson shows the one of
     * {@link JsonShardedId}, which is for mappers without this module, as if it did.
     * @param annotations what Jackson shows of the member
     * @return false for the format of the mark alone
     */
    public static boolean hasOwnFormat(Annotations annotations) {
        JsonFormat format = annotations.get(JsonFormat.class);
        return format != null && !(annotations.get(JsonShardedId.class) != null && format.equals(FOR_OTHER_MAPPERS));
    }

    static boolean isNumber(Class<?> type) {
        return type == long.class || type == Long.class || type == OptionalLong.class;
    }

    /** Jackson refuses the class that it is about to read or write with this text. */
    static IllegalArgumentException noIds(Class<?> bean, String attribute, String type) {
        return new IllegalArgumentException(
                ("Could not find the ids of attribute '%s' of '%s': type=%s (%s); remove the annotation, or mark the "
                        + "attributes of that type that hold ids")
                    .formatted(attribute, bean.getName(), type, FITTING));
    }

    /** Jackson refuses the class that it is about to read or write with this text. */
    static IllegalArgumentException ownForm(Class<?> bean, String attribute, IdText format) {
        return new IllegalArgumentException(
                ("Could not give attribute '%s' of '%s' the form of its ids: form=%s (an annotation of Jackson on it says "
                        + "how it is written or read, and the number would pass); remove '@JsonFormat', '@JsonSerialize' "
                        + "or '@JsonDeserialize' there")
                    .formatted(attribute, bean.getName(), format));
    }

    /** Jackson refuses the class that it is about to read with this text. */
    static IllegalArgumentException unseen(Class<?> bean, String attribute) {
        return new IllegalArgumentException(
                ("Could not read the ids of attribute '%s' of '%s': '@JsonShardedId' stands on the parameter of a method "
                        + "(Jackson looks at methods, fields and constructors); put it on the method")
                    .formatted(attribute, bean.getName()));
    }

    /**
     * Refuses to let objects be referred to by their id if it has another form than the
     * plain number: Jackson writes and reads such references, and the id with them, past
     * every serializer of an attribute.
     * @param bean the class that is referred to, which names attributes as this says
     * @param attribute the attribute by which it is referred to
     * @param type the type of the attribute
     * @param has returns whether the attribute has an annotation
     * @param mark the mark of the attribute, or null
     * @throws IllegalArgumentException if the form of its ids is not the plain number
     */
    void refuseReference(Class<?> bean, String attribute, Class<?> type, Predicate<Class<? extends Annotation>> has,
            @Nullable JsonShardedId mark, IdTexts formats) {
        IdText format = formOf(bean, attribute, type, has, mark, formats);
        if (!format.plain()) {
            throw new IllegalArgumentException(
                    ("Could not refer to objects by attribute '%s' of '%s': '@JsonIdentityInfo' with "
                            + "'PropertyGenerator' carries the number (form=%s); use another generator, or remove the "
                            + "annotation")
                        .formatted(attribute, bean.getName(), format));
        }
    }

    private IdText formOf(Class<?> bean, String attribute, Class<?> type, Predicate<Class<? extends Annotation>> has,
            @Nullable JsonShardedId mark, IdTexts formats) {
        if (mark != null) {
            return orRefused(bean, attribute, () -> format(mark, formats));
        }
        if (has.test(ShardedId.class)) {
            return orRefused(bean, attribute, () -> formats.forAttribute(bean, attribute, type))
                .orElse(IdText.decimal());
        }
        return contains(attribute, type) ? format(bean, attribute, formats) : IdText.decimal();
    }

    /**
     * Refuses that a class is written or read as one of its members, as the key of a map
     * or as the name of its type, if the member is an id of another form than the plain
     * number: no serializer of an attribute sees it.
     * @param bean the class, which names attributes as this says
     * @param member the name of the field or getter that stands for the class
     * @param type its type
     * @param has returns whether it has an annotation
     * @param mark its mark, or null
     * @throws IllegalArgumentException if the form of its ids is not the plain number
     */
    void refuseAsWhole(Class<?> bean, String member, Class<?> type, Predicate<Class<? extends Annotation>> has,
            @Nullable JsonShardedId mark, IdTexts formats) {
        String attribute = (member.startsWith("get") && member.length() > 3)
                ? member.substring(3, 4).toLowerCase(Locale.ROOT) + member.substring(4) : member;
        IdText format = formOf(bean, attribute, type, (annotation) -> has.test(annotation)
                || annotation == ShardedId.class && ShardedAttribute.is(bean, attribute), mark, formats);
        if (!format.plain()) {
            throw new IllegalArgumentException(
                    ("Could not let '%s' stand for '%s': form=%s ('@JsonValue', '@JsonKey' and '@JsonTypeId' "
                            + "carry the number); let an attribute of an object have the id")
                        .formatted(member, bean.getName(), format));
        }
    }

    /** Says that a number of JSON would make a row whose ids have another form. */
    static IllegalArgumentException bareNumber(Class<?> bean, IdText format) {
        return new IllegalArgumentException(
                ("Could not read '%s' from objects alone: form=%s (a constructor with one number reads the number, "
                        + "too); put '@JsonCreator(mode = DISABLED)' on that constructor")
                    .formatted(bean.getName(), format));
    }

    /**
     * How the id of a member is read.
     *
     * @param format the form of its text
     * @param plainToo whether the plain number is read beside it, because the forms of
     * the application are not known: what a database holds may be older than the form
     * @param negativeToo whether a negative number is read
     */
    record Reading(IdText format, boolean plainToo, boolean negativeToo) {

        /** Returns whether a number of JSON is an id. */
        boolean takesNumbers() {
            return this.plainToo || this.format.plain();
        }

        /** Returns the id of a text, or empty if the text is none. */
        OptionalLong read(String text) {
            // without a prefix the digits of a number may be a text of the form
            IdText form = (this.plainToo && !this.format.prefix().isEmpty() && !text.startsWith(this.format.prefix()))
                    ? IdText.decimal() : this.format;
            try {
                long id = form.parse(text);
                return takes(id) ? OptionalLong.of(id) : OptionalLong.empty();
            }
            catch (IllegalArgumentException notAnId) {
                return OptionalLong.empty();
            }
        }

        /** Returns whether a number can be an id here. */
        boolean takes(long id) {
            return id >= 0 || this.negativeToo;
        }

        /** Returns the message about a text that is none, which reveals nothing else. */
        String rule() {
            return this.format.plain() ? RULE : RULE_OF_TEXT;
        }

    }

    /**
     * A text of a request is no id. The message may be shown to the client: it reveals
     * neither what the text should be nor why it is wrong.
     *
     * @since 0.1
     */
    public static final class NoIdException extends IllegalArgumentException {

        private static final long serialVersionUID = 1L;

        private static final String NUMBER = "an id must be a whole number from 0 to " + Long.MAX_VALUE;

        private NoIdException(String message) {
            super(message);
        }

    }

    /**
     * What an exception of Jackson says of JSON that has no id where one is read.
     *
     * @since 0.1
     */
    public interface Unreadable {

        /**
         * Returns where that was.
         * @return the property, for example {@code photos[0].author}
         */
        String where();

        /**
         * Returns what stood there.
         * @return the value; null for an object, an array and null itself
         */
        @Nullable Object getValue();

        /**
         * Returns what an id is.
         * @return {@link #RULE}, {@link #RULE_OF_TEXT} or {@link #NOT_NULL}
         */
        String rule();

    }

    /**
     * A type as a Jackson describes it. Jackson 3 and Jackson 2 have a class each for it.
     *
     * @param <T> the class that describes types
     * @param raw the erased type
     * @param container whether the type is an array, a collection or a map
     * @param key the type of the keys of a map
     * @param content the type of the elements of a container, or of the values of a map
     * @param parameters the type parameters
     */
    record Shape<T>(Class<?> raw, boolean container, @Nullable T key, @Nullable T content, List<T> parameters) {

        /**
         * Returns whether the type is the number of an id, or has elements that hold ids.
         * Jackson hands the attribute on to the elements of these types only.
         */
        boolean holdsIds(Predicate<T> inner) {
            return isNumber(this.raw) || elements().anyMatch(inner);
        }

        private Stream<T> elements() {
            if (this.container) {
                return Stream.concat(Stream.ofNullable(this.key), Stream.ofNullable(this.content));
            }
            // optionals, references, entries and streams
            return this.raw.getName().startsWith("java.") ? this.parameters.stream() : Stream.empty();
        }

    }

    /**
     * The annotations of a member as a Jackson shows them.
     *
     * @since 0.1
     */
    @FunctionalInterface
    public interface Annotations {

        /**
         * Returns an annotation.
         * @param <A> its type
         * @param type its type
         * @return the annotation, or null
         */
        <A extends Annotation> @Nullable A get(Class<A> type);

    }

    /** An enum, so that a mapper that holds it can be serialized. */
    private enum NothingMore implements BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>> {

        NOTHING;

        @Override
        public Map<String, Class<?>> apply(Class<?> type, List<Class<?>> arguments) {
            return Map.of();
        }

    }

}
