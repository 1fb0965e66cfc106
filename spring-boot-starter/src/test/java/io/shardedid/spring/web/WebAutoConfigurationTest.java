package io.shardedid.spring.web;

import io.shardedid.ShardedIdException;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

import static org.assertj.core.api.Assertions.assertThat;

class WebAutoConfigurationTest {

    private static final AutoConfigurations OURS = AutoConfigurations.of(ShardedIdProblemsAutoConfiguration.class,
            WebMvcAutoConfiguration.class);

    private final WebApplicationContextRunner runner = new WebApplicationContextRunner().withConfiguration(OURS)
        .withUserConfiguration(Application.class);

    private final WebApplicationContextRunner problems = this.runner
        .withPropertyValues("spring.mvc.problemdetails.enabled=true");

    @Test
    void takesThePlaceOfSpringBootsHandler() {
        this.problems.run((context) -> assertThat(context).hasSingleBean(ResponseEntityExceptionHandler.class)
            .hasSingleBean(IdProblemHandler.class)
            .hasSingleBean(RefusedIdHandler.class));
    }

    @Test
    void problemDetailsAreOffUnlessAskedFor() {
        this.runner.run((context) -> assertThat(context).doesNotHaveBean(IdProblemHandler.class)
            .doesNotHaveBean(RefusedIdHandler.class));
    }

    @Test
    void backsOffForAHandlerOfTheApplication() {
        this.problems.withUserConfiguration(OwnHandler.class)
            .run((context) -> assertThat(context).hasSingleBean(ResponseEntityExceptionHandler.class)
                .doesNotHaveBean(IdProblemHandler.class)
                .hasSingleBean(RefusedIdHandler.class));
    }

    @Test
    void adviceOfTheApplicationComesFirst() {
        this.problems.withUserConfiguration(OwnAdvice.class).run((context) -> {
            MockMvcTester web = MockMvcTester.from((WebApplicationContext) context.getSourceApplicationContext());
            assertThat(web.get().uri("/failing")).hasStatus(HttpStatus.GONE);
        });
    }

    @Test
    void refusalsAreLeftToABeanOfTheSameName() {
        this.problems.withBean("shardedIdRefusedIdHandler", OwnAnswer.class)
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RefusedIdHandler.class));
    }

    @Test
    void backsOffOutsideOfAServlet() {
        new ApplicationContextRunner().withConfiguration(OURS)
            .withPropertyValues("spring.mvc.problemdetails.enabled=true")
            .run((context) -> assertThat(context).doesNotHaveBean(IdProblemHandler.class));
    }

    @Test
    void backsOffWithoutSpringMvc() {
        new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ShardedIdProblemsAutoConfiguration.class))
            .withPropertyValues("spring.mvc.problemdetails.enabled=true")
            .withClassLoader(new FilteredClassLoader(ResponseEntityExceptionHandler.class))
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdProblemHandler.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Failing failing() {
            return new Failing();
        }

    }

    @RestController
    static class Failing {

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

}
