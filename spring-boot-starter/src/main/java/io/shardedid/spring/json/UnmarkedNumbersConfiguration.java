package io.shardedid.spring.json;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
                ShardedIdKey.CLOCK_MAX_AHEAD, ShardedIdKey.OLDER_IDS_BEFORE)
        .map(ShardedIdKey::externalName)
        .collect(Collectors.toSet());

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
        return UnmarkedNumbers.watched(ShardedIdSettings.from(settings).reader()::couldBeMade);
    }

}
