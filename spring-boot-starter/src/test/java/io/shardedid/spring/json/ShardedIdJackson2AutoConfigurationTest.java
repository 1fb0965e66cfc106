package io.shardedid.spring.json;

import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

@SuppressWarnings("removal")
class ShardedIdJackson2AutoConfigurationTest {

    private static final String AS_STRINGS = "{\"id\":\"1\",\"userId\":\"2\",\"count\":3}";

    private static final String AS_NUMBERS = "{\"id\":1,\"userId\":2,\"count\":3}";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ShardedIdJackson2AutoConfiguration.class,
                ShardedIdJacksonAutoConfiguration.class, JacksonAutoConfiguration.class,
                org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration.class));

    @Test
    void bothMappersWriteIdsAsStrings() {
        this.runner.run((context) -> {
            assertThat(context.getBean(ObjectMapper.class).writeValueAsString(new Like(1, 2, 3))).isEqualTo(AS_STRINGS);
            assertThat(context.getBean(JsonMapper.class).writeValueAsString(new Like(1, 2, 3)))
                .isEqualTo("{\"count\":3,\"id\":\"1\",\"userId\":\"2\"}");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = { "false", "off" })
    void onePropertySwitchesBothOff(String off) {
        this.runner.withPropertyValues("shardedid.json.as-string=" + off).run((context) -> {
            assertThat(context).doesNotHaveBean(ShardedIdJackson2Module.class)
                .doesNotHaveBean(ShardedIdJacksonModule.class);
            assertThat(context.getBean(ObjectMapper.class).writeValueAsString(new Like(1, 2, 3))).isEqualTo(AS_NUMBERS);
        });
    }

    @Test
    void backsOffWhenTheApplicationDefinesTheModule() {
        this.runner.withUserConfiguration(OwnModule.class)
            .run((context) -> assertThat(context).hasSingleBean(ShardedIdJackson2Module.class).hasBean("ownModule"));
    }

    @Test
    void backsOffWithoutJackson2() {
        this.runner.withClassLoader(new FilteredClassLoader(Module.class, ObjectMapper.class))
            .run((context) -> assertThat(context).hasNotFailed()
                .doesNotHaveBean("shardedIdJackson2Module")
                .hasSingleBean(ShardedIdJacksonModule.class));
    }

    @Test
    void worksWithoutJackson3() {
        this.runner.withClassLoader(new FilteredClassLoader(JacksonModule.class, JsonMapper.class))
            .run((context) -> assertThat(context).hasNotFailed()
                .doesNotHaveBean("shardedIdJacksonModule")
                .hasSingleBean(ShardedIdJackson2Module.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnModule {

        @Bean
        ShardedIdJackson2Module ownModule() {
            return new ShardedIdJackson2Module();
        }

    }

}
