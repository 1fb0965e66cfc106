package io.shardedid.spring.json;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.shardedid.ShardedId;
import org.jspecify.annotations.Nullable;
import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedMethod;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;

/**
 * What {@link ShardedIdAnnotationIntrospector} does, for Jackson 2.
 */
final class Jackson2AnnotationIntrospector extends NopAnnotationIntrospector {

    private static final long serialVersionUID = 1L;

    @Override
    public Version version() {
        return Version.unknownVersion();
    }

    @Override
    public @Nullable Object findSerializer(Annotated annotated) {
        if (!marked(annotated)) {
            return null;
        }
        Class<?> type = typeOf(annotated).getRawClass();
        return (type == long[].class) ? new Jackson2IdArraySerializer()
                : number(type) ? ToStringSerializer.class : null;
    }

    @Override
    public @Nullable Object findDeserializer(Annotated annotated) {
        if (!marked(annotated)) {
            return null;
        }
        Class<?> type = typeOf(annotated).getRawClass();
        return (type == long[].class) ? new Jackson2IdArrayDeserializer()
                : number(type) ? new Jackson2IdDeserializer(type) : null;
    }

    @Override
    public @Nullable Object findContentSerializer(Annotated annotated) {
        return marked(annotated) && numbers(annotated) ? ToStringSerializer.class : null;
    }

    @Override
    public @Nullable Object findContentDeserializer(Annotated annotated) {
        return marked(annotated) && numbers(annotated) ? new Jackson2IdDeserializer(Long.class) : null;
    }

    @Override
    public @Nullable Object findKeyDeserializer(Annotated annotated) {
        return marked(annotated) && typeOf(annotated).isMapLikeType()
                && typeOf(annotated).getKeyType().hasRawClass(Long.class) ? new Jackson2IdKeyDeserializer() : null;
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
