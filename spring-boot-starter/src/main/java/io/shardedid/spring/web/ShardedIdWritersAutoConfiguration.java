package io.shardedid.spring.web;

import io.shardedid.ShardedId;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonShardedId;
import io.shardedid.spring.json.IdsAsStrings;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that fails the start if HTTP would
 * carry ids in another form than theirs, and warns of other writers. Off by
 * {@code shardedid.json.as-string=false}.
 */
@AutoConfiguration(afterName = "io.shardedid.spring.boot.ShardedIdFormAutoConfiguration")
@ConditionalOnClass({ ShardedId.class, JsonShardedId.class })
@Conditional(IdsAsStrings.class)
final class ShardedIdWritersAutoConfiguration {

    ShardedIdWritersAutoConfiguration() {
    }

    @Bean
    OtherWriters shardedIdOtherWriters(ListableBeanFactory beans, ObjectProvider<IdTexts> formats) {
        return new OtherWriters(beans, formats.getIfAvailable(IdTexts::unconfigured));
    }

}
