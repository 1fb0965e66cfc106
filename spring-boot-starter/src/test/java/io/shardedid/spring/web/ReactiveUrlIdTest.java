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
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.json.JsonCompareMode;
import org.springframework.test.web.reactive.server.WebTestClient;

/**
 * Ids in URLs and bodies as WebFlux reads and writes them: by the controller that the
 * tests of Spring MVC use.
 */
@WebFluxTest(properties = "spring.webflux.problemdetails.enabled=true")
@ContextConfiguration(classes = GalleryApplication.class)
@PredictableIds
class ReactiveUrlIdTest {

    private static final String RANGE = "an id is a whole number from 0 to 9223372036854775807";

    @Autowired
    private WebTestClient web;

    @Autowired
    private ShardedIds ids;

    @Autowired
    private TestClock clock;

    private final IdLayout layout = IdLayout.instagram();

    @Test
    void idsComeAndGo() {
        long id = this.ids.next(7);

        body("/pictures/" + id).json("""
                {"id":"%d","album":"%d","likes":["%d"],"neighbours":{"next":"%d"},"views":3,"caption":"dawn"}
                """.formatted(id, id + 1, id, id), JsonCompareMode.STRICT);
        body("/entities/" + id).json("{\"id\":\"%d\",\"albumId\":\"7\",\"views\":0,\"cover\":null}".formatted(id),
                JsonCompareMode.STRICT);
        this.web.get()
            .uri("/by-type/" + id)
            .exchange()
            .expectBody(String.class)
            .isEqualTo("PictureId[value=" + id + "]");
    }

    @ParameterizedTest
    @ValueSource(strings = { "12a", "0x1f", "-1", "+1", "1.0", "9223372036854775808" })
    void refusesAPathVariableThatIsNoId(String text) {
        refused("/pictures/" + text, "Not an id",
                "Could not read the id 'id': id=%s (%s); correct it".formatted(text, RANGE));
        refused("/by-type/" + text, "Not an id",
                "Could not read the id 'id': id=%s (%s); correct it".formatted(text, RANGE));
    }

    @Test
    void refusesIdsThatTheEngineCannotHaveMade() {
        long shardless = this.layout.compose(1000, 2000, 0, 0);
        Instant soon = this.clock.instant().plus(Duration.ofSeconds(12));
        long early = this.layout.firstIdAt(soon);

        refused("/pictures/" + shardless, "Not an id",
                "Could not read the id 'id': id=%d (its shard, 2000, is outside [0, 1999]); correct it"
                    .formatted(shardless));
        refused("/pictures/" + early, "Not an id",
                "Could not read the id 'id': id=%d (its time, %s, has not come yet); correct it".formatted(early,
                        soon));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = { "before=x | before | x", "ids=1,x | ids | x", "ids=1&ids=y | ids | y", "after=z | after | z" })
    void checksEachRequestParameter(String query, String name, String value) {
        refused("/pictures?" + query, "Not an id",
                "Could not read the id '%s': %1$s=%s (%s); correct it".formatted(name, value, RANGE));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "before=1&ids=2,3&after=4 | before=1, ids=[2, 3], after=4",
            "before=&after | before=null, ids=null, after=null" })
    void letsThroughWhatMayBeIdsOrNone(String query, String read) {
        this.web.get()
            .uri("/pictures?" + query)
            .exchange()
            .expectStatus()
            .isOk()
            .expectBody(String.class)
            .isEqualTo(read);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "/plain/12a | id=12a (a whole number",
            "/plain/1?ids=2,b | ids=2,b (whole numbers", "/plain/1?others=2&others=b | others=2,b (whole numbers" })
    void saysWhatAPlainNumberMustBe(String uri, String what) {
        refused(uri, "Not a number",
                "Could not read '%s': %s from -9223372036854775808 to 9223372036854775807); correct it"
                    .formatted(what.substring(0, what.indexOf('=')), what));
    }

    @Test
    void leavesOtherParametersToSpring() {
        refused("/plain/1?limit=x", "Bad Request", "Type mismatch.");
    }

    @Test
    void saysWhichIdOfABodyIsNone() {
        this.web.post()
            .uri("/pictures")
            .contentType(MediaType.APPLICATION_JSON)
            .bodyValue("{\"likes\":[\"1\",\"12a\"]}")
            .exchange()
            .expectStatus()
            .isBadRequest()
            .expectBody()
            .json("""
                    {"title":"Not an id","status":400,"instance":"/pictures","detail":
                    "Could not read the id 'likes[1]' of the body: likes[1]=12a (an id must be a whole 64-bit number, as \
                    a string or a number); correct it"}""");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = { "lease | 503 | No id just now", "translated | 503 | No id just now",
                    "ahead | 503 | No id just now", "none | 500 | No id", "assigned | 400 | Not an id of this row",
                    "changed | 409 | Bound to its shard" })
    void answersWhatMadeAnIdImpossible(String why, int status, String title) {
        WebTestClient.ResponseSpec answer = this.web.get().uri("/refused/" + why).exchange();

        answer.expectStatus()
            .isEqualTo(status)
            .expectBody()
            .jsonPath("$.title")
            .isEqualTo(title)
            .jsonPath("$.instance")
            .isEqualTo("/refused/" + why);
        if (status == 503) {
            answer.expectHeader().valueEquals(HttpHeaders.RETRY_AFTER, "5");
        }
        else {
            answer.expectHeader().doesNotExist(HttpHeaders.RETRY_AFTER);
        }
    }

    private WebTestClient.BodyContentSpec body(String uri) {
        return this.web.get().uri(uri).exchange().expectStatus().isOk().expectBody();
    }

    private void refused(String uri, String title, String detail) {
        this.web.get()
            .uri(uri)
            .exchange()
            .expectStatus()
            .isBadRequest()
            .expectHeader()
            .contentType(MediaType.APPLICATION_PROBLEM_JSON)
            .expectBody()
            .jsonPath("$.title")
            .isEqualTo(title)
            .jsonPath("$.detail")
            .isEqualTo(detail);
    }

}
