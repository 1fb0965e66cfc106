package io.shardedid.spring.boot;

import java.util.Map;
import java.util.Set;

import io.shardedid.ShardedIds;
import io.shardedid.config.ShardedIdKey;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.jackson.IdTexts;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link IdTexts}, by which JSON,
 * path variables and request parameters write and read ids. It needs no engine, so slice
 * tests have it, too.
 */
@AutoConfiguration
@ConditionalOnClass({ ShardedIds.class, IdTexts.class })
final class ShardedIdFormAutoConfiguration {

    private static final Set<String> KEYS = Set.of(ShardedIdKey.FORM.externalName(),
            ShardedIdKey.SEALING_KEYS.externalName(), ShardedIdKey.JSON_AS_STRING.externalName());

    ShardedIdFormAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    IdTexts shardedIdTexts(Environment environment) {
        Map<String, Object> settings = Binder.get(environment)
            .bindOrCreate(ShardedIdSettings.PREFIX.substring(0, ShardedIdSettings.PREFIX.length() - 1),
                    ShardedIdProperties.class)
            .toSettings();
        settings.keySet().retainAll(KEYS);
        return IdTexts.of(ShardedIdSettings.from(settings));
    }

}
