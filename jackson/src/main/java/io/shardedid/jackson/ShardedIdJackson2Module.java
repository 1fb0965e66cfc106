package io.shardedid.jackson;

import java.util.Set;
import java.util.function.Function;

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

    private final Function<Class<?>, Set<String>> more;

    private final boolean unsafeAsStrings;

    /** Creates a module that knows the members that are annotated or named. */
    public ShardedIdJackson2Module() {
        this(JsonIds.NOTHING_MORE, false);
    }

    /**
     * Creates a module that knows more members, or that writes unsafe numbers as strings.
     * @param more returns the names of the attributes of a class that hold ids although
     * nothing on them says so, or an empty set; every mapper asks once for each class
     * that it meets, on any thread
     * @param unsafeAsStrings whether every whole number of any class whose magnitude is
     * beyond 2<sup>53</sup> - 1 is written as a string, because JavaScript would round it
     */
    public ShardedIdJackson2Module(Function<Class<?>, Set<String>> more, boolean unsafeAsStrings) {
        this.more = more;
        this.unsafeAsStrings = unsafeAsStrings;
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
        context.addBeanSerializerModifier(new Jackson2IdSerializers(this.more, this.unsafeAsStrings));
        context.addBeanDeserializerModifier(new Jackson2IdDeserializers(this.more));
    }

    static JsonIds.Shape<JavaType> shape(JavaType type) {
        return new JsonIds.Shape<>(type.getRawClass(), type.isContainerType(), type.getKeyType(), type.getContentType(),
                type.getBindings().getTypeParameters());
    }

}
