package io.shardedid.jackson;

import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.LongPredicate;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
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
import com.fasterxml.jackson.databind.ser.BeanSerializerBuilder;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import com.fasterxml.jackson.databind.ser.ContextualSerializer;
import com.fasterxml.jackson.databind.ser.ResolvableSerializer;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.type.ArrayType;
import com.fasterxml.jackson.databind.type.SimpleType;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes ids as strings with Jackson 2, as {@link IdSerializers} does with Jackson 3.
 */
final class Jackson2IdSerializers extends BeanSerializerModifier {

    private static final long serialVersionUID = 1L;

    private final IdRules rules;

    Jackson2IdSerializers(IdRules rules) {
        this.rules = rules;
    }

    @Override
    public JsonSerializer<?> modifySerializer(SerializationConfig config, BeanDescription bean,
            JsonSerializer<?> serializer) {
        Class<?> type = bean.getBeanClass();
        refuseValues(bean);
        if (Map.Entry.class.isAssignableFrom(type)) {
            return new Entry(serializer, bean.getType());
        }
        JsonSerializer<?> number = this.rules.numbers().concern(type)
                ? new Unmarked(serializer, this.rules.numbers(), null) : serializer;
        if (!JsonIds.isNumber(type)) {
            return number;
        }
        return new IdOrNumber(number, this.rules,
                (type == OptionalLong.class) ? OptionalId::new : Jackson2IdSerializers::id);
    }

    @Override
    public JsonSerializer<?> modifyArraySerializer(SerializationConfig config, ArrayType type, BeanDescription bean,
            JsonSerializer<?> serializer) {
        if (!type.hasRawClass(long[].class)) {
            return serializer;
        }
        JsonSerializer<?> numbers = serializer;
        if (this.rules.numbers().areStrings()) {
            numbers = new IdArray(JsonIds::isUnsafe, IdText.decimal());
        }
        else if (this.rules.numbers().concern(long.class)) {
            numbers = new Unmarked(serializer, this.rules.numbers(), null);
        }
        return new IdOrNumber(numbers, this.rules, (format) -> new IdArray((id) -> true, format));
    }

    @Override
    public JsonSerializer<?> modifyKeySerializer(SerializationConfig config, JavaType type, BeanDescription bean,
            JsonSerializer<?> serializer) {
        refuseValues(bean);
        return type.hasRawClass(Long.class) ? new IdOrNumber(serializer, this.rules, IdKey::new) : serializer;
    }

    @Override
    public BeanSerializerBuilder updateBuilder(SerializationConfig config, BeanDescription bean,
            BeanSerializerBuilder builder) {
        refuseAsWhole(this.rules, bean.getType(), builder.getTypeId());
        return builder;
    }

    private void refuseValues(BeanDescription bean) {
        if (!bean.getBeanClass().getName().startsWith("java.")) {
            refuseAsWhole(this.rules, bean.getType(), bean.findJsonValueAccessor());
            refuseAsWhole(this.rules, bean.getType(), bean.findJsonKeyAccessor());
        }
    }

    /** Refuses that a member with an id of another form stands for its class. */
    static void refuseAsWhole(IdRules rules, JavaType bean, @Nullable AnnotatedMember member) {
        if (member != null) {
            rules.namedBy(bean.getRawClass(), ShardedIdJackson2Module.arguments(bean))
                .refuseAsWhole(bean.getRawClass(), member.getName(), member.getRawType(), member::hasAnnotation,
                        member.getAnnotation(JsonShardedId.class), rules.formats());
        }
    }

