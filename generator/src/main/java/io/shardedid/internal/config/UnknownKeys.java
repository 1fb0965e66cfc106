package io.shardedid.internal.config;

import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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

    /** What all keys begin with. */
    static final String PREFIX = "shardedid.";

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
        if (name.startsWith(PREFIX) || !letters.startsWith("shardedid")) {
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

    /** Refuses the names, if there are any. */
    static void refuse(Map<String, ?> unknown) {
        if (unknown.isEmpty()) {
            return;
        }
        Map<String, Object> ofModules = new TreeMap<>(unknown);
        ofModules.keySet().removeIf((name) -> !ModuleKeys.claims(name));
        throw new ShardedIdConfigurationException(
                ofModules.isEmpty() ? problem(new TreeMap<>(unknown), known().toList()) : ModuleKeys.problem(ofModules),
                null);
    }

    /** Says which of the known names were likely meant. */
    static Problem problem(Map<String, ?> set, List<String> known) {
        List<String> unknown = List.copyOf(set.keySet());
        Map<String, String> nearest = new LinkedHashMap<>();
        set.forEach((name, value) -> behindAnotherPrefix(name).or(() -> inGroup(name, value, known))
            .or(() -> meant(name.substring(PREFIX.length()), known))
            .ifPresent((meant) -> nearest.put(name, meant)));
        String names = unknown.stream()
            .map((name) -> nearest.containsKey(name) ? "'%s' (nearest: '%s')".formatted(name, nearest.get(name))
                    : "'" + name + "'")
            .collect(Collectors.joining(", "));
        return new Problem("Unknown configuration key: " + names, "correct or remove it", unknown, nearest, known);
    }

    /**
     * Returns the only key of a group that takes the value which was set for the group.
     */
    private static Optional<String> inGroup(String group, Object value, List<String> known) {
        return only(known.stream()
            .filter((key) -> key.startsWith(group + ".") && key.indexOf('.', group.length() + 1) < 0
                    && takes(key, value))
            .toList());
    }

    private static boolean takes(String name, Object value) {
        try {
            ShardedIdKey.named(name).ifPresent((key) -> key.read(value));
            return true;
        }
        catch (ShardedIdConfigurationException ex) {
            return false;
        }
    }

    /**
     * Returns the key with the same letters, else the one that differs by one typing
     * error, else the one with the same last word, else the one that differs by more of
     * them.
     */
    private static Optional<String> meant(String name, List<String> known) {
        List<String> keys = known.stream().map((key) -> named(key.substring(PREFIX.length()), name)).toList();
        List<String> spelled = keys.stream().filter((key) -> letters(key).equals(letters(name))).toList();
        if (!spelled.isEmpty()) {
            return only(spelled).map(PREFIX::concat);
        }
        List<String> slipped = keys.stream().filter((key) -> NearestName.errors(name, key) == 1).toList();
        if (slipped.size() == 1) {
            return only(slipped).map(PREFIX::concat);
        }
        int most = keys.stream().mapToInt((key) -> sameWords(name, key)).max().orElse(0);
        List<String> same = keys.stream()
            .filter((key) -> most > 0 && sameWords(name, key) == most && !movesLeases(name, key))
            .toList();
        return only(same).or(() -> only(same.stream().filter((key) -> last(key).equals(last(name))).toList()))
            .or(() -> keys.stream()
                .filter((key) -> mayMean(name.split("\\."), key.split("\\.")))
                .min(Comparator.comparingInt((key) -> NearestName.errors(name, key))))
            .map(PREFIX::concat);
    }

    /** A misspelt login of another database must not become the login of the leases. */
    private static boolean movesLeases(String name, String key) {
        return List.of("url", "username", "password").contains(last(key)) && key.contains("lease")
                && !name.contains("lease") && !name.contains("worker");
    }

    private static Optional<String> only(List<String> names) {
        return (names.size() == 1) ? Optional.of(names.get(0)) : Optional.empty();
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

    /**
     * Returns how many words at the ends are the same; 0 unless these are all words of
     * the last part of one of the two.
     */
    private static int sameWords(String name, String key) {
        List<String> ofName = words(name);
        List<String> ofKey = words(key);
        int same = 0;
        while (same < Math.min(ofName.size(), ofKey.size())
                && ofName.get(ofName.size() - 1 - same).equals(ofKey.get(ofKey.size() - 1 - same))) {
            same++;
        }
        return (same >= Math.min(words(last(name)).size(), words(last(key)).size())) ? same : 0;
    }

    private static List<String> words(String name) {
        return List.of(name.split("[.-]"));
    }

    private static String last(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static boolean mayMean(String[] name, String[] key) {
        int errors = 0;
        for (int i = 0; i < key.length && name.length == key.length; i++) {
            if (!name[i].equals(key[i]) && !NearestName.mayMean(name[i], key[i])) {
                return false;
            }
            errors += NearestName.errors(name[i], key[i]);
        }
        return name.length == key.length && errors <= NearestName.MOST_ERRORS;
    }

}
