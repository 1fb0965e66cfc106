package io.shardedid.jackson;

import java.util.List;
import java.util.OptionalLong;

import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.type.ArrayType;

/**
 * What {@link MarkedIdSerializers} does, for Jackson 2.
 */
final class Jackson2MarkedIdSerializers extends BeanSerializerModifier {

    private static final long serialVersionUID = 1L;

    @Override
    public JsonSerializer<?> modifySerializer(SerializationConfig config, BeanDescription bean,
            JsonSerializer<?> serializer) {
        Class<?> type = bean.getBeanClass();
        if (!IdMark.isNumber(type)) {
            return serializer;
        }
        return new Jackson2IdOrNumberSerializer(serializer,
                (type == OptionalLong.class) ? new Jackson2OptionalIdSerializer() : ToStringSerializer.instance);
    }

    @Override
    public JsonSerializer<?> modifyArraySerializer(SerializationConfig config, ArrayType type, BeanDescription bean,
            JsonSerializer<?> serializer) {
        return type.hasRawClass(long[].class)
                ? new Jackson2IdOrNumberSerializer(serializer, new Jackson2IdArraySerializer()) : serializer;
    }

    @Override
    public List<BeanPropertyWriter> changeProperties(SerializationConfig config, BeanDescription bean,
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
                || Jackson2IdTypes.holdIds(type, (inner) -> holdsIds(inner, config)) || isWrapper(type, config);
    }

    /** A type that is written as its {@code @JsonValue}. */
    private static boolean isWrapper(JavaType type, SerializationConfig config) {
        BeanDescription bean = config.introspect(type);
        AnnotatedMember value = bean.findJsonValueAccessor();
        return value != null && IdMark.isNumber(value.getRawType());
    }

}
