package io.shardedid.config;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.NearestName;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdConfigurationException.Problem;

/**
 * Refuses keys that nobody reads, and says which ones were meant: a misspelt key would
 * silently leave its default in force.
 */
final class UnknownKeys {

    /** What all keys begin with. */
    static final String PREFIX = "shardedid.";

    private static final int LIKELY_TYPOS = 4;

    /** What people put before the keys of other libraries. */
    private static final Pattern PREFIXES_OF_OTHERS = Pattern
        .compile("^(?:(?:hibernate|jpa|spring|jakarta|javax|persistence)[._])+", Pattern.CASE_INSENSITIVE);

    private UnknownKeys() {
    }

    /**
     * Returns the key that a name means which does not begin as all keys do, such as
     * {@code shardedId.shards}, {@code sharded-id.shards} or
     * {@code hibernate.shardedid.shards}: the rest of it must be a key to the letter.
     */
    static Optional<String> behindAnotherPrefix(String name) {
        String letters = letters(PREFIXES_OF_OTHERS.matcher(name).replaceFirst(""));
        boolean mayBe = letters.startsWith("shardedid") && !name.startsWith(PREFIX);
        return mayBe ? known().filter((key) -> letters(key).equals(letters)).findFirst() : Optional.empty();
    }

    private static String letters(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[._-]", "");
    }

    private static Stream<String> known() {
        return Arrays.stream(ShardedIdKey.values()).filter(ShardedIdKey::isPublic).map(ShardedIdKey::externalName);
    }

    static void refuse(Collection<String> unknown) {
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
        for (String name : unknown) {
            behindAnotherPrefix(name).or(() -> NearestName.of(name, known, LIKELY_TYPOS))
                .ifPresent((meant) -> nearest.put(name, meant));
        }
        String names = unknown.stream()
            .map((name) -> nearest.containsKey(name) ? "'%s' (nearest: '%s')".formatted(name, nearest.get(name))
                    : "'" + name + "'")
            .collect(Collectors.joining(", "));
        return new Problem("Unknown configuration key: " + names, "correct or remove it", unknown, nearest, known);
    }

}
