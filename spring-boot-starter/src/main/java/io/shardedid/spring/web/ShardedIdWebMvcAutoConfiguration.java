package io.shardedid.spring.web;

import io.shardedid.ShardedIds;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link UrlShardedId}.
 */
@AutoConfiguration
@ConditionalOnClass({ ShardedIds.class, WebMvcConfigurer.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
public final class ShardedIdWebMvcAutoConfiguration {

    ShardedIdWebMvcAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean(name = "shardedIdUrlCheck")
    WebMvcConfigurer shardedIdUrlCheck(ObjectProvider<ShardedIds> engines) {
        return new WebMvcConfigurer() {

            @Override
            public void addInterceptors(InterceptorRegistry registry) {
                registry.addInterceptor(new UrlIdCheck(new UrlIds(engines)));
            }

        };
    }

}
