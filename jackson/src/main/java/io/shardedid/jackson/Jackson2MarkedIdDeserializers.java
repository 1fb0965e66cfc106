package io.shardedid.jackson;

import java.util.Iterator;
import java.util.OptionalLong;

import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.KeyDeserializer;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.type.ArrayType;
import com.fasterxml.jackson.databind.type.ReferenceType;

/**
 * What {@link MarkedIdDeserializers} does, for Jackson 2.
 */
final class Jackson2MarkedIdDeserializers extends BeanDeserializerModifier {

    private static final long serialVersionUID = 1L;

    @Override
    public JsonDeserializer<?> modifyDeserializer(DeserializationConfig config, BeanDescription bean,
            JsonDeserializer<?> deserializer) {
        Class<?> type = bean.getBeanClass();
        return (type == long.class || type == Long.class) ? new Jackson2IdOrNumberDeserializer(deserializer, null)
                : deserializer;
    }

    @Override
    public JsonDeserializer<?> modifyReferenceDeserializer(DeserializationConfig config, ReferenceType type,
            BeanDescription bean, JsonDeserializer<?> deserializer) {
        return type.hasRawClass(OptionalLong.class)
                ? new Jackson2IdOrNumberDeserializer(deserializer, new Jackson2OptionalIdDeserializer()) : deserializer;
    }

    @Override
    public JsonDeserializer<?> modifyArrayDeserializer(DeserializationConfig config, ArrayType type,
            BeanDescription bean, JsonDeserializer<?> deserializer) {
        return type.hasRawClass(long[].class)
                ? new Jackson2IdOrNumberDeserializer(deserializer, new Jackson2IdArrayDeserializer()) : deserializer;
    }

    @Override
    public KeyDeserializer modifyKeyDeserializer(DeserializationConfig config, JavaType type,
            KeyDeserializer deserializer) {
        return type.hasRawClass(Long.class) ? new Jackson2IdOrNumberKeyDeserializer(deserializer) : deserializer;
    }

    @Override
    public BeanDeserializerBuilder updateBuilder(DeserializationConfig config, BeanDescription bean,
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
        return type.hasHandlers() || Jackson2IdTypes.holdIds(type, (inner) -> holdsIds(inner, config))
                || isWrapper(type, config);
    }

    /** A type that is written as its {@code @JsonValue} reads itself. */
    private static boolean isWrapper(JavaType type, DeserializationConfig config) {
        BeanDescription bean = config.introspect(type);
        AnnotatedMember value = bean.findJsonValueAccessor();
        return value != null && IdMark.isNumber(value.getRawType());
    }

}
