package io.shardedid.spring.actuate;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import io.shardedid.ShardedIds;
import io.shardedid.internal.config.ShardedIdKey;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that keeps the keys of sealed ids,
 * and the URL and the password of the lease table, from the endpoints of Spring Boot,
 * also where an application lets those show values.
 */
@AutoConfiguration
@ConditionalOnClass({ ShardedIds.class, SanitizingFunction.class })
final class ShardedIdSanitizingAutoConfiguration {

    private static final List<String> SECRET = Arrays.stream(ShardedIdKey.values())
        .filter(ShardedIdKey::isSecret)
        .map(ShardedIdKey::externalName)
        .toList();

    ShardedIdSanitizingAutoConfiguration() {
    }

    @Bean
    SanitizingFunction shardedIdSanitizingFunction(Environment environment) {
        return (data) -> (names(data) || shows(data, environment)) ? data.withSanitizedValue() : data;
    }

    /** A key has other spellings in the environment, and a number in a list. */
    private static boolean names(SanitizableData data) {
        String name = letters(data.getKey());
        return SECRET.stream().map(ShardedIdSanitizingAutoConfiguration::letters).anyMatch(name::startsWith);
    }

    /** A command line and {@code SPRING_APPLICATION_JSON} hold secrets in their midst. */
    private static boolean shows(SanitizableData data, Environment environment) {
        if (!(data.getValue() instanceof CharSequence value)) {
            return false;
        }
        String text = unescaped(value.toString());
        return SECRET.stream()
            .map(environment::getProperty)
            .filter(Objects::nonNull)
            .map((secret) -> unescaped(secret.strip()))
            .anyMatch((secret) -> !secret.isEmpty() && (text.equals(secret) || text.contains(secret) && namesUs(text)));
    }

    /** A password can be short, and then many texts contain it by chance. */
    private static boolean namesUs(String text) {
        return letters(text).contains("shardedid");
    }

    /** JSON writes some characters behind a backslash. */
    private static String unescaped(String text) {
        return text.replace("\\", "");
    }

    private static String letters(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

}
