package io.shardedid.config;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The keys under {@code shardedid.} that a module beside this one reads. They are known
 * here, so that a misspelt one is refused as any other, and so that a key whose module is
 * not there is refused with the name of the artifact.
 * <p>
 * The type is public for package {@code io.shardedid.spring.boot}, which looks for
 * unknown names in the environment, and is no API.
 *
 * @since 0.1
 */
public final class ModuleKeys {

    /** The only module with keys of its own so far. */
    private static final String ARTIFACT = "shardedid-routing";

    /** A class of the module tells that it is there. */
    private static final String PRESENT_IF = "io/shardedid/routing/RoutingGuard.class";

    private static final List<String> PREFIXES = List.of("shardedid.routing", "shardedid.databases");

    /** What the keys are; a star stands for the name of a database. */
    private static final List<String> NAMES = List.of("shardedid.routing.guard", "shardedid.databases.initial-map",
            "shardedid.databases.refresh", "shardedid.databases.enter", "shardedid.databases.home",
            "shardedid.databases.*.url", "shardedid.databases.*.username", "shardedid.databases.*.password");

    private static final Pattern POOL = Pattern.compile("shardedid\\.databases\\.[^.]+\\.hikari\\..+");

    private ModuleKeys() {
    }

    /**
     * Returns whether a key belongs to a module, known or not.
     * @param name the key, in the canonical form of configuration
     * @return whether the generator itself leaves the key alone
     */
    public static boolean claims(String name) {
        return PREFIXES.stream().anyMatch((prefix) -> name.equals(prefix) || name.startsWith(prefix + "."));
    }

    /**
     * Returns whether a key is read by a module that is on the class path.
     * @param name the key, in the canonical form of configuration
     * @return false for unknown keys, and for all keys of a module that is not there
     */
    public static boolean known(String name) {
        return claims(name) && isPresent() && isKey(name);
    }

    /**
     * Returns whether an environment variable is a key that a module on the class path
     * reads.
     * @param variable the name of the variable, in any case
     * @return false for unknown variables
     */
    public static boolean knownVariable(String variable) {
        String name = variable.toUpperCase(Locale.ROOT);
        return isPresent() && (NAMES.stream().anyMatch((key) -> matches(name, key))
                || name.matches("SHARDEDID_DATABASES_[A-Z0-9]+_HIKARI_\\w+"));
    }

    private static boolean matches(String variable, String key) {
        String pattern = key.toUpperCase(Locale.ROOT).replace('.', '_').replace("*", "[A-Z0-9]+");
        return variable.matches(pattern.replace("-", "")) || variable.matches(pattern.replace('-', '_'));
    }

    private static boolean isKey(String name) {
        return POOL.matcher(name).matches()
                || NAMES.stream().anyMatch((key) -> name.matches(key.replace(".", "\\.").replace("*", "[^.]+")));
    }

    private static boolean isPresent() {
        ClassLoader loader = ModuleKeys.class.getClassLoader();
        return loader.getResource(PRESENT_IF) != null;
    }

    /** Says why keys of a module are refused. */
    static String refusal(List<String> names) {
        if (isPresent()) {
            return "Unknown configuration key: %s; correct or remove it (known: %s, 'shardedid.databases.*.hikari.*')"
                .formatted(
                        names.stream()
                            .map((name) -> UnknownKeys.withNearest(name, NAMES))
                            .collect(Collectors.joining(", ")),
                        NAMES.stream().map((key) -> "'" + key + "'").collect(Collectors.joining(", ")));
        }
        return "Configuration keys of '%s', which is not on the class path: %s; add that artifact, or remove the keys"
            .formatted(ARTIFACT, names.stream().map((name) -> "'" + name + "'").collect(Collectors.joining(", ")));
    }

}
