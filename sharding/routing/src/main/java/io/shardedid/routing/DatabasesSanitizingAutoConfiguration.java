package io.shardedid.routing;

import java.util.List;
import java.util.Locale;

import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that keeps the URLs and passwords of
 * routed databases from the endpoints of Spring Boot, also where an application lets
 * those show values.
 */
@AutoConfiguration
@ConditionalOnClass(SanitizingFunction.class)
@Conditional(DatabasesAutoConfiguration.OnDatabases.class)
final class DatabasesSanitizingAutoConfiguration {

    @Bean
    SanitizingFunction shardedIdDatabasesSanitizingFunction(Environment environment) {
        List<String> secrets = DatabasesProperties.all(environment)
            .entrySet()
            .stream()
            .filter((property) -> opens(letters(property.getKey())))
            .map((property) -> unescaped(property.getValue().strip()))
            .filter((secret) -> !secret.isEmpty())
            .toList();
        return (data) -> (names(data) || shows(data, secrets)) ? data.withSanitizedValue() : data;
    }

    /** Also the keys of a pool and of its driver end so. */
    private static boolean opens(String name) {
        return name.endsWith("url") || name.endsWith("password");
    }

    /** A key has other spellings in the environment. */
    private static boolean names(SanitizableData data) {
        String name = letters(data.getKey());
        return name.startsWith(letters(DatabasesProperties.PREFIX)) && opens(name);
    }

    /** A command line and {@code SPRING_APPLICATION_JSON} hold secrets in their midst. */
    private static boolean shows(SanitizableData data, List<String> secrets) {
        if (!(data.getValue() instanceof CharSequence value)) {
            return false;
        }
        String text = unescaped(value.toString());
        return letters(text).contains("shardedid") && secrets.stream().anyMatch(text::contains);
    }

    /** JSON writes some characters behind a backslash. */
    private static String unescaped(String text) {
        return text.replace("\\", "");
    }

    private static String letters(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

}
