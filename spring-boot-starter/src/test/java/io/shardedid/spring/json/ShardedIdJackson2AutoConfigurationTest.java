package io.shardedid.spring.json;

import java.time.Instant;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardedid.IdLayout;
import io.shardedid.jackson.ShardedIdJackson2Module;
import io.shardedid.spring.gallery.Picture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

@SuppressWarnings("removal")
class ShardedIdJackson2AutoConfigurationTest {

    private static final String AS_STRINGS = "{\"id\":\"1\",\"albumId\":2,\"views\":0,\"cover\":null}";

    private static final String AS_NUMBERS = "{\"id\":1,\"albumId\":2,\"views\":0,\"cover\":null}";

    @RegisterExtension
    private final LinesAboutNumbers log = new LinesAboutNumbers();

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
    void mapperNamesAnIdThatLeavesAsANumber() {
        this.runner.run((context) -> {
            for (int i = 0; i < 3; i++) {
                assertThat(context.getBean(ObjectMapper.class).writeValueAsString(new View(idOfNow())))
                    .doesNotContain(":\"");
            }
        });
        assertThat(this.log.lines).singleElement()
            .satisfies((line) -> assertThat(line).contains("member='id' of '" + View.class.getName() + "'"));
    }

    /** By the settings of the application no process can have made it. */
    @ParameterizedTest
    @ValueSource(strings = { "shardedid.older-ids-before=now", "shardedid.layout.preset=javascript",
            "shardedid.epoch=2026-01-01T00:00:00Z", "shardedid.shards=5" })
    void mapperIsSilentAboutWhatIsNoId(String form) {
        String setting = form.replace("now", Instant.now().toString());
        this.runner.withPropertyValues(setting)
            .run((context) -> assertThat(context.getBean(ObjectMapper.class).writeValueAsString(new View(idOfNow())))
                .doesNotContain(":\""));
        assertThat(this.log.lines).isEmpty();
    }

    /** In shard 7, from a minute ago. */
    private static long idOfNow() {
        return IdLayout.standard().firstIdAt(Instant.now().minusSeconds(60)) | 7 << 12;
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

    record View(long id) {
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnModule {

        @Bean
        ShardedIdJackson2Module ownModule() {
            return new ShardedIdJackson2Module();
        }

    }

}
