package io.shardedid.jackson;

import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.Module;

/**
 * What {@link ShardedIdJacksonModule} is for Jackson 3, for Jackson 2: the same
 * attributes, the same strings and numbers, the same refusals.
 *
 * <p>
 * Spring Boot's {@code spring-boot-jackson2} adds it to its mappers. Elsewhere:
 * {@code JsonMapper.builder().addModule(new ShardedIdJackson2Module())}.
 */
public final class ShardedIdJackson2Module extends Module {

    /** Makes the module. */
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
        context.addBeanSerializerModifier(new Jackson2MarkedIdSerializers());
        context.addBeanSerializerModifier(new Jackson2NamedIdSerializers());
        context.addBeanDeserializerModifier(new Jackson2MarkedIdDeserializers());
        context.addBeanDeserializerModifier(new Jackson2NamedIdDeserializers());
    }

}
