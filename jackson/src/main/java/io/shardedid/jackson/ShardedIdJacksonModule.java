package io.shardedid.jackson;

import tools.jackson.core.Version;
import tools.jackson.databind.JacksonModule;

/**
 * Jackson module that writes sharded ids as strings and reads them from strings or
 * numbers: attributes with {@link io.shardedid.ShardedId} or {@link JsonShardedId}, and
 * 64-bit numbers that a {@code shardKey} or {@code colocateWith} of the same entity
 * names. What an attribute says itself, with {@code @JsonFormat} or
 * {@code @JsonSerialize}, stands.
 *
 * <p>
 * Spring Boot adds it to its mappers. Elsewhere:
 * {@code JsonMapper.builder().addModule(new ShardedIdJacksonModule())}.
 */
public final class ShardedIdJacksonModule extends JacksonModule {

    /** Makes the module. */
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
        context.addSerializerModifier(new MarkedIdSerializers());
        context.addSerializerModifier(new NamedIdSerializers());
        context.addDeserializers(new OptionalIdDeserializers());
        context.addDeserializerModifier(new MarkedIdDeserializers());
        context.addDeserializerModifier(new NamedIdDeserializers());
    }

}
