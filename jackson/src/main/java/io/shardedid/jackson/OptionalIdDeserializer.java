package io.shardedid.jackson;

import java.util.OptionalLong;

import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.std.StdScalarDeserializer;

/**
 * Reads an {@code OptionalLong} that may hold an id; null is none.
 */
final class OptionalIdDeserializer extends StdScalarDeserializer<OptionalLong> {

    private final IdDeserializer id = new IdDeserializer(Long.class);

    OptionalIdDeserializer() {
        super(OptionalLong.class);
    }

    @Override
    public OptionalLong deserialize(JsonParser parser, DeserializationContext context) {
        return OptionalLong.of(this.id.deserialize(parser, context));
    }

    @Override
    public Object getNullValue(DeserializationContext context) {
        return OptionalLong.empty();
    }

}
