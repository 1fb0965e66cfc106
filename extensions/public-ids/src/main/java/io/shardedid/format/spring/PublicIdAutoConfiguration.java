package io.shardedid.format.spring;

import io.shardedid.ShardedIds;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.jackson.IdTexts;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.core.convert.ConversionService;
import org.springframework.format.FormatterRegistrar;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link PublicIdFormats}, which
 * are the texts of the starter by the type that applications inject, and for ids of
 * entities that Spring Data loads for parameters. It needs no engine, so slice tests have
 * it, too.
 */
@AutoConfiguration(afterName = "io.shardedid.spring.boot.ShardedIdFormAutoConfiguration")
@ConditionalOnClass(ShardedIds.class)
final class PublicIdAutoConfiguration {

    PublicIdAutoConfiguration() {
    }

    @Bean
    @Primary
    @ConditionalOnMissingBean
    @ConditionalOnBean(name = "shardedIdTexts")
    PublicIdFormats shardedIdPublicIdFormats(@Qualifier("shardedIdTexts") IdTexts texts) {
        return (PublicIdFormats) texts;
    }

    /** The starter asks for it by its name. */
    @Bean
    FormatterRegistrar shardedIdEntityConverter(ObjectProvider<IdTexts> texts) {
        IdTexts formats = texts.getIfAvailable(IdTexts::unconfigured);
        return (registry) -> {
            if (registry instanceof ConversionService entities) {
                registry.addConverter(new EntityByText(entities, formats));
            }
        };
    }

}
