package io.shardedid.jackson;

import java.util.List;
import java.util.OptionalLong;

import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.databind.type.ArrayType;

/**
 * Writes the 64-bit numbers of attributes with an {@link IdMark} as strings, and refuses
 * marks on attributes that hold none.
 */
final class MarkedIdSerializers extends ValueSerializerModifier {

    private static final long serialVersionUID = 1L;

    @Override
    public ValueSerializer<?> modifySerializer(SerializationConfig config, BeanDescription.Supplier bean,
            ValueSerializer<?> serializer) {
        Class<?> type = bean.getBeanClass();
        if (!IdMark.isNumber(type)) {
            return serializer;
        }
        return new IdOrNumberSerializer(serializer,
                (type == OptionalLong.class) ? new OptionalIdSerializer() : ToStringSerializer.instance);
    }

    @Override
    public ValueSerializer<?> modifyArraySerializer(SerializationConfig config, ArrayType type,
            BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        return type.hasRawClass(long[].class) ? new IdOrNumberSerializer(serializer, new IdArraySerializer())
                : serializer;
    }

    @Override
    public List<BeanPropertyWriter> changeProperties(SerializationConfig config, BeanDescription.Supplier bean,
            List<BeanPropertyWriter> writers) {
        for (BeanPropertyWriter writer : writers) {
            if (IdMark.needsIds((mark) -> writer.getAnnotation(mark) != null) && !writer.hasSerializer()
                    && !holdsIds(writer.getType(), config)) {
                throw IdMark.refusal(bean.getBeanClass(), writer.getName(), writer.getType().toCanonical());
            }
        }
        return writers;
    }

    /** Of an {@code Object} the value decides. */
    private static boolean holdsIds(JavaType type, SerializationConfig config) {
        return type.hasHandlers() || type.getRawClass().isAssignableFrom(Long.class)
                || IdTypes.holdIds(type, (inner) -> holdsIds(inner, config)) || isWrapper(type, config);
    }

    /** A type that is written as its {@code @JsonValue}. */
    private static boolean isWrapper(JavaType type, SerializationConfig config) {
        ClassIntrospector introspector = config.classIntrospectorInstance();
        AnnotatedMember value = introspector
            .introspectForSerialization(type, introspector.introspectClassAnnotations(type))
            .findJsonValueAccessor();
        return value != null && IdMark.isNumber(value.getRawType());
    }

}
