package io.shardedid.jackson;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonFormat;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.json.JsonGeneratorBase;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.std.StdConvertingSerializer;
import tools.jackson.databind.ser.std.ToStringSerializerBase;
import tools.jackson.databind.type.ArrayType;
import tools.jackson.databind.type.SimpleType;
import tools.jackson.databind.util.StdConverter;

/**
 * What the format of a member does not do with Jackson 3: strings where Jackson ignores
 * it, in {@code long[]}, {@code OptionalLong}, {@code AtomicLong} and references to
 * objects, and the watch over numbers that nothing marks.
 */
final class IdSerializers extends ValueSerializerModifier {

    private static final long serialVersionUID = 1L;

    private final UnmarkedNumbers numbers;

    IdSerializers(UnmarkedNumbers numbers) {
        this.numbers = numbers;
    }

    @Override
    public ValueSerializer<?> modifySerializer(SerializationConfig config, BeanDescription.Supplier bean,
            ValueSerializer<?> serializer) {
        return around(serializer, bean.getBeanClass());
    }

    @Override
    public ValueSerializer<?> modifyArraySerializer(SerializationConfig config, ArrayType type,
            BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        return around(serializer, type.getRawClass());
    }

    /** An application's own serializer of a type knows what it writes. */
    private ValueSerializer<?> around(ValueSerializer<?> serializer, Class<?> type) {
        return (Ids.mayBeIn(type) && !(serializer instanceof ToStringSerializerBase)
                && serializer.getClass().getName().startsWith("tools.jackson.databind."))
                        ? new Number(serializer, type, this.numbers, null) : serializer;
    }

    @Override
    public List<BeanPropertyWriter> changeProperties(SerializationConfig config, BeanDescription.Supplier bean,
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
    private static final class Number extends ValueSerializer<Object> {

        private final ValueSerializer<Object> number;

        private final Class<?> type;

        private final UnmarkedNumbers numbers;

        private final UnmarkedNumbers.@Nullable Watch member;

        @SuppressWarnings("unchecked")
        Number(ValueSerializer<?> number, Class<?> type, UnmarkedNumbers numbers,
                UnmarkedNumbers.@Nullable Watch member) {
            this.number = (ValueSerializer<Object>) number;
            this.type = type;
            this.numbers = numbers;
            this.member = member;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            ValueSerializer<?> own = context.handleSecondaryContextualization(this.number, property);
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

        private ValueSerializer<?> texts(SerializationContext context, BeanProperty property) {
            JavaType text = context.constructType(Ids.typeOfTexts(this.type));
            return new StdConvertingSerializer(new Texts(), text, context.findPrimaryPropertySerializer(text, property),
                    property);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            if (Ids.areUnsafe(value) && this.numbers.listen(this.member)
                    && !(generator instanceof JsonGeneratorBase json
                            && json.isEnabled(JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS))) {
                TokenStreamContext place = generator.streamWriteContext();
                this.numbers.leave(value, this.member, place.inObject(), place.inArray());
            }
            this.number.serialize(value, generator, context);
        }

        @Override
        public void serializeWithType(Object value, JsonGenerator generator, SerializationContext context,
                TypeSerializer types) {
            this.number.serializeWithType(value, generator, context, types);
        }

        @Override
        public boolean isEmpty(SerializationContext context, Object value) {
            return this.number.isEmpty(context, value);
        }

        @Override
        public void acceptJsonFormatVisitor(JsonFormatVisitorWrapper visitor, JavaType declared) {
            this.number.acceptJsonFormatVisitor(visitor, declared);
        }

    }

}
