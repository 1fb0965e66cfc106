package io.shardedid.jackson;

import java.io.IOException;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;

/**
 * What {@link IdArraySerializer} does, for Jackson 2.
 */
final class Jackson2IdArraySerializer extends StdSerializer<long[]> {

    private static final long serialVersionUID = 1L;

    Jackson2IdArraySerializer() {
        super(long[].class);
    }

    @Override
    public void serialize(long[] ids, JsonGenerator generator, SerializerProvider provider) throws IOException {
        generator.writeStartArray(ids, ids.length);
        for (long id : ids) {
            generator.writeString(Long.toString(id));
        }
        generator.writeEndArray();
    }

}
