package io.shardedid.jackson;

import java.io.Serializable;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.shardedid.ShardedId;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.Version;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.ext.jdk8.OptionalLongDeserializer;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.module.SimpleDeserializers;

/**
 * Jackson 3 module that writes sharded ids as strings and reads them from strings or
 * numbers: members with {@link io.shardedid.ShardedId} or {@link JsonShardedId}. A member
 * with {@code @JsonFormat} or {@code @JsonSerialize} keeps the form that it sets itself.
 * Reading takes whole numbers of 64 bits without signs of plus, blanks and leading zeros,
 * and fails with the name of the member otherwise. Nothing else changes.
 *
 * <p>
 * Spring Boot adds the module to its mappers. Elsewhere,
 * {@code JsonMapper.builder().findAndAddModules()} finds it, and
 * {@code addModule(new ShardedIdJacksonModule())} names it. The module is thread-safe,
 * several mappers may share it, and a mapper with it can be serialized.
 *
 * @since 0.1
 */
public final class ShardedIdJacksonModule extends JacksonModule implements Serializable {

    private static final long serialVersionUID = 1L;

    /** What tells of ids that are written as numbers. */
    private final UnmarkedNumbers numbers;

    /** Creates a module that leaves the numbers of other members alone, in silence. */
    public ShardedIdJacksonModule() {
        this(UnmarkedNumbers.asTheyAre());
    }

    /**
     * Creates a module.
     * @param numbers what watches the whole numbers of other members
     */
    public ShardedIdJacksonModule(UnmarkedNumbers numbers) {
        this.numbers = numbers;
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
        // what the application's own annotations say comes first
        context.appendAnnotationIntrospector(new Format());
        context.addSerializerModifier(new IdSerializers(this.numbers));
        // Jackson shows modifiers no deserializer of an OptionalLong but that of a module
        context.addDeserializers(new SimpleDeserializers(Map.of(OptionalLong.class, new OptionalLongDeserializer())));
        context.addDeserializerModifier(new IdDeserializers());
    }

    /** Gives {@link ShardedId} the format that {@link JsonShardedId} carries. */
    private static final class Format extends NopAnnotationIntrospector {

        private static final long serialVersionUID = 1L;

        @Override
        public JsonFormat.@Nullable Value findFormat(MapperConfig<?> config, Annotated member) {
            return (member.hasAnnotation(ShardedId.class) && member.getRawType() != UUID.class)
                    ? JsonFormat.Value.forShape(JsonFormat.Shape.STRING) : null;
        }

    }

}
