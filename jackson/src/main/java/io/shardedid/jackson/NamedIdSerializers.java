package io.shardedid.jackson;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonFormat;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.std.ToStringSerializer;

/**
 * Writes the {@link ShardedAttributes} of an entity as strings.
 */
final class NamedIdSerializers extends ValueSerializerModifier {

    private static final long serialVersionUID = 1L;

    @Override
    public List<BeanPropertyWriter> changeProperties(SerializationConfig config, BeanDescription.Supplier bean,
            List<BeanPropertyWriter> writers) {
        ShardedAttributes ids = ShardedAttributes.of(bean.getBeanClass());
        if (!ids.names().isEmpty()) {
            for (BeanPropertyDefinition property : bean.get().findProperties()) {
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
