package io.shardedid.spring.json;

import java.time.Instant;
import java.util.function.Supplier;

import io.shardedid.IdLayout;
import io.shardedid.spring.gallery.Picture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** What an application gets with Jackson, whether it is Jackson 2 or 3. */
abstract class JacksonContract<M> {

    final ApplicationContextRunner runner;

    @RegisterExtension
    private final LinesAboutNumbers log = new LinesAboutNumbers();

    private final Class<M> module;

    private final Supplier<M> own;

    JacksonContract(Class<?> ours, Class<?> springs, Class<M> module, Supplier<M> own) {
        this.runner = new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ours, springs));
        this.module = module;
        this.own = own;
    }

    /** Writes JSON with the mapper of the application. */
    abstract String write(ApplicationContext context, Object value) throws Exception;

    @ParameterizedTest
    @ValueSource(strings = { "true", "on", "" })
    void mapperWritesIdsAsStrings(String on) {
        ApplicationContextRunner set = on.isEmpty() ? this.runner
                : this.runner.withPropertyValues("shardedid.json.as-string=" + on);
        set.run((context) -> assertThat(write(context, picture())).contains("\"id\":\"1\"", "\"albumId\":2"));
    }

    /** Each word that Spring Boot takes for false. */
    @ParameterizedTest
    @ValueSource(strings = { "false", "off", "no", "0" })
    void mapperWritesIdsAsNumbersWhenSwitchedOff(String off) {
        this.runner.withPropertyValues("shardedid.json.as-string=" + off).run((context) -> {
            assertThat(context).doesNotHaveBean(this.module);
            assertThat(write(context, picture())).contains("\"id\":1,");
        });
    }

    @Test
    void mapperNamesAnIdThatLeavesAsANumber() {
        this.runner.run((context) -> {
            for (int i = 0; i < 3; i++) {
                assertThat(write(context, new View(idOfNow()))).doesNotContain(":\"");
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
            .run((context) -> assertThat(write(context, new View(idOfNow()))).doesNotContain(":\""));
        assertThat(this.log.lines).isEmpty();
    }

    @Test
    void backsOffWhenTheApplicationDefinesTheModule() {
        this.runner.withBean("ownModule", this.module, this.own)
            .run((context) -> assertThat(context).hasSingleBean(this.module).hasBean("ownModule"));
    }

    /** In shard 7, from a minute ago. */
    private static long idOfNow() {
        return IdLayout.standard().firstIdAt(Instant.now().minusSeconds(60)) | 7 << 12;
    }

    static Picture picture() {
        Picture picture = new Picture();
        picture.setId(1L);
        picture.setAlbumId(2);
        return picture;
    }

    record View(long id) {
    }

}
