package io.shardedid.jackson;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.json.JsonGeneratorBase;
import tools.jackson.core.json.JsonWriteFeature;
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
import tools.jackson.databind.ser.BeanSerializerBuilder;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.std.StdScalarSerializer;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.databind.type.ArrayType;
import tools.jackson.databind.type.SimpleType;
import tools.jackson.databind.util.TokenBuffer;

/**
 * Writes ids as strings with Jackson 3: in members that are marked, and in attributes
 * that the {@code @ShardedId} of the same entity names. A mark on a member that holds no
 * ids fails when Jackson first meets its class.
 */
final class IdSerializers extends ValueSerializerModifier {

    private static final long serialVersionUID = 1L;

    private final IdRules rules;

    IdSerializers(IdRules rules) {
        this.rules = rules;
    }

    @Override
    public ValueSerializer<?> modifySerializer(SerializationConfig config, BeanDescription.Supplier bean,
            ValueSerializer<?> serializer) {
        Class<?> type = bean.getBeanClass();
        refuseValues(type, bean::get);
        ValueSerializer<?> number = this.rules.numbers().concern(type)
                ? new Unmarked(serializer, this.rules.numbers(), null) : serializer;
        if (!JsonIds.isNumber(type)) {
            return number;
        }
        return new IdOrNumber(number, this.rules, (type == OptionalLong.class) ? OptionalId::new : IdSerializers::id);
    }

    @Override
    public ValueSerializer<?> modifyArraySerializer(SerializationConfig config, ArrayType type,
            BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        if (!type.hasRawClass(long[].class)) {
            return serializer;
        }
        ValueSerializer<?> numbers = serializer;
        if (this.rules.numbers().areStrings()) {
            numbers = new IdArray(JsonIds::isUnsafe, IdText.decimal());
        }
        else if (this.rules.numbers().concern(long.class)) {
            numbers = new Unmarked(serializer, this.rules.numbers(), null);
        }
        return new IdOrNumber(numbers, this.rules, (format) -> new IdArray((id) -> true, format));
    }

    @Override
    public ValueSerializer<?> modifyKeySerializer(SerializationConfig config, JavaType type,
            BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        refuseValues(bean.getBeanClass(), bean::get);
        return type.hasRawClass(Long.class) ? new IdOrNumber(serializer, this.rules, IdKey::new) : serializer;
    }

    @Override
    public BeanSerializerBuilder updateBuilder(SerializationConfig config, BeanDescription.Supplier bean,
            BeanSerializerBuilder builder) {
        refuseAsWhole(this.rules, bean.get().getType(), builder.getTypeId());
        return builder;
    }

    private void refuseValues(Class<?> type, Supplier<BeanDescription> bean) {
        if (!type.getName().startsWith("java.")) {
            refuseAsWhole(this.rules, bean.get().getType(), bean.get().findJsonValueAccessor());
            refuseAsWhole(this.rules, bean.get().getType(), bean.get().findJsonKeyAccessor());
        }
    }

    /** Refuses that a member with an id of another form stands for its class. */
    static void refuseAsWhole(IdRules rules, JavaType bean, @Nullable AnnotatedMember member) {
        if (member != null) {
            rules.namedBy(bean.getRawClass(), ShardedIdJacksonModule.arguments(bean))
                .refuseAsWhole(bean.getRawClass(), member.getName(), member.getRawType(), member::hasAnnotation,
                        member.getAnnotation(JsonShardedId.class), rules.formats());
        }
    }

    @Override
    public List<BeanPropertyWriter> changeProperties(SerializationConfig config, BeanDescription.Supplier bean,
            List<BeanPropertyWriter> writers) {
        Class<?> type = bean.getBeanClass();
        Map<BeanPropertyWriter, IdText> ids = new LinkedHashMap<>();
        for (BeanPropertyWriter writer : writers) {
            this.rules.form(member(config, type, writer)).ifPresent((format) -> ids.put(writer, format));
        }
        IdRules.refuseHiddenMarks(type, writers.stream().map((writer) -> writer.getAnnotation(JsonShardedId.class)));
        JsonIds named = this.rules.namedBy(type, ShardedIdJacksonModule.arguments(bean.getType()));
        if (!named.isEmpty()) {
            for (BeanPropertyDefinition property : bean.get().findProperties()) {
                String attribute = property.getInternalName();
                if (named.contains(attribute, property.getRawPrimaryType())) {
                    writers.stream()
                        .filter((writer) -> writer.getName().equals(property.getName()))
                        .filter((writer) -> writer.getAnnotation(JsonShardedId.class) == null)
                        .forEach((writer) -> ids.put(writer, named.format(type, attribute, this.rules.formats())));
                }
            }
        }
        ids.forEach((writer, format) -> {
            member(config, type, writer).refuseOwnForm(format);
            if (!format.plain() || isFree(writer, config)) {
                writer.assignSerializer(id(format));
                writers.set(writers.indexOf(writer), new IdWriter(writer));
            }
        });
        refuseReferences(config, bean, writers);
        return writers;
    }

    private static IdRules.Member member(SerializationConfig config, Class<?> bean, BeanPropertyWriter writer) {
        AnnotationIntrospector annotations = config.getAnnotationIntrospector();
        AnnotatedMember member = writer.getMember();
        return new IdRules.Member(bean, writer.getName(), writer.getType().getRawClass(),
                writer.getType().toCanonical(), writer::getAnnotation, writer.hasSerializer(),
                () -> annotations.findContentSerializer(config, member) != null
                        || annotations.findKeySerializer(config, member) != null
                        || annotations.findSerializationConverter(config, member) != null
                        || annotations.findSerializationContentConverter(config, member) != null,
                (format) -> holdsIds(writer.getType(), config));
    }

