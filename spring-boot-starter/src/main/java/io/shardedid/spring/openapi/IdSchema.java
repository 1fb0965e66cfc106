package io.shardedid.spring.openapi;

import java.util.LinkedHashSet;
import java.util.Set;

import io.swagger.v3.oas.models.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The schema of an id: digits in a string.
 */
final class IdSchema {

    static final String PATTERN = "^[0-9]{1,19}$";

    private static final String INTEGER = "integer";

    private static final String STRING = "string";

    private IdSchema() {
    }

    /**
     * Makes the integers of 64 bits of a schema strings: itself, its items, or its
     * values. OpenAPI 3.0 gives a schema one type, 3.1 several.
     */
    static void become(@Nullable Schema<?> schema) {
        if (schema == null) {
            return;
        }
        become(schema.getItems());
        if (schema.getAdditionalProperties() instanceof Schema<?> values) {
            become(values);
        }
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
