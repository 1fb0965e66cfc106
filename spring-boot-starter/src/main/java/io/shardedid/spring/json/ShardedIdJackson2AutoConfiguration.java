package io.shardedid.spring.json;

import com.fasterxml.jackson.databind.Module;
import io.shardedid.ShardedId;
import io.shardedid.jackson.ShardedIdJackson2Module;
import io.shardedid.jackson.UnmarkedNumbers;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for JSON of sharded ids by Jackson
 * 2, which lives in other packages than Jackson 3 and may stand beside it. Off by
 * {@code shardedid.json.as-string=false}.
 */
@AutoConfiguration(beforeName = { "org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration",
        "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration" })
@ConditionalOnClass({ ShardedId.class, Module.class })
@Conditional(IdsAsStrings.class)
@Import(UnmarkedNumbersConfiguration.class)
final class ShardedIdJackson2AutoConfiguration {

    ShardedIdJackson2AutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    ShardedIdJackson2Module shardedIdJackson2Module(UnmarkedNumbers numbers) {
        return new ShardedIdJackson2Module(numbers);
    }

}
