package io.shardedid.spring.json;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Whether ids of entities are strings: unless {@code shardedid.json.as-string} is false,
 * or another word that Spring Boot takes for it.
 */
final class IdsAsStrings implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return Binder.get(context.getEnvironment()).bind("shardedid.json.as-string", Boolean.class).orElse(true);
    }

}
