package io.shardedid.jackson;

import java.io.IOException;
import java.lang.reflect.Executable;

import org.jspecify.annotations.Nullable;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.type.ArrayType;
import com.fasterxml.jackson.databind.type.ReferenceType;

/**
 * Reads the ids of marked members with Jackson 2 strictly: Jackson's own reading of a
 * {@code long} takes an empty string for 0, and cuts fractions off.
 */
final class Jackson2IdDeserializers extends BeanDeserializerModifier {

    private static final long serialVersionUID = 1L;

    @Override
    public JsonDeserializer<?> modifyDeserializer(DeserializationConfig config, BeanDescription bean,
            JsonDeserializer<?> deserializer) {
        return around(deserializer, deserializer.handledType());
    }

    @Override
    public JsonDeserializer<?> modifyReferenceDeserializer(DeserializationConfig config, ReferenceType type,
            BeanDescription bean, JsonDeserializer<?> deserializer) {
        return around(deserializer, type.getRawClass());
    }

    @Override
    public JsonDeserializer<?> modifyArrayDeserializer(DeserializationConfig config, ArrayType type,
            BeanDescription bean, JsonDeserializer<?> deserializer) {
        return around(deserializer, type.getRawClass());
    }

    private static JsonDeserializer<?> around(JsonDeserializer<?> deserializer, @Nullable Class<?> type) {
        return (type != null && Ids.areHeldBy(type)) ? new IdOrNumber(deserializer, type, null, false) : deserializer;
    }

    private static boolean isMarked(@Nullable BeanProperty property) {
        return property != null && (Ids.areMarked((type) -> property.getAnnotation(type) != null)
                || (property.getMember() instanceof AnnotatedParameter parameter
                        && parameter.getOwner().getMember() instanceof Executable creator
                        && Ids.areMarkedBehind(creator.getParameters()[parameter.getIndex()], property.getName())));
    }

    /** Reads a number as an id if its member is marked. */
    private static final class IdOrNumber extends DelegatingDeserializer {

        private static final long serialVersionUID = 1L;

        private final Class<?> type;

        /** Reads what holds numbers in place of Jackson's own deserializer. */
        @SuppressWarnings("serial")
        private final @Nullable JsonDeserializer<Object> numbers;

        private final boolean id;

        IdOrNumber(JsonDeserializer<?> own, Class<?> type, @Nullable JsonDeserializer<Object> numbers, boolean id) {
            super(own);
            this.type = type;
            this.numbers = numbers;
            this.id = id;
        }

        @Override
        public JsonDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property)
                throws JsonMappingException {
            JsonDeserializer<?> own = context.handleSecondaryContextualization(getDelegatee(), property,
                    context.constructType(this.type));
            return !isMarked(property) ? own
                    : new IdOrNumber(own, this.type, Ids.isOne(this.type) ? null : context
                        .findContextualValueDeserializer(context.constructType(Ids.typeOfNumbers(this.type)), property),
                            true);
        }

        @Override
        protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> own) {
            return new IdOrNumber(own, this.type, this.numbers, this.id);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            if (!this.id) {
                return super.deserialize(parser, context);
            }
            if (this.numbers == null) {
                return number(parser);
            }
            Object held = Ids.holding(this.type, this.numbers.deserialize(parser, context));
            if (held == null) {
                throw new Unreadable(parser, null, this.type, Ids.NOT_NULL);
            }
            return held;
        }

        private Long number(JsonParser parser) throws IOException {
            JsonToken token = parser.currentToken();
            if (token == JsonToken.VALUE_NUMBER_INT && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
                return parser.getLongValue();
            }
            String text = token.isScalarValue() ? parser.getText() : null;
            Long read = (text != null && token == JsonToken.VALUE_STRING) ? Ids.read(text) : null;
            if (read == null) {
                throw new Unreadable(parser, text, this.type, Ids.RULE);
            }
            return read;
        }

        @Override
        public @Nullable Object getNullValue(DeserializationContext context) throws JsonMappingException {
            if (this.id && this.type == long.class) {
                throw new Unreadable(context.getParser(), null, this.type, Ids.NOT_NULL);
            }
            return super.getNullValue(context);
        }

        /** What is not there is no null. */
        @Override
        public @Nullable Object getAbsentValue(DeserializationContext context) throws JsonMappingException {
            return getDelegatee().getAbsentValue(context);
        }

    }

    /** JSON has no id where one is read. */
    private static final class Unreadable extends InvalidFormatException implements UnreadableId {

        private static final long serialVersionUID = 1L;

        Unreadable(JsonParser parser, @Nullable Object value, Class<?> type, String rule) {
            super(parser, Ids.refusal(value, rule), value, type);
        }

        @Override
        public String where() {
            return Ids.where(getPath(), Reference::getFieldName, Reference::getIndex);
        }

    }

}
