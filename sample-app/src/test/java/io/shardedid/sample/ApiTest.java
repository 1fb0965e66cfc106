package io.shardedid.sample;

import java.util.UUID;

import io.shardedid.ShardedIds;
import io.shardedid.sample.photo.Photo;
import io.shardedid.sample.photo.Publisher;
import io.shardedid.sample.photo.UploadedImage;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import io.shardedid.sample.user.Visitor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpSession;
import org.springframework.mock.web.MockMultipartFile;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

@SampleTest
class ApiTest {

    @Autowired
    private MockMvcTester mvc;

    @Autowired
    private Users users;

    @Autowired
    private Publisher publisher;

    @Autowired
    private ShardedIds ids;

    @Test
    void photoIsJsonWithIdsAsText() {
        User author = author();
        Photo photo = publish(author);
        assertThat(get("/api/photos/" + photo.getId())).hasStatusOk()
            .bodyJson()
            .isLenientlyEqualTo(
                    """
                            {"id": "%s", "caption": "A caption", "shard": %s, "width": 8, "height": 6, "likes": 0, "liked": false,
                             "author": {"id": "%s", "name": "%s"}, "image": "/photos/%1$s/image"}"""
                        .formatted(photo.getId(), this.ids.shardOf(author.getId()), author.getId(), author.getName()));
    }

    @Test
    void aNameOfFiveMegabytesIsTooLongAndNothingElse() {
        assertThat(this.mvc.post()
            .uri("/api/users")
            .contentType(MediaType.APPLICATION_JSON)
            .content("{\"name\": \"" + "x".repeat(5_000_000) + "\"}")).hasStatus(HttpStatus.BAD_REQUEST)
            .bodyText()
            .contains("name: A name has at most 40 characters.");
    }

    @Test
    void photosArePagedByTheLastId() {
        User author = author();
        Photo first = publish(author);
        Photo second = publish(author);
        Photo third = publish(author);
        String path = "/api/users/" + author.getId() + "/photos?limit=2";
        assertThat(get(path)).bodyJson().isLenientlyEqualTo("""
                {"photos": [{"id": "%s"}, {"id": "%s"}], "older": "%2$s"}""".formatted(third.getId(), second.getId()));
        assertThat(get(path + "&before=" + second.getId())).bodyJson().isLenientlyEqualTo("""
                {"photos": [{"id": "%s"}], "older": null}""".formatted(first.getId()));
        assertThat(get("/api/photos?limit=1")).bodyJson()
            .extractingPath("$.photos[0].id")
            .isEqualTo(Long.toString(third.getId()));
    }

    @Test
    void photosOfATimeWindowAreFoundByIdRange() {
        Photo photo = publish(author());
        String at = this.ids.parse(photo.getId()).instant().toString();
        assertThat(get("/api/photos?from=" + at + "&before=" + (photo.getId() + 1))).bodyJson()
            .extractingPath("$.photos[0].id")
            .isEqualTo(Long.toString(photo.getId()));
        assertThat(get("/api/photos?to=2026-01-01T00:00:00Z")).bodyJson()
            .extractingPath("$.photos")
            .asArray()
            .isEmpty();
    }

    @Test
    void userIsJson() {
        User user = author();
        assertThat(get("/api/users/" + user.getId())).bodyJson()
            .isLenientlyEqualTo("""
                    {"id": "%s", "name": "%s", "shard": %s}""".formatted(user.getId(), user.getName(),
                    this.ids.shardOf(user.getId())));
    }

    @Test
    void idIsJson() {
        long id = this.ids.layout().compose(59_568_183_124L, 1815, 1, 2);
        assertThat(get("/api/ids/" + id)).hasStatusOk().bodyJson().isLenientlyEqualTo("""
                {"id": "499694137506885666", "hex": "0x06ef452baa717022", "row": null,
                 "parts": {"instant": "2026-11-21T10:43:03.124Z", "shard": 1815, "worker": 1, "sequence": 2}}""");
    }

    @Test
    void signsUpUploadsAndLikes() throws Exception {
        String name = UUID.randomUUID().toString();
        MvcTestResult signedUp = this.mvc.post()
            .uri("/api/users")
            .contentType(MediaType.APPLICATION_JSON)
            .content("{\"name\": \"" + name + "\"}")
            .exchange();
        assertThat(signedUp).hasStatus(HttpStatus.CREATED).bodyJson().extractingPath("$.name").isEqualTo(name);
        MockHttpSession session = (MockHttpSession) signedUp.getRequest().getSession();
        MvcTestResult uploaded = this.mvc.post()
            .uri("/api/photos")
            .multipart()
            .file(new MockMultipartFile("image", SampleImages.png(8, 6)))
            .session(session)
            .exchange();
        assertThat(uploaded).hasStatus(HttpStatus.CREATED);
        String photo = uploaded.getResponse().getHeader("Location");
        assertThat(get(photo)).hasStatusOk();
        for (int twice = 0; twice < 2; twice++) {
            assertThat(this.mvc.put().uri(photo + "/like").session(session)).bodyJson()
                .isLenientlyEqualTo("{\"likes\": 1, \"liked\": true}");
        }
        String id = photo.substring(photo.lastIndexOf('/') + 1);
        assertThat(get("/api/likes?photo=" + id + "&photo=1")).bodyJson().isLenientlyEqualTo("""
                [{"photo": "%s", "likes": 1, "liked": false}, {"photo": "1", "likes": 0}]""".formatted(id));
        for (int twice = 0; twice < 2; twice++) {
            assertThat(this.mvc.delete().uri(photo + "/like").session(session)).bodyJson()
                .isLenientlyEqualTo("{\"likes\": 0, \"liked\": false}");
        }
    }

