package io.shardedid.spring.boot;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.config.ShardedIdSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What the log says when an engine was opened. That its layout ends soon, the engine says
 * itself.
 */
final class StartMessage {

    private static final Log LOG = LogFactory.getLog(StartMessage.class);

    private StartMessage() {
    }

    /**
     * Writes the line.
     * @param byKeys whether the worker id is leased as the keys say, and not by a bean of
     * the application
     */
    static void log(ShardedIdEngine ids, ShardedIdSettings settings, boolean byKeys) {
        LOG.info(summary(ids, settings, byKeys));
    }

    static String summary(ShardedIdEngine ids, ShardedIdSettings settings, boolean byKeys) {
        IdLayout layout = ids.layout();
        long perSecond = (Duration.ofSeconds(1).toNanos() / layout.tick().toNanos()) << layout.sequenceBits();
        return String.format(Locale.ROOT,
                "Sharded ids: layout %s (epoch %s), last usable instant %s, %,d shards, %,d ids per second and shard, "
                        + "worker %s",
                layout.describe(), layout.epoch(), layout.lastUsableInstant().truncatedTo(ChronoUnit.SECONDS),
                ids.shards(), perSecond, worker(ids, settings, byKeys));
    }

    private static String worker(ShardedIdEngine ids, ShardedIdSettings settings, boolean byKeys) {
        return switch (settings.workerMode()) {
            case FIXED -> settings.workerId().orElse(-1) + " (fixed)";
            case NONE -> "none: this process makes no ids";
            case RANDOM -> "by chance: this process makes UUIDs only";
            case LEASE -> {
                String leased = byKeys ? "leased from store '%s'".formatted(settings.leaseStore().orElse("database"))
                        : "leased";
                yield (ids.stats().worker() < 0) ? leased + ", with the first id"
                        : "%s (%s)".formatted(ids.stats().worker(), leased);
            }
        };
    }

}
