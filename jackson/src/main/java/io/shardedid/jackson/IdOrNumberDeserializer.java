package io.shardedid.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * Reads a number as an id if the attribute that it stands in is marked, as
 * {@link IdOrNumberSerializer} writes it.
 */
final class IdOrNumberDeserializer extends DelegatingDeserializer {

    private final JavaType type;

    private final ValueDeserializer<?> id;

    IdOrNumberDeserializer(JavaType type, ValueDeserializer<?> number, ValueDeserializer<?> id) {
        super(number);
        this.type = type;
        this.id = id;
    }

    @Override
    public ValueDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property) {
        return (property != null && IdMark.on((mark) -> property.getAnnotation(mark) != null)) ? this.id
                : context.handleSecondaryContextualization(getDelegatee(), property, this.type);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> number) {
        return new IdOrNumberDeserializer(this.type, number, this.id);
    }

}
