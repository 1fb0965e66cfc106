package io.shardedid.jackson;

import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.Parameter;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.ShardedId;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * What both Jacksons share: which members hold ids, and what the text of an id is.
 */
final class Ids {

    /** What JSON must say where an id is read. */
    static final String RULE = "an id must be a whole 64-bit number, as a string or a number";

    /** What JSON must not say where an id of type {@code long} is read. */
    static final String NOT_NULL = "an id of type 'long' must not be null";

    /** What JavaScript calls {@code Number.MAX_SAFE_INTEGER}. */
    static final long LARGEST_SAFE = (1L << 53) - 1;

    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]{0,18})");

    private Ids() {
    }

    /**
     * Returns whether a member is marked.
     * @param has returns whether an annotation stands on it, as a Jackson sees it
     */
    static boolean areMarked(Predicate<Class<? extends Annotation>> has) {
        return has.test(JsonShardedId.class) || has.test(ShardedId.class);
    }

    /**
     * Returns whether the field behind a parameter of a constructor is marked. Jackson 3
     * passes over final fields that a constructor sets, and over what stands on them.
     * @param parameter the parameter, which may know its name
     * @param property the name of the property, which may be another one
     */
    static boolean areMarkedBehind(Parameter parameter, String property) {
        Class<?> bean = parameter.getDeclaringExecutable().getDeclaringClass();
        Parameter[] all = parameter.getDeclaringExecutable().getParameters();
        // of a record the component has the name, whatever the property is called
        String name = (bean.isRecord() && bean.getRecordComponents().length == all.length)
                ? bean.getRecordComponents()[Arrays.asList(all).indexOf(parameter)].getName()
                : parameter.isNamePresent() ? parameter.getName() : property;
        return Stream.<Class<?>>iterate(bean, Objects::nonNull, Class::getSuperclass)
            .flatMap((type) -> Arrays.stream(type.getDeclaredFields()))
            .filter((field) -> field.getName().equals(name))
            .findFirst()
            .filter((Field field) -> areMarked(field::isAnnotationPresent))
            .isPresent();
    }

    /** Returns whether a type holds whole numbers of 64 bits that may be ids. */
    static boolean areHeldBy(@Nullable Class<?> type) {
        return isOne(type) || type == long[].class || type == OptionalLong.class || type == AtomicLong.class;
    }

    /** Returns whether a type is the number of an id itself. */
    static boolean isOne(@Nullable Class<?> type) {
        return type == long.class || type == Long.class;
    }

    /** Returns whether a type holds numbers that JavaScript may round. */
    static boolean mayBeIn(Class<?> type) {
        return areHeldBy(type) || type == BigInteger.class;
    }

    /**
     * Returns whether JavaScript rounds a number, or may round one of several: its
     * magnitude is beyond 2<sup>53</sup> - 1.
     */
    static boolean areUnsafe(Object numbers) {
        return !(numbers instanceof Long number) || number > LARGEST_SAFE || number < -LARGEST_SAFE;
    }

    /** Returns the texts of what Jackson's own format does not reach. */
    static @Nullable Object texts(Object held) {
        if (held instanceof long[] ids) {
            return Arrays.stream(ids).mapToObj(Long::toString).toArray(String[]::new);
        }
        if (held instanceof OptionalLong id) {
            return id.isPresent() ? Long.toString(id.getAsLong()) : null;
        }
        return held.toString();
    }

    /** Returns the type of {@link #texts}. */
    static Class<?> typeOfTexts(Class<?> held) {
        return (held == long[].class) ? String[].class : String.class;
    }

    /** Returns the type that is read in place of one that Jackson reads leniently. */
    static Class<?> typeOfNumbers(Class<?> held) {
        return (held == long[].class) ? Long[].class : Long.class;
    }

    /** Returns what holds the numbers, or null if one of them is missing. */
    static @Nullable Object holding(Class<?> held, @Nullable Object numbers) {
        if (numbers == null) {
            return null;
        }
        if (numbers instanceof Long[] ids) {
            return Arrays.asList(ids).contains(null) ? null : Arrays.stream(ids).mapToLong(Long::longValue).toArray();
        }
        return (held == OptionalLong.class) ? OptionalLong.of((Long) numbers) : new AtomicLong((Long) numbers);
    }

    /** Returns the id of a text, or null if the text is none. */
    static @Nullable Long read(String text) {
        try {
            return NUMBER.matcher(text).matches() ? Long.valueOf(text) : null;
        }
        catch (NumberFormatException beyond64Bits) {
            return null;
        }
    }

    static String refusal(@Nullable Object value, String rule) {
        return "Could not read an id: value=%s (%s); send the id as it was given out"
            .formatted((value != null) ? MessageText.shown(value.toString()) : "null", rule);
    }

    /** Writes the path to a property, as {@code photos[0].author}. */
    static <R> String where(List<R> path, Function<R, @Nullable String> name, ToIntFunction<R> index) {
        return path.stream()
            .map((step) -> (name.apply(step) != null) ? "." + name.apply(step)
                    : "[%s]".formatted(index.applyAsInt(step)))
            .collect(Collectors.joining())
            .replaceFirst("^\\.", "");
    }

}
