package io.shardedid.spring.openapi;

import java.lang.annotation.Annotation;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.shardedid.ShardedId;
import io.shardedid.jackson.JsonShardedId;
import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverter;
import io.swagger.v3.core.converter.ModelConverterContext;
import io.swagger.v3.core.util.Json;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.Parameter;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.ParameterCustomizer;

import org.springframework.core.MethodParameter;

/**
 * Describes ids as the strings that JSON carries: members with {@link ShardedId} or
 * {@link JsonShardedId}, and path variables and request parameters with
 * {@link JsonShardedId}, whose ids a client must not round either.
 */
final class IdOpenApi implements ModelConverter, ParameterCustomizer {

    private static final String PATTERN = "^-?[0-9]{1,19}$";

    private static final String INTEGER = "integer";

    private static final String STRING = "string";

    private final boolean entities;

    /**
     * Creates what describes ids.
     * @param entities whether JSON has strings for the ids of entities, too
     */
    IdOpenApi(boolean entities) {
        this.entities = entities;
    }

    @Override
    public @Nullable Schema<?> resolve(AnnotatedType type, ModelConverterContext context,
            Iterator<ModelConverter> chain) {
        boolean id = type.isSchemaProperty() && isMarked(type.getCtxAnnotations());
        if (id && type.getType() != null) {
            Class<?> raw = Json.mapper().constructType(type.getType()).getRawClass();
            if (raw == OptionalLong.class || raw == AtomicLong.class) {
                // else an object of its getters
                type.type(Long.class);
            }
        }
        Schema<?> schema = chain.hasNext() ? chain.next().resolve(type, context, chain) : null;
        if (id) {
            become(schema);
        }
        return schema;
    }

    @Override
    public @Nullable Parameter customize(@Nullable Parameter parameter, MethodParameter method) {
        if (parameter != null && method.hasParameterAnnotation(JsonShardedId.class)) {
            become(parameter.getSchema());
        }
        return parameter;
    }

    private boolean isMarked(Annotation @Nullable [] annotations) {
        return annotations != null
                && Stream.of(annotations)
                    .anyMatch((each) -> each instanceof JsonShardedId || (this.entities && each instanceof ShardedId))
                && Stream.of(annotations)
                    .noneMatch((each) -> each instanceof JsonFormat format && format.shape().isNumeric());
    }

    /**
     * Makes the integers of 64 bits of a schema strings: itself, or its items. The values
     * of a map have the annotations of their member. OpenAPI 3.0 gives a schema one type,
     * 3.1 several.
     */
    private static void become(@Nullable Schema<?> schema) {
        if (schema == null) {
            return;
        }
        become(schema.getItems());
        Set<String> types = schema.getTypes();
        boolean integer = INTEGER.equals(schema.getType()) || (types != null && types.contains(INTEGER));
        if (integer && !"int32".equals(schema.getFormat())) {
            schema.format(null).pattern(PATTERN);
            if (schema.getType() != null) {
                schema.setType(STRING);
            }
            if (types != null) {
                Set<String> replaced = new LinkedHashSet<>();
                types.forEach((type) -> replaced.add(INTEGER.equals(type) ? STRING : type));
                schema.setTypes(replaced);
            }
        }
    }

}
