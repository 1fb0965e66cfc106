package io.shardedid.jackson;

import java.lang.reflect.Executable;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException.Reference;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.type.ArrayType;
import tools.jackson.databind.type.ReferenceType;

/**
 * Reads the ids of marked members with Jackson 3 strictly: Jackson's own reading of a
 * {@code long} takes an empty string for 0, and cuts fractions off.
 */
final class IdDeserializers extends ValueDeserializerModifier {

    private static final long serialVersionUID = 1L;

    @Override
    public ValueDeserializer<?> modifyDeserializer(DeserializationConfig config, BeanDescription.Supplier bean,
            ValueDeserializer<?> deserializer) {
        return around(deserializer, deserializer.handledType());
    }

    @Override
    public ValueDeserializer<?> modifyReferenceDeserializer(DeserializationConfig config, ReferenceType type,
            BeanDescription.Supplier bean, ValueDeserializer<?> deserializer) {
        return around(deserializer, type.getRawClass());
    }

    @Override
    public ValueDeserializer<?> modifyArrayDeserializer(DeserializationConfig config, ArrayType type,
            BeanDescription.Supplier bean, ValueDeserializer<?> deserializer) {
        return around(deserializer, type.getRawClass());
    }

    private static ValueDeserializer<?> around(ValueDeserializer<?> deserializer, @Nullable Class<?> type) {
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

        private final Class<?> type;

        /** Reads what holds numbers in place of Jackson's own deserializer. */
        @SuppressWarnings("serial")
        private final @Nullable ValueDeserializer<Object> numbers;

        private final boolean id;

        IdOrNumber(ValueDeserializer<?> own, Class<?> type, @Nullable ValueDeserializer<Object> numbers, boolean id) {
            super(own);
            this.type = type;
            this.numbers = numbers;
            this.id = id;
        }

        @Override
        public ValueDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property) {
            ValueDeserializer<?> own = context.handleSecondaryContextualization(getDelegatee(), property,
                    context.constructType(this.type));
            return !isMarked(property) ? own
                    : new IdOrNumber(own, this.type, Ids.isOne(this.type) ? null : context
                        .findContextualValueDeserializer(context.constructType(Ids.typeOfNumbers(this.type)), property),
                            true);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> own) {
            return new IdOrNumber(own, this.type, this.numbers, this.id);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
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

        private Long number(JsonParser parser) {
            JsonToken token = parser.currentToken();
            if (token == JsonToken.VALUE_NUMBER_INT && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
                return parser.getLongValue();
            }
            String text = token.isScalarValue() ? parser.getString() : null;
            Long read = (text != null && token == JsonToken.VALUE_STRING) ? Ids.read(text) : null;
            if (read == null) {
                throw new Unreadable(parser, text, this.type, Ids.RULE);
            }
            return read;
        }

        @Override
        public @Nullable Object getNullValue(DeserializationContext context) {
            if (this.id && this.type == long.class) {
                throw new Unreadable(context.getParser(), null, this.type, Ids.NOT_NULL);
            }
            return super.getNullValue(context);
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
            return Ids.where(getPath(), Reference::getPropertyName, Reference::getIndex);
        }

    }

}
