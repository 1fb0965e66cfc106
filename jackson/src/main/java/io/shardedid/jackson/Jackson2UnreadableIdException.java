package io.shardedid.jackson;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import org.jspecify.annotations.Nullable;

/**
 * JSON has no id where one is read.
 */
final class Jackson2UnreadableIdException extends InvalidFormatException implements JsonIds.Unreadable {

    private static final long serialVersionUID = 1L;

    private final String rule;

    private Jackson2UnreadableIdException(JsonParser parser, String message, @Nullable Object value, Class<?> type,
            String rule) {
        super(parser, message, value, type);
        this.rule = rule;
    }

    /** The primitive type cannot hold null. */
    static Jackson2UnreadableIdException ofNull(JsonParser parser) {
        return new Jackson2UnreadableIdException(parser, JsonIds.NOT_NULL, null, long.class, JsonIds.NOT_NULL);
    }

    /** In place of what Jackson throws, with the same words. */
    static Jackson2UnreadableIdException of(JsonParser parser, MismatchedInputException refused, String rule) {
        return new Jackson2UnreadableIdException(parser, refused.getOriginalMessage(),
                (refused instanceof InvalidFormatException format) ? format.getValue() : null, refused.getTargetType(),
                rule);
    }

    @Override
    public String where() {
        return JsonIds.where(getPath(), Reference::getFieldName, Reference::getIndex);
    }

    @Override
    public String rule() {
        return this.rule;
    }

}
