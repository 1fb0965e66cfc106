package io.shardedid.jackson;

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

    IdDeserializer(Class<?> type) {
        super(type);
    }

    @Override
    public Long deserialize(JsonParser parser, DeserializationContext context) {
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT
                && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            return parser.getLongValue();
        }
        if (parser.currentToken().isNumeric()) {
            return (Long) context.handleWeirdNumberValue(handledType(), parser.getNumberValue(), IdText.RULE);
        }
        if (!parser.currentToken().isScalarValue()) {
            return (Long) context.handleUnexpectedToken(getValueType(context), parser.currentToken(), parser,
                    IdText.RULE);
        }
        String text = parser.getString();
        Long id = IdText.read(text);
        return (id != null) ? id : (Long) context.handleWeirdStringValue(handledType(), text, IdText.RULE);
    }

    @Override
    public @Nullable Object getNullValue(DeserializationContext context) {
        if (handledType() != long.class) {
            return null;
        }
        if (context.isEnabled(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)) {
            return context.reportInputMismatch(this, IdText.NOT_NULL);
        }
        return 0L;
    }

}
