package io.shardedid.jackson;

import java.util.OptionalLong;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ser.std.StdScalarSerializer;

/**
 * Writes an {@code OptionalLong} that may hold an id as a string or null.
 */
final class OptionalIdSerializer extends StdScalarSerializer<OptionalLong> {

    OptionalIdSerializer() {
        super(OptionalLong.class);
    }

    @Override
    public boolean isEmpty(SerializationContext context, OptionalLong id) {
        return id.isEmpty();
    }

    @Override
    public void serialize(OptionalLong id, JsonGenerator generator, SerializationContext context) {
        if (id.isPresent()) {
            generator.writeString(Long.toString(id.getAsLong()));
        }
        else {
            generator.writeNull();
        }
    }

}
