package io.shardedid.jackson;

import java.util.stream.LongStream;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;

/**
 * Reads a {@code long[]} of ids from strings or numbers.
 */
final class IdArrayDeserializer extends StdDeserializer<long[]> {

    private final IdDeserializer id = new IdDeserializer(long.class);

    IdArrayDeserializer() {
        super(long[].class);
    }

    @Override
    public long[] deserialize(JsonParser parser, DeserializationContext context) {
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
