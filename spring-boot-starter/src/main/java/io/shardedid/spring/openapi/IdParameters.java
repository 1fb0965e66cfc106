package io.shardedid.spring.openapi;

import io.shardedid.jackson.JsonShardedId;
import io.swagger.v3.oas.models.parameters.Parameter;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.ParameterCustomizer;

import org.springframework.core.MethodParameter;

/**
 * Shows path variables and request parameters with {@link JsonShardedId} as strings.
 */
final class IdParameters implements ParameterCustomizer {

    @Override
    public @Nullable Parameter customize(@Nullable Parameter parameter, MethodParameter method) {
        if (parameter != null && method.hasParameterAnnotation(JsonShardedId.class)) {
            IdSchema.become(parameter.getSchema());
        }
        return parameter;
    }

}
