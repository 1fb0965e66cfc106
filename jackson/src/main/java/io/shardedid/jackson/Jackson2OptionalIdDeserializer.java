package io.shardedid.jackson;

import java.io.IOException;
import java.util.OptionalLong;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;

/**
 * What {@link OptionalIdDeserializer} does, for Jackson 2.
 */
final class Jackson2OptionalIdDeserializer extends StdScalarDeserializer<OptionalLong> {

    private static final long serialVersionUID = 1L;

    private final Jackson2IdDeserializer id = new Jackson2IdDeserializer(Long.class);

    Jackson2OptionalIdDeserializer() {
        super(OptionalLong.class);
    }

    @Override
    public OptionalLong deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        return OptionalLong.of(this.id.deserialize(parser, context));
    }

    @Override
    public OptionalLong getNullValue(DeserializationContext context) {
        return OptionalLong.empty();
    }

}
