package io.shardedid.spring.web;

import java.util.ArrayList;
import java.util.List;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.format.PublicIdFormats;
import io.shardedid.spring.boot.OurConfigurations;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/** Entities whose attributes a form sets. */
class FormObjectsTest {

    private static final long ID = 503_630_804_723_700_751L;

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
        .withConfiguration(OurConfigurations.named("PublicIdAutoConfiguration", "ShardedIdFormAutoConfiguration"))
        .withConfiguration(
                AutoConfigurations.of(ShardedIdFormattersAutoConfiguration.class, WebMvcAutoConfiguration.class))
        .withBean(Forms.class)
        .withPropertyValues("shardedid.sealing.keys=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");

    @Test
    void sealedIdIsReadFromItsTextAlone() {
        this.application.run((context) -> {
            MockMvcTester web = MockMvcTester.from(context);
            String text = context.getBean(PublicIdFormats.class).forEntity(Photo.class).format(ID);

            for (String field : List.of("id", "photo.id", "photos[0].id")) {
                String uri = field.equals("id") ? "/photo" : "/album";
                assertThat(web.post().uri(uri).param(field, "" + ID)).as("number by " + field)
                    .hasStatus(HttpStatus.BAD_REQUEST);
                assertThat(web.post().uri(uri).param(field, text)).as("text by " + field)
                    .hasStatusOk()
                    .hasBodyTextEqualTo("" + ID);
            }
            assertThat(web.post().uri("/photo?id=")).hasStatusOk().hasBodyTextEqualTo("null");
        });
    }

    /** Spring hands a constructor what the request has. */
    @Test
    void sealedIdThatAConstructorTakesIsRefused() {
        this.application.run((context) -> {
            for (String uri : List.of("/made?id=", "/frame?made.id=")) {
                assertThat(MockMvcTester.from(context).post().uri(uri + ID)).as(uri)
                    .hasFailed()
                    .failure()
                    .rootCause()
                    .isInstanceOf(ShardedIdConfigurationException.class)
                    .hasMessageContaining("would take the number of an id: field='%s', form=sealed"
                        .formatted(uri.contains("made.id") ? "made.id" : "id"));
            }
        });
    }

    @Test
    void plainIdIsReadAsAnyNumber() {
        this.application
            .run((context) -> assertThat(MockMvcTester.from(context).post().uri("/note?id=" + ID)).hasStatusOk()
                .hasBodyTextEqualTo("" + ID));
    }

    @RestController
    static class Forms {

        @PostMapping("/photo")
        String photo(@ModelAttribute Photo photo) {
            return String.valueOf(photo.getId());
        }

        @PostMapping("/album")
        String album(@ModelAttribute Album album) {
            return String.valueOf((album.getPhotos().isEmpty() ? album.getPhoto() : album.getPhotos().get(0)).getId());
        }

        @PostMapping("/made")
        String made(@ModelAttribute Made made) {
            return String.valueOf(made.id);
        }

        @PostMapping("/frame")
        String frame(@ModelAttribute Frame frame) {
            return String.valueOf(frame.made().id);
        }

        @PostMapping("/note")
        String note(@ModelAttribute Note note) {
            return String.valueOf(note.getId());
        }

    }

    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED)
    public static class Photo {

        @ShardedId
        private Long id;

        public Long getId() {
            return this.id;
        }

        public void setId(Long id) {
            this.id = id;
        }

    }

    @PublicId(prefix = "mad_", form = PublicIdForm.SEALED)
    public static class Made {

        @ShardedId
        private final Long id;

        public Made(Long id) {
            this.id = id;
        }

    }

    public record Frame(Made made) {
    }

    public static class Album {

        private final Photo photo = new Photo();

        private final List<Photo> photos = new ArrayList<>();

        public Photo getPhoto() {
            return this.photo;
        }

        public List<Photo> getPhotos() {
            return this.photos;
        }

    }

    public static class Note {

        @ShardedId
        private Long id;

        public Long getId() {
            return this.id;
        }

        public void setId(Long id) {
            this.id = id;
        }

    }

}
