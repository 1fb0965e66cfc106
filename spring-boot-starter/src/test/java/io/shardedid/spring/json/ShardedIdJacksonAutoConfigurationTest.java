package io.shardedid.spring.json;

import java.time.Instant;

import io.shardedid.IdLayout;
import io.shardedid.jackson.ShardedIdJacksonModule;
import io.shardedid.spring.gallery.Picture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
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

class ShardedIdJacksonAutoConfigurationTest {

    @RegisterExtension
    private final LinesAboutNumbers log = new LinesAboutNumbers();

    private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
            AutoConfigurations.of(JacksonAutoConfiguration.class, ShardedIdJacksonAutoConfiguration.class));

    @ParameterizedTest
    @ValueSource(strings = { "true", "on", "" })
    void mapperWritesIdsAsStrings(String on) {
        ApplicationContextRunner set = on.isEmpty() ? this.runner
                : this.runner.withPropertyValues("shardedid.json.as-string=" + on);
        set.run((context) -> assertThat(context.getBean(JsonMapper.class).writeValueAsString(picture()))
            .isEqualTo("{\"albumId\":2,\"cover\":null,\"id\":\"1\",\"views\":0}"));
    }

    /** Each word that Spring Boot takes for false. */
    @ParameterizedTest
    @ValueSource(strings = { "false", "off", "no", "0" })
    void mapperWritesIdsAsNumbersWhenSwitchedOff(String off) {
        this.runner.withPropertyValues("shardedid.json.as-string=" + off).run((context) -> {
            assertThat(context).doesNotHaveBean(ShardedIdJacksonModule.class);
            assertThat(context.getBean(JsonMapper.class).writeValueAsString(picture()))
                .isEqualTo("{\"albumId\":2,\"cover\":null,\"id\":1,\"views\":0}");
        });
    }

    /** Not every Spring Boot looks for modules, and one that does has the module once. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void mapperHasTheModuleOnceWhetherSpringBootLooksForModulesOrNot(boolean find) {
        this.runner.withPropertyValues("spring.jackson.find-and-add-modules=" + find)
            .run((context) -> assertThat(context.getBean(JsonMapper.class).registeredModules())
                .filteredOn(ShardedIdJacksonModule.class::isInstance)
                .hasSize(1));
    }

    @Test
    void mapperNamesAnIdThatLeavesAsANumber() {
        this.runner.run((context) -> {
            for (int i = 0; i < 3; i++) {
                assertThat(context.getBean(JsonMapper.class).writeValueAsString(new View(idOfNow())))
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
            .run((context) -> assertThat(context.getBean(JsonMapper.class).writeValueAsString(new View(idOfNow())))
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
            .run((context) -> assertThat(context).hasSingleBean(ShardedIdJacksonModule.class).hasBean("ownModule"));
    }

    @Test
    void backsOffWithoutJackson() {
        this.runner.withClassLoader(new FilteredClassLoader(JacksonModule.class))
            .run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("shardedIdJacksonModule"));
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
        ShardedIdJacksonModule ownModule() {
            return new ShardedIdJacksonModule();
        }

    }

}
