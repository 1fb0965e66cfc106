package io.shardedid.jackson;

import java.util.Map;
import java.util.function.Function;

import io.shardedid.format.PublicIdFormats;
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

    private final Function<Class<?>, Map<String, Class<?>>> more;

    private final boolean unsafeAsStrings;

    private final PublicIdFormats formats;

    private final boolean plainToo;

    /**
     * Creates a module that knows the members that are annotated or named, and that
     * nobody has told the forms of an application. It reads plain numbers beside texts
     * that {@link io.shardedid.format.PublicId} asks for: Hibernate's mapper for JSON
     * columns finds this module, and a row may be older than the annotation. It refuses
     * sealed ids.
     */
    public ShardedIdJacksonModule() {
        this(JsonIds.NOTHING_MORE, false, PublicIdFormats.decimal(), true);
    }

    /**
     * Creates a module that knows the members that are annotated or named, and writes and
     * reads their ids in the forms of an application.
     * @param formats the forms
     */
    public ShardedIdJacksonModule(PublicIdFormats formats) {
        this(JsonIds.NOTHING_MORE, false, formats);
    }

    /**
     * Creates a module that knows more members, or that writes unsafe numbers as strings.
     * @param more returns the names of the attributes of a class that hold ids although
     * nothing on them says so, each with the entity whose ids they are or
     * {@code void.class}, or an empty map; every mapper asks once for each class that it
     * meets, on any thread
     * @param unsafeAsStrings whether every whole number of any class whose magnitude is
     * beyond 2<sup>53</sup> - 1 is written as a string, because JavaScript would round it
     * @param formats the forms of the ids
     */
    public ShardedIdJacksonModule(Function<Class<?>, Map<String, Class<?>>> more, boolean unsafeAsStrings,
            PublicIdFormats formats) {
        this(more, unsafeAsStrings, formats, false);
    }

    private ShardedIdJacksonModule(Function<Class<?>, Map<String, Class<?>>> more, boolean unsafeAsStrings,
            PublicIdFormats formats, boolean plainToo) {
        this.more = more;
        this.unsafeAsStrings = unsafeAsStrings;
        this.formats = formats;
        this.plainToo = plainToo;
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
        context.addSerializerModifier(new IdSerializers(this.more, this.unsafeAsStrings, this.formats));
        context.addDeserializers(new IdDeserializers.OptionalLongs());
        context.addDeserializerModifier(new IdDeserializers(this.more, this.formats, this.plainToo));
    }

    static JsonIds.Shape<JavaType> shape(JavaType type) {
        return new JsonIds.Shape<>(type.getRawClass(), type.isContainerType(), type.getKeyType(), type.getContentType(),
                type.getBindings().getTypeParameters());
    }

}
