package io.shardedid.jackson;

import tools.jackson.core.Version;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JavaType;

/**
 * Jackson 3 module that writes sharded ids as strings and reads them from strings or
 * numbers: attributes with {@link io.shardedid.ShardedId} or {@link JsonShardedId}, and
 * 64-bit numbers that a {@code shardKey} or {@code colocateWith} of the same entity
 * names. An attribute with {@code @JsonFormat} or {@code @JsonSerialize} keeps the form
 * that it sets itself. The module is safe for use by many mappers and threads.
 *
 * <p>
 * Spring Boot adds the module to its mappers. Elsewhere,
 * {@code JsonMapper.builder().findAndAddModules()} finds it, and
 * {@code addModule(new ShardedIdJacksonModule())} names it.
 *
 * @since 0.1
 */
public final class ShardedIdJacksonModule extends JacksonModule {

    /** Creates a module. */
    public ShardedIdJacksonModule() {
    }

    @Override
    public String getModuleName() {
        return "shardedid";
    }

    @Override
    public Version version() {
        return Version.unknownVersion();
    }

    @Override
    public void setupModule(SetupContext context) {
        context.addSerializerModifier(new IdSerializers());
        context.addDeserializers(new IdDeserializers.OptionalLongs());
        context.addDeserializerModifier(new IdDeserializers());
    }

    static JsonIds.Shape<JavaType> shape(JavaType type) {
        return new JsonIds.Shape<>(type.getRawClass(), type.isContainerType(), type.getKeyType(), type.getContentType(),
                type.getBindings().getTypeParameters());
    }

}
