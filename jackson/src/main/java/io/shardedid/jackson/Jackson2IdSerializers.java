package io.shardedid.jackson;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.LongPredicate;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.introspect.ObjectIdInfo;
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
import io.shardedid.ShardedId;
import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.PublicIdFormats;
import org.jspecify.annotations.Nullable;

/**
 * Writes ids as strings with Jackson 2, as {@link IdSerializers} does with Jackson 3.
 */
final class Jackson2IdSerializers extends BeanSerializerModifier {

    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial")
    private final Function<Class<?>, Map<String, Class<?>>> more;

    private final boolean unsafeAsStrings;

    @SuppressWarnings("serial")
    private final PublicIdFormats formats;

    /**
     * Creates a modifier.
     * @param more returns the attributes of a class that hold ids although nothing on
     * them says so
     * @param unsafeAsStrings whether every whole number that JavaScript would round is
     * written as a string
     * @param formats the forms of the ids
     */
    Jackson2IdSerializers(Function<Class<?>, Map<String, Class<?>>> more, boolean unsafeAsStrings,
            PublicIdFormats formats) {
        this.more = more;
        this.unsafeAsStrings = unsafeAsStrings;
        this.formats = formats;
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
        return new IdOrNumber(number, this.formats,
                (type == OptionalLong.class) ? OptionalId::new : Jackson2IdSerializers::id);
    }

    @Override
    public JsonSerializer<?> modifyArraySerializer(SerializationConfig config, ArrayType type, BeanDescription bean,
            JsonSerializer<?> serializer) {
        if (!type.hasRawClass(long[].class)) {
            return serializer;
        }
        return new IdOrNumber(
                this.unsafeAsStrings ? new IdArray(JsonIds::isUnsafe, PublicIdFormat.decimal()) : serializer,
                this.formats, (format) -> new IdArray((id) -> true, format));
    }

    @Override
    public JsonSerializer<?> modifyKeySerializer(SerializationConfig config, JavaType type, BeanDescription bean,
            JsonSerializer<?> serializer) {
        return type.hasRawClass(Long.class) ? new IdOrNumber(serializer, this.formats, IdKey::new) : serializer;
    }

    @Override
    public List<BeanPropertyWriter> changeProperties(SerializationConfig config, BeanDescription bean,
            List<BeanPropertyWriter> writers) {
        Class<?> type = bean.getBeanClass();
        for (BeanPropertyWriter writer : writers) {
            if (JsonIds.needsIds((mark) -> writer.getAnnotation(mark) != null) && !writer.hasSerializer()) {
                if (!holdsIds(writer.getType(), config)) {
                    throw JsonIds.noIds(type, writer.getName(), writer.getType().toCanonical());
                }
                JsonIds.orRefused(type, writer.getName(),
                        () -> JsonIds.format(writer.getAnnotation(JsonShardedId.class), this.formats));
            }
            else if (writer.getAnnotation(ShardedId.class) != null && isFree(writer, config)) {
                JsonIds
                    .orRefused(type, writer.getName(),
                            () -> this.formats.forAttribute(type, writer.getName(), writer.getType().getRawClass()))
                    .ifPresent((format) -> writer.assignSerializer(id(format)));
            }
        }
        JsonIds named = JsonIds.namedBy(type, this.more);
        if (!named.isEmpty()) {
            for (BeanPropertyDefinition property : bean.findProperties()) {
                String attribute = property.getInternalName();
                if (named.contains(attribute, property.getRawPrimaryType())) {
                    writers.stream()
                        .filter((writer) -> writer.getName().equals(property.getName()))
                        .filter((writer) -> writer.getAnnotation(JsonShardedId.class) == null)
                        .filter((writer) -> isFree(writer, config))
                        .forEach((writer) -> writer.assignSerializer(id(named.format(type, attribute, this.formats))));
                }
            }
        }
        refuseReferences(config, bean, writers);
        return writers;
    }

