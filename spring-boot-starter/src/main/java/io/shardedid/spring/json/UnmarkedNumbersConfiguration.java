package io.shardedid.spring.json;

import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.internal.config.ShardedIdKey;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.jackson.UnmarkedNumbers;
import io.shardedid.spring.boot.SetKeys;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.HandlerMapping;

/**
 * What watches the numbers that nothing marks as ids. Both Jacksons share it, so that a
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
        Map<String, Object> settings = SetKeys.of(environment);
        settings.keySet().retainAll(KEYS);
        return UnmarkedNumbers.watched(ShardedIdSettings.from(settings).reader()::couldBeMade, endpoint());
    }

    private static Supplier<@Nullable String> endpoint() {
        ClassLoader loader = UnmarkedNumbersConfiguration.class.getClassLoader();
        return ClassUtils.isPresent("org.springframework.web.servlet.HandlerMapping", loader) ? MvcRequest::endpoint
                : () -> null;
    }

    /** The request that Spring MVC answers. An application may lack its classes. */
    private static final class MvcRequest {

        static @Nullable String endpoint() {
            if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current) {
                HttpServletRequest request = current.getRequest();
                Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
                return (pattern != null) ? request.getMethod() + " " + pattern : null;
            }
            return null;
        }

    }

}
