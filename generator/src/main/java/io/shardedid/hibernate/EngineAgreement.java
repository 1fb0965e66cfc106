package io.shardedid.hibernate;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.shardedid.config.ShardedIdKey;
import io.shardedid.config.ShardedIdSettings;

import org.jspecify.annotations.Nullable;

/**
 * Holds what a persistence unit sets against the engine that was handed over to it: one
 * of two different values would be ignored, and nobody would know which.
 */
final class EngineAgreement {

    private EngineAgreement() {
    }

    /**
     * Checks settings that carry an engine; others agree with themselves.
     * @throws ShardedIdConfigurationException if a key has two values
     */
    static void check(ShardedIdSettings unit) {
        if (unit.engine().isEmpty()) {
            return;
        }
        ShardedIds engine = unit.engine().get();
        List<String> differing = new ArrayList<>();
        for (ShardedIdKey key : ShardedIdKey.values()) {
            if (key.isPublic() && unit.isSet(key)) {
                Object here = comparable(key, unit.get(key));
                Object there = comparable(key, valueThere(key, unit, engine));
                if (!Objects.equals(here, there)
                        && (key == ShardedIdKey.LEASE_PASSWORD || key == ShardedIdKey.LEASE_URL)) {
                    differing.add(key.externalName());
                }
                else if (!Objects.equals(here, there)) {
                    differing.add(
                            "%s=%s, engine: %s".formatted(key.externalName(), here, (there != null) ? there : "unset"));
                }
            }
        }
        if (!differing.isEmpty()) {
            throw new ShardedIdConfigurationException(
                    ("A persistence unit and the id engine handed over to it differ: %s (one key, one value); set the "
                            + "key in one place only")
                        .formatted(String.join("; ", differing)));
        }
    }

    private static @Nullable Object valueThere(ShardedIdKey key, ShardedIdSettings unit, ShardedIds engine) {
        EngineTerms terms = engine.terms();
        IdLayout layout = terms.layout();
        return switch (key) {
            case EPOCH -> layout.epoch();
            case SHARDS -> terms.shards();
            case SHARD_FUNCTION -> terms.shardFunction();
            case LEGACY_BEFORE -> engine.legacyBefore().orElse(null);
            case LAYOUT_PRESET -> presetThere(unit, layout);
            case LAYOUT_SHARD_BITS -> layout.shardBits();
            case LAYOUT_WORKER_BITS -> layout.workerBits();
            case LAYOUT_SEQUENCE_BITS -> layout.sequenceBits();
            case CLOCK_MAX_AHEAD -> terms.maxAhead();
            case CLOCK_MAX_WAIT -> terms.maxWait();
            // of the unit, not of the engine: whoever answers for it may leave it open
            case ON_KEY_CHANGE -> unit.managing()
                .filter((managing) -> managing.isSet(key))
                .map((managing) -> managing.get(key))
                .orElseGet(() -> unit.get(key));
            default -> unit.managing().map((managing) -> managing.get(key)).orElse(null);
        };
    }

    /**
     * An engine does not know the name of its preset: the name agrees if it would make
     * the same fields.
     */
    private static Object presetThere(ShardedIdSettings unit, IdLayout there) {
        Instant epoch = there.epoch();
        boolean same = unit.layout().toBuilder().epoch(epoch).build().equals(there);
        Optional<Object> name = unit.managing().map((managing) -> managing.get(ShardedIdKey.LAYOUT_PRESET));
        Object set = Objects.requireNonNull(unit.get(ShardedIdKey.LAYOUT_PRESET));
        return same ? set : name.orElse(there.fingerprint());
    }

    private static @Nullable Object comparable(ShardedIdKey key, @Nullable Object value) {
        return (value instanceof ShardFunction function) ? function.id() : value;
    }

}
