package io.shardedid.spring.web;

import java.time.Duration;
import java.time.Instant;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIds;
import io.shardedid.spring.gallery.GalleryApplication;
import io.shardedid.spring.test.PredictableIds;
import io.shardedid.test.TestClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ids in URLs and bodies, in the slice test of an application.
 */
@WebMvcTest(properties = "spring.mvc.problemdetails.enabled=true")
@ContextConfiguration(classes = GalleryApplication.class)
@PredictableIds
class UrlShardedIdTest {

    private static final String RANGE = "an id is a whole number from 0 to 9223372036854775807";

    @Autowired
    private MockMvcTester web;

    @Autowired
    private ShardedIds ids;

    @Autowired
    private TestClock clock;

    private final IdLayout layout = IdLayout.instagram();

    @Test
    void idsComeAndGo() {
        long id = this.ids.next(7);

        assertThat(this.web.get().uri("/pictures/" + id)).hasStatusOk().bodyJson().isStrictlyEqualTo("""
                {"id":"%d","album":"%d","likes":["%d"],"neighbours":{"next":"%d"},"views":3,"caption":"dawn"}
                """.formatted(id, id + 1, id, id));
        assertThat(this.web.get().uri("/entities/" + id)).bodyJson()
            .isStrictlyEqualTo("{\"id\":\"%d\",\"albumId\":\"7\",\"views\":0,\"cover\":null}".formatted(id));
        assertThat(this.web.get().uri("/by-type/" + id)).hasBodyTextEqualTo("PictureId[value=" + id + "]");
    }

    @ParameterizedTest
    @ValueSource(strings = { "12a", "0x1f", "-1", "+1", "1.0", "9223372036854775808", "10000000000000000000" })
    void refusesAPathVariableThatIsNoId(String text) {
        refused("/pictures/" + text, "Not an id",
                "Could not read the id 'id': id=%s (%s); correct it".formatted(text, RANGE));
        refused("/by-type/" + text, "Not an id",
                "Could not read the id 'id': id=%s (%s); correct it".formatted(text, RANGE));
    }

    @Test
    void refusesAnIdOfAShardThatIsNone() {
        long id = this.layout.compose(1000, 2000, 0, 0);

        refused("/pictures/" + id, "Not an id",
                "Could not read the id 'id': id=%d (its shard, 2000, is outside [0, 1999]); correct it".formatted(id));
    }

    @Test
    void refusesAnIdWhoseTimeHasNotCome() {
        Instant soon = this.clock.instant().plus(Duration.ofSeconds(12));
        long id = this.layout.firstIdAt(soon);

        refused("/pictures/" + id, "Not an id",
                "Could not read the id 'id': id=%d (its time, %s, has not come yet); correct it".formatted(id, soon));
    }

    @Test
    void takesIdsOfProcessesWhoseClocksAreALittleAhead() {
        long id = this.layout.firstIdAt(this.clock.instant().plus(Duration.ofSeconds(11)));

        assertThat(this.web.get().uri("/pictures/" + id)).hasStatusOk();
    }

    @Test
    void checksEachRequestParameter() {
        refused("/pictures?before=x", "Not an id",
                "Could not read the id 'before': before=x (%s); correct it".formatted(RANGE));
        refused("/pictures?ids=1,x", "Not an id",
                "Could not read the id 'ids': ids=x (%s); correct it".formatted(RANGE));
        refused("/pictures?ids=1&ids=y", "Not an id",
                "Could not read the id 'ids': ids=y (%s); correct it".formatted(RANGE));
        refused("/pictures?after=z", "Not an id",
                "Could not read the id 'after': after=z (%s); correct it".formatted(RANGE));
        assertThat(this.web.get().uri("/pictures?before=1&ids=2,3&after=4"))
            .hasBodyTextEqualTo("before=1, ids=[2, 3], after=4");
    }

    @Test
    void absentAndEmptyParametersAreNone() {
        assertThat(this.web.get().uri("/pictures")).hasBodyTextEqualTo("before=null, ids=null, after=null");
        assertThat(this.web.get().uri("/pictures?before=&ids=&after="))
            .hasBodyTextEqualTo("before=null, ids=[], after=null");
    }

    @Test
    void showsTheBeginningOfALongText() {
        refused("/pictures/" + "7".repeat(500), "Not an id",
                "Could not read the id 'id': id=%s… (%s); correct it".formatted("7".repeat(40), RANGE));
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

    @Test
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
