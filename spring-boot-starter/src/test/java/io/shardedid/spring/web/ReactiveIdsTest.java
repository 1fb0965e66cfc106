package io.shardedid.spring.web;

import java.util.List;
import java.util.Locale;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.jackson.JsonShardedId;
import io.shardedid.spring.boot.OurConfigurations;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;

import static org.assertj.core.api.Assertions.assertThat;

/** Ids in the controllers of Spring WebFlux. */
class ReactiveIdsTest {

    private final ReactiveWebApplicationContextRunner application = new ReactiveWebApplicationContextRunner()
        .withConfiguration(OurConfigurations.named("PublicIdAutoConfiguration", "ShardedIdFormAutoConfiguration",
                "ShardedIdReactiveFormattersAutoConfiguration"))
        .withUserConfiguration(WebFlux.class)
        .withPropertyValues("shardedid.sealing.keys=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");

    @Test
    void sealedIdIsReadFromItsTextAlone() {
        this.application.withBean(Photos.class).run((context) -> {
            String text = context.getBean(PublicIdFormats.class).forEntity(Photo.class).format(7);

            for (String uri : List.of("/photos/{0}", "/photos?after={0}", "/searched?after={0}")) {
                get(context, uri, text).expectStatus().isOk().expectBody(String.class).isEqualTo("7");
                for (String bad : List.of("7", "0x7", "-7", "x", text.toUpperCase(Locale.ROOT))) {
                    get(context, uri, bad).expectStatus().isBadRequest();
                }
            }
        });
    }

    @Test
    void parameterWhoseFormCannotBeChosenEndsTheStart() {
        this.application.withPropertyValues("shardedid.form=sealed")
            .withBean(Unclear.class)
            .run((context) -> assertThat(context).getFailure()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageStartingWith("Could not choose the form of parameter 1 of '" + Unclear.class.getName()
                        + "#open(long)': A sealed id needs its entity: "));
    }

    private static WebTestClient.ResponseSpec get(ApplicationContext context, String uri, String id) {
        return WebTestClient.bindToApplicationContext(context).build().get().uri(uri, id).exchange();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebFlux
    static class WebFlux {

    }

    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED)
    static class Photo {

    }

    @RestController
    static class Photos {

        @GetMapping("/photos/{id}")
        String photo(@PathVariable @JsonShardedId(Photo.class) long id) {
            return String.valueOf(id);
        }

        @GetMapping("/photos")
        String photos(@RequestParam @JsonShardedId(Photo.class) Long after) {
            return String.valueOf(after);
        }

        @GetMapping("/searched")
        String searched(Search search) {
            return String.valueOf(search.after());
        }

        record Search(@JsonShardedId(Photo.class) Long after) {
        }

    }

    @RestController
    static class Unclear {

        @GetMapping("/photos/{id}")
        String open(@PathVariable @JsonShardedId long id) {
            return String.valueOf(id);
        }

    }

}
