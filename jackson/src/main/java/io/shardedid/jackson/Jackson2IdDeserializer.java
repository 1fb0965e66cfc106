package io.shardedid.jackson;

import java.io.IOException;

import org.jspecify.annotations.Nullable;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;

/**
 * What {@link IdDeserializer} does, for Jackson 2.
 */
final class Jackson2IdDeserializer extends StdScalarDeserializer<Long> {

    private static final long serialVersionUID = 1L;

    Jackson2IdDeserializer(Class<?> type) {
        super(type);
    }

    @Override
    public Long deserialize(JsonParser parser, DeserializationContext context) throws IOException {
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
        String text = parser.getText();
        Long id = IdText.read(text);
        return (id != null) ? id : (Long) context.handleWeirdStringValue(handledType(), text, IdText.RULE);
    }

    @Override
    public @Nullable Long getNullValue(DeserializationContext context) throws JsonMappingException {
        if (handledType() != long.class) {
            return null;
        }
        if (context.isEnabled(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)) {
            return context.reportInputMismatch(this, IdText.NOT_NULL);
        }
        return 0L;
    }

}