    @Test
    void whoTakesALikeBackTakesNobodyElsesLikeBack() {
        String like = "/api/photos/" + publish(author()).getId() + "/like";
        String other = "/api/photos/" + publish(author()).getId() + "/like";
        MockHttpSession mira = session(author());
        MockHttpSession jonas = session(author());
        for (MockHttpSession session : new MockHttpSession[] { mira, jonas }) {
            assertThat(this.mvc.put().uri(like).session(session)).hasStatusOk();
            assertThat(this.mvc.put().uri(other).session(session)).hasStatusOk();
        }
        assertThat(this.mvc.delete().uri(like).session(mira)).bodyJson()
            .isLenientlyEqualTo("{\"likes\": 1, \"liked\": false}");
        assertThat(this.mvc.put().uri(like).session(jonas)).bodyJson()
            .isLenientlyEqualTo("{\"likes\": 1, \"liked\": true}");
        assertThat(this.mvc.put().uri(other).session(mira)).bodyJson()
            .isLenientlyEqualTo("{\"likes\": 2, \"liked\": true}");
    }

    @Test
    void signUpGivesTheSessionANewId() {
        MockHttpSession session = new MockHttpSession();
        String planted = session.getId();
        assertThat(this.mvc.post()
            .uri("/api/users")
            .contentType(MediaType.APPLICATION_JSON)
            .content("{\"name\": \"Planted too\"}")
            .session(session)).hasStatus(HttpStatus.CREATED);
        assertThat(session.getId()).isNotEqualTo(planted);
    }

    @ParameterizedTest
    @CsvSource({ "/api/photos/1, 404", "/api/users/1, 404", "/api/users/1/photos, 404", "/api/nowhere, 404",
            "/api/photos/abc, 400", "/api/users/0x1, 400", "/api/ids/1e9, 400", "/api/photos?limit=0, 400",
            "/api/photos?limit=101, 400", "/api/photos?limit=x, 400", "/api/photos?from=today, 400",
            "/api/photos?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z, 400", "/api/likes, 400",
            "/api/likes?photo=%00, 400" })
    void problemsAreProblemDetails(String path, int status) {
        assertThat(get(path)).hasStatus(status)
            .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
            .bodyJson()
            .extractingPath("$.status")
            .isEqualTo(status);
    }

    @Test
    void anUnknownIdIsNamed() {
        assertThat(get("/api/photos/17")).bodyJson()
            .isLenientlyEqualTo(
                    """
                            {"status": 404, "title": "Nothing has this id", "instance": "/api/photos/17", "detail":
                            "There is no photo with this id: id=17. It may never have been made here; 'Read an id' shows what it says."}""");
    }

    @Test
    void aBodyThatCannotBeReadIsA400() {
        assertThat(this.mvc.post().uri("/api/users").contentType(MediaType.APPLICATION_JSON).content("{"))
            .hasStatus(HttpStatus.BAD_REQUEST)
            .bodyJson()
            .extractingPath("$.detail")
            .isEqualTo("The body must be readable as: 'application/json'.");
        assertThat(this.mvc.post().uri("/api/users").contentType(MediaType.APPLICATION_JSON).content("{}"))
            .hasStatus(HttpStatus.BAD_REQUEST)
            .bodyJson()
            .extractingPath("$.detail")
            .isEqualTo("The body must hold what is asked for: 'name: Please type a name.'.");
    }

    @Test
    void uploadsThatCannotBeTakenAreProblems() {
        MockHttpSession session = session(author());
        assertThat(upload("no image".getBytes(), session)).hasStatus(HttpStatus.UNSUPPORTED_MEDIA_TYPE)
            .hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
        assertThat(upload(SampleImages.pngThatClaims(50_000, 50_000), session)).hasStatus(HttpStatus.CONTENT_TOO_LARGE)
            .hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
        assertThat(upload(SampleImages.png(1, 1), new MockHttpSession())).hasStatus(HttpStatus.FORBIDDEN)
            .hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
        assertThat(this.mvc.post().uri("/api/photos").multipart().session(session)).hasStatus(HttpStatus.BAD_REQUEST);
    }

    private MvcTestResult upload(byte[] file, MockHttpSession session) {
        return this.mvc.post()
            .uri("/api/photos")
            .multipart()
            .file(new MockMultipartFile("image", "photo.png", "image/png", file))
            .session(session)
            .exchange();
    }

    private MvcTestResult get(String path) {
        return this.mvc.get().uri(path).exchange();
    }

    private static MockHttpSession session(User user) {
        MockHttpSession session = new MockHttpSession();
        session.setAttribute(Visitor.ATTRIBUTE, new Visitor(user.getId(), user.getName()));
        return session;
    }

    private User author() {
        return this.users.save(new User(UUID.randomUUID().toString()));
    }

    private Photo publish(User author) {
        return this.publisher.publish(author, "A caption", UploadedImage.read(SampleImages.png(8, 6)));
    }

}
