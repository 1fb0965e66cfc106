package io.shardedid.jackson;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongPredicate;

import com.fasterxml.jackson.annotation.JsonFormat;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.std.StdScalarSerializer;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.databind.type.ArrayType;

/**
 * Writes ids as strings with Jackson 3: in members that are marked, and in attributes
 * that the {@code @ShardedId} of the same entity names. A mark on a member that holds no
 * ids is refused when Jackson first meets its class.
 */
final class IdSerializers extends ValueSerializerModifier {

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
    IdSerializers(Function<Class<?>, Set<String>> more, boolean unsafeAsStrings) {
        this.more = more;
        this.unsafeAsStrings = unsafeAsStrings;
    }

    @Override
    public ValueSerializer<?> modifySerializer(SerializationConfig config, BeanDescription.Supplier bean,
            ValueSerializer<?> serializer) {
        Class<?> type = bean.getBeanClass();
        ValueSerializer<?> number = (this.unsafeAsStrings && JsonIds.canBeUnsafe(type)) ? new SafeNumber(serializer)
                : serializer;
        if (!JsonIds.isNumber(type)) {
            return number;
        }
        return new IdOrNumber(number, (type == OptionalLong.class) ? new OptionalId() : ToStringSerializer.instance);
    }

    @Override
    public ValueSerializer<?> modifyArraySerializer(SerializationConfig config, ArrayType type,
            BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        if (!type.hasRawClass(long[].class)) {
            return serializer;
        }
        return new IdOrNumber(this.unsafeAsStrings ? new IdArray(JsonIds::isUnsafe) : serializer,
                new IdArray((id) -> true));
    }

    @Override
    public List<BeanPropertyWriter> changeProperties(SerializationConfig config, BeanDescription.Supplier bean,
            List<BeanPropertyWriter> writers) {
        for (BeanPropertyWriter writer : writers) {
            if (JsonIds.needsIds((mark) -> writer.getAnnotation(mark) != null) && !writer.hasSerializer()
                    && !holdsIds(writer.getType(), config)) {
                throw JsonIds.noIds(bean.getBeanClass(), writer.getName(), writer.getType().toCanonical());
            }
        }
        JsonIds named = JsonIds.namedBy(bean.getBeanClass(), this.more);
        if (!named.isEmpty()) {
            for (BeanPropertyDefinition property : bean.get().findProperties()) {
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

    /** Of an attribute of type {@code Object} the value decides. */
    private static boolean holdsIds(JavaType type, SerializationConfig config) {
        return type.hasHandlers() || type.getRawClass().isAssignableFrom(Long.class)
                || ShardedIdJacksonModule.shape(type).holdsIds((inner) -> holdsIds(inner, config))
                || isWrapper(type, config);
    }

    /** Returns whether a type is written as its {@code @JsonValue}, which is a number. */
    private static boolean isWrapper(JavaType type, SerializationConfig config) {
        ClassIntrospector introspector = config.classIntrospectorInstance();
        AnnotatedMember value = introspector
            .introspectForSerialization(type, introspector.introspectClassAnnotations(type))
            .findJsonValueAccessor();
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
    private abstract static class AroundNumber extends ValueSerializer<Object> {

        final ValueSerializer<Object> number;

        @SuppressWarnings("unchecked")
        AroundNumber(ValueSerializer<?> number) {
            this.number = (ValueSerializer<Object>) number;
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
        public void acceptJsonFormatVisitor(JsonFormatVisitorWrapper visitor, JavaType type) {
            this.number.acceptJsonFormatVisitor(visitor, type);
        }

    }

    /**
     * Writes a whole number as a string if JavaScript would round it. A member that sets
     * the form of its number keeps it.
     */
    private static final class SafeNumber extends AroundNumber {

        SafeNumber(ValueSerializer<?> number) {
            super(number);
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            ValueSerializer<?> own = context.handleSecondaryContextualization(this.number, property);
            boolean free = property == null || property.findPropertyFormat(context.getConfig(), handledType())
                .getShape() == JsonFormat.Shape.ANY;
            return free ? new SafeNumber(own) : own;
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            if (JsonIds.isUnsafe(value)) {
                generator.writeString(JsonIds.digits(value));
            }
            else {
                this.number.serialize(value, generator, context);
            }
        }

    }

    /**
     * Writes a number as an id if the attribute that it stands in is marked. Jackson asks
     * once for each attribute, and tells of the attribute also where the number is an
     * element of an element of it.
     */
    private static final class IdOrNumber extends AroundNumber {

        private final ValueSerializer<?> id;

        IdOrNumber(ValueSerializer<?> number, ValueSerializer<?> id) {
            super(number);
            this.id = id;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            return (property != null && JsonIds.isMarked((mark) -> property.getAnnotation(mark) != null)) ? this.id
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
        public ValueSerializer<?> getDelegatee() {
            return this.number;
        }

    }

    /**
     * Writes a {@code long[]} whose elements, or the unsafe ones of them, are strings.
     * Arrays of objects need no serializer of ours: Jackson asks for the serializer of
     * their elements.
     */
    private static final class IdArray extends StdSerializer<long[]> {

        @SuppressWarnings("serial")
        private final LongPredicate asString;

        IdArray(LongPredicate asString) {
            super(long[].class);
            this.asString = asString;
        }

        @Override
        public void serialize(long[] ids, JsonGenerator generator, SerializationContext context) {
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

    /** Writes an {@code OptionalLong} that may hold an id as a string or null. */
    private static final class OptionalId extends StdScalarSerializer<OptionalLong> {

        OptionalId() {
            super(OptionalLong.class);
        }

        @Override
        public boolean isEmpty(SerializationContext context, OptionalLong id) {
            return id.isEmpty();
        }

        @Override
        public void serialize(OptionalLong id, JsonGenerator generator, SerializationContext context) {
            if (id.isPresent()) {
                generator.writeString(Long.toString(id.getAsLong()));
            }
            else {
                generator.writeNull();
            }
        }

    }

}
