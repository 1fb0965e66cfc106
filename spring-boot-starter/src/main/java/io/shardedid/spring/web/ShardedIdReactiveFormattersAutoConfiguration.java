package io.shardedid.spring.web;

import io.shardedid.ShardedIds;
import io.shardedid.jackson.IdTexts;
import io.shardedid.jackson.JsonShardedId;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.format.FormatterRegistrar;
import org.springframework.format.FormatterRegistry;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for ids in path variables and
 * request parameters of Spring WebFlux.
 */
@AutoConfiguration(afterName = "io.shardedid.spring.boot.ShardedIdFormAutoConfiguration")
@ConditionalOnClass({ ShardedIds.class, JsonShardedId.class, WebFluxConfigurer.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
final class ShardedIdReactiveFormattersAutoConfiguration {

    ShardedIdReactiveFormattersAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean(name = "shardedIdFormatters")
    WebFluxConfigurer shardedIdFormatters(ObjectProvider<IdTexts> formats,
            @Qualifier("shardedIdEntityConverter") ObjectProvider<FormatterRegistrar> entities) {
        IdTexts forms = formats.getIfAvailable(IdTexts::unconfigured);
        return new WebFluxConfigurer() {

            @Override
            public void addFormatters(FormatterRegistry registry) {
                registry.addFormatterForFieldAnnotation(new IdFormatterFactory(forms));
                entities.ifAvailable((entity) -> entity.registerFormatters(registry));
            }

        };
    }

    @Bean
    FormObjects shardedIdFormObjects(ObjectProvider<IdTexts> formats) {
        return new FormObjects(formats.getIfAvailable(IdTexts::unconfigured));
    }

    @Bean
    IdParameters shardedIdParameters(ObjectProvider<RequestMappingHandlerMapping> mappings,
            ObjectProvider<RequestMappingHandlerAdapter> adapters, ObjectProvider<IdTexts> formats) {
        return new IdParameters(
                () -> mappings.stream().flatMap((mapping) -> mapping.getHandlerMethods().values().stream()),
                () -> adapters.stream().map(RequestMappingHandlerAdapter::getWebBindingInitializer),
                formats.getIfAvailable(IdTexts::unconfigured));
    }

}
