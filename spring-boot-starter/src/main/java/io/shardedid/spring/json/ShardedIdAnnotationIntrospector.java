package io.shardedid.spring.json;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.shardedid.ShardedId;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.Version;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
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
        return marked(annotated) && number(annotated.getRawType()) ? ToStringSerializer.class : null;
    }

    @Override
    public @Nullable Object findDeserializer(MapperConfig<?> config, Annotated annotated) {
        return marked(annotated) ? IdDeserializer.of(annotated.getRawType()) : null;
    }

    @Override
    public @Nullable Object findContentSerializer(MapperConfig<?> config, Annotated annotated) {
        return marked(annotated) && numbers(annotated) ? ToStringSerializer.class : null;
    }

    @Override
    public @Nullable Object findContentDeserializer(MapperConfig<?> config, Annotated annotated) {
        return marked(annotated) && numbers(annotated) ? IdDeserializer.of(Long.class) : null;
    }

    private static boolean marked(Annotated annotated) {
        return (annotated.hasAnnotation(ShardedId.class) || annotated.hasAnnotation(JsonShardedId.class))
                && !annotated.hasAnnotation(JsonFormat.class);
    }

    private static boolean number(Class<?> type) {
        return type == long.class || type == Long.class;
    }

    private static boolean numbers(Annotated annotated) {
        return annotated.getType().isContainerType() && !annotated.getType().isArrayType()
                && annotated.getType().getContentType().hasRawClass(Long.class);
    }

}
