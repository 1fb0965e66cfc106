package io.shardedid.spring.web;

import io.shardedid.ShardedIdException;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.ResponseEntityExceptionHandler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class WebFluxAutoConfigurationTest {

    private static final AutoConfigurations OURS = AutoConfigurations.of(
            ShardedIdReactiveProblemsAutoConfiguration.class, ShardedIdWebFluxAutoConfiguration.class,
            ShardedIdProblemsAutoConfiguration.class, ShardedIdWebMvcAutoConfiguration.class,
            WebFluxAutoConfiguration.class);

    private final ReactiveWebApplicationContextRunner runner = new ReactiveWebApplicationContextRunner()
        .withConfiguration(OURS)
        .withUserConfiguration(Application.class);

    private final ReactiveWebApplicationContextRunner problems = this.runner
        .withPropertyValues("spring.webflux.problemdetails.enabled=true", "spring.mvc.problemdetails.enabled=true");

    @Test
    void takesThePlaceOfSpringBootsHandler() {
        this.problems.run((context) -> assertThat(context).hasSingleBean(ResponseEntityExceptionHandler.class)
            .hasSingleBean(ReactiveIdProblemHandler.class)
            .hasSingleBean(RefusedIdHandler.class)
            .doesNotHaveBean(IdProblemHandler.class));
    }

    @Test
    void problemDetailsAreOffUnlessAskedFor() {
        this.runner.withPropertyValues("spring.mvc.problemdetails.enabled=true")
            .run((context) -> assertThat(context).doesNotHaveBean(ReactiveIdProblemHandler.class)
                .doesNotHaveBean(RefusedIdHandler.class));
    }

    @Test
    void urlCheckNeedsNeitherThemNorAnEngine() {
        this.runner.run((context) -> {
            assertStatus(context, "/checked/12a", HttpStatus.BAD_REQUEST);
            assertStatus(context, "/checked/9223372036854775807", HttpStatus.OK);
        });
    }

    @Test
    void leavesOtherControllersToTheirAdapter() {
        this.runner.run((context) -> {
            assertThat(context.getBean("shardedIdUrlCheck", HandlerAdapter.class).supports("a resource")).isFalse();
            assertStatus(context, "/plain/-1", HttpStatus.OK);
        });
    }

    @Test
    void backsOffForAHandlerOfTheApplication() {
        this.problems.withUserConfiguration(OwnHandler.class)
            .run((context) -> assertThat(context).hasSingleBean(ResponseEntityExceptionHandler.class)
                .doesNotHaveBean(ReactiveIdProblemHandler.class)
                .hasSingleBean(RefusedIdHandler.class));
    }

    @Test
    void adviceOfTheApplicationComesFirst() {
        this.problems.withUserConfiguration(OwnAdvice.class)
            .run((context) -> assertStatus(context, "/failing", HttpStatus.GONE));
    }

    @Test
    void refusalsAreLeftToABeanOfTheSameName() {
        this.problems.withBean("shardedIdRefusedIdHandler", OwnAnswer.class)
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RefusedIdHandler.class));
    }

    @Test
    void backsOffForAUrlCheckOfTheApplication() {
        this.runner.withUserConfiguration(OwnCheck.class)
            .run((context) -> assertStatus(context, "/checked/-1", HttpStatus.OK));
    }

    @Test
    void backsOffOutsideOfAReactiveApplication() {
        new ApplicationContextRunner().withConfiguration(OURS)
            .withPropertyValues("spring.webflux.problemdetails.enabled=true")
            .run((context) -> assertThat(context).doesNotHaveBean(ReactiveIdProblemHandler.class)
                .doesNotHaveBean(RefusedIdHandler.class)
                .doesNotHaveBean("shardedIdUrlCheck"));
    }

    @Test
    void backsOffWithoutWebFlux() {
        new ReactiveWebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ShardedIdReactiveProblemsAutoConfiguration.class,
                    ShardedIdWebFluxAutoConfiguration.class))
            .withPropertyValues("spring.webflux.problemdetails.enabled=true")
            .withClassLoader(
                    new FilteredClassLoader(ResponseEntityExceptionHandler.class, RequestMappingHandlerAdapter.class))
            .run((context) -> assertThat(context).hasNotFailed()
                .doesNotHaveBean(ReactiveIdProblemHandler.class)
                .doesNotHaveBean("shardedIdUrlCheck"));
    }

    private static void assertStatus(ApplicationContext context, String uri, HttpStatus status) {
        WebTestClient.bindToApplicationContext(context)
            .build()
            .get()
            .uri(uri)
            .exchange()
            .expectStatus()
            .isEqualTo(status);
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Checked checked() {
            return new Checked();
        }

    }

    @RestController
    static class Checked {

        @GetMapping("/checked/{id}")
        String checked(@PathVariable @UrlShardedId long id) {
            return "ok";
        }

        @GetMapping("/plain/{id}")
        String plain(@PathVariable long id) {
            return "ok";
        }

        @GetMapping("/failing")
        String failing() {
            throw new ShardedIdException("no id");
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class OwnHandler {

        @Bean
        ResponseEntityExceptionHandler ownHandler() {
            return new ResponseEntityExceptionHandler() {
            };
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class OwnAdvice {

        @Bean
        OwnAnswer ownAnswer() {
            return new OwnAnswer();
        }

    }

    @ControllerAdvice
    static class OwnAnswer {

        @ExceptionHandler
        ResponseEntity<Void> answer(ShardedIdException ex) {
            return ResponseEntity.status(HttpStatus.GONE).build();
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class OwnCheck {

        @Bean
        HandlerAdapter shardedIdUrlCheck() {
            return mock(HandlerAdapter.class);
        }

    }

}
