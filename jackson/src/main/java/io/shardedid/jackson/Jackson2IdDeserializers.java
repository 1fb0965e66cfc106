package io.shardedid.jackson;

import java.io.IOException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.KeyDeserializer;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.ContextualKeyDeserializer;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.deser.ValueInstantiator;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedMethod;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.introspect.ObjectIdInfo;
import com.fasterxml.jackson.databind.type.ArrayType;
import com.fasterxml.jackson.databind.type.ReferenceType;
import io.shardedid.ShardedId;
import org.jspecify.annotations.Nullable;

/**
 * Reads ids from strings or numbers with Jackson 2, as {@link IdDeserializers} does with
 * Jackson 3.
 */
final class Jackson2IdDeserializers extends BeanDeserializerModifier {

    private static final long serialVersionUID = 1L;

    private final IdRules rules;

    Jackson2IdDeserializers(IdRules rules) {
        this.rules = rules;
    }

    @Override
    public JsonDeserializer<?> modifyDeserializer(DeserializationConfig config, BeanDescription bean,
            JsonDeserializer<?> deserializer) {
        Class<?> type = bean.getBeanClass();
        return (type == long.class || type == Long.class) ? new IdOrNumber(deserializer, this.rules, null)
                : deserializer;
    }

    @Override
    public JsonDeserializer<?> modifyReferenceDeserializer(DeserializationConfig config, ReferenceType type,
            BeanDescription bean, JsonDeserializer<?> deserializer) {
        return type.hasRawClass(OptionalLong.class) ? new IdOrNumber(deserializer, this.rules, OptionalId::new)
                : deserializer;
    }

    @Override
    public JsonDeserializer<?> modifyArrayDeserializer(DeserializationConfig config, ArrayType type,
            BeanDescription bean, JsonDeserializer<?> deserializer) {
        return type.hasRawClass(long[].class) ? new IdOrNumber(deserializer, this.rules, IdArray::new) : deserializer;
    }

    @Override
    public KeyDeserializer modifyKeyDeserializer(DeserializationConfig config, JavaType type,
            KeyDeserializer deserializer) {
        return type.hasRawClass(Long.class) ? new IdOrNumberKey(deserializer, this.rules) : deserializer;
    }

    @Override
    public BeanDeserializerBuilder updateBuilder(DeserializationConfig config, BeanDescription bean,
            BeanDeserializerBuilder builder) {
        Class<?> type = bean.getBeanClass();
        Map<SettableBeanProperty, IdText> ids = new LinkedHashMap<>();
        Set<JsonShardedId> marks = new HashSet<>();
        for (Iterator<SettableBeanProperty> properties = builder.getProperties(); properties.hasNext();) {
            SettableBeanProperty property = properties.next();
            IdRules.Member member = member(config, type, property);
            Stream.ofNullable(member.mark()).forEach(marks::add);
            if (member.mark() == null && property.getMember() instanceof AnnotatedMethod method
                    && method.getParameterCount() == 1
                    && method.getAnnotated().getParameters()[0].isAnnotationPresent(JsonShardedId.class)) {
                throw JsonIds.unseen(type, property.getName());
            }
            Optional<IdText> form = this.rules.form(member);
            form.filter((format) -> member.mark() != null)
                .ifPresent((format) -> refuseBareNumbers(type, builder, format));
            form.filter((format) -> member.mark() == null).ifPresent((format) -> ids.put(property, format));
        }
        JsonIds named = this.rules.namedBy(type, ShardedIdJackson2Module.arguments(bean.getType()));
        for (BeanPropertyDefinition definition : bean.findProperties()) {
            SettableBeanProperty property = builder.findProperty(definition.getFullName());
            String attribute = definition.getInternalName();
            if (property == null || property.getAnnotation(JsonShardedId.class) != null) {
                continue;
            }
            if (named.contains(attribute, definition.getRawPrimaryType())) {
                ids.put(property, named.format(type, attribute, this.rules.formats()));
            }
            else if (property.getAnnotation(ShardedId.class) == null) {
                this.rules.formOfHidden(type, attribute, definition.getRawPrimaryType())
                    .ifPresent((format) -> ids.put(property, format));
            }
        }
        ids.forEach((property, format) -> {
            member(config, type, property).refuseOwnForm(format);
            refuseBareNumbers(type, builder, format);
            if (!format.plain() || isFree(property, config)) {
                Id id = new Id(property.getType().getRawClass(), this.rules.reading(format));
                replace(property, property.withValueDeserializer(id), config, builder);
            }
        });
        refuseReferences(config, bean, builder);
        this.rules.refuseUnreadMarks(type, marks);
        return builder;
    }

