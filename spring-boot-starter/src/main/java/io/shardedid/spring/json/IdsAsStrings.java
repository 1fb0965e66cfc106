package io.shardedid.spring.json;

import io.shardedid.config.JsonAsString;
import io.shardedid.spring.boot.ShardedIdProperties;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * {@link org.springframework.context.annotation.Condition Condition} that matches unless
 * {@code shardedid.json.as-string} says that ids leave as numbers.
 *
 * @apiNote This class is no API for applications. It is public because the description of
 * the web interface in OpenAPI asks the same question.
 * @since 0.1
 */
public class IdsAsStrings extends SpringBootCondition {

    /** Creates a condition. */
    public IdsAsStrings() {
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        JsonAsString found = in(context.getEnvironment());
        return new ConditionOutcome(found != JsonAsString.FALSE,
                ConditionMessage.of("shardedid.json.as-string is " + found));
    }

    static JsonAsString in(Environment environment) {
        return Binder.get(environment)
            .bind("shardedid.json", Bindable.of(ShardedIdProperties.Json.class))
            .orElseGet(() -> new ShardedIdProperties.Json(null))
            .numbersAsString();
    }

}
