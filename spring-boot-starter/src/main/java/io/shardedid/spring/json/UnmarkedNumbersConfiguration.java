package io.shardedid.spring.json;

import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.IdWindow;
import io.shardedid.config.JsonAsString;
import io.shardedid.config.ShardedIdKey;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.jackson.UnmarkedNumbers;
import io.shardedid.spring.boot.ShardedIdProperties;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * What becomes of numbers that nothing marks as ids. Both Jacksons share it, so that a
 * member is named once. It needs no engine, so slice tests have it, too.
 */
@Configuration(proxyBeanMethods = false)
final class UnmarkedNumbersConfiguration {

    private static final Set<String> KEYS = Stream
        .of(ShardedIdKey.LAYOUT_PRESET, ShardedIdKey.LAYOUT_SHARD_BITS, ShardedIdKey.LAYOUT_WORKER_BITS,
                ShardedIdKey.LAYOUT_SEQUENCE_BITS, ShardedIdKey.EPOCH, ShardedIdKey.SHARDS,
                ShardedIdKey.CLOCK_MAX_AHEAD, ShardedIdKey.LEGACY_BEFORE)
        .map(ShardedIdKey::externalName)
        .collect(Collectors.toSet());

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** No process makes ids for longer. */
    private static final Duration LONGEST_RUN = Duration.ofDays(3652);

    @Bean
    @ConditionalOnMissingBean
    UnmarkedNumbers shardedIdUnmarkedNumbers(Environment environment) {
        if (IdsAsStrings.in(environment) == JsonAsString.UNSAFE) {
            return UnmarkedNumbers.asStrings();
        }
        Map<String, Object> settings = Binder.get(environment)
            .bindOrCreate(ShardedIdSettings.PREFIX.substring(0, ShardedIdSettings.PREFIX.length() - 1),
                    ShardedIdProperties.class)
            .toSettings();
        settings.keySet().retainAll(KEYS);
        return UnmarkedNumbers.watched(couldBeId(ShardedIdSettings.from(settings), Clock.systemUTC()));
    }

    /** Returns whether a process could have made a number as an id by now. */
    static LongPredicate couldBeId(ShardedIdSettings settings, Clock clock) {
        IdLayout layout = settings.layout();
        long first = settings.legacyBefore().map((line) -> IdWindow.since(layout, line).firstId()).orElse(0L);
        long ahead = settings.maxAhead().toMillis();
        // reading the clock costs as much as writing a number, so most hashes are told
        // from ids without it
        long lastTick = layout.tickAtEpochNanos((clock.millis() + LONGEST_RUN.toMillis()) * NANOS_PER_MILLI);
        return (number) -> number >= first && number <= layout.lastId() && layout.shardOf(number) < settings.shards()
                && layout.tickOf(number) <= lastTick
                && layout.tickOf(number) <= layout.tickAtEpochNanos((clock.millis() + ahead) * NANOS_PER_MILLI);
    }

}
