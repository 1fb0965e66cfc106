package io.shardedid.internal.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Collectors;

import io.shardedid.ShardedIdConfigurationException.Problem;

/**
 * The keys under {@code shardedid.} that a module beside this one reads. Each module
 * brings their names in {@code META-INF/shardedid/keys}, so that a misspelt key fails the
 * start as any other does. A key whose module is missing fails the start with the name of
 * the artifact, which {@code META-INF/shardedid/artifacts.properties} of this jar finds
 * by the beginning of the key.
 */
public final class ModuleKeys {

    private static final String KEYS = "META-INF/shardedid/keys";

    /** The keys of the modules on the class path; a star stands for a name. */
    private static final List<String> PRESENT = names();

    /** Those that the generator itself does not name. */
    private static final List<String> NAMES = PRESENT.stream()
        .filter((name) -> ShardedIdKey.named(name).isEmpty())
        .toList();

    /** The artifacts, also those that are not there, by the beginning of their keys. */
    private static final Map<String, String> ARTIFACTS = artifacts();

    private ModuleKeys() {
    }

    private static List<String> names() {
        try {
            List<String> names = new ArrayList<>();
            ClassLoader loader = Objects.requireNonNull(ModuleKeys.class.getClassLoader());
            for (URL keys : Collections.list(loader.getResources(KEYS))) {
                try (InputStream lines = keys.openStream()) {
                    new String(lines.readAllBytes(), StandardCharsets.UTF_8).lines()
                        .map(String::strip)
                        .filter((line) -> !line.isEmpty() && !line.startsWith("#"))
                        .forEach(names::add);
                }
            }
            return List.copyOf(names);
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static Map<String, String> artifacts() {
        Properties artifacts = new Properties();
        try (InputStream lines = ModuleKeys.class.getResourceAsStream("/META-INF/shardedid/artifacts.properties")) {
            artifacts.load(Objects.requireNonNull(lines));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        return artifacts.stringPropertyNames()
            .stream()
            .collect(Collectors.toUnmodifiableMap((beginning) -> beginning, artifacts::getProperty));
    }

    /** The first two parts of a key, which belong to one module. */
    private static String beginning(String name) {
        int end = name.indexOf('.', name.indexOf('.') + 1);
        return (end < 0) ? name : name.substring(0, end);
    }

    private static boolean hasBeginning(List<String> keys, String name) {
        return keys.stream().anyMatch((key) -> beginning(key).equals(beginning(name)));
    }

    /** Returns whether a key belongs to a module that is not on the class path. */
    static boolean isMissing(String name) {
        return ARTIFACTS.containsKey(beginning(name)) && !hasBeginning(PRESENT, name);
    }

    /** Returns whether a key belongs to a module, known or not. */
    public static boolean claims(String name) {
        return isMissing(name) || hasBeginning(NAMES, name);
    }

    /**
     * Returns whether a key is read by a module that is on the class path.
     * @return false for unknown keys, and for all keys of a module that is not there
     */
    public static boolean known(String name) {
        return NAMES.stream().anyMatch((key) -> name.matches(pattern(key.replace(".", "\\."), "[^.]+", ".+")));
    }

    /**
     * Returns whether an environment variable is a key that a module on the class path
     * reads.
     * @return false for unknown variables
     */
    public static boolean knownVariable(String variable) {
        String name = variable.toUpperCase(Locale.ROOT);
        return NAMES.stream().anyMatch((key) -> {
            String pattern = pattern(key.toUpperCase(Locale.ROOT).replace('.', '_'), "[A-Z0-9]+", "\\\\w+");
            return name.matches(pattern.replace("-", "")) || name.matches(pattern.replace('-', '_'));
        });
    }

    private static String pattern(String key, String name, String rest) {
        return key.replaceFirst("\\*$", rest).replace("*", name);
    }

    static Problem problem(List<String> set) {
        List<String> missing = set.stream().filter(ModuleKeys::isMissing).toList();
        if (missing.isEmpty()) {
            return UnknownKeys.problem(set, NAMES);
        }
        String artifact = ARTIFACTS.get(beginning(missing.get(0)));
        List<String> keys = missing.stream()
            .filter((name) -> Objects.equals(artifact, ARTIFACTS.get(beginning(name))))
            .toList();
        return new Problem(
                "Configuration keys of '%s', which is not on the class path: %s".formatted(artifact,
                        keys.stream().map((name) -> "'" + name + "'").collect(Collectors.joining(", "))),
                "add that artifact, or remove the keys", keys.toArray(String[]::new));
    }

}
