package io.shardedid.spring.web;

import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.Gson;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.spring.boot.OurConfigurations;
import io.shardedid.spring.web.WrittenIds.Photos;
import io.shardedid.spring.web.WrittenIds.Plain;
import io.shardedid.spring.web.WrittenIds.Prefixed;
import io.shardedid.spring.web.WrittenIds.Sealed;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.http.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.codec.json.Jackson2JsonEncoder;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What Spring Boot 3.5 writes with Jackson 2, which it configures, and with what
 * applications put in its place.
 */
@ExtendWith(OutputCaptureExtension.class)
class MappersOfTheLineTest {

    private static final String KEY = "shardedid.sealing.keys=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private static final Map<String, Class<?>> ENTITIES = Map.of("sealed", Sealed.class, "prefixed", Prefixed.class,
            "plain", Plain.class);

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
        .withConfiguration(OurConfigurations.named("PublicIdAutoConfiguration", "ShardedIdFormAutoConfiguration",
                "ShardedIdJackson2AutoConfiguration"))
        .withConfiguration(
                AutoConfigurations.of(ShardedIdWritersAutoConfiguration.class, JacksonAutoConfiguration.class,
                        HttpMessageConvertersAutoConfiguration.class, WebMvcAutoConfiguration.class))
        .withBean(Photos.class)
        .withPropertyValues(KEY);

    @ParameterizedTest
    @CsvSource({ "boot, sealed, text", "boot, prefixed, text", "boot, plain, string", "bean, sealed, refused",
            "bean, prefixed, refused", "bean, plain, warned", "found, sealed, refused", "found, prefixed, text",
            "found, plain, string", "EnableWebMvc, sealed, refused", "EnableWebMvc, plain, warned",
            "gson, sealed, refused", "gson, plain, warned" })
    void mapperOfMvc(String mapper, String entity, String leaves, CapturedOutput output) {
        Class<?> type = ENTITIES.get(entity);
        WebApplicationContextRunner application = this.application.withBean(JdbcMappingContext.class,
                JdbcMappingContext::new,
                (definition) -> definition.getPropertyValues().add("initialEntitySet", Set.of(type)));
        application = switch (mapper) {
            case "bean" -> application.withBean(ObjectMapper.class, ObjectMapper::new);
            case "found" ->
                application.withBean(ObjectMapper.class, () -> new ObjectMapper().findAndRegisterModules());
            case "EnableWebMvc" -> application.withUserConfiguration(OwnWebMvc.class);
            case "gson" -> application.withBean(Gson.class)
                .withPropertyValues("spring.mvc.converters.preferred-json-mapper=gson");
            default -> application;
        };
        application.run((context) -> {
            if (leaves.equals("refused")) {
                assertThat(context).getFailure()
                    .isInstanceOf(ShardedIdConfigurationException.class)
                    .hasMessageStartingWith("Ids of '%s' would not leave in their form: form=%s, writer="
                        .formatted(type.getName(), entity.equals("sealed") ? "sealed" : "decimal with prefix 'pre_'"));
                return;
            }
            assertThat(output.getAll().contains("Ids leave as numbers")).isEqualTo(leaves.equals("warned"));
            String body = MockMvcTester.from(context)
                .get()
                .uri("/" + entity)
                .exchange()
                .getResponse()
                .getContentAsString();
            switch (leaves) {
                case "warned" -> assertThat(body).isEqualTo("{\"id\":501219442118860803}");
                case "string" -> assertThat(body).isEqualTo("{\"id\":\"501219442118860803\"}");
                default -> assertThat(body).matches("\\{\"id\":\"([A-D].{21}|pre_[0-9]{18})\"\\}");
            }
        });
    }

    @ParameterizedTest
    @CsvSource({ "boot, sealed, text", "own, sealed, refused", "own, plain, warned", "boot, plain, string" })
    void mapperOfWebFlux(String mapper, String entity, String leaves, CapturedOutput output) {
        ReactiveWebApplicationContextRunner application = new ReactiveWebApplicationContextRunner()
            .withConfiguration(OurConfigurations.named("PublicIdAutoConfiguration", "ShardedIdFormAutoConfiguration",
                    "ShardedIdJackson2AutoConfiguration"))
            .withConfiguration(
                    AutoConfigurations.of(ShardedIdWritersAutoConfiguration.class, JacksonAutoConfiguration.class))
            .withUserConfiguration(WebFlux.class)
            .withBean(JdbcMappingContext.class, JdbcMappingContext::new,
                    (definition) -> definition.getPropertyValues()
                        .add("initialEntitySet", Set.of(ENTITIES.get(entity))))
            .withPropertyValues(KEY);
        (mapper.equals("own") ? application.withBean(ObjectMapper.class, ObjectMapper::new) : application)
            .run((context) -> {
                if (leaves.equals("refused")) {
                    assertThat(context).getFailure()
                        .isInstanceOf(ShardedIdConfigurationException.class)
                        .hasMessageContaining("form=sealed, writer=" + Jackson2JsonEncoder.class.getName());
                    return;
                }
                assertThat(context).hasNotFailed();
                assertThat(output.getAll().contains("Ids leave as numbers")).isEqualTo(leaves.equals("warned"));
            });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebFlux
    static class WebFlux implements WebFluxConfigurer {

        private final ObjectMapper mapper;

        WebFlux(ObjectMapper mapper) {
            this.mapper = mapper;
        }

        @Override
        public void configureHttpMessageCodecs(ServerCodecConfigurer codecs) {
            codecs.defaultCodecs().jackson2JsonEncoder(new Jackson2JsonEncoder(this.mapper));
        }

    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebMvc
    static class OwnWebMvc {

    }

}
