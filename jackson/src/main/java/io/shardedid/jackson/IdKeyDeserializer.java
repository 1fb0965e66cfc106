package io.shardedid.jackson;

import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.KeyDeserializer;

/**
 * Reads an id from the key of a JSON object, which is text anyway.
 */
final class IdKeyDeserializer extends KeyDeserializer {

    IdKeyDeserializer() {
    }

    @Override
    public Object deserializeKey(String key, DeserializationContext context) {
        Long id = IdText.read(key);
        return (id != null) ? id : context.handleWeirdKey(Long.class, key, IdText.RULE);
    }

}
