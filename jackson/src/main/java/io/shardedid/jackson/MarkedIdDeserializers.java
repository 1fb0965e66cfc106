package io.shardedid.jackson;

import java.util.Iterator;
import java.util.OptionalLong;

import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.BeanDeserializerBuilder;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.type.ArrayType;
import tools.jackson.databind.type.ReferenceType;

/**
 * Reads the 64-bit numbers of attributes with an {@link IdMark} from strings or numbers,
 * and refuses marks on attributes that hold none.
 */
final class MarkedIdDeserializers extends ValueDeserializerModifier {

    private static final long serialVersionUID = 1L;

    @Override
    public ValueDeserializer<?> modifyDeserializer(DeserializationConfig config, BeanDescription.Supplier bean,
            ValueDeserializer<?> deserializer) {
        Class<?> type = bean.getBeanClass();
        return (type == long.class || type == Long.class)
                ? new IdOrNumberDeserializer(bean.getType(), deserializer, new IdDeserializer(type)) : deserializer;
    }

    @Override
    public ValueDeserializer<?> modifyReferenceDeserializer(DeserializationConfig config, ReferenceType type,
            BeanDescription.Supplier bean, ValueDeserializer<?> deserializer) {
        return type.hasRawClass(OptionalLong.class)
                ? new IdOrNumberDeserializer(type, deserializer, new OptionalIdDeserializer()) : deserializer;
    }

    @Override
    public ValueDeserializer<?> modifyArrayDeserializer(DeserializationConfig config, ArrayType type,
            BeanDescription.Supplier bean, ValueDeserializer<?> deserializer) {
        return type.hasRawClass(long[].class)
                ? new IdOrNumberDeserializer(type, deserializer, new IdArrayDeserializer()) : deserializer;
    }

    @Override
    public KeyDeserializer modifyKeyDeserializer(DeserializationConfig config, JavaType type,
            KeyDeserializer deserializer) {
        return type.hasRawClass(Long.class) ? new IdOrNumberKeyDeserializer(deserializer) : deserializer;
    }

    @Override
    public BeanDeserializerBuilder updateBuilder(DeserializationConfig config, BeanDescription.Supplier bean,
            BeanDeserializerBuilder builder) {
        for (Iterator<SettableBeanProperty> properties = builder.getProperties(); properties.hasNext();) {
            SettableBeanProperty property = properties.next();
            if (IdMark.needsIds((mark) -> property.getAnnotation(mark) != null) && !property.hasValueDeserializer()
                    && !holdsIds(property.getType(), config)) {
                throw IdMark.refusal(bean.getBeanClass(), property.getName(), property.getType().toCanonical());
            }
        }
        return builder;
    }

    private static boolean holdsIds(JavaType type, DeserializationConfig config) {
        return type.hasHandlers() || IdTypes.holdIds(type, (inner) -> holdsIds(inner, config))
                || isWrapper(type, config);
    }

    /** A type that is written as its {@code @JsonValue} reads itself. */
    private static boolean isWrapper(JavaType type, DeserializationConfig config) {
        ClassIntrospector introspector = config.classIntrospectorInstance();
        AnnotatedMember value = introspector
            .introspectForDeserialization(type, introspector.introspectClassAnnotations(type))
            .findJsonValueAccessor();
        return value != null && IdMark.isNumber(value.getRawType());
    }

}
