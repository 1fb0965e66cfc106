package io.shardedid.jackson;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import com.fasterxml.jackson.databind.ser.ContextualSerializer;
import com.fasterxml.jackson.databind.ser.ResolvableSerializer;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.type.ArrayType;
import org.jspecify.annotations.Nullable;

/**
 * Writes ids as strings with Jackson 2, as {@link IdSerializers} does with Jackson 3.
 */
final class Jackson2IdSerializers extends BeanSerializerModifier {

    private static final long serialVersionUID = 1L;

    @Override
    public JsonSerializer<?> modifySerializer(SerializationConfig config, BeanDescription bean,
            JsonSerializer<?> serializer) {
        Class<?> type = bean.getBeanClass();
        if (!JsonIds.isNumber(type)) {
            return serializer;
        }
        return new IdOrNumber(serializer,
                (type == OptionalLong.class) ? new OptionalId() : ToStringSerializer.instance);
    }

    @Override
    public JsonSerializer<?> modifyArraySerializer(SerializationConfig config, ArrayType type, BeanDescription bean,
            JsonSerializer<?> serializer) {
        return type.hasRawClass(long[].class) ? new IdOrNumber(serializer, new IdArray()) : serializer;
    }

    @Override
    public List<BeanPropertyWriter> changeProperties(SerializationConfig config, BeanDescription bean,
            List<BeanPropertyWriter> writers) {
        for (BeanPropertyWriter writer : writers) {
            if (JsonIds.needsIds((mark) -> writer.getAnnotation(mark) != null) && !writer.hasSerializer()
                    && !holdsIds(writer.getType(), config)) {
                throw JsonIds.noIds(bean.getBeanClass(), writer.getName(), writer.getType().toCanonical());
            }
        }
        JsonIds named = JsonIds.namedBy(bean.getBeanClass());
        if (!named.isEmpty()) {
            for (BeanPropertyDefinition property : bean.findProperties()) {
                if (named.contains(property.getInternalName(), property.getRawPrimaryType())) {
                    writers.stream()
                        .filter((writer) -> writer.getName().equals(property.getName()))
                        .filter((writer) -> isFree(writer, config))
                        .forEach((writer) -> writer.assignSerializer(ToStringSerializer.instance));
                }
            }
        }
        return writers;
    }

    private static boolean holdsIds(JavaType type, SerializationConfig config) {
        return type.hasHandlers() || type.getRawClass().isAssignableFrom(Long.class)
                || ShardedIdJackson2Module.shape(type).holdsIds((inner) -> holdsIds(inner, config))
                || isWrapper(config.introspect(type));
    }

    private static boolean isWrapper(BeanDescription bean) {
        AnnotatedMember value = bean.findJsonValueAccessor();
        return value != null && JsonIds.isNumber(value.getRawType());
    }

    private static boolean isFree(BeanPropertyWriter writer, SerializationConfig config) {
        return !writer.hasSerializer()
                && writer.findPropertyFormat(config, Long.class).getShape() == JsonFormat.Shape.ANY;
    }

    /** Writes a number as an id if the attribute that it stands in is marked. */
    private static final class IdOrNumber extends JsonSerializer<Object>
            implements ContextualSerializer, ResolvableSerializer {

        private final JsonSerializer<Object> number;

        private final JsonSerializer<?> id;

        @SuppressWarnings("unchecked")
        IdOrNumber(JsonSerializer<?> number, JsonSerializer<?> id) {
            this.number = (JsonSerializer<Object>) number;
            this.id = id;
        }

        @Override
        public JsonSerializer<?> createContextual(SerializerProvider provider, @Nullable BeanProperty property)
                throws JsonMappingException {
            return (property != null && JsonIds.isMarked((mark) -> property.getAnnotation(mark) != null)) ? this.id
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
        public void acceptJsonFormatVisitor(JsonFormatVisitorWrapper visitor, JavaType type)
                throws JsonMappingException {
            this.number.acceptJsonFormatVisitor(visitor, type);
        }

    }

    /** Writes a {@code long[]} of ids. */
    private static final class IdArray extends StdSerializer<long[]> {

        private static final long serialVersionUID = 1L;

        IdArray() {
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

    /**
     * Writes an {@code OptionalLong} that may hold an id as a string or null, also where
     * the mapper lacks Jackson's module for optionals.
     */
    private static final class OptionalId extends StdScalarSerializer<OptionalLong> {

        private static final long serialVersionUID = 1L;

        OptionalId() {
            super(OptionalLong.class);
        }

        @Override
        public boolean isEmpty(SerializerProvider provider, OptionalLong id) {
            return id.isEmpty();
        }

        @Override
        public void serialize(OptionalLong id, JsonGenerator generator, SerializerProvider provider)
                throws IOException {
            if (id.isPresent()) {
                generator.writeString(Long.toString(id.getAsLong()));
            }
            else {
                generator.writeNull();
            }
        }

    }

}