    /**
     * Jackson calls a constructor with one number where JSON has a number for the class.
     */
    private static void refuseBareNumbers(Class<?> bean, BeanDeserializerBuilder builder, IdText format) {
        ValueInstantiator made = builder.getValueInstantiator();
        if (!format.plain()
                && (made.canCreateFromInt() || made.canCreateFromLong() || made.canCreateFromBigInteger())) {
            throw JsonIds.bareNumber(bean, format);
        }
    }

    private static IdRules.Member member(DeserializationConfig config, Class<?> bean, SettableBeanProperty property) {
        AnnotationIntrospector annotations = config.getAnnotationIntrospector();
        AnnotatedMember member = property.getMember();
        return new IdRules.Member(bean, property.getName(), property.getType().getRawClass(),
                property.getType().toCanonical(), property::getAnnotation, property.hasValueDeserializer(),
                () -> annotations.findContentDeserializer(member) != null
                        || annotations.findKeyDeserializer(member) != null
                        || annotations.findDeserializationConverter(member) != null
                        || annotations.findDeserializationContentConverter(member) != null,
                (format) -> holdsIds(property.getType(), config, format));
    }

    /** To this class, and from its attributes to others. */
    private void refuseReferences(DeserializationConfig config, BeanDescription bean, BeanDeserializerBuilder builder) {
        AnnotationIntrospector annotations = config.getAnnotationIntrospector();
        Jackson2IdSerializers.refuseReferences(bean.getObjectIdInfo(), bean.getType(), bean.findProperties(),
                this.rules);
        for (Iterator<SettableBeanProperty> properties = builder.getProperties(); properties.hasNext();) {
            SettableBeanProperty property = properties.next();
            ObjectIdInfo reference = annotations.findObjectIdInfo(property.getMember());
            if (reference == null) {
                continue;
            }
            JavaType target = Jackson2IdSerializers.target(property.getType());
            Jackson2IdSerializers.refuseReferences(reference, target, config.introspect(target).findProperties(),
                    this.rules);
        }
    }

    /** Replaces a property, and the parameter of a constructor that it may be. */
    private static void replace(SettableBeanProperty property, SettableBeanProperty replacement,
            DeserializationConfig config, BeanDeserializerBuilder builder) {
        builder.addOrReplaceProperty(replacement, true);
        SettableBeanProperty[] parameters = builder.getValueInstantiator().getFromObjectArguments(config);
        for (int i = 0; parameters != null && i < parameters.length; i++) {
            if (parameters[i] == property) {
                parameters[i] = replacement;
            }
        }
    }

    /** A wrapper reads itself, and knows no other form than the number. */
    private static boolean holdsIds(JavaType type, DeserializationConfig config, IdText format) {
        return type.hasHandlers() && format.plain()
                || ShardedIdJackson2Module.shape(type).holdsIds((inner) -> holdsIds(inner, config, format))
                || format.plain() && isWrapper(config.introspect(type));
    }

    private static boolean isWrapper(BeanDescription bean) {
        AnnotatedMember value = bean.findJsonValueAccessor();
        return value != null && JsonIds.isNumber(value.getRawType());
    }

    private static boolean isFree(SettableBeanProperty property, DeserializationConfig config) {
        return !property.hasValueDeserializer()
                && (property.findPropertyFormat(config, Long.class).getShape() == JsonFormat.Shape.ANY
                        || JsonIds.isMarked(property::getAnnotation));
    }

    /** Reads a number as an id if its attribute is marked. */
    private static final class IdOrNumber extends DelegatingDeserializer {

        private static final long serialVersionUID = 1L;

        private final IdRules rules;

        @SuppressWarnings("serial")
        private final @Nullable Function<JsonIds.Reading, StdDeserializer<?>> id;

        /**
         * Creates a deserializer.
         * @param id what reads ids of a form, or null for the one of the number's own
         * type, because Jackson 2 has one description for {@code long} and {@code Long}
         */
        IdOrNumber(JsonDeserializer<?> number, IdRules rules,
                @Nullable Function<JsonIds.Reading, StdDeserializer<?>> id) {
            super(number);
            this.rules = rules;
            this.id = id;
        }

        @Override
        public JsonDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property)
                throws JsonMappingException {
            JavaType type = context.getContextualType();
            if (property != null && JsonIds.isMarked(property::getAnnotation)) {
                JsonIds.Reading reading = this.rules.reading(property.getAnnotation(JsonShardedId.class));
                return (this.id != null) ? this.id.apply(reading) : new Id(type.getRawClass(), reading);
            }
            return context.handleSecondaryContextualization(getDelegatee(), property, type);
        }

