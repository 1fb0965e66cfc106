package io.shardedid.spring.json;

import java.time.Instant;
import java.util.function.Consumer;

import io.shardedid.IdLayout;
import io.shardedid.jackson.JsonShardedId;
import io.shardedid.spring.gallery.Picture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.codec.CodecCustomizer;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/** The codecs of WebFlux write and read with the mapper that Spring Boot makes. */
class WebFluxTest {

    /** In shard 7, from a minute ago. */
    private static final long ID = IdLayout.standard().firstIdAt(Instant.now().minusSeconds(60)) | 7 << 12;

    @RegisterExtension
    private final LinesAboutNumbers log = new LinesAboutNumbers();

    private static void client(Consumer<WebTestClient> work) {
        new ReactiveWebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ShardedIdJacksonAutoConfiguration.class,
                    JacksonAutoConfiguration.class, CodecsAutoConfiguration.class))
            .run((context) -> work.accept(WebTestClient.bindToController(new Pictures())
                .httpMessageCodecs((codecs) -> context.getBeanProvider(CodecCustomizer.class)
                    .orderedStream()
                    .forEach((customizer) -> customizer.customize(codecs)))
                .build()));
    }

    @Test
    void idsLeaveAndComeAsStrings() {
        client((web) -> {
            web.get()
                .uri("/pictures/" + ID)
                .exchange()
                .expectBody()
                .jsonPath("$.id")
                .isEqualTo(Long.toString(ID))
                .jsonPath("$.albumId")
                .isEqualTo(2);
            send(web, "\"" + ID + "\"").expectStatus().isOk().expectBody(String.class).isEqualTo("" + ID);
            send(web, "\"+12\"").expectStatus().isBadRequest();
        });
        assertThat(this.log.lines).isEmpty();
    }

    private static WebTestClient.ResponseSpec send(WebTestClient web, String id) {
        return web.post()
            .uri("/pictures")
            .contentType(MediaType.APPLICATION_JSON)
            .bodyValue("{\"id\":" + id + ",\"more\":0}")
            .exchange();
    }

    @Test
    void aMemberThatNothingMarksIsNamedOnce() {
        client((web) -> {
            for (int i = 0; i < 2; i++) {
                web.get()
                    .uri("/views/" + ID)
                    .exchange()
                    .expectBody(String.class)
                    .isEqualTo("{\"id\":\"" + ID + "\",\"more\":" + ID + "}");
            }
        });
        assertThat(this.log.lines).singleElement()
            .satisfies((line) -> assertThat(line).contains("member='more' of '" + View.class.getName() + "'"));
    }

    record View(@JsonShardedId long id, long more) {
    }

    @RestController
    static class Pictures {

        @GetMapping("/pictures/{id}")
        Picture picture(@PathVariable("id") long id) {
            Picture picture = new Picture();
            picture.setId(id);
            picture.setAlbumId(2);
            return picture;
        }

        @PostMapping("/pictures")
        String add(@RequestBody View view) {
            return Long.toString(view.id());
        }

        @GetMapping("/views/{id}")
        View view(@PathVariable("id") long id) {
            return new View(id, id);
        }

    }

}