    /** To this class, and from its attributes to others. */
    private void refuseReferences(SerializationConfig config, BeanDescription bean, List<BeanPropertyWriter> writers) {
        AnnotationIntrospector annotations = config.getAnnotationIntrospector();
        refuseReferences(bean.getObjectIdInfo(), bean.getType(), bean.findProperties(), this.more, this.formats);
        for (BeanPropertyWriter writer : writers) {
            ObjectIdInfo reference = annotations.findObjectIdInfo(writer.getMember());
            if (reference == null) {
                continue;
            }
            JavaType target = target(writer.getType());
            refuseReferences(reference, target, config.introspect(target).findProperties(), this.more, this.formats);
        }
    }

    static void refuseReferences(@Nullable ObjectIdInfo reference, JavaType target,
            List<BeanPropertyDefinition> properties, Function<Class<?>, Map<String, Class<?>>> more,
            PublicIdFormats formats) {
        if (reference == null || reference.getGeneratorType() != ObjectIdGenerators.PropertyGenerator.class) {
            return;
        }
        for (BeanPropertyDefinition property : properties) {
            AnnotatedMember member = property.getPrimaryMember();
            if (member != null && property.getName().equals(reference.getPropertyName().getSimpleName())) {
                JsonIds.namedBy(target.getRawClass(), more)
                    .refuseReference(target.getRawClass(), property.getInternalName(), property.getRawPrimaryType(),
                            member::hasAnnotation, member.getAnnotation(JsonShardedId.class), formats);
            }
        }
    }

    /** The type of the objects that an attribute holds. */
    static JavaType target(JavaType type) {
        JavaType target = type;
        for (JavaType content = type; content != null; content = content.getContentType()) {
            target = content;
        }
        return target;
    }

    /** Returns what writes one number as an id. */
    private static JsonSerializer<Object> id(PublicIdFormat format) {
        return format.plain() ? ToStringSerializer.instance : new Id(format);
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

        private final PublicIdFormats formats;

        private final Function<PublicIdFormat, JsonSerializer<?>> id;

        IdOrNumber(JsonSerializer<?> number, PublicIdFormats formats, Function<PublicIdFormat, JsonSerializer<?>> id) {
            super(number);
            this.formats = formats;
            this.id = id;
        }

        @Override
        public JsonSerializer<?> createContextual(SerializerProvider provider, @Nullable BeanProperty property)
                throws JsonMappingException {
            return (property != null && JsonIds.isMarked((mark) -> property.getAnnotation(mark) != null))
                    ? this.id.apply(JsonIds.format(property.getAnnotation(JsonShardedId.class), this.formats))
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

    /** Writes a number in a form of ids. */
    private static final class Id extends StdScalarSerializer<Object> {

        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial")
        private final PublicIdFormat format;

        Id(PublicIdFormat format) {
            super(Object.class);
            this.format = format;
        }

        @Override
        public void serialize(Object id, JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeString(this.format.format((Long) id));
        }

    }

    /** Writes the key of a JSON object in a form of ids. */
    private static final class IdKey extends StdScalarSerializer<Object> {

        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial")
        private final PublicIdFormat format;

        IdKey(PublicIdFormat format) {
            super(Object.class);
            this.format = format;
        }

        @Override
        public void serialize(Object id, JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeFieldName(this.format.format((Long) id));
        }

    }

    /**
     * Writes a {@code long[]} whose elements, or the unsafe ones of them, are strings.
     */
    private static final class IdArray extends StdSerializer<long[]> {

        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial")
        private final LongPredicate asString;

        @SuppressWarnings("serial")
        private final PublicIdFormat format;

        IdArray(LongPredicate asString, PublicIdFormat format) {
            super(long[].class);
            this.asString = asString;
            this.format = format;
        }

        @Override
        public void serialize(long[] ids, JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeStartArray(ids, ids.length);
            for (long id : ids) {
                if (this.asString.test(id)) {
                    generator.writeString(this.format.format(id));
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

        @SuppressWarnings("serial")
        private final PublicIdFormat format;

        OptionalId(PublicIdFormat format) {
            super(OptionalLong.class);
            this.format = format;
        }

        @Override
        public boolean isEmpty(SerializerProvider provider, OptionalLong id) {
            return id.isEmpty();
        }

        @Override
        public void serialize(OptionalLong id, JsonGenerator generator, SerializerProvider provider)
                throws IOException {
            if (id.isPresent()) {
                generator.writeString(this.format.format(id.getAsLong()));
            }
            else {
                generator.writeNull();
            }
        }

    }

}
