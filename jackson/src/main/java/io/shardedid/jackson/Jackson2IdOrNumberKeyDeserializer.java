package io.shardedid.jackson;

import java.io.IOException;

import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.KeyDeserializer;
import com.fasterxml.jackson.databind.deser.ContextualKeyDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * What {@link IdOrNumberKeyDeserializer} does, for Jackson 2.
 */
final class Jackson2IdOrNumberKeyDeserializer extends KeyDeserializer implements ContextualKeyDeserializer {

    private final KeyDeserializer number;

    Jackson2IdOrNumberKeyDeserializer(KeyDeserializer number) {
        this.number = number;
    }

    @Override
    public KeyDeserializer createContextual(DeserializationContext context, @Nullable BeanProperty property)
            throws JsonMappingException {
        if (property != null && IdMark.on((mark) -> property.getAnnotation(mark) != null)) {
            return new Jackson2IdKeyDeserializer();
        }
        return (this.number instanceof ContextualKeyDeserializer contextual)
                ? contextual.createContextual(context, property) : this.number;
    }

    @Override
    public Object deserializeKey(String key, DeserializationContext context) throws IOException {
        return this.number.deserializeKey(key, context);
    }

}
