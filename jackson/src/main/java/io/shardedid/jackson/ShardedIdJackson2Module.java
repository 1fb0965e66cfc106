package io.shardedid.jackson;

import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.Module;

/**
 * Jackson 2 module that does what {@link ShardedIdJacksonModule} does for Jackson 3: the
 * same attributes, the same strings and numbers, the same refusals. The module is safe
 * for use by many mappers and threads.
 *
 * <p>
 * Spring Boot's {@code spring-boot-jackson2} adds the module to its mappers. Elsewhere,
 * {@code JsonMapper.builder().findAndAddModules()} finds it, and
 * {@code addModule(new ShardedIdJackson2Module())} names it.
 *
 * @since 0.1
 */
public final class ShardedIdJackson2Module extends Module {

    /** Creates a module. */
    public ShardedIdJackson2Module() {
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
        context.addBeanSerializerModifier(new Jackson2IdSerializers());
        context.addBeanDeserializerModifier(new Jackson2IdDeserializers());
    }

    static JsonIds.Shape<JavaType> shape(JavaType type) {
        return new JsonIds.Shape<>(type.getRawClass(), type.isContainerType(), type.getKeyType(), type.getContentType(),
                type.getBindings().getTypeParameters());
    }

}
