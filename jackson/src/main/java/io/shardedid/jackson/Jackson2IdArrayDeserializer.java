package io.shardedid.jackson;

import java.io.IOException;
import java.util.stream.LongStream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;

/**
 * What {@link IdArrayDeserializer} does, for Jackson 2.
 */
final class Jackson2IdArrayDeserializer extends StdDeserializer<long[]> {

    private static final long serialVersionUID = 1L;

    private final Jackson2IdDeserializer id = new Jackson2IdDeserializer(long.class);

    Jackson2IdArrayDeserializer() {
        super(long[].class);
    }

    @Override
    public long[] deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            return (long[]) context.handleUnexpectedToken(getValueType(context), parser);
        }
        LongStream.Builder ids = LongStream.builder();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            ids.add((parser.currentToken() != JsonToken.VALUE_NULL) ? this.id.deserialize(parser, context)
                    : context.reportInputMismatch(this, IdText.NOT_NULL));
        }
        return ids.build().toArray();
    }

}
