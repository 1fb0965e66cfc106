package io.shardedid.jackson;

import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.Module;

/**
 * Jackson 2 module that does what {@link ShardedIdJacksonModule} does for Jackson 3: the
 * same attributes, the same strings and numbers, the same errors. The module is
 * thread-safe, and several mappers may share it.
 *
 * <p>
 * Spring Boot's {@code spring-boot-jackson2} adds the module to its mappers. Elsewhere,
 * {@code JsonMapper.builder().findAndAddModules()} finds it, and
 * {@code addModule(new ShardedIdJackson2Module())} names it.
 *
 * @since 0.1
 */
public final class ShardedIdJackson2Module extends Module {

    private final IdRules rules;

    /**
     * Creates a module that knows the members that are annotated or named, and does not
     * know the forms of an application. It reads plain numbers beside texts that
     * {@link io.shardedid.PublicId} asks for: Hibernate's mapper for JSON columns finds
     * this module, and a row may be older than the annotation. It fails on sealed ids.
     */
    public ShardedIdJackson2Module() {
        this(new IdRules(JsonIds.NOTHING_MORE, UnmarkedNumbers.asTheyAre(), IdTexts.unconfigured(), true));
    }

    /**
     * Creates a module that knows the members that are annotated or named, and writes and
     * reads their ids in the forms of an application.
     * @param formats the forms
     */
    public ShardedIdJackson2Module(IdTexts formats) {
        this(JsonIds.NOTHING_MORE, UnmarkedNumbers.asTheyAre(), formats);
    }

    /**
     * Creates a module that knows more members, or does something about the numbers that
     * nothing marks.
     * @param more returns the names of the attributes of a class that hold ids although
     * nothing on them says so, each with the entity whose ids they are or
     * {@code void.class}, or an empty map; it is asked with the class and its erased type
     * arguments, as far as they are known; every mapper asks once for each class that it
     * meets, on any thread
     * @param numbers what becomes of other whole numbers of any class that JavaScript
     * would round
     * @param formats the forms of the ids
     */
    public ShardedIdJackson2Module(BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>> more,
            UnmarkedNumbers numbers, IdTexts formats) {
        this(new IdRules(more, numbers, formats, false));
    }

    private ShardedIdJackson2Module(IdRules rules) {
        this.rules = rules;
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
        context.addBeanSerializerModifier(new Jackson2IdSerializers(this.rules));
        context.addBeanDeserializerModifier(new Jackson2IdDeserializers(this.rules));
    }

    static JsonIds.Shape<JavaType> shape(JavaType type) {
        return new JsonIds.Shape<>(type.getRawClass(), type.isContainerType(), type.getKeyType(), type.getContentType(),
                type.getBindings().getTypeParameters());
    }

    /** The type arguments of a type, erased; {@code Object} where nothing says more. */
    static List<Class<?>> arguments(JavaType type) {
        return type.getBindings().getTypeParameters().stream().<Class<?>>map(JavaType::getRawClass).toList();
    }

}
