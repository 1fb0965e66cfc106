package io.shardedid.jackson;

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
import io.shardedid.ShardedId;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.BeanDeserializerBuilder;
import tools.jackson.databind.deser.ContextualKeyDeserializer;
import tools.jackson.databind.deser.Deserializers;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.ext.jdk8.OptionalLongDeserializer;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.introspect.ObjectIdInfo;
import tools.jackson.databind.jsontype.TypeDeserializer;
import tools.jackson.databind.type.ArrayType;
import tools.jackson.databind.type.ReferenceType;

/**
 * Reads ids from strings or numbers with Jackson 3, in the members where
 * {@link IdSerializers} writes them as strings.
 */
final class IdDeserializers extends ValueDeserializerModifier {

    private static final long serialVersionUID = 1L;

    private final IdRules rules;

    IdDeserializers(IdRules rules) {
        this.rules = rules;
    }

    @Override
    public ValueDeserializer<?> modifyDeserializer(DeserializationConfig config, BeanDescription.Supplier bean,
            ValueDeserializer<?> deserializer) {
        Class<?> type = bean.getBeanClass();
        return (type == long.class || type == Long.class)
                ? new IdOrNumber(bean.getType(), deserializer, this.rules, (reading) -> new Id(type, reading))
                : deserializer;
    }

    @Override
    public ValueDeserializer<?> modifyReferenceDeserializer(DeserializationConfig config, ReferenceType type,
            BeanDescription.Supplier bean, ValueDeserializer<?> deserializer) {
        return type.hasRawClass(OptionalLong.class) ? new IdOrNumber(type, deserializer, this.rules, OptionalId::new)
                : deserializer;
    }

    @Override
    public ValueDeserializer<?> modifyArrayDeserializer(DeserializationConfig config, ArrayType type,
            BeanDescription.Supplier bean, ValueDeserializer<?> deserializer) {
        return type.hasRawClass(long[].class) ? new IdOrNumber(type, deserializer, this.rules, IdArray::new)
                : deserializer;
    }

    @Override
    public KeyDeserializer modifyKeyDeserializer(DeserializationConfig config, JavaType type,
            KeyDeserializer deserializer) {
        return type.hasRawClass(Long.class) ? new IdOrNumberKey(deserializer, this.rules) : deserializer;
    }

    @Override
    public BeanDeserializerBuilder updateBuilder(DeserializationConfig config, BeanDescription.Supplier bean,
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
        JsonIds named = this.rules.namedBy(type, ShardedIdJacksonModule.arguments(bean.getType()));
        for (BeanPropertyDefinition definition : bean.get().findProperties()) {
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
                () -> annotations.findContentDeserializer(config, member) != null
                        || annotations.findKeyDeserializer(config, member) != null
                        || annotations.findDeserializationConverter(config, member) != null
                        || annotations.findDeserializationContentConverter(config, member) != null,
                (format) -> holdsIds(property.getType(), config, format));
    }

