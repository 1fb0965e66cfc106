package io.shardedid.jackson;

import java.io.IOException;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.ser.ContextualSerializer;
import com.fasterxml.jackson.databind.ser.ResolvableSerializer;
import org.jspecify.annotations.Nullable;

/**
 * What {@link IdOrNumberSerializer} does, for Jackson 2.
 */
final class Jackson2IdOrNumberSerializer extends JsonSerializer<Object>
        implements ContextualSerializer, ResolvableSerializer {

    private final JsonSerializer<Object> number;

    private final JsonSerializer<?> id;

    @SuppressWarnings("unchecked")
    Jackson2IdOrNumberSerializer(JsonSerializer<?> number, JsonSerializer<?> id) {
        this.number = (JsonSerializer<Object>) number;
        this.id = id;
    }

    @Override
    public JsonSerializer<?> createContextual(SerializerProvider provider, @Nullable BeanProperty property)
            throws JsonMappingException {
        return (property != null && IdMark.on((mark) -> property.getAnnotation(mark) != null)) ? this.id
                : provider.handleSecondaryContextualization(this.number, property);
    }

    @Override
    public void resolve(SerializerProvider provider) throws JsonMappingException {
        if (this.number instanceof ResolvableSerializer resolvable) {
            resolvable.resolve(provider);
        }
    }

    @Override
    public void serialize(Object value, JsonGenerator generator, SerializerProvider provider) throws IOException {
        this.number.serialize(value, generator, provider);
    }

    @Override
    public void serializeWithType(Object value, JsonGenerator generator, SerializerProvider provider,
            TypeSerializer type) throws IOException {
        this.number.serializeWithType(value, generator, provider, type);
    }

    @Override
    public boolean isEmpty(SerializerProvider provider, Object value) {
        return this.number.isEmpty(provider, value);
    }

    @Override
    public Class<Object> handledType() {
        return this.number.handledType();
    }

    @Override
    public JsonSerializer<?> getDelegatee() {
        return this.number;
    }

    @Override
    public void acceptJsonFormatVisitor(JsonFormatVisitorWrapper visitor, JavaType type) throws JsonMappingException {
        this.number.acceptJsonFormatVisitor(visitor, type);
    }

}