    /** To this class, and from its attributes to others. */
    private void refuseReferences(SerializationConfig config, BeanDescription.Supplier bean,
            List<BeanPropertyWriter> writers) {
        AnnotationIntrospector annotations = config.getAnnotationIntrospector();
        refuseReferences(bean.get().getObjectIdInfo(), bean.get().getType(), bean.get().findProperties(), this.rules);
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
                    this.rules);
        }
    }

    static void refuseReferences(@Nullable ObjectIdInfo reference, JavaType target,
            List<BeanPropertyDefinition> properties, IdRules rules) {
        if (reference == null || reference.getGeneratorType() != ObjectIdGenerators.PropertyGenerator.class) {
            return;
        }
        for (BeanPropertyDefinition property : properties) {
            AnnotatedMember member = property.getPrimaryMember();
            if (member != null && property.getName().equals(reference.getPropertyName().getSimpleName())) {
                rules.namedBy(target.getRawClass(), ShardedIdJacksonModule.arguments(target))
                    .refuseReference(target.getRawClass(), property.getInternalName(), property.getRawPrimaryType(),
                            member::hasAnnotation, member.getAnnotation(JsonShardedId.class), rules.formats());
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
    private static ValueSerializer<Object> id(IdText format) {
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
                && (writer.findPropertyFormat(config, Long.class).getShape() == JsonFormat.Shape.ANY
                        || JsonIds.isMarked(writer::getAnnotation));
    }

    /**
     * Precedes the serializer of a number, and leaves to it what is not said here.
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
     * Comes before a number that nothing marks: it leaves as a string, or the log names
     * it, if JavaScript would round it. A member that sets the form of its number keeps
     * it.
     */
    private static final class Unmarked extends AroundNumber {

        private final UnmarkedNumbers numbers;

        private final UnmarkedNumbers.@Nullable Watch member;

        /** A thread that does not see it yet asks once more, and hears the same. */
        private boolean writesTexts;

        Unmarked(ValueSerializer<?> number, UnmarkedNumbers numbers, UnmarkedNumbers.@Nullable Watch member) {
            super(number);
            this.numbers = numbers;
            this.member = member;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            ValueSerializer<?> own = context.handleSecondaryContextualization(this.number, property);
            if (property == null || property.getMember() == null) {
                return new Unmarked(own, this.numbers, null);
            }
            boolean free = property.findPropertyFormat(context.getConfig(), handledType())
                .getShape() == JsonFormat.Shape.ANY;
            return free ? new Unmarked(own, this.numbers,
                    this.numbers.member(property.getMember().getDeclaringClass(), property.getName())) : own;
        }

        @Override
        public void resolve(SerializationContext context) {
            this.number.resolve(context);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            if (JsonIds.isUnsafe(value)) {
                if (this.numbers.areStrings()) {
                    generator.writeString(JsonIds.digits(value));
                    return;
                }
                leaves(value, value, generator, context);
            }
            else if (value instanceof long[] array) {
                for (long each : array) {
                    if (JsonIds.isUnsafe(each)) {
                        leaves(each, new long[] { each }, generator, context);
                    }
                }
            }
            this.number.serialize(value, generator, context);
        }

        private void leaves(Object number, Object written, JsonGenerator generator, SerializationContext context) {
            if (this.writesTexts) {
                return;
            }
            UnmarkedNumbers.Watch watch = this.member;
            if (watch == null) {
                TokenStreamContext place = generator.streamWriteContext();
                watch = this.numbers.place(place.inObject(), place.inArray());
            }
            if (watch.isNew(number) && !(generator instanceof JsonGeneratorBase json
                    && json.isEnabled(JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS))) {
                if (isNumber(written, context)) {
                    watch.log(number);
                }
                else {
                    this.writesTexts = true;
                }
            }
        }

        /** The serializer, or the mapper, may write numbers as texts. */
        private boolean isNumber(Object written, SerializationContext context) {
            try (TokenBuffer buffer = context.bufferForValueConversion()) {
                this.number.serialize(written, buffer, context);
                try (JsonParser tokens = buffer.asParser()) {
                    JsonToken token = tokens.nextToken();
                    return ((token == JsonToken.START_ARRAY) ? tokens.nextToken()
                            : token) == JsonToken.VALUE_NUMBER_INT;
                }
            }
        }

    }

    /**
     * Writes an attribute that is an id, also where Jackson refers to an object by it
     * ({@code PropertyGenerator}): it looks for what writes such a reference by the type
     * of the attribute alone, and by this type it finds what writes texts.
     */
    private static final class IdWriter extends BeanPropertyWriter {

        private static final JavaType WRITTEN_AS_TEXT = SimpleType.constructUnsafe(StringBuilder.class);

        IdWriter(BeanPropertyWriter attribute) {
            super(attribute);
        }

        @Override
        public JavaType getType() {
            return WRITTEN_AS_TEXT;
        }

    }

    /**
     * Writes a number as an id if its attribute is marked. Jackson asks once for each
     * attribute, and names the attribute also where the number is an element of an
     * element of it.
     */
    private static final class IdOrNumber extends AroundNumber {

        private final IdRules rules;

        private final Function<IdText, ValueSerializer<?>> id;

        IdOrNumber(ValueSerializer<?> number, IdRules rules, Function<IdText, ValueSerializer<?>> id) {
            super(number);
            this.rules = rules;
            this.id = id;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            return (property != null && JsonIds.isMarked(property::getAnnotation))
                    ? this.id.apply(this.rules.format(property.getAnnotation(JsonShardedId.class)))
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
        private final IdText format;

        Id(IdText format) {
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
        private final IdText format;

        IdKey(IdText format) {
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
        private final IdText format;

        IdArray(LongPredicate asString, IdText format) {
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
        private final IdText format;

        OptionalId(IdText format) {
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
