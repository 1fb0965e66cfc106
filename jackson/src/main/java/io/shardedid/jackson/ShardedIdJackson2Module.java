package io.shardedid.jackson;

import java.io.Serializable;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.shardedid.ShardedId;
import org.jspecify.annotations.Nullable;
import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;

/**
 * Jackson 2 module that does what {@link ShardedIdJacksonModule} does for Jackson 3: the
 * same members, the same strings and numbers, the same errors.
 *
 * <p>
 * Spring Boot adds the module to its mappers of Jackson 2. Elsewhere,
 * {@code JsonMapper.builder().findAndAddModules()} finds it, and
 * {@code addModule(new ShardedIdJackson2Module())} names it. The module is thread-safe,
 * several mappers may share it, and a mapper with it can be serialized.
 *
 * @since 0.1
 */
public final class ShardedIdJackson2Module extends Module implements Serializable {

    private static final long serialVersionUID = 1L;

    /** What tells of ids that are written as numbers. */
    private final UnmarkedNumbers numbers;

    /** Creates a module that leaves the numbers of other members alone, in silence. */
    public ShardedIdJackson2Module() {
        this(UnmarkedNumbers.asTheyAre());
    }

    /**
     * Creates a module.
     * @param numbers what watches the whole numbers of other members
     */
    public ShardedIdJackson2Module(UnmarkedNumbers numbers) {
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
        context.addBeanSerializerModifier(new Jackson2IdSerializers(this.numbers));
        context.addBeanDeserializerModifier(new Jackson2IdDeserializers());
    }

    /** Gives {@link ShardedId} the format that {@link JsonShardedId} carries. */
    private static final class Format extends NopAnnotationIntrospector {

        private static final long serialVersionUID = 1L;

        @Override
        public JsonFormat.@Nullable Value findFormat(Annotated member) {
            return (member.hasAnnotation(ShardedId.class) && member.getRawType() != UUID.class)
                    ? JsonFormat.Value.forShape(JsonFormat.Shape.STRING) : null;
        }

    }

}
