package io.shardedid.jackson;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import tools.jackson.core.Version;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JavaType;

/**
 * Jackson 3 module that writes sharded ids as strings and reads them from strings or
 * numbers: attributes with {@link io.shardedid.ShardedId} or {@link JsonShardedId}, and
 * 64-bit numbers that a {@code shardKey} or {@code colocateWith} of the same entity
 * names. An attribute with {@code @JsonFormat} or {@code @JsonSerialize} keeps the form
 * that it sets itself, unless ids of its entity have another form than the plain number:
 * then Jackson refuses the class. The module is thread-safe, and several mappers may
 * share it.
 *
 * <p>
 * A mapper with this module can be serialized if the function that knows more members
 * can. The copy has no keys: it fails on sealed ids.
 *
 * <p>
 * Spring Boot adds the module to its mappers. Elsewhere,
 * {@code JsonMapper.builder().findAndAddModules()} finds it, and
 * {@code addModule(new ShardedIdJacksonModule())} names it.
 *
 * @since 0.1
 */
public final class ShardedIdJacksonModule extends JacksonModule implements Serializable {

    private static final long serialVersionUID = 1L;

    /** What is an id, and which form it has. */
    private final IdRules rules;

    /**
     * Creates a module that knows the members that are annotated or named, and does not
     * know the forms of an application. It reads plain numbers beside texts that
     * {@link io.shardedid.PublicId} asks for: Hibernate's mapper for JSON columns finds
     * this module, and a row may be older than the annotation. It fails on sealed ids.
     */
    public ShardedIdJacksonModule() {
        this(new IdRules(JsonIds.NOTHING_MORE, UnmarkedNumbers.asTheyAre(), IdTexts.unconfigured(), true));
    }

    /**
     * Creates a module that knows the members that are annotated or named, and writes and
     * reads their ids in the forms of an application.
     * @param formats the forms
     */
    public ShardedIdJacksonModule(IdTexts formats) {
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
    public ShardedIdJacksonModule(BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>> more,
            UnmarkedNumbers numbers, IdTexts formats) {
        this(new IdRules(more, numbers, formats, false));
    }

    private ShardedIdJacksonModule(IdRules rules) {
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
        context.addSerializerModifier(new IdSerializers(this.rules));
        context.addDeserializers(new IdDeserializers.OptionalLongs());
        context.addDeserializerModifier(new IdDeserializers(this.rules));
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
