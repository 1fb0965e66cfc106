package io.shardedid.format.spring;

import io.shardedid.ShardedIds;
import io.shardedid.jackson.IdTexts;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.data.repository.support.Repositories;
import org.springframework.data.rest.core.mapping.ResourceMappings;
import org.springframework.data.rest.webmvc.config.RepositoryRestConfigurer;
import org.springframework.web.servlet.handler.MappedInterceptor;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for ids in the URIs of Spring Data
 * REST.
 */
@AutoConfiguration(after = PublicIdAutoConfiguration.class,
        afterName = "io.shardedid.spring.boot.ShardedIdFormAutoConfiguration")
@ConditionalOnClass({ ShardedIds.class, RepositoryRestConfigurer.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
final class PublicIdDataRestAutoConfiguration {

    PublicIdDataRestAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    RestIds shardedIdRestIds(ObjectProvider<IdTexts> formats, ObjectProvider<Repositories> repositories,
            ObjectProvider<ResourceMappings> mappings) {
        return new RestIds(formats.getIfAvailable(IdTexts::unconfigured), repositories, mappings);
    }

    @Bean
    MappedInterceptor shardedIdRestInterceptor(RestIds ids) {
        return new MappedInterceptor(null, ids);
    }

}
