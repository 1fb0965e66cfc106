package io.shardedid.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsontype.TypeSerializer;

/**
 * Writes a number as an id if the attribute that it stands in is marked. Jackson asks
 * once for each attribute, and tells of the attribute also where the number is an element
 * of an element of it.
 */
final class IdOrNumberSerializer extends ValueSerializer<Object> {

    private final ValueSerializer<Object> number;

    private final ValueSerializer<?> id;

    @SuppressWarnings("unchecked")
    IdOrNumberSerializer(ValueSerializer<?> number, ValueSerializer<?> id) {
        this.number = (ValueSerializer<Object>) number;
        this.id = id;
    }

    @Override
    public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
        return (property != null && IdMark.on((mark) -> property.getAnnotation(mark) != null)) ? this.id
                : context.handleSecondaryContextualization(this.number, property);
    }

    @Override
    public void resolve(SerializationContext context) {
        this.number.resolve(context);
    }

    @Override
    public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
        this.number.serialize(value, generator, context);
    }

    @Override
    public void serializeWithType(Object value, JsonGenerator generator, SerializationContext context,
            TypeSerializer type) {
        this.number.serializeWithType(value, generator, context, type);
    }

    @Override
    public boolean isEmpty(SerializationContext context, Object value) {
        return this.number.isEmpty(context, value);
    }

    @Override
    public Class<?> handledType() {
        return this.number.handledType();
    }

    @Override
    public ValueSerializer<?> getDelegatee() {
        return this.number;
    }

    @Override
    public void acceptJsonFormatVisitor(JsonFormatVisitorWrapper visitor, JavaType type) {
        this.number.acceptJsonFormatVisitor(visitor, type);
    }

}
