package io.shardedid.spring.openapi;

import java.lang.annotation.Annotation;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import io.shardedid.ShardedId;
import io.shardedid.jackson.IdText;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonIds;
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
 * Describes ids as the strings that JSON carries: in models, and in path variables and
 * request parameters with {@link JsonShardedId}.
 */
final class IdOpenApi implements ModelConverter, ParameterCustomizer {

    /** What an id is as long as nothing says more of it. */
    private static final String PATTERN = IdText.decimal().pattern();

    private static final String INTEGER = "integer";

    private static final String STRING = "string";

    private static final String MODELS = "#/components/schemas/";

    private final BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>> more;

    private final IdTexts formats;

    IdOpenApi(BiFunction<Class<?>, List<Class<?>>, Map<String, Class<?>>> more, IdTexts formats) {
        this.more = more;
        this.formats = formats;
    }

    @Override
    public @Nullable Schema<?> resolve(AnnotatedType type, ModelConverterContext context,
            Iterator<ModelConverter> chain) {
        Annotation[] annotations = type.getCtxAnnotations();
        boolean id = type.isSchemaProperty() && marked(annotations);
        if (id && type.getType() != null
                && Json.mapper().constructType(type.getType()).hasRawClass(OptionalLong.class)) {
            // else an object of its getters
            type.type(Long.class);
        }
        Schema<?> schema = chain.hasNext() ? chain.next().resolve(type, context, chain) : null;
        if (schema != null && id) {
            become(schema, JsonIds.format(mark(annotations), this.formats));
        }
        else if (schema != null && type.getType() != null) {
            named(Json.mapper().constructType(type.getType()), model(schema, context));
        }
        return schema;
    }

    @Override
    public @Nullable Parameter customize(@Nullable Parameter parameter, MethodParameter method) {
        JsonShardedId mark = method.getParameterAnnotation(JsonShardedId.class);
        if (parameter != null && mark != null) {
            become(parameter.getSchema(), JsonIds.format(mark, this.formats));
        }
        return parameter;
    }

    /**
     * The attributes that hold ids without saying so, and the id of an entity, whose form
     * follows from its class.
     */
    private void named(JavaType type, @Nullable Schema<?> model) {
        if (model == null || model.getProperties() == null) {
            return;
        }
        JsonIds ids = JsonIds.namedBy(type.getRawClass(),
                type.getBindings().getTypeParameters().stream().<Class<?>>map(JavaType::getRawClass).toList(),
                this.more);
        for (BeanPropertyDefinition property : Json.mapper()
            .getSerializationConfig()
            .introspect(type)
            .findProperties()) {
            String attribute = property.getInternalName();
            Class<?> number = property.getRawPrimaryType();
            Schema<?> schema = model.getProperties().get(property.getName());
            if (schema == null || !free(property) || has(property, JsonShardedId.class)) {
                continue;
            }
            if (has(property, ShardedId.class) && PATTERN.equals(schema.getPattern())) {
                this.formats.forAttribute(type.getRawClass(), attribute, number)
                    .ifPresent((format) -> schema.setPattern(format.pattern()));
            }
            else if (ids.contains(attribute, number)) {
                become(schema, ids.format(type.getRawClass(), attribute, this.formats));
            }
        }
    }

    private static boolean free(BeanPropertyDefinition property) {
        return property.getPrimaryMember() == null || !JsonIds.hasOwnFormat(property.getPrimaryMember()::getAnnotation);
    }

    private static boolean has(BeanPropertyDefinition property, Class<? extends Annotation> mark) {
        return property.getPrimaryMember() != null && property.getPrimaryMember().hasAnnotation(mark);
    }

    private static @Nullable Schema<?> model(Schema<?> schema, ModelConverterContext context) {
        String reference = schema.get$ref();
        if (reference == null) {
            return schema;
        }
        Map<String, ? extends Schema<?>> models = models(context);
        return models.get(reference.startsWith(MODELS) ? reference.substring(MODELS.length()) : reference);
    }

    @SuppressWarnings({ "rawtypes", "unchecked" })
    private static Map<String, ? extends Schema<?>> models(ModelConverterContext context) {
        return (Map) context.getDefinedModels();
    }

    private static boolean marked(Annotation @Nullable [] annotations) {
        return annotations != null && JsonIds.isMarked(annotations);
    }

    private static @Nullable JsonShardedId mark(Annotation @Nullable [] annotations) {
        return (annotations == null) ? null
                : Stream.of(annotations)
                    .filter(JsonShardedId.class::isInstance)
                    .map(JsonShardedId.class::cast)
                    .findFirst()
                    .orElse(null);
    }

    /**
     * Makes the integers of 64 bits of a schema strings: itself, its items, or its
     * values. OpenAPI 3.0 gives a schema one type, 3.1 several.
     */
    private static void become(@Nullable Schema<?> schema, IdText format) {
        if (schema == null) {
            return;
        }
        become(schema.getItems(), format);
        if (schema.getAdditionalProperties() instanceof Schema<?> values) {
            become(values, format);
        }
        Set<String> types = schema.getTypes();
        boolean integer = INTEGER.equals(schema.getType()) || (types != null && types.contains(INTEGER));
        if (integer && !"int32".equals(schema.getFormat())) {
            schema.format(null).pattern(format.pattern());
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
