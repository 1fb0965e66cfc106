package io.shardedid.spring.boot;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

import io.shardedid.IdField;
import io.shardedid.IdLayout;
import io.shardedid.ShardedIds;
import io.shardedid.hibernate.ShardedIdSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What the log says when an engine was opened.
 */
final class EngineReport {

    /** How long before the end of a layout a start begins to warn. */
    static final Duration NOTICE = Duration.ofDays(365);

    private static final Log LOG = LogFactory.getLog(EngineReport.class);

    private EngineReport() {
    }

    static void log(ShardedIds ids, ShardedIdSettings settings) {
        LOG.info(summary(ids, settings));
        Instant now = ids.clock().instant();
        Instant end = ids.layout().lastUsableInstant();
        if (Duration.between(now, end).compareTo(NOTICE) < 0) {
            LOG.warn(warning(end, now));
        }
    }

    static String summary(ShardedIds ids, ShardedIdSettings settings) {
        IdLayout layout = ids.layout();
        long perSecond = (Duration.ofSeconds(1).toNanos() / layout.tick().toNanos()) << layout.sequenceBits();
        return String.format(Locale.ROOT,
                "Sharded ids: layout %s (epoch %s), last usable instant %s, %,d shards, %,d ids per second and shard, "
                        + "worker %s",
                fields(layout), layout.epoch(), layout.lastUsableInstant().truncatedTo(ChronoUnit.SECONDS),
                ids.shards(), perSecond, worker(ids, settings));
    }

    static String warning(Instant end, Instant now) {
        return ("The layout of the ids ends soon: last usable instant=%s, %d days left; no id is made after it: move to "
                + "a layout with more time bits or a later epoch, see UPGRADING.md")
            .formatted(end, Duration.between(now, end).toDays());
    }

    private static String fields(IdLayout layout) {
        StringBuilder text = new StringBuilder("time=").append(layout.timeBits());
        for (IdField field : layout.order()) {
            text.append(' ').append(field.name().toLowerCase(Locale.ROOT)).append('=').append(layout.widthOf(field));
        }
        return text.toString();
    }

    private static String worker(ShardedIds ids, ShardedIdSettings settings) {
        return switch (settings.workerMode()) {
            case FIXED -> settings.workerId().orElse(-1) + " (fixed)";
            case NONE -> "none: this process makes no ids";
            case LEASE -> (ids.stats().worker() < 0) ? "leased with the first id" : ids.stats().worker() + " (leased)";
        };
    }

}
