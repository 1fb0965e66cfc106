package io.shardedid.spring.json;

import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardedid.jackson.ShardedIdJackson2Module;
import io.shardedid.jackson.ShardedIdJacksonModule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Jackson 3 and Jackson 2 beside each other, as Spring Boot 4 supports them.
 */
@SuppressWarnings("removal")
@Tag("slow")
class BothJacksonsTest {

    private static final String AS_STRINGS = "{\"id\":\"1\",\"albumId\":2,\"views\":0,\"cover\":null}";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ShardedIdJackson2AutoConfiguration.class,
                ShardedIdJacksonAutoConfiguration.class, JacksonAutoConfiguration.class,
                org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration.class));

    @Test
    void bothMappersWriteIdsAsStrings() {
        this.runner.run((context) -> {
            assertThat(context.getBean(ObjectMapper.class).writeValueAsString(JacksonContract.picture()))
                .isEqualTo(AS_STRINGS);
            assertThat(context.getBean(JsonMapper.class).writeValueAsString(JacksonContract.picture()))
                .isEqualTo("{\"albumId\":2,\"cover\":null,\"id\":\"1\",\"views\":0}");
        });
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

}
