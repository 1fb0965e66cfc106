package io.shardedid.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.deser.ContextualKeyDeserializer;

/**
 * Reads the key of a JSON object as an id if the attribute that it stands in is marked.
 */
final class IdOrNumberKeyDeserializer extends KeyDeserializer implements ContextualKeyDeserializer {

    private final KeyDeserializer number;

    IdOrNumberKeyDeserializer(KeyDeserializer number) {
        this.number = number;
    }

    @Override
    public KeyDeserializer createContextual(DeserializationContext context, @Nullable BeanProperty property) {
        if (property != null && IdMark.on((mark) -> property.getAnnotation(mark) != null)) {
            return new IdKeyDeserializer();
        }
        return (this.number instanceof ContextualKeyDeserializer contextual)
                ? contextual.createContextual(context, property) : this.number;
    }

    @Override
    public void resolve(DeserializationContext context) {
        this.number.resolve(context);
    }

    @Override
    public Object deserializeKey(String key, DeserializationContext context) {
        return this.number.deserializeKey(key, context);
    }

}
