package io.shardedid.spring.openapi;

import io.swagger.v3.core.converter.ModelConverter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springdoc.core.customizers.ParameterCustomizer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class ShardedIdOpenApiAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ShardedIdOpenApiAutoConfiguration.class));

    @Test
    void bringsConverterAndCustomizer() {
        this.runner.run((context) -> assertThat(context).hasSingleBean(ModelConverter.class)
            .hasSingleBean(ParameterCustomizer.class)
            .hasSingleBean(IdOpenApi.class));
    }

    @ParameterizedTest
    @ValueSource(strings = { "false", "off" })
    void isOffWhereJsonCarriesNumbers(String off) {
        this.runner.withPropertyValues("shardedid.json.as-string=" + off)
            .run((context) -> assertThat(context).doesNotHaveBean(ModelConverter.class)
                .doesNotHaveBean(ParameterCustomizer.class));
    }

    @Test
    void backsOffForABeanOfTheSameName() {
        this.runner.withUserConfiguration(Own.class)
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdOpenApi.class));
    }

    @Test
    void backsOffWithoutSpringdoc() {
        this.runner.withClassLoader(new FilteredClassLoader(ModelConverter.class, ParameterCustomizer.class))
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("shardedIdOpenApi"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {

        @Bean
        ModelConverter shardedIdOpenApi() {
            return (type, context, chain) -> chain.hasNext() ? chain.next().resolve(type, context, chain) : null;
        }

    }

}