    /** To this class, and from its attributes to others. */
    private void refuseReferences(DeserializationConfig config, BeanDescription.Supplier bean,
            BeanDeserializerBuilder builder) {
        AnnotationIntrospector annotations = config.getAnnotationIntrospector();
        IdSerializers.refuseReferences(bean.get().getObjectIdInfo(), bean.get().getType(), bean.get().findProperties(),
                this.rules);
        for (Iterator<SettableBeanProperty> properties = builder.getProperties(); properties.hasNext();) {
            SettableBeanProperty property = properties.next();
            ObjectIdInfo reference = annotations.findObjectIdInfo(config, property.getMember());
            if (reference == null) {
                continue;
            }
            JavaType target = IdSerializers.target(property.getType());
            ClassIntrospector introspector = config.classIntrospectorInstance();
            IdSerializers.refuseReferences(reference, target,
                    introspector.introspectForDeserialization(target, introspector.introspectClassAnnotations(target))
                        .findProperties(),
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
                || ShardedIdJacksonModule.shape(type).holdsIds((inner) -> holdsIds(inner, config, format))
                || format.plain() && isWrapper(type, config);
    }

    /**
     * Returns whether a type is written as its {@code @JsonValue}, which is a number: it
     * reads itself.
     */
    private static boolean isWrapper(JavaType type, DeserializationConfig config) {
        ClassIntrospector introspector = config.classIntrospectorInstance();
        AnnotatedMember value = introspector
            .introspectForDeserialization(type, introspector.introspectClassAnnotations(type))
            .findJsonValueAccessor();
        return value != null && JsonIds.isNumber(value.getRawType());
    }

    private static boolean isFree(SettableBeanProperty property, DeserializationConfig config) {
        return !property.hasValueDeserializer()
                && (property.findPropertyFormat(config, Long.class).getShape() == JsonFormat.Shape.ANY
                        || JsonIds.isMarked(property::getAnnotation));
    }

    /** Reads a number as an id if its attribute is marked. */
    private static final class IdOrNumber extends DelegatingDeserializer {

        private final JavaType type;

        private final IdRules rules;

        private final Function<JsonIds.Reading, ValueDeserializer<?>> id;

        IdOrNumber(JavaType type, ValueDeserializer<?> number, IdRules rules,
                Function<JsonIds.Reading, ValueDeserializer<?>> id) {
            super(number);
            this.type = type;
            this.rules = rules;
            this.id = id;
        }

        @Override
        public ValueDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property) {
            return (property != null && JsonIds.isMarked(property::getAnnotation))
                    ? this.id.apply(this.rules.reading(property.getAnnotation(JsonShardedId.class)))
                    : context.handleSecondaryContextualization(getDelegatee(), property, this.type);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> number) {
            return new IdOrNumber(this.type, number, this.rules, this.id);
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
        public KeyDeserializer createContextual(DeserializationContext context, @Nullable BeanProperty property) {
            if (property != null && JsonIds.isMarked(property::getAnnotation)) {
                return new IdKey(this.rules.reading(property.getAnnotation(JsonShardedId.class)));
            }
            return (this.number instanceof ContextualKeyDeserializer contextual)
                    ? contextual.createContextual(context, property) : this.number;
        }

        @Override
        public void resolve(DeserializationContext context) {
            this.number.resolve(context);
        }

        @Override
        public Object deserializeKey(String key, DeserializationContext context) {
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
        public Object deserializeKey(String key, DeserializationContext context) {
            OptionalLong id = this.reading.read(key);
            try {
                return id.isPresent() ? id.getAsLong() : context.handleWeirdKey(Long.class, key, this.reading.rule());
            }
            catch (MismatchedInputException ex) {
                throw UnreadableIdException.of(context.getParser(), ex, this.reading.rule());
            }
        }

    }

    /**
     * Reads an id from a string of digits or a whole number, and from nothing else:
     * Jackson's own reading of a {@code long} takes an empty string for 0 and cuts
     * fractions off.
     */
    private static final class Id extends StdScalarDeserializer<Long> {

        @SuppressWarnings("serial")
        private final JsonIds.Reading reading;

        Id(Class<?> type, JsonIds.Reading reading) {
            super(type);
            this.reading = reading;
        }

        @Override
        public Long deserialize(JsonParser parser, DeserializationContext context) {
            try {
                return read(parser, context);
            }
            catch (MismatchedInputException ex) {
                throw UnreadableIdException.of(parser, ex, this.reading.rule());
            }
        }

        private Long read(JsonParser parser, DeserializationContext context) {
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
            String text = parser.getString();
            OptionalLong id = this.reading.read(text);
            if (id.isPresent()) {
                return id.getAsLong();
            }
            return (Long) context.handleWeirdStringValue(handledType(), text, this.reading.rule());
        }

        @Override
        public @Nullable Object getNullValue(DeserializationContext context) {
            if (handledType() != long.class) {
                return null;
            }
            if (context.isEnabled(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)) {
                throw UnreadableIdException.ofNull(context.getParser());
            }
            return 0L;
        }

    }

    /** Reads a {@code long[]} of ids. */
    private static final class IdArray extends StdDeserializer<long[]> {

        private final Id id;

        IdArray(JsonIds.Reading reading) {
            super(long[].class);
            this.id = new Id(long.class, reading);
        }

        @Override
        public long[] deserialize(JsonParser parser, DeserializationContext context) {
            if (parser.currentToken() != JsonToken.START_ARRAY) {
                return (long[]) context.handleUnexpectedToken(getValueType(context), parser);
            }
            LongStream.Builder ids = LongStream.builder();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (parser.currentToken() == JsonToken.VALUE_NULL) {
                    throw UnreadableIdException.ofNull(parser);
                }
                ids.add(this.id.deserialize(parser, context));
            }
            return ids.build().toArray();
        }

    }

    /** Reads an {@code OptionalLong} that may hold an id, from null as empty. */
    private static final class OptionalId extends StdScalarDeserializer<OptionalLong> {

        private final Id id;

        OptionalId(JsonIds.Reading reading) {
            super(OptionalLong.class);
            this.id = new Id(Long.class, reading);
        }

        @Override
        public OptionalLong deserialize(JsonParser parser, DeserializationContext context) {
            return OptionalLong.of(this.id.deserialize(parser, context));
        }

        @Override
        public Object getNullValue(DeserializationContext context) {
            return OptionalLong.empty();
        }

    }

    /**
     * Gives Jackson's own deserializer of an {@code OptionalLong} as one of the module's:
     * Jackson 3 shows only those to modifiers, {@link IdDeserializers} among them.
     */
    static final class OptionalLongs extends Deserializers.Base {

        @Override
        public @Nullable ValueDeserializer<?> findReferenceDeserializer(ReferenceType type,
                DeserializationConfig config, BeanDescription.Supplier bean, @Nullable TypeDeserializer contentType,
                @Nullable ValueDeserializer<?> content) {
            return type.hasRawClass(OptionalLong.class) ? new OptionalLongDeserializer() : null;
        }

        @Override
        public boolean hasDeserializerFor(DeserializationConfig config, Class<?> type) {
            return type == OptionalLong.class;
        }

    }

}
