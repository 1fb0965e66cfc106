package io.shardedid.spring.web;

import io.shardedid.ShardedId;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.jackson.JsonShardedId;

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
@AutoConfiguration(afterName = "io.shardedid.spring.boot.ShardedIdFormAutoConfiguration")
@ConditionalOnClass({ ShardedId.class, JsonShardedId.class, RepositoryRestConfigurer.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
final class ShardedIdDataRestAutoConfiguration {

    ShardedIdDataRestAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    RestIds shardedIdRestIds(ObjectProvider<PublicIdFormats> formats, ObjectProvider<Repositories> repositories,
            ObjectProvider<ResourceMappings> mappings) {
        return new RestIds(formats.getIfAvailable(PublicIdFormats::decimal), repositories, mappings);
    }

    @Bean
    MappedInterceptor shardedIdRestInterceptor(RestIds ids) {
        return new MappedInterceptor(null, ids);
    }

}
