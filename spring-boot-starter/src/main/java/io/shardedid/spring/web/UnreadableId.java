package io.shardedid.spring.web;

import java.util.List;
import java.util.function.Function;

import io.shardedid.jackson.JsonIds;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * What JSON said where an id was asked for.
 *
 * @param where the property, for example {@code photos[0].author}
 * @param value what stood there
 * @param rule what an id is
 */
record UnreadableId(String where, String value, String rule) {

    private static final boolean JACKSON_3 = isPresent("tools.jackson.databind.exc.MismatchedInputException");

    private static final boolean JACKSON_2 = isPresent("com.fasterxml.jackson.databind.exc.MismatchedInputException");

    /**
     * Looks for the id that made a reading of JSON fail.
     * @param failure what was thrown
     * @return the id, or null if it failed for another reason
     */
    static @Nullable UnreadableId in(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            UnreadableId found = JACKSON_3 ? Jackson3.in(cause) : null;
            found = (found == null && JACKSON_2) ? Jackson2.in(cause) : found;
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, UnreadableId.class.getClassLoader());
    }

    private static <R> @Nullable UnreadableId of(@Nullable String message, @Nullable Object value, List<R> path,
            Function<R, @Nullable String> name, Function<R, Integer> index) {
        boolean isNull = JsonIds.NOT_NULL.equals(message);
        boolean ofText = message != null && message.endsWith(JsonIds.RULE_OF_TEXT);
        if (message == null || !(isNull || ofText || message.endsWith(JsonIds.RULE))) {
            return null;
        }
        StringBuilder where = new StringBuilder();
        for (R step : path) {
            String property = name.apply(step);
            if (property == null) {
                where.append('[').append(index.apply(step)).append(']');
            }
            else {
                where.append(where.isEmpty() ? "" : ".").append(property);
            }
        }
        String shown = (value != null) ? value.toString() : isNull ? "null" : "an object or an array";
        return new UnreadableId(where.toString(), shown,
                isNull ? JsonIds.NOT_NULL : ofText ? JsonIds.RULE_OF_TEXT : JsonIds.RULE);
    }

    /** Loaded where there is a Jackson 3. */
    private static final class Jackson3 {

        static @Nullable UnreadableId in(Throwable cause) {
            return (cause instanceof tools.jackson.databind.exc.MismatchedInputException refused)
                    ? of(refused.getOriginalMessage(), value(refused), refused.getPath(),
                            (step) -> step.getPropertyName(), (step) -> step.getIndex())
                    : null;
        }

        private static @Nullable Object value(tools.jackson.databind.exc.MismatchedInputException refused) {
            return (refused instanceof tools.jackson.databind.exc.InvalidFormatException format) ? format.getValue()
                    : null;
        }

    }

    /** Loaded where there is a Jackson 2. */
    private static final class Jackson2 {

        static @Nullable UnreadableId in(Throwable cause) {
            return (cause instanceof com.fasterxml.jackson.databind.exc.MismatchedInputException refused)
                    ? of(refused.getOriginalMessage(), value(refused), refused.getPath(), (step) -> step.getFieldName(),
                            (step) -> step.getIndex())
                    : null;
        }

        private static @Nullable Object value(com.fasterxml.jackson.databind.exc.MismatchedInputException refused) {
            return (refused instanceof com.fasterxml.jackson.databind.exc.InvalidFormatException format)
                    ? format.getValue() : null;
        }

    }

}
