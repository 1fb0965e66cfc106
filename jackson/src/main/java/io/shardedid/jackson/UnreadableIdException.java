package io.shardedid.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException.Reference;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;

/**
 * JSON has no id where one is read.
 */
final class UnreadableIdException extends InvalidFormatException implements JsonIds.Unreadable {

    private static final long serialVersionUID = 1L;

    private final String rule;

    private UnreadableIdException(JsonParser parser, String message, @Nullable Object value, Class<?> type,
            String rule) {
        super(parser, message, value, type);
        this.rule = rule;
    }

    /** The primitive type cannot hold null. */
    static UnreadableIdException ofNull(JsonParser parser) {
        return new UnreadableIdException(parser, JsonIds.NOT_NULL, null, long.class, JsonIds.NOT_NULL);
    }

    /** In place of what Jackson throws, with the same words. */
    static UnreadableIdException of(JsonParser parser, MismatchedInputException refused, String rule) {
        return new UnreadableIdException(parser, refused.getOriginalMessage(),
                (refused instanceof InvalidFormatException format) ? format.getValue() : null, refused.getTargetType(),
                rule);
    }

    @Override
    public String where() {
        return JsonIds.where(getPath(), Reference::getPropertyName, Reference::getIndex);
    }

    @Override
    public String rule() {
        return this.rule;
    }

}
