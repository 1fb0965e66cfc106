package io.shardedid.jackson;

import com.fasterxml.jackson.annotation.JsonFormat;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.deser.BeanDeserializerBuilder;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.introspect.BeanPropertyDefinition;

/**
 * Reads the {@link ShardedAttributes} of an entity from strings or numbers.
 */
final class NamedIdDeserializers extends ValueDeserializerModifier {

    private static final long serialVersionUID = 1L;

    @Override
    public BeanDeserializerBuilder updateBuilder(DeserializationConfig config, BeanDescription.Supplier bean,
            BeanDeserializerBuilder builder) {
        ShardedAttributes ids = ShardedAttributes.of(bean.getBeanClass());
        if (!ids.names().isEmpty()) {
            for (BeanPropertyDefinition definition : bean.get().findProperties()) {
                SettableBeanProperty property = builder.findProperty(definition.getFullName());
                if (property != null && ids.contains(definition.getInternalName(), definition.getRawPrimaryType())
                        && free(property, config)) {
                    builder.addOrReplaceProperty(
                            property.withValueDeserializer(new IdDeserializer(definition.getRawPrimaryType())), true);
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
