package io.shardedid.spring.json;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.shardedid.ShardedId;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.Version;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.ser.std.ToStringSerializer;

/**
 * Reads {@link ShardedId} and {@link JsonShardedId} as Jackson's own annotations.
 */
final class ShardedIdAnnotationIntrospector extends NopAnnotationIntrospector {

    private static final long serialVersionUID = 1L;

    @Override
    public Version version() {
        return Version.unknownVersion();
    }

    @Override
    public @Nullable Object findSerializer(MapperConfig<?> config, Annotated annotated) {
        if (!marked(annotated)) {
            return null;
        }
        Class<?> type = typeOf(annotated).getRawClass();
        return (type == long[].class) ? new IdArraySerializer() : number(type) ? ToStringSerializer.class : null;
    }

    @Override
    public @Nullable Object findDeserializer(MapperConfig<?> config, Annotated annotated) {
        if (!marked(annotated)) {
            return null;
        }
        Class<?> type = typeOf(annotated).getRawClass();
        return (type == long[].class) ? new IdArrayDeserializer() : number(type) ? new IdDeserializer(type) : null;
    }

    @Override
    public @Nullable Object findContentSerializer(MapperConfig<?> config, Annotated annotated) {
        return marked(annotated) && numbers(annotated) ? ToStringSerializer.class : null;
    }

    @Override
    public @Nullable Object findContentDeserializer(MapperConfig<?> config, Annotated annotated) {
        return marked(annotated) && numbers(annotated) ? new IdDeserializer(Long.class) : null;
    }

    @Override
    public @Nullable Object findKeyDeserializer(MapperConfig<?> config, Annotated annotated) {
        return marked(annotated) && typeOf(annotated).isMapLikeType()
                && typeOf(annotated).getKeyType().hasRawClass(Long.class) ? new IdKeyDeserializer() : null;
    }

    private static boolean marked(Annotated annotated) {
        return (annotated.hasAnnotation(ShardedId.class) || annotated.hasAnnotation(JsonShardedId.class))
                && !annotated.hasAnnotation(JsonFormat.class);
    }

    private static boolean number(Class<?> type) {
        return type == long.class || type == Long.class;
    }

    private static boolean numbers(Annotated annotated) {
        JavaType type = typeOf(annotated);
        return type.isContainerType() && type.getContentType().hasRawClass(Long.class);
    }

    /** The type of the attribute: that of a setter's method is void. */
    private static JavaType typeOf(Annotated annotated) {
        return (annotated instanceof AnnotatedMethod method && method.getParameterCount() == 1)
                ? method.getParameterType(0) : annotated.getType();
    }

}
