package io.shardedid.spring.openapi;

import io.shardedid.jackson.JsonShardedId;
import io.shardedid.spring.gallery.Picture;
import io.swagger.v3.core.converter.ModelConverter;
import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.oas.models.media.Schema;
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

    /** What has a mark of its own is a string in any case. */
    @ParameterizedTest
    @ValueSource(strings = { "true", "false", "off" })
    void entitiesAreNumbersWhereJsonHasNumbers(String asString) {
        this.runner.withPropertyValues("shardedid.json.as-string=" + asString).run((context) -> {
            ModelConverters models = new ModelConverters();
            models.addConverter(context.getBean(IdOpenApi.class));

            assertThat(type(models, Picture.class)).isEqualTo(asString.equals("true") ? "string" : "integer");
            assertThat(type(models, View.class)).isEqualTo("string");
        });
    }

    private static String type(ModelConverters models, Class<?> type) {
        Schema<?> id = (Schema<?>) models.read(type).get(type.getSimpleName()).getProperties().get("id");
        return id.getType();
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

    public record View(@JsonShardedId long id) {
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {

        @Bean
        ModelConverter shardedIdOpenApi() {
            return (type, context, chain) -> chain.hasNext() ? chain.next().resolve(type, context, chain) : null;
        }

    }

}
