package io.shardedid.spring.web;

import java.util.Objects;

import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.gallery.GalleryApplication;
import io.shardedid.spring.test.PredictableIds;
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
            .isStrictlyEqualTo("{\"id\":\"%s\",\"albumId\":7,\"views\":0,\"cover\":null}".formatted(id));
    }

    @Test
    void saysWhatAPlainNumberMustBe() {
        String range = "from -9223372036854775808 to 9223372036854775807";
        refused("/plain/12a", "Not a number",
                "Could not read 'id': id=12a (a whole number %s); correct it".formatted(range));
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
        refused("/plain/1?ids=2,b", "Bad Request", "Failed to convert 'ids' with value: '2,b'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`',
            value = { "{\"likes\":[\"1\",\"12a\"]} | likes[1] | 12a", "{\"album\":12.5} | album | 12.5",
                    "{\"album\":true} | album | true", "{\"album\":{\"id\":1}} | album | null",
                    "{\"neighbours\":{\"next\":\" \"}} | neighbours.next |", "{\"id\":null} | id | null" })
    void saysWhichIdOfABodyIsNone(String body, String where, String value) {
        assertThat(this.web.post().uri("/pictures").contentType(MediaType.APPLICATION_JSON).content(body))
            .hasStatus(HttpStatus.BAD_REQUEST)
            .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
            .bodyJson()
            .satisfies((json) -> assertThat(json).extractingPath("title").isEqualTo("Not an id"))
            .extractingPath("detail")
            .satisfies((detail) -> assertThat(String.valueOf(detail)).startsWith("'" + where + "': ")
                .contains("value=" + Objects.toString(value, ""), "an id ", "send"));
    }

    @Test
    void leavesOtherMembersToSpring() {
        assertThat(
                this.web.post().uri("/pictures").contentType(MediaType.APPLICATION_JSON).content("{\"views\":\"x\"}"))
            .bodyJson()
            .extractingPath("detail")
            .isEqualTo("Failed to read request");
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
