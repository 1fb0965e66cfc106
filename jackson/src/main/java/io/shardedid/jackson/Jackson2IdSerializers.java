package io.shardedid.jackson;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongPredicate;

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

    @SuppressWarnings("serial")
    private final Function<Class<?>, Set<String>> more;

    private final boolean unsafeAsStrings;

    /**
     * Creates a modifier.
     * @param more returns the attributes of a class that hold ids although nothing on
     * them says so
     * @param unsafeAsStrings whether every whole number that JavaScript would round is
     * written as a string
     */
    Jackson2IdSerializers(Function<Class<?>, Set<String>> more, boolean unsafeAsStrings) {
        this.more = more;
        this.unsafeAsStrings = unsafeAsStrings;
    }

    @Override
    public JsonSerializer<?> modifySerializer(SerializationConfig config, BeanDescription bean,
            JsonSerializer<?> serializer) {
        Class<?> type = bean.getBeanClass();
        JsonSerializer<?> number = (this.unsafeAsStrings && JsonIds.canBeUnsafe(type)) ? new SafeNumber(serializer)
                : serializer;
        if (!JsonIds.isNumber(type)) {
            return number;
        }
        return new IdOrNumber(number, (type == OptionalLong.class) ? new OptionalId() : ToStringSerializer.instance);
    }

    @Override
    public JsonSerializer<?> modifyArraySerializer(SerializationConfig config, ArrayType type, BeanDescription bean,
            JsonSerializer<?> serializer) {
        if (!type.hasRawClass(long[].class)) {
            return serializer;
        }
        return new IdOrNumber(this.unsafeAsStrings ? new IdArray(JsonIds::isUnsafe) : serializer,
                new IdArray((id) -> true));
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
        JsonIds named = JsonIds.namedBy(bean.getBeanClass(), this.more);
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

    /**
     * Stands in front of the serializer of a number, and leaves to it what is not said
     * here.
     */
    private abstract static class AroundNumber extends JsonSerializer<Object> {

        final JsonSerializer<Object> number;

        @SuppressWarnings("unchecked")
        AroundNumber(JsonSerializer<?> number) {
            this.number = (JsonSerializer<Object>) number;
        }

        @Override
        public void serializeWithType(Object value, JsonGenerator generator, SerializerProvider context,
                TypeSerializer type) throws IOException {
            this.number.serializeWithType(value, generator, context, type);
        }

        @Override
        public boolean isEmpty(SerializerProvider context, Object value) {
            return this.number.isEmpty(context, value);
        }

        @Override
        public Class<Object> handledType() {
            return this.number.handledType();
        }

        @Override
        public void acceptJsonFormatVisitor(JsonFormatVisitorWrapper visitor, JavaType type)
                throws JsonMappingException {
            this.number.acceptJsonFormatVisitor(visitor, type);
        }

    }

    /**
     * Writes a whole number as a string if JavaScript would round it. A member that sets
     * the form of its number keeps it.
     */
    private static final class SafeNumber extends AroundNumber implements ContextualSerializer {

        SafeNumber(JsonSerializer<?> number) {
            super(number);
        }

        @Override
        public JsonSerializer<?> createContextual(SerializerProvider context, @Nullable BeanProperty property)
                throws JsonMappingException {
            JsonSerializer<?> own = context.handleSecondaryContextualization(this.number, property);
            boolean free = property == null || property.findPropertyFormat(context.getConfig(), handledType())
                .getShape() == JsonFormat.Shape.ANY;
            return free ? new SafeNumber(own) : own;
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializerProvider context) throws IOException {
            if (JsonIds.isUnsafe(value)) {
                generator.writeString(JsonIds.digits(value));
            }
            else {
                this.number.serialize(value, generator, context);
            }
        }

    }

    /** Writes a number as an id if the attribute that it stands in is marked. */
    private static final class IdOrNumber extends AroundNumber implements ContextualSerializer, ResolvableSerializer {

        private final JsonSerializer<?> id;

        IdOrNumber(JsonSerializer<?> number, JsonSerializer<?> id) {
            super(number);
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
        public JsonSerializer<?> getDelegatee() {
            return this.number;
        }

    }

    /**
     * Writes a {@code long[]} whose elements, or the unsafe ones of them, are strings.
     */
    private static final class IdArray extends StdSerializer<long[]> {

        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial")
        private final LongPredicate asString;

        IdArray(LongPredicate asString) {
            super(long[].class);
            this.asString = asString;
        }

        @Override
        public void serialize(long[] ids, JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeStartArray(ids, ids.length);
            for (long id : ids) {
                if (this.asString.test(id)) {
                    generator.writeString(Long.toString(id));
                }
                else {
                    generator.writeNumber(id);
                }
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