    @Override
    public List<BeanPropertyWriter> changeProperties(SerializationConfig config, BeanDescription bean,
            List<BeanPropertyWriter> writers) {
        Class<?> type = bean.getBeanClass();
        Map<BeanPropertyWriter, IdText> ids = new LinkedHashMap<>();
        for (BeanPropertyWriter writer : writers) {
            this.rules.form(member(config, type, writer)).ifPresent((format) -> ids.put(writer, format));
        }
        IdRules.refuseHiddenMarks(type, writers.stream().map((writer) -> writer.getAnnotation(JsonShardedId.class)));
        JsonIds named = this.rules.namedBy(type, ShardedIdJackson2Module.arguments(bean.getType()));
        if (!named.isEmpty()) {
            for (BeanPropertyDefinition property : bean.findProperties()) {
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
                () -> annotations.findContentSerializer(member) != null || annotations.findKeySerializer(member) != null
                        || annotations.findSerializationConverter(member) != null
                        || annotations.findSerializationContentConverter(member) != null,
                (format) -> holdsIds(writer.getType(), config));
    }

    /** To this class, and from its attributes to others. */
    private void refuseReferences(SerializationConfig config, BeanDescription bean, List<BeanPropertyWriter> writers) {
        AnnotationIntrospector annotations = config.getAnnotationIntrospector();
        refuseReferences(bean.getObjectIdInfo(), bean.getType(), bean.findProperties(), this.rules);
        for (BeanPropertyWriter writer : writers) {
            ObjectIdInfo reference = annotations.findObjectIdInfo(writer.getMember());
            if (reference == null) {
                continue;
            }
            JavaType target = target(writer.getType());
            refuseReferences(reference, target, config.introspect(target).findProperties(), this.rules);
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
                rules.namedBy(target.getRawClass(), ShardedIdJackson2Module.arguments(target))
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
    private static JsonSerializer<Object> id(IdText format) {
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
                && (writer.findPropertyFormat(config, Long.class).getShape() == JsonFormat.Shape.ANY
                        || JsonIds.isMarked(writer::getAnnotation));
    }

    /**
     * Precedes the serializer of a number, and leaves to it what is not said here.
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
     * Comes before a number that nothing marks: it leaves as a string, or the log names
     * it, if JavaScript would round it. A member that sets the form of its number keeps
     * it.
     */
    private static final class Unmarked extends AroundNumber implements ContextualSerializer, ResolvableSerializer {

        private final UnmarkedNumbers numbers;

        private final UnmarkedNumbers.@Nullable Watch member;

        /** A thread that does not see it yet asks once more, and hears the same. */
        private boolean writesTexts;

        Unmarked(JsonSerializer<?> number, UnmarkedNumbers numbers, UnmarkedNumbers.@Nullable Watch member) {
            super(number);
            this.numbers = numbers;
            this.member = member;
        }

        @Override
        public JsonSerializer<?> createContextual(SerializerProvider context, @Nullable BeanProperty property)
                throws JsonMappingException {
            JsonSerializer<?> own = context.handleSecondaryContextualization(this.number, property);
            if (property == null || property.getMember() == null) {
                return new Unmarked(own, this.numbers, null);
            }
            boolean free = property.findPropertyFormat(context.getConfig(), handledType())
                .getShape() == JsonFormat.Shape.ANY;
            return free ? new Unmarked(own, this.numbers,
                    this.numbers.member(property.getMember().getDeclaringClass(), property.getName())) : own;
        }

        @Override
        public void resolve(SerializerProvider context) throws JsonMappingException {
            if (this.number instanceof ResolvableSerializer resolvable) {
                resolvable.resolve(context);
            }
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializerProvider context) throws IOException {
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

        private void leaves(Object number, Object written, JsonGenerator generator, SerializerProvider context)
                throws IOException {
            if (this.writesTexts) {
                return;
            }
            UnmarkedNumbers.Watch watch = this.member;
            if (watch == null) {
                JsonStreamContext place = generator.getOutputContext();
                watch = this.numbers.place(place.inObject(), place.inArray());
            }
            if (watch.isNew(number)
                    && !generator.isEnabled(JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS.mappedFeature())) {
                if (isNumber(written, context)) {
                    watch.log(number);
                }
                else {
                    this.writesTexts = true;
                }
            }
        }

        /** The serializer, or the mapper, may write numbers as texts. */
        private boolean isNumber(Object written, SerializerProvider context) throws IOException {
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

    /** As in {@link IdSerializers}. */
    private static final class IdWriter extends BeanPropertyWriter {

        private static final long serialVersionUID = 1L;

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
     * Writes an entry whose key and value may be ids as a map of one element: Jackson 2
     * forgets on the way to the value which attribute holds the entry.
     */
    private static final class Entry extends AroundNumber implements ContextualSerializer {

        private final JavaType type;

        Entry(JsonSerializer<?> entry, JavaType type) {
            super(entry);
            this.type = type;
        }

        @Override
        public JsonSerializer<?> createContextual(SerializerProvider provider, @Nullable BeanProperty property)
                throws JsonMappingException {
            if (property == null || !JsonIds.isMarked(property::getAnnotation)) {
                return provider.handleSecondaryContextualization(this.number, property);
            }
            JavaType map = provider.getTypeFactory()
                .constructMapType(Map.class, this.type.containedTypeOrUnknown(0), this.type.containedTypeOrUnknown(1));
            return new EntryAsMap(provider.findValueSerializer(map, property));
        }

        @Override
        public void serialize(Object entry, JsonGenerator generator, SerializerProvider provider) throws IOException {
            this.number.serialize(entry, generator, provider);
        }

    }

    private static final class EntryAsMap extends AroundNumber {

        EntryAsMap(JsonSerializer<?> map) {
            super(map);
        }

        @Override
        public boolean isEmpty(SerializerProvider provider, Object entry) {
            return false;
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializerProvider provider) throws IOException {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) value;
            this.number.serialize(Collections.singletonMap(entry.getKey(), entry.getValue()), generator, provider);
        }

    }

    /** Writes a number as an id if its attribute is marked. */
    private static final class IdOrNumber extends AroundNumber implements ContextualSerializer, ResolvableSerializer {

        private final IdRules rules;

        private final Function<IdText, JsonSerializer<?>> id;

        IdOrNumber(JsonSerializer<?> number, IdRules rules, Function<IdText, JsonSerializer<?>> id) {
            super(number);
            this.rules = rules;
            this.id = id;
        }

        @Override
        public JsonSerializer<?> createContextual(SerializerProvider provider, @Nullable BeanProperty property)
                throws JsonMappingException {
            return (property != null && JsonIds.isMarked(property::getAnnotation))
                    ? this.id.apply(this.rules.format(property.getAnnotation(JsonShardedId.class)))
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
        private final IdText format;

        Id(IdText format) {
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
        private final IdText format;

        IdKey(IdText format) {
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
        private final IdText format;

        IdArray(LongPredicate asString, IdText format) {
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
        private final IdText format;

        OptionalId(IdText format) {
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
