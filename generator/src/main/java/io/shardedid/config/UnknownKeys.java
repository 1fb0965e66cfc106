package io.shardedid.config;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.stream.Collectors;

import io.shardedid.ShardedIdConfigurationException;

/**
 * Refuses keys that nobody reads, and says which ones were meant: a misspelt key would
 * silently leave its default in force.
 */
final class UnknownKeys {

    private static final int LIKELY_TYPOS = 4;

    private UnknownKeys() {
    }

    static void refuse(Collection<String> unknown) {
        if (unknown.isEmpty()) {
            return;
        }
        throw new ShardedIdConfigurationException("Unknown configuration key: %s; correct or remove it (known: %s)"
            .formatted(unknown.stream().sorted().map(UnknownKeys::withNearest).collect(Collectors.joining(", ")),
                    Arrays.stream(ShardedIdKey.values())
                        .filter(ShardedIdKey::isPublic)
                        .map((key) -> "'" + key.externalName() + "'")
                        .collect(Collectors.joining(", "))));
    }

    private static String withNearest(String unknown) {
        return Arrays.stream(ShardedIdKey.values())
            .filter(ShardedIdKey::isPublic)
            .map(ShardedIdKey::externalName)
            .filter((known) -> distance(unknown, known) <= LIKELY_TYPOS)
            .min(Comparator.comparingInt((known) -> distance(unknown, known)))
            .map((nearest) -> "'%s' (nearest: '%s')".formatted(unknown, nearest))
            .orElse("'" + unknown + "'");
    }

    /** The number of characters to insert, delete or replace (Levenshtein). */
    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        Arrays.setAll(row, (j) -> j);
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }

}