        @Override
        protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> number) {
            return new IdOrNumber(number, this.rules, this.id);
        }

    }

    /**
     * Reads the key of a JSON object as an id if its attribute is marked.
     */
    private static final class IdOrNumberKey extends KeyDeserializer implements ContextualKeyDeserializer {

        private final KeyDeserializer number;

        private final IdRules rules;

        IdOrNumberKey(KeyDeserializer number, IdRules rules) {
            this.number = number;
            this.rules = rules;
        }

        @Override
        public KeyDeserializer createContextual(DeserializationContext context, @Nullable BeanProperty property)
                throws JsonMappingException {
            if (property != null && JsonIds.isMarked(property::getAnnotation)) {
                return new IdKey(this.rules.reading(property.getAnnotation(JsonShardedId.class)));
            }
            return (this.number instanceof ContextualKeyDeserializer contextual)
                    ? contextual.createContextual(context, property) : this.number;
        }

        @Override
        public Object deserializeKey(String key, DeserializationContext context) throws IOException {
            return this.number.deserializeKey(key, context);
        }

    }

    /** Reads an id from the key of a JSON object, which is always text. */
    private static final class IdKey extends KeyDeserializer {

        private final JsonIds.Reading reading;

        IdKey(JsonIds.Reading reading) {
            this.reading = reading;
        }

        @Override
        public Object deserializeKey(String key, DeserializationContext context) throws IOException {
            OptionalLong id = this.reading.read(key);
            try {
                return id.isPresent() ? id.getAsLong() : context.handleWeirdKey(Long.class, key, this.reading.rule());
            }
            catch (MismatchedInputException ex) {
                throw Jackson2UnreadableIdException.of(context.getParser(), ex, this.reading.rule());
            }
        }

    }

    /** Reads an id from a string of digits or a whole number, and from nothing else. */
    private static final class Id extends StdScalarDeserializer<Long> {

        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial")
        private final JsonIds.Reading reading;

        Id(Class<?> type, JsonIds.Reading reading) {
            super(type);
            this.reading = reading;
        }

        @Override
        public Long deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            try {
                return read(parser, context);
            }
            catch (MismatchedInputException ex) {
                throw Jackson2UnreadableIdException.of(parser, ex, this.reading.rule());
            }
        }

        private Long read(JsonParser parser, DeserializationContext context) throws IOException {
            JsonToken token = parser.currentToken();
            if (this.reading.takesNumbers() && token == JsonToken.VALUE_NUMBER_INT
                    && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER
                    && this.reading.takes(parser.getLongValue())) {
                return parser.getLongValue();
            }
            if (token.isNumeric()) {
                return (Long) context.handleWeirdNumberValue(handledType(), parser.getNumberValue(),
                        this.reading.rule());
            }
            if (!token.isScalarValue()) {
                return (Long) context.handleUnexpectedToken(getValueType(context), token, parser, this.reading.rule());
            }
            String text = parser.getText();
            OptionalLong id = this.reading.read(text);
            if (id.isPresent()) {
                return id.getAsLong();
            }
            return (Long) context.handleWeirdStringValue(handledType(), text, this.reading.rule());
        }

        @Override
        public @Nullable Long getNullValue(DeserializationContext context) throws JsonMappingException {
            if (handledType() != long.class) {
                return null;
            }
            if (context.isEnabled(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)) {
                throw Jackson2UnreadableIdException.ofNull(context.getParser());
            }
            return 0L;
        }

    }

    /** Reads a {@code long[]} of ids. */
    private static final class IdArray extends StdDeserializer<long[]> {

        private static final long serialVersionUID = 1L;

        private final Id id;

        IdArray(JsonIds.Reading reading) {
            super(long[].class);
            this.id = new Id(long.class, reading);
        }

        @Override
        public long[] deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            if (parser.currentToken() != JsonToken.START_ARRAY) {
                return (long[]) context.handleUnexpectedToken(getValueType(context), parser);
            }
            LongStream.Builder ids = LongStream.builder();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (parser.currentToken() == JsonToken.VALUE_NULL) {
                    throw Jackson2UnreadableIdException.ofNull(parser);
                }
                ids.add(this.id.deserialize(parser, context));
            }
            return ids.build().toArray();
        }

    }

    /** Reads an {@code OptionalLong} that may hold an id, from null as empty. */
    private static final class OptionalId extends StdScalarDeserializer<OptionalLong> {

        private static final long serialVersionUID = 1L;

        private final Id id;

        OptionalId(JsonIds.Reading reading) {
            super(OptionalLong.class);
            this.id = new Id(Long.class, reading);
        }

        @Override
        public OptionalLong deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return OptionalLong.of(this.id.deserialize(parser, context));
        }

        @Override
        public OptionalLong getNullValue(DeserializationContext context) {
            return OptionalLong.empty();
        }

    }

}
