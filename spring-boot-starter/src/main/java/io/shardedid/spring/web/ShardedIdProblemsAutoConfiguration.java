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
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for problem details of ids, where
 * the application asks for problem details by Spring Boot's
 * {@code spring.mvc.problemdetails.enabled=true}.
 */
@AutoConfiguration(beforeName = { "org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration",
        "org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration" })
@ConditionalOnClass({ ShardedIds.class, ResponseEntityExceptionHandler.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty("spring.mvc.problemdetails.enabled")
final class ShardedIdProblemsAutoConfiguration {

    ShardedIdProblemsAutoConfiguration() {
    }

    /** Of the order that Spring Boot gives the handler which backs off for this one. */
    @Bean
    @Order(0)
    @ConditionalOnMissingBean(ResponseEntityExceptionHandler.class)
    IdProblemHandler shardedIdProblemHandler() {
        return new IdProblemHandler();
    }

    @Bean
    @ConditionalOnMissingBean(name = "shardedIdRefusedIdHandler")
    RefusedIdHandler shardedIdRefusedIdHandler() {
        return new RefusedIdHandler();
    }

}
