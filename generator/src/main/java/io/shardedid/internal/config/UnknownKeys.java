package io.shardedid.internal.config;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;
import io.shardedid.internal.NearestName;

/**
 * Refuses keys that nobody reads, and says which ones were meant: a misspelt key would
 * silently leave its default in force.
 */
final class UnknownKeys {

    /** What people put before the keys of other libraries. */
    private static final Pattern PREFIXES_OF_OTHERS = Pattern
        .compile("^(?:(?:hibernate|jpa|spring|jakarta|javax|persistence)[._])+", Pattern.CASE_INSENSITIVE);

    /** The prefix as people write it, in front of a key. */
    private static final Pattern OTHER_PREFIX = Pattern.compile("sharded[._-]?id[._-](.+)", Pattern.CASE_INSENSITIVE);

    private UnknownKeys() {
    }

    /**
     * Returns the key that a name means which does not begin as all keys do, such as
     * {@code shardedId.shards}, {@code sharded-id.shards} or
     * {@code hibernate.shardedid.shards}. The prefix comes first: what begins with
     * nothing like it is somebody else's, whatever it ends with.
     */
    static Optional<String> behindAnotherPrefix(String name) {
        String own = PREFIXES_OF_OTHERS.matcher(name).replaceFirst("");
        String letters = letters(own);
        if (name.startsWith(ShardedIdSettings.PREFIX) || !letters.startsWith("shardedid")) {
            return Optional.empty();
        }
        Matcher parts = OTHER_PREFIX.matcher(own);
        return known().filter((key) -> letters(key).equals(letters))
            .findFirst()
            .or(() -> parts.matches() ? meant(parts.group(1), known().toList()) : Optional.empty());
    }

    private static String letters(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[._-]", "");
    }

    private static Stream<String> known() {
        return Arrays.stream(ShardedIdKey.values()).filter(ShardedIdKey::isPublic).map(ShardedIdKey::externalName);
    }

    static void refuse(List<String> unknown) {
        if (unknown.isEmpty()) {
            return;
        }
        List<String> ofModules = unknown.stream().filter(ModuleKeys::claims).sorted().toList();
        throw new ShardedIdConfigurationException(ofModules.isEmpty()
                ? problem(unknown.stream().sorted().toList(), known().toList()) : ModuleKeys.problem(ofModules), null);
    }

    /** Says which of the known names were likely meant. */
    static Problem problem(List<String> unknown, List<String> known) {
        Map<String, String> nearest = new LinkedHashMap<>();
        unknown.forEach((name) -> behindAnotherPrefix(name)
            .or(() -> meant(name.substring(ShardedIdSettings.PREFIX.length()), known))
            .ifPresent((meant) -> nearest.put(name, meant)));
        String names = unknown.stream()
            .map((name) -> nearest.containsKey(name) ? "'%s' (nearest: '%s')".formatted(name, nearest.get(name))
                    : "'" + name + "'")
            .collect(Collectors.joining(", "));
        return new Problem("Unknown configuration key: " + names, "correct or remove it", unknown, nearest, known);
    }

    /**
     * Returns the only key with the same letters, else the one that differs by one typing
     * error, else the one that ends with the words of the name or of its last part, else
     * the one with whose last part the name ends.
     */
    private static Optional<String> meant(String name, List<String> known) {
        List<String> keys = known.stream()
            .map((key) -> named(key.substring(ShardedIdSettings.PREFIX.length()), name))
            .filter((key) -> !movesLeases(name, key))
            .toList();
        return Stream
            .<Predicate<String>>of((key) -> letters(key).equals(letters(name)),
                    (key) -> NearestName.errors(name, key) == 1, (key) -> words(key).endsWith(words(name)),
                    (key) -> words(key).endsWith(words(last(name))), (key) -> words(name).endsWith(words(last(key))))
            .map((means) -> keys.stream().filter(means).toList())
            .filter((found) -> found.size() == 1)
            .map((found) -> ShardedIdSettings.PREFIX + found.get(0))
            .findFirst();
    }

    private static String words(String name) {
        return "-" + name.replaceAll("[._]", "-");
    }

    /** A misspelt login of another database must not become the login of the leases. */
    private static boolean movesLeases(String name, String key) {
        return List.of("url", "username", "password").contains(last(key)) && key.contains("lease")
                && !name.contains("lease") && !name.contains("worker");
    }

    /** Gives a key with a star the name that stands there. */
    private static String named(String key, String name) {
        String[] parts = key.split("\\.");
        String[] written = name.split("\\.");
        for (int i = 0; i < parts.length - 1 && i < written.length - 1; i++) {
            parts[i] = parts[i].equals("*") ? written[i] : parts[i];
        }
        return String.join(".", parts);
    }

    private static String last(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

}
