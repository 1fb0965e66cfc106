package io.shardedid.jackson;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.LongPredicate;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import io.shardedid.ShardedId;
import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.PublicIdFormats;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.introspect.ObjectIdInfo;
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
    IdSerializers(Function<Class<?>, Map<String, Class<?>>> more, boolean unsafeAsStrings, PublicIdFormats formats) {
        this.more = more;
        this.unsafeAsStrings = unsafeAsStrings;
        this.formats = formats;
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
        return new IdOrNumber(number, this.formats, (type == OptionalLong.class) ? OptionalId::new : IdSerializers::id);
    }

    @Override
    public ValueSerializer<?> modifyArraySerializer(SerializationConfig config, ArrayType type,
            BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        if (!type.hasRawClass(long[].class)) {
            return serializer;
        }
        return new IdOrNumber(
                this.unsafeAsStrings ? new IdArray(JsonIds::isUnsafe, PublicIdFormat.decimal()) : serializer,
                this.formats, (format) -> new IdArray((id) -> true, format));
    }

    @Override
    public ValueSerializer<?> modifyKeySerializer(SerializationConfig config, JavaType type,
            BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        return type.hasRawClass(Long.class) ? new IdOrNumber(serializer, this.formats, IdKey::new) : serializer;
    }

    @Override
    public List<BeanPropertyWriter> changeProperties(SerializationConfig config, BeanDescription.Supplier bean,
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
            for (BeanPropertyDefinition property : bean.get().findProperties()) {
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
    private void refuseReferences(SerializationConfig config, BeanDescription.Supplier bean,
            List<BeanPropertyWriter> writers) {
        AnnotationIntrospector annotations = config.getAnnotationIntrospector();
        refuseReferences(bean.get().getObjectIdInfo(), bean.get().getType(), bean.get().findProperties(), this.more,
                this.formats);
        for (BeanPropertyWriter writer : writers) {
            ObjectIdInfo reference = annotations.findObjectIdInfo(config, writer.getMember());
            if (reference == null) {
                continue;
            }
            JavaType target = target(writer.getType());
            ClassIntrospector introspector = config.classIntrospectorInstance();
            refuseReferences(reference, target,
                    introspector.introspectForSerialization(target, introspector.introspectClassAnnotations(target))
                        .findProperties(),
                    this.more, this.formats);
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
    private static ValueSerializer<Object> id(PublicIdFormat format) {
        return format.plain() ? ToStringSerializer.instance : new Id(format);
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

        private final PublicIdFormats formats;

        private final Function<PublicIdFormat, ValueSerializer<?>> id;

        IdOrNumber(ValueSerializer<?> number, PublicIdFormats formats,
                Function<PublicIdFormat, ValueSerializer<?>> id) {
            super(number);
            this.formats = formats;
            this.id = id;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            return (property != null && JsonIds.isMarked((mark) -> property.getAnnotation(mark) != null))
                    ? this.id.apply(JsonIds.format(property.getAnnotation(JsonShardedId.class), this.formats))
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

    /** Writes a number in a form of ids. */
    private static final class Id extends StdScalarSerializer<Object> {

        @SuppressWarnings("serial")
        private final PublicIdFormat format;

        Id(PublicIdFormat format) {
            super(Object.class);
            this.format = format;
        }

        @Override
        public void serialize(Object id, JsonGenerator generator, SerializationContext context) {
            generator.writeString(this.format.format((Long) id));
        }

    }

    /** Writes the key of a JSON object in a form of ids. */
    private static final class IdKey extends StdScalarSerializer<Object> {

        @SuppressWarnings("serial")
        private final PublicIdFormat format;

        IdKey(PublicIdFormat format) {
            super(Object.class);
            this.format = format;
        }

        @Override
        public void serialize(Object id, JsonGenerator generator, SerializationContext context) {
            generator.writeName(this.format.format((Long) id));
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

        @SuppressWarnings("serial")
        private final PublicIdFormat format;

        IdArray(LongPredicate asString, PublicIdFormat format) {
            super(long[].class);
            this.asString = asString;
            this.format = format;
        }

        @Override
        public void serialize(long[] ids, JsonGenerator generator, SerializationContext context) {
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

    /** Writes an {@code OptionalLong} that may hold an id as a string or null. */
    private static final class OptionalId extends StdScalarSerializer<OptionalLong> {

        @SuppressWarnings("serial")
        private final PublicIdFormat format;

        OptionalId(PublicIdFormat format) {
            super(OptionalLong.class);
            this.format = format;
        }

        @Override
        public boolean isEmpty(SerializationContext context, OptionalLong id) {
            return id.isEmpty();
        }

        @Override
        public void serialize(OptionalLong id, JsonGenerator generator, SerializationContext context) {
            if (id.isPresent()) {
                generator.writeString(this.format.format(id.getAsLong()));
            }
            else {
                generator.writeNull();
            }
        }

    }

}
