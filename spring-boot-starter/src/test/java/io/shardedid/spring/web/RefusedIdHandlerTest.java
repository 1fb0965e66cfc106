package io.shardedid.spring.web;

import io.shardedid.spring.gallery.GalleryApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest(properties = "spring.mvc.problemdetails.enabled=true")
@ContextConfiguration(classes = GalleryApplication.class)
@ExtendWith(OutputCaptureExtension.class)
class RefusedIdHandlerTest {

    @Autowired
    private MockMvcTester web;

    @ParameterizedTest
    @ValueSource(strings = { "lease", "translated", "ahead" })
    void whatPassesIsToBeTriedAgain(String why) {
        assertThat(this.web.get().uri("/refused/" + why)).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
            .hasHeader(HttpHeaders.RETRY_AFTER, "5")
            .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
            .bodyJson()
            .isStrictlyEqualTo("""
                    {"status":503,"title":"No id just now","instance":"/refused/%s",
                    "detail":"Could not make an id: nothing was written; try again in 5 s"}""".formatted(why));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "none | 500 | No id | Could not make an id: nothing was written; the log of the server says why",
            "crossing | 500 | No id | Could not make an id: nothing was written; the log of the server says why",
            "elsewhere | 404 | No such row | Could not find the row: no row here has this id",
            "nowhere | 404 | No such row | Could not find the row: no row here has this id",
            "key | 500 | No id | Could not make an id: nothing was written; the log of the server says why",
            "assigned | 400 | Not an id of this row | Could not keep the id that was given (it must be of the shard of "
                    + "its row, and its time must have come); leave it out, or correct it",
            "changed | 409 | Bound to its shard | Could not change the row: its shard key must stay in the shard of its "
                    + "id; make a new row instead" })
    void whatDoesNotPassIsNot(String why, int status, String title, String detail) {
        assertThat(this.web.get().uri("/refused/" + why)).hasStatus(status)
            .doesNotContainHeader(HttpHeaders.RETRY_AFTER)
            .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
            .bodyJson()
            .isStrictlyEqualTo("{\"status\":%s,\"title\":\"%s\",\"instance\":\"/refused/%s\",\"detail\":\"%s\"}"
                .formatted(status, title, why, detail));
    }

    @Test
    void madeUpIdIsNoErrorOfTheServer(CapturedOutput output) {
        assertThat(this.web.get().uri("/refused/nowhere")).hasStatus(HttpStatus.NOT_FOUND);
        assertThat(output).doesNotContain("ERROR", "ShardKeyException");
    }

    @Test
    void logTellsWhatTheAnswerHides(CapturedOutput output) {
        assertThat(this.web.get().uri("/refused/lease")).bodyText().doesNotContain("host-7", "worker");
        assertThat(output).contains("No id: Worker lease expired: worker=12, owner=shop@host-7");
    }

}
