package io.shardedid.pages;

import java.util.Map;

import io.shardedid.format.PublicIdFormat;
import io.shardedid.format.SealingKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page on public ids shows for a web application. */
class PublicIdsTest {

    private static final long ID = 2217813737473025833L;

    private static final String TEXT = "pho_DAH8jvgh7O-RhIEqr0Eubm";

    private final MockMvcTester web = MockMvcTester.of(new Photos(Map.of(ID, new Photo(ID, "dawn"))));

    @Test
    void dtoAndPathVariableHaveTheText() {
        assertThat(this.web.get().uri("/photos/" + TEXT)).hasStatusOk()
            .bodyJson()
            .isStrictlyEqualTo("{\"id\":\"%s\",\"caption\":\"dawn\"}".formatted(TEXT));
    }

    @ParameterizedTest
    @ValueSource(strings = { "2217813737473025833", "DAH8jvgh7O-RhIEqr0Eubm", "pho_DAH8jvgh7O-RhIEqr0Euba" })
    void anotherTextIsABadRequest(String text) {
        assertThat(this.web.get().uri("/photos/" + text)).hasStatus(HttpStatus.BAD_REQUEST);
    }

    @Test
    void serializerWritesTheText() {
        assertThat(new JsonMapper().writeValueAsString(new Shown(ID))).isEqualTo("{\"id\":\"%s\"}".formatted(TEXT));
    }

    static final class PublicIds {

        static final PublicIdFormat PHOTOS = PublicIdFormat
            .sealed(SealingKeys.of("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="), "Photo")
            .prefixed("pho_");

        private PublicIds() {
        }

    }

    record Photo(long id, String caption) {
    }

    record PhotoView(String id, String caption) {

        static PhotoView of(Photo photo) {
            return new PhotoView(PublicIds.PHOTOS.format(photo.id()), photo.caption());
        }

    }

    record PhotoId(long value) {

        public static PhotoId valueOf(String text) {
            return new PhotoId(PublicIds.PHOTOS.parse(text));
        }

    }

    @RestController
    static class Photos {

        private final Map<Long, Photo> photos;

        Photos(Map<Long, Photo> photos) {
            this.photos = photos;
        }

        @GetMapping("/photos/{id}")
        PhotoView photo(@PathVariable PhotoId id) {
            return PhotoView.of(this.photos.get(id.value()));
        }

    }

    static class PhotoIdSerializer extends ValueSerializer<Long> {

        @Override
        public void serialize(Long id, JsonGenerator json, SerializationContext context) {
            json.writeString(PublicIds.PHOTOS.format(id));
        }

    }

    record Shown(@JsonSerialize(using = PhotoIdSerializer.class) Long id) {
    }

}
