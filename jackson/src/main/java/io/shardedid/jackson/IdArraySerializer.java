package io.shardedid.jackson;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Writes a {@code long[]} of ids as strings. Arrays of objects need it not: Jackson asks
 * for the serializer of their elements.
 */
final class IdArraySerializer extends StdSerializer<long[]> {

    IdArraySerializer() {
        super(long[].class);
    }

    @Override
    public void serialize(long[] ids, JsonGenerator generator, SerializationContext context) {
        generator.writeStartArray(ids, ids.length);
        for (long id : ids) {
            generator.writeString(Long.toString(id));
        }
        generator.writeEndArray();
    }

}
