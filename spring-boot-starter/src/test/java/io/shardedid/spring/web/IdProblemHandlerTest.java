package io.shardedid.spring.web;

import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.gallery.GalleryApplication;
import io.shardedid.spring.test.PredictableIds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ids that cannot be read, in URLs and bodies, in the slice test of an application.
 */
@WebMvcTest(properties = "spring.mvc.problemdetails.enabled=true")
@ContextConfiguration(classes = GalleryApplication.class)
@PredictableIds
class IdProblemHandlerTest {

    @Autowired
    private MockMvcTester web;

    @Autowired
    private ShardedIdEngine ids;

    @Test
    void idsComeAndGo() {
        long id = this.ids.next(7);

        assertThat(this.web.get().uri("/pictures/" + id)).hasStatusOk().bodyJson().isStrictlyEqualTo("""
                {"id":"%s","album":"%s","likes":["%s"],"neighbours":{"next":"%s"},"views":3,"caption":"dawn"}
                """.formatted(id, id + 1, id, id));
        assertThat(this.web.get().uri("/entities/" + id)).bodyJson()
            .isStrictlyEqualTo("{\"id\":\"%s\",\"albumId\":\"7\",\"views\":0,\"cover\":null}".formatted(id));
    }

    @Test
    void saysWhatAPlainNumberMustBe() {
        String range = "from -9223372036854775808 to 9223372036854775807";
        refused("/plain/12a", "Not a number",
                "Could not read 'id': id=12a (a whole number %s); correct it".formatted(range));
        refused("/plain/1?ids=2,b", "Not a number",
                "Could not read 'ids': ids=2,b (whole numbers %s); correct it".formatted(range));
        refused("/plain/1?others=2&others=b", "Not a number",
                "Could not read 'others': others=2,b (whole numbers %s); correct it".formatted(range));
        assertThat(this.web.get().uri("/plain/-5?ids=7")).hasBodyTextEqualTo("id=-5, limit=1, ids=[7]");
    }

    @Test
    void showsTheBeginningOfALongText() {
        refused("/plain/" + "7".repeat(500), "Not a number",
                "Could not read 'id': id=%s… (a whole number from -9223372036854775808 to 9223372036854775807); correct it"
                    .formatted("7".repeat(40)));
    }

    @Test
    void leavesOtherParametersToSpring() {
        refused("/plain/1?limit=x", "Bad Request", "Failed to convert 'limit' with value: 'x'");
    }

    @Test
    void saysWhichIdOfABodyIsNone() {
        assertThat(this.web.post().uri("/pictures").contentType(MediaType.APPLICATION_JSON).content("""
                {"likes":["1","12a"]}""")).hasStatus(HttpStatus.BAD_REQUEST).bodyJson().isLenientlyEqualTo("""
                {"title":"Not an id","status":400,"instance":"/pictures","detail":
                "Could not read the id 'likes[1]' of the body: likes[1]=12a (an id must be a whole 64-bit number, as \
                a string or a number); correct it"}""");
        assertThat(
                this.web.post().uri("/pictures").contentType(MediaType.APPLICATION_JSON).content("{\"views\":\"x\"}"))
            .bodyJson()
            .extractingPath("detail")
            .isEqualTo("Failed to read request");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = { "{\"album\":12.5} | album=12.5",
            "{\"album\":true} | album=true", "{\"album\":{\"id\":1}} | album=an object or an array",
            "{\"album\":[1]} | album=an object or an array", "{\"likes\":[[1]]} | likes[0]=an object or an array" })
    void saysItAlsoOfWhatIsNeitherTextNorWholeNumber(String body, String shown) {
        String where = shown.substring(0, shown.indexOf('='));
        assertRefusedBody(body,
                "Could not read the id '%s' of the body: %s (an id must be a whole 64-bit number, as a string or a number); correct it"
                    .formatted(where, shown));
    }

    /** Jackson 2 of Spring Boot 3.5 reads it as 0 unless it is told to fail. */
    @Test
    @Tag("boot-4")
    void saysWhichIdOfABodyMustNotBeNull() {
        assertRefusedBody("{\"id\":null}",
                "Could not read the id 'id' of the body: id=null (an id of type 'long' must not be null); correct it");
    }

    private void assertRefusedBody(String body, String detail) {
        assertThat(this.web.post().uri("/pictures").contentType(MediaType.APPLICATION_JSON).content(body))
            .hasStatus(HttpStatus.BAD_REQUEST)
            .bodyJson()
            .extractingPath("detail")
            .isEqualTo(detail);
    }

    private void refused(String uri, String title, String detail) {
        assertThat(this.web.get().uri(uri)).hasStatus(HttpStatus.BAD_REQUEST)
            .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
            .bodyJson()
            .satisfies((json) -> assertThat(json).extractingPath("detail").isEqualTo(detail))
            .extractingPath("title")
            .isEqualTo(title);
    }

}
