package io.shardedid.config;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.NearestName;
import io.shardedid.ShardedIdConfigurationException;

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
        if (!ofModules.isEmpty()) {
            throw new ShardedIdConfigurationException(ModuleKeys.refusal(ofModules));
        }
        throw new ShardedIdConfigurationException("Unknown configuration key: %s; correct or remove it (known: %s)"
            .formatted(unknown.stream().sorted().map(UnknownKeys::withNearest).collect(Collectors.joining(", ")),
                    known().map((key) -> "'" + key + "'").collect(Collectors.joining(", "))));
    }

    private static String withNearest(String unknown) {
        return behindAnotherPrefix(unknown).map((meant) -> quoted(unknown, meant))
            .orElseGet(() -> withNearest(unknown, known().toList()));
    }

    /** Quotes a name, and the one of the known names that was likely meant. */
    static String withNearest(String unknown, List<String> known) {
        return NearestName.of(unknown, known, LIKELY_TYPOS)
            .map((nearest) -> quoted(unknown, nearest))
            .orElse("'" + unknown + "'");
    }

    private static String quoted(String unknown, String nearest) {
        return "'%s' (nearest: '%s')".formatted(unknown, nearest);
    }

}
