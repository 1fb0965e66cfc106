package io.shardedid.spring.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.internal.config.ModuleKeys;
import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The names under {@code shardedid} that are set somewhere and that nobody reads. Spring
 * Boot's own check is not used: it leaves out environment variables and system
 * properties, where a misspelt name does the same harm.
 *
 * <p>
 * An unknown system property is only warned of: those are shared by everything in the
 * JVM, and Hibernate's settings leave them alone as well. So is a variable that means no
 * key.
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
                unknown.addAll(unknownOf(variables));
            }
            else if (source.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)) {
                for (String name : unknownOf(source)) {
                    LOG.warn("System property '%s' is no configuration key: it is ignored; correct or remove it"
                        .formatted(name));
                }
            }
            else if (!ConfigurationPropertySources.isAttachedConfigurationPropertySource(source)) {
                unknown.addAll(unknownOf(source));
                unknown.addAll(misspelt(source));
            }
        }
        return unknown;
    }

    private static List<String> unknownOf(SystemEnvironmentPropertySource variables) {
        List<String> unknown = new ArrayList<>();
        for (String variable : variables.getPropertyNames()) {
            String name = variable.toUpperCase(Locale.ROOT);
            if (mayBeMisspelt(name)) {
                unknown.add(variable);
            }
            if (name.startsWith(VARIABLE_PREFIX) && !SERVICE_LINK.matcher(variable).matches()
                    && !isVariable(name.replace('-', '_'))) {
                String key = variable.toLowerCase(Locale.ROOT).replace('_', '.');
                if (mayMeanAKey(key)) {
                    unknown.add(key);
                }
                else {
                    LOG.warn("Environment variable '%s' is no configuration key: it is ignored; correct or remove it"
                        .formatted(variable));
                }
            }
        }
        return unknown;
    }

    /**
     * Images have variables such as {@code SHARDEDID_VERSION}, which mean nothing here.
     */
    private static boolean mayMeanAKey(String key) {
        try {
            ShardedIdSettings.from(Map.of(key, ""));
            return false;
        }
        catch (ShardedIdConfigurationException ex) {
            return ModuleKeys.claims(key) || !ex.problem().nearest().isEmpty();
        }
    }

    private static boolean isVariable(String name) {
        for (ShardedIdKey key : ShardedIdKey.values()) {
            String variable = key.externalName().toUpperCase(Locale.ROOT).replace('.', '_');
            if (key.isPublic() && (name.equals(variable.replace("-", "")) || name.equals(variable.replace('-', '_')))) {
                return true;
            }
        }
        return ModuleKeys.knownVariable(name);
    }

    private static List<String> unknownOf(PropertySource<?> source) {
        List<String> unknown = new ArrayList<>();
        if (source instanceof EnumerablePropertySource<?> names) {
            for (String written : names.getPropertyNames()) {
                ConfigurationPropertyName name = mayBeOurs(written) ? ConfigurationPropertyName.adapt(written, '.')
                        : ConfigurationPropertyName.EMPTY;
                if (PREFIX.isAncestorOf(name) && !isKey(name)) {
                    unknown.add(name.toString());
                }
            }
        }
        return unknown;
    }

    private static List<String> misspelt(PropertySource<?> source) {
        return (source instanceof EnumerablePropertySource<?> names)
                ? Stream.of(names.getPropertyNames()).filter(UnknownProperties::mayBeMisspelt).toList() : List.of();
    }

    /**
     * Whether a name contains ours behind something else, such as
     * {@code spring.shardedid.shards}, or in two words that are no prefix of ours to
     * Spring Boot: the settings refuse it if it is one of the keys to the letter.
     */
    private static boolean mayBeMisspelt(String written) {
        return !mayBeOurs(written) && letters(written).matches(".*shardedid.+")
                || written.toUpperCase(Locale.ROOT).startsWith("SHARDED_ID_");
    }

    private static String letters(String written) {
        return written.toLowerCase(Locale.ROOT).replaceAll("[._-]", "");
    }

    /** Spares a start to take every system property apart. */
    private static boolean mayBeOurs(String written) {
        return written.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "").startsWith("shardedid");
    }

    private static boolean isKey(ConfigurationPropertyName name) {
        for (ShardedIdKey key : ShardedIdKey.values()) {
            if (key.isPublic() && name.equals(ConfigurationPropertyName.of(key.externalName()))) {
                return true;
            }
        }
        return ModuleKeys.known(name.toString());
    }

}
