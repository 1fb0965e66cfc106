package io.shardedid.jackson;

import java.io.IOException;

import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.KeyDeserializer;

/**
 * What {@link IdKeyDeserializer} does, for Jackson 2.
 */
final class Jackson2IdKeyDeserializer extends KeyDeserializer {

    Jackson2IdKeyDeserializer() {
    }

    @Override
    public Object deserializeKey(String key, DeserializationContext context) throws IOException {
        Long id = IdText.read(key);
        return (id != null) ? id : context.handleWeirdKey(Long.class, key, IdText.RULE);
    }

}
