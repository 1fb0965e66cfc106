package io.shardedid.jackson;

import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * What {@link IdOrNumberDeserializer} does, for Jackson 2.
 */
final class Jackson2IdOrNumberDeserializer extends DelegatingDeserializer {

    private static final long serialVersionUID = 1L;

    private final @Nullable StdDeserializer<?> id;

    /**
     * Makes a deserializer.
     * @param id what reads ids, or null for the one of the number's own type: Jackson 2
     * has one description for {@code long} and {@code Long}
     */
    Jackson2IdOrNumberDeserializer(JsonDeserializer<?> number, @Nullable StdDeserializer<?> id) {
        super(number);
        this.id = id;
    }

    @Override
    public JsonDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property)
            throws JsonMappingException {
        JavaType type = context.getContextualType();
        if (property != null && IdMark.on((mark) -> property.getAnnotation(mark) != null)) {
            return (this.id != null) ? this.id : new Jackson2IdDeserializer(type.getRawClass());
        }
        return context.handleSecondaryContextualization(getDelegatee(), property, type);
    }

    @Override
    protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> number) {
        return new Jackson2IdOrNumberDeserializer(number, this.id);
    }

}
