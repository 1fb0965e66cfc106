package io.shardedid.spring.web;

import io.shardedid.ShardedIds;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.web.reactive.result.method.annotation.ResponseEntityExceptionHandler;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for problem details of ids in
 * WebFlux, where the application asks for problem details by Spring Boot's
 * {@code spring.webflux.problemdetails.enabled=true}.
 */
@AutoConfiguration(beforeName = "org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration")
@ConditionalOnClass({ ShardedIds.class, ResponseEntityExceptionHandler.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnBooleanProperty("spring.webflux.problemdetails.enabled")
public final class ShardedIdReactiveProblemsAutoConfiguration {

    ShardedIdReactiveProblemsAutoConfiguration() {
    }

    /** Of the order that Spring Boot gives the handler which backs off for this one. */
    @Bean
    @Order(0)
    @ConditionalOnMissingBean(ResponseEntityExceptionHandler.class)
    ReactiveIdProblemHandler shardedIdProblemHandler() {
        return new ReactiveIdProblemHandler();
    }

    @Bean
    @ConditionalOnMissingBean(name = "shardedIdRefusedIdHandler")
    RefusedIdHandler shardedIdRefusedIdHandler() {
        return new RefusedIdHandler();
    }

}
