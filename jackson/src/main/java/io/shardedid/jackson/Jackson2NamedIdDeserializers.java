package io.shardedid.jackson;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;

/**
 * What {@link NamedIdDeserializers} does, for Jackson 2.
 */
final class Jackson2NamedIdDeserializers extends BeanDeserializerModifier {

    private static final long serialVersionUID = 1L;

    @Override
    public BeanDeserializerBuilder updateBuilder(DeserializationConfig config, BeanDescription bean,
            BeanDeserializerBuilder builder) {
        ShardedAttributes ids = ShardedAttributes.of(bean.getBeanClass());
        if (!ids.names().isEmpty()) {
            for (BeanPropertyDefinition definition : bean.findProperties()) {
                SettableBeanProperty property = builder.findProperty(definition.getFullName());
                if (property != null && ids.contains(definition.getInternalName(), definition.getRawPrimaryType())
                        && free(property, config)) {
                    builder.addOrReplaceProperty(
                            property.withValueDeserializer(new Jackson2IdDeserializer(definition.getRawPrimaryType())),
                            true);
                }
            }
        }
        return builder;
    }

    private static boolean free(SettableBeanProperty property, DeserializationConfig config) {
        return !property.hasValueDeserializer()
                && property.findPropertyFormat(config, Long.class).getShape() == JsonFormat.Shape.ANY;
    }

}
