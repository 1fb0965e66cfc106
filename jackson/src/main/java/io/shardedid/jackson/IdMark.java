package io.shardedid.jackson;

import java.lang.annotation.Annotation;
import java.util.OptionalLong;
import java.util.function.Predicate;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.shardedid.ShardedId;

/**
 * The annotations by which an attribute says that the 64-bit numbers in it are ids,
 * whichever Jackson asks.
 */
final class IdMark {

    private static final String RULE = "'@JsonShardedId' fits 'long', 'Long', 'OptionalLong', and collections, arrays, "
            + "maps and optionals of them";

    private IdMark() {
    }

    /**
     * Tells whether an attribute is marked, and leaves its form to the mark.
     * @param has whether the attribute has an annotation
     */
    static boolean on(Predicate<Class<? extends Annotation>> has) {
        return (has.test(ShardedId.class) || has.test(JsonShardedId.class)) && !has.test(JsonFormat.class);
    }

    /**
     * Tells whether a mark asks for a type that holds ids: the mark of DTOs does, that of
     * an entity's identifier has its own rules.
     */
    static boolean needsIds(Predicate<Class<? extends Annotation>> has) {
        return on(has) && has.test(JsonShardedId.class);
    }

    static boolean isNumber(Class<?> type) {
        return type == long.class || type == Long.class || type == OptionalLong.class;
    }

    /** Jackson tells of the class that it cannot read or write by what this says. */
    static IllegalArgumentException refusal(Class<?> bean, String attribute, String type) {
        return new IllegalArgumentException(
                ("Could not find the ids of attribute '%s' of '%s': type=%s (%s); remove the annotation, or mark the "
                        + "attributes of that type that hold ids")
                    .formatted(attribute, bean.getName(), type, RULE));
    }

}
