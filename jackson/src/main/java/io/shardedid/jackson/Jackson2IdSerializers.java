package io.shardedid.jackson;

import java.io.IOException;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonFormat;
import org.jspecify.annotations.Nullable;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.PropertyName;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import com.fasterxml.jackson.databind.ser.ContextualSerializer;
import com.fasterxml.jackson.databind.ser.std.StdDelegatingSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializerBase;
import com.fasterxml.jackson.databind.type.ArrayType;
import com.fasterxml.jackson.databind.type.SimpleType;
import com.fasterxml.jackson.databind.util.StdConverter;

/**
 * What the format of a member does not do with Jackson 2: strings where Jackson ignores
 * it, in {@code long[]}, {@code OptionalLong}, {@code AtomicLong} and references to
 * objects, and the watch over numbers that nothing marks.
 */
final class Jackson2IdSerializers extends BeanSerializerModifier {

    private static final long serialVersionUID = 1L;

    private final UnmarkedNumbers numbers;

    Jackson2IdSerializers(UnmarkedNumbers numbers) {
        this.numbers = numbers;
    }

    @Override
    public JsonSerializer<?> modifySerializer(SerializationConfig config, BeanDescription bean,
            JsonSerializer<?> serializer) {
        return around(serializer, bean.getBeanClass());
    }

    @Override
    public JsonSerializer<?> modifyArraySerializer(SerializationConfig config, ArrayType type, BeanDescription bean,
            JsonSerializer<?> serializer) {
        return around(serializer, type.getRawClass());
    }

    /** An application's own serializer of a type knows what it writes. */
    private JsonSerializer<?> around(JsonSerializer<?> serializer, Class<?> type) {
        return (Ids.mayBeIn(type) && !(serializer instanceof ToStringSerializerBase)
                && serializer.getClass().getName().startsWith("com.fasterxml.jackson."))
                        ? new Number(serializer, type, this.numbers, null) : serializer;
    }

    @Override
    public List<BeanPropertyWriter> changeProperties(SerializationConfig config, BeanDescription bean,
            List<BeanPropertyWriter> writers) {
        writers.replaceAll((writer) -> (Ids.isOne(writer.getType().getRawClass()) && !writer.hasSerializer()
                && isText(writer, config)) ? new IdWriter(writer) : writer);
        return writers;
    }

    private static boolean isText(BeanProperty member, SerializationConfig config) {
        return Ids.areMarked((type) -> member.getAnnotation(type) != null)
                && member.findPropertyFormat(config, Long.class).getShape() == JsonFormat.Shape.STRING;
    }

    /**
     * Writes an id where Jackson refers to an object by it ({@code PropertyGenerator}) as
     * it writes the id itself. Jackson looks for what writes such a reference by the type
     * of the member alone, and by this type it finds what writes texts.
     */
    private static final class IdWriter extends BeanPropertyWriter {

        private static final long serialVersionUID = 1L;

        private static final JavaType WRITTEN_AS_TEXT = SimpleType.constructUnsafe(StringBuilder.class);

        IdWriter(BeanPropertyWriter member) {
            super(member);
        }

        private IdWriter(IdWriter member, PropertyName name) {
            super(member, name);
        }

        @Override
        protected BeanPropertyWriter _new(PropertyName name) {
            return new IdWriter(this, name);
        }

        @Override
        public JavaType getType() {
            return WRITTEN_AS_TEXT;
        }

    }

    /** Makes texts of what Jackson's own format does not reach. */
    private static final class Texts extends StdConverter<Object, @Nullable Object> {

        @Override
        public @Nullable Object convert(Object held) {
            return Ids.texts(held);
        }

    }

    /**
     * Comes before Jackson's serializer of a number. Jackson asks once for each member,
     * and names the member also where the number is an element of an element of it.
     */
    private static final class Number extends JsonSerializer<Object> implements ContextualSerializer {

        private final JsonSerializer<Object> number;

        private final Class<?> type;

        private final UnmarkedNumbers numbers;

        private final UnmarkedNumbers.@Nullable Watch member;

        @SuppressWarnings("unchecked")
        Number(JsonSerializer<?> number, Class<?> type, UnmarkedNumbers numbers,
                UnmarkedNumbers.@Nullable Watch member) {
            this.number = (JsonSerializer<Object>) number;
            this.type = type;
            this.numbers = numbers;
            this.member = member;
        }

        @Override
        public JsonSerializer<?> createContextual(SerializerProvider context, @Nullable BeanProperty property)
                throws JsonMappingException {
            JsonSerializer<?> own = context.handleSecondaryContextualization(this.number, property);
            if (property == null || property.getMember() == null) {
                return this.numbers.areWatched() ? new Number(own, this.type, this.numbers, null) : own;
            }
            if (isText(property, context.getConfig())) {
                return (Ids.areHeldBy(this.type) && !Ids.isOne(this.type)) ? texts(context, property) : own;
            }
            boolean free = property.findPropertyFormat(context.getConfig(), this.type)
                .getShape() == JsonFormat.Shape.ANY;
            return (free && this.numbers.areWatched()) ? new Number(own, this.type, this.numbers,
                    this.numbers.member(property.getMember().getDeclaringClass(), property.getName())) : own;
        }

        private JsonSerializer<?> texts(SerializerProvider context, BeanProperty property) throws JsonMappingException {
            JavaType text = context.constructType(Ids.typeOfTexts(this.type));
            return new StdDelegatingSerializer(new Texts(), text,
                    context.findPrimaryPropertySerializer(text, property));
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializerProvider context) throws IOException {
            if (Ids.areUnsafe(value) && this.numbers.listen(this.member)
                    && !generator.isEnabled(JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS.mappedFeature())) {
                JsonStreamContext place = generator.getOutputContext();
                this.numbers.leave(value, this.member, place.inObject(), place.inArray());
            }
            this.number.serialize(value, generator, context);
        }

        @Override
        public void serializeWithType(Object value, JsonGenerator generator, SerializerProvider context,
                TypeSerializer types) throws IOException {
            this.number.serializeWithType(value, generator, context, types);
        }

        @Override
        public boolean isEmpty(SerializerProvider context, Object value) {
            return this.number.isEmpty(context, value);
        }

        @Override
        public void acceptJsonFormatVisitor(JsonFormatVisitorWrapper visitor, JavaType declared)
                throws JsonMappingException {
            this.number.acceptJsonFormatVisitor(visitor, declared);
        }

    }

}
