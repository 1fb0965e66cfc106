package io.shardedid.config;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

import io.shardedid.NearestName;
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
        List<String> ofModules = unknown.stream().filter(ModuleKeys::claims).sorted().toList();
        if (!ofModules.isEmpty()) {
            throw new ShardedIdConfigurationException(ModuleKeys.refusal(ofModules));
        }
        throw new ShardedIdConfigurationException("Unknown configuration key: %s; correct or remove it (known: %s)"
            .formatted(unknown.stream().sorted().map(UnknownKeys::withNearest).collect(Collectors.joining(", ")),
                    Arrays.stream(ShardedIdKey.values())
                        .filter(ShardedIdKey::isPublic)
                        .map((key) -> "'" + key.externalName() + "'")
                        .collect(Collectors.joining(", "))));
    }

    private static String withNearest(String unknown) {
        return withNearest(unknown,
                Arrays.stream(ShardedIdKey.values())
                    .filter(ShardedIdKey::isPublic)
                    .map(ShardedIdKey::externalName)
                    .toList());
    }

    /** Quotes a name, and the one of the known names that was likely meant. */
    static String withNearest(String unknown, List<String> known) {
        return NearestName.of(unknown, known, LIKELY_TYPOS)
            .map((nearest) -> "'%s' (nearest: '%s')".formatted(unknown, nearest))
            .orElse("'" + unknown + "'");
    }

}
