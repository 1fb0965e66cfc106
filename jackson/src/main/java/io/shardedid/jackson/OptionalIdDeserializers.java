package io.shardedid.jackson;

import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.Deserializers;
import tools.jackson.databind.ext.jdk8.OptionalLongDeserializer;
import tools.jackson.databind.jsontype.TypeDeserializer;
import tools.jackson.databind.type.ReferenceType;

/**
 * Gives Jackson's own deserializer of an {@code OptionalLong} as a module's: only those
 * are shown to modifiers, {@link MarkedIdDeserializers} among them.
 */
final class OptionalIdDeserializers extends Deserializers.Base {

    @Override
    public @Nullable ValueDeserializer<?> findReferenceDeserializer(ReferenceType type, DeserializationConfig config,
            BeanDescription.Supplier bean, @Nullable TypeDeserializer contentType,
            @Nullable ValueDeserializer<?> content) {
        return type.hasRawClass(OptionalLong.class) ? new OptionalLongDeserializer() : null;
    }

    @Override
    public boolean hasDeserializerFor(DeserializationConfig config, Class<?> type) {
        return type == OptionalLong.class;
    }

}
