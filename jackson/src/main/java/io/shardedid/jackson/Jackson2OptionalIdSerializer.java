package io.shardedid.jackson;

import java.io.IOException;
import java.util.OptionalLong;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;

/**
 * What {@link OptionalIdSerializer} does, for Jackson 2, also without its module for
 * optionals.
 */
final class Jackson2OptionalIdSerializer extends StdScalarSerializer<OptionalLong> {

    private static final long serialVersionUID = 1L;

    Jackson2OptionalIdSerializer() {
        super(OptionalLong.class);
    }

    @Override
    public boolean isEmpty(SerializerProvider provider, OptionalLong id) {
        return id.isEmpty();
    }

    @Override
    public void serialize(OptionalLong id, JsonGenerator generator, SerializerProvider provider) throws IOException {
        if (id.isPresent()) {
            generator.writeString(Long.toString(id.getAsLong()));
        }
        else {
            generator.writeNull();
        }
    }

}
