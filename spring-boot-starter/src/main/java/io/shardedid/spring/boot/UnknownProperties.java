package io.shardedid.spring.boot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.hibernate.ShardedIdKey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The names under {@code shardedid} that are set somewhere and that nobody reads. Spring
 * Boot's own check leaves out environment variables and system properties, where a
 * misspelt name does the same harm.
 *
 * <p>
 * An unknown system property is only warned of: those are shared by everything in the
 * JVM, and Hibernate's settings leave them alone as well.
 */
final class UnknownProperties {

    private static final Log LOG = LogFactory.getLog(UnknownProperties.class);

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("shardedid");

    private static final String VARIABLE_PREFIX = "SHARDEDID_";

    /** What Kubernetes sets in each pod for a service whose name begins so. */
    private static final Pattern SERVICE_LINK = Pattern
        .compile("SHARDEDID_(\\w+_)?(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT|PORT_\\d+_(TCP|UDP|SCTP)(_\\w+)?)");

    private UnknownProperties() {
    }

    static List<String> in(ConfigurableEnvironment environment) {
        List<String> unknown = new ArrayList<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof SystemEnvironmentPropertySource variables) {
                addVariables(unknown, variables);
            }
            else if (source.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)) {
                names(source).forEach((name) -> LOG
                    .warn(("System property '%s' is no configuration key: it is ignored; " + "correct or remove it")
                        .formatted(name)));
            }
            else if (!ConfigurationPropertySources.isAttachedConfigurationPropertySource(source)) {
                names(source).forEach(unknown::add);
            }
        }
        return unknown;
    }

    private static void addVariables(List<String> unknown, EnumerablePropertySource<?> variables) {
        Arrays.stream(variables.getPropertyNames())
            .filter((name) -> name.toUpperCase(Locale.ROOT).startsWith(VARIABLE_PREFIX))
            .filter((name) -> !SERVICE_LINK.matcher(name).matches())
            .filter((name) -> keys().noneMatch((key) -> isVariableOf(name.toUpperCase(Locale.ROOT), key)))
            .map((name) -> name.toLowerCase(Locale.ROOT).replace('_', '.'))
            .forEach(unknown::add);
    }

    private static boolean isVariableOf(String name, String key) {
        String variable = key.toUpperCase(Locale.ROOT).replace('.', '_');
        return name.equals(variable.replace("-", "")) || name.equals(variable.replace('-', '_'));
    }

    private static Stream<String> names(PropertySource<?> source) {
        if (ConfigurationPropertySource.from(source) instanceof IterableConfigurationPropertySource names) {
            return names.stream()
                .filter(PREFIX::isAncestorOf)
                .filter((name) -> keys().map(ConfigurationPropertyName::of).noneMatch(name::equals))
                .map(ConfigurationPropertyName::toString);
        }
        return Stream.empty();
    }

    private static Stream<String> keys() {
        return Arrays.stream(ShardedIdKey.values()).filter(ShardedIdKey::isPublic).map(ShardedIdKey::externalName);
    }

}
