package io.shardedid.jackson;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;

/**
 * What {@link NamedIdSerializers} does, for Jackson 2.
 */
final class Jackson2NamedIdSerializers extends BeanSerializerModifier {

    private static final long serialVersionUID = 1L;

    @Override
    public List<BeanPropertyWriter> changeProperties(SerializationConfig config, BeanDescription bean,
            List<BeanPropertyWriter> writers) {
        ShardedAttributes ids = ShardedAttributes.of(bean.getBeanClass());
        if (!ids.names().isEmpty()) {
            for (BeanPropertyDefinition property : bean.findProperties()) {
                if (ids.contains(property.getInternalName(), property.getRawPrimaryType())) {
                    writers.stream()
                        .filter((writer) -> writer.getName().equals(property.getName()))
                        .filter((writer) -> free(writer, config))
                        .forEach((writer) -> writer.assignSerializer(ToStringSerializer.instance));
                }
            }
        }
        return writers;
    }

    private static boolean free(BeanPropertyWriter writer, SerializationConfig config) {
        return !writer.hasSerializer()
                && writer.findPropertyFormat(config, Long.class).getShape() == JsonFormat.Shape.ANY;
    }

}
