package io.shardedid.spring.json;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.deser.std.StdScalarDeserializer;

/**
 * Reads an id from a string of digits or a whole number, and nothing else: Jackson's own
 * reading of a {@code long} takes an empty string for 0 and cuts fractions off.
 */
final class IdDeserializer extends StdScalarDeserializer<Long> {

    private IdDeserializer(Class<?> type) {
        super(type);
    }

    static @Nullable IdDeserializer of(Class<?> type) {
        return (type == long.class || type == Long.class) ? new IdDeserializer(type) : null;
    }

    @Override
    public Long deserialize(JsonParser parser, DeserializationContext context) {
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
            return parser.getLongValue();
        }
        String text = (parser.currentToken() == JsonToken.VALUE_STRING) ? parser.getString() : null;
        if (text == null) {
            return (Long) context.handleUnexpectedToken(getValueType(context), parser);
        }
        try {
            return Long.valueOf(text);
        }
        catch (NumberFormatException ex) {
            return (Long) context.handleWeirdStringValue(handledType(), text,
                    "an id must be a whole 64-bit number, as a string or a number");
        }
    }

    @Override
    public @Nullable Object getNullValue(DeserializationContext context) {
        if (handledType() != long.class) {
            return null;
        }
        if (context.isEnabled(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)) {
            return context.reportInputMismatch(this, "an id of type 'long' must not be null");
        }
        return 0L;
    }

}
