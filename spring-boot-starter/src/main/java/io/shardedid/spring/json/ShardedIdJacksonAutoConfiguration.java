package io.shardedid.spring.json;

import io.shardedid.ShardedId;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.ShardedIdJacksonModule;
import io.shardedid.jackson.UnmarkedNumbers;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for JSON of sharded ids. Off by
 * {@code shardedid.json.as-string=false}.
 */
@AutoConfiguration(after = ShardedIdProjectionsAutoConfiguration.class,
        afterName = "io.shardedid.spring.boot.ShardedIdFormAutoConfiguration",
        beforeName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass({ ShardedId.class, JacksonModule.class })
@Import(UnmarkedNumbersConfiguration.class)
final class ShardedIdJacksonAutoConfiguration {

    ShardedIdJacksonAutoConfiguration() {
    }

    /**
     * Declares the module for a Spring Boot that does not find modules by itself. Jackson
     * registers it once, found and declared or not.
     */
    @Bean
    @ConditionalOnMissingBean
    @Conditional(IdsAsStrings.class)
    ShardedIdJacksonModule shardedIdJacksonModule(ObjectProvider<ProjectedIds> projected, UnmarkedNumbers numbers,
            ObjectProvider<IdTexts> formats) {
        return new ShardedIdJacksonModule(projected.getIfAvailable(ProjectedIds::new), numbers,
                formats.getIfAvailable(IdTexts::unconfigured));
    }

    /**
     * Replaces the module that Spring Boot finds, because it has the same registration id
     * and is added later.
     */
    @Bean
    @ConditionalOnMissingBean(ShardedIdJacksonModule.class)
    @Conditional(OnIdsAsNumbers.class)
    JacksonModule noShardedIdJacksonModule() {
        return new SimpleModule(ShardedIdJacksonModule.class.getName());
    }

    private static final class OnIdsAsNumbers extends NoneNestedConditions {

        OnIdsAsNumbers() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @Conditional(IdsAsStrings.class)
        static final class AsString {

        }

    }

}
