package io.shardedid.spring.web;

import io.shardedid.ShardedIds;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link UrlShardedId} in WebFlux.
 */
@AutoConfiguration
@ConditionalOnClass({ ShardedIds.class, RequestMappingHandlerAdapter.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
public final class ShardedIdWebFluxAutoConfiguration {

    ShardedIdWebFluxAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean(name = "shardedIdUrlCheck")
    HandlerAdapter shardedIdUrlCheck(ObjectProvider<ShardedIds> engines,
            ObjectProvider<RequestMappingHandlerAdapter> controllers) {
        return new ReactiveUrlIdCheck(new UrlIds(engines), controllers);
    }

}
