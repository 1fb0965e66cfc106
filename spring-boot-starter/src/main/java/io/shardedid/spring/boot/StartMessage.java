package io.shardedid.spring.boot;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.config.ShardedIdSettings;
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

    /** Writes the line. */
    static void log(ShardedIdEngine ids, ShardedIdSettings settings) {
        LOG.info(summary(ids, settings));
    }

    static String summary(ShardedIdEngine ids, ShardedIdSettings settings) {
        IdLayout layout = ids.layout();
        long perSecond = (Duration.ofSeconds(1).toNanos() / layout.tick().toNanos()) << layout.sequenceBits();
        return String.format(Locale.ROOT,
                "Sharded ids: layout %s (epoch %s), last usable instant %s, %,d shards, %,d ids per second and shard, "
                        + "worker id %s",
                layout.describe(), layout.epoch(), layout.lastUsableInstant().truncatedTo(ChronoUnit.SECONDS),
                ids.shards(), perSecond, worker(ids, settings));
    }

    private static String worker(ShardedIdEngine ids, ShardedIdSettings settings) {
        return switch (settings.workerMode()) {
            case FIXED -> settings.workerId().orElse(-1) + " (fixed)";
            case LEASE -> (ids.stats().worker() < 0) ? "leased, with the first id"
                    : "%s (leased)".formatted(ids.stats().worker());
        };
    }

}
