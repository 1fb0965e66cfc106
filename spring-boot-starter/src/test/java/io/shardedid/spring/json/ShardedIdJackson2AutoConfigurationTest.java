package io.shardedid.spring.json;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardedid.jackson.ShardedIdJackson2Module;
import io.shardedid.spring.gallery.Picture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

@SuppressWarnings("removal")
class ShardedIdJackson2AutoConfigurationTest {

    private static final String AS_STRINGS = "{\"id\":\"1\",\"albumId\":\"2\",\"views\":0,\"cover\":null}";

    private static final String AS_NUMBERS = "{\"id\":1,\"albumId\":2,\"views\":0,\"cover\":null}";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ShardedIdJackson2AutoConfiguration.class,
                org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration.class));

    @Test
    void mapperWritesIdsAsStrings() {
        this.runner.run((context) -> assertThat(context.getBean(ObjectMapper.class).writeValueAsString(picture()))
            .isEqualTo(AS_STRINGS));
    }

    @ParameterizedTest
    @ValueSource(strings = { "false", "off" })
    void onePropertySwitchesItOff(String off) {
        this.runner.withPropertyValues("shardedid.json.as-string=" + off).run((context) -> {
            assertThat(context).doesNotHaveBean(ShardedIdJackson2Module.class);
            assertThat(context.getBean(ObjectMapper.class).writeValueAsString(picture())).isEqualTo(AS_NUMBERS);
        });
    }

    @Test
    void backsOffWhenTheApplicationDefinesTheModule() {
        this.runner.withUserConfiguration(OwnModule.class)
            .run((context) -> assertThat(context).hasSingleBean(ShardedIdJackson2Module.class).hasBean("ownModule"));
    }

    private static Picture picture() {
        Picture picture = new Picture();
        picture.setId(1L);
        picture.setAlbumId(2);
        return picture;
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnModule {

        @Bean
        ShardedIdJackson2Module ownModule() {
            return new ShardedIdJackson2Module();
        }

    }

}
