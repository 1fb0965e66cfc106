package io.shardedid.sample;

import java.util.UUID;

import io.shardedid.ShardedIds;
import io.shardedid.sample.photo.Photo;
import io.shardedid.sample.photo.Publisher;
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
    void idIsJson() {
        long id = this.ids.layout().compose(59_568_183_124L, 1815, 1, 2);
        assertThat(get("/api/ids/" + id)).hasStatusOk().bodyJson().isLenientlyEqualTo("""
                {"id": "499694137506885666", "hex": "0x06ef452baa717022", "row": null,
                 "parts": {"instant": "2026-11-21T10:43:03.124Z", "shard": 1815, "worker": 1, "sequence": 2}}""");
    }

    @Test
    void likesOnceAndTakesItBackOnce() {
        String photo = Long.toString(publish(author()).getId());
        MockHttpSession session = session(author());
        for (int twice = 0; twice < 2; twice++) {
            assertThat(this.mvc.put().uri("/api/photos/" + photo + "/like").session(session)).bodyJson()
                .isLenientlyEqualTo("{\"photo\": \"%s\", \"likes\": 1, \"liked\": true}".formatted(photo));
        }
        assertThat(get("/api/likes?photo=" + photo + "&photo=1")).bodyJson().isLenientlyEqualTo("""
                [{"photo": "%s", "likes": 1, "liked": false}, {"photo": "1", "likes": 0}]""".formatted(photo));
        for (int twice = 0; twice < 2; twice++) {
            assertThat(this.mvc.delete().uri("/api/photos/" + photo + "/like").session(session)).bodyJson()
                .isLenientlyEqualTo("{\"likes\": 0, \"liked\": false}");
        }
    }

    @Test
    void whoHasNoNameCannotLike() {
        assertThat(this.mvc.put().uri("/api/photos/" + publish(author()).getId() + "/like"))
            .hasStatus(HttpStatus.FORBIDDEN)
            .hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
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

    @ParameterizedTest
    @CsvSource({ "/api/photos/1, 404", "/api/users/1/photos, 404", "/api/nowhere, 404", "/api/photos/abc, 400",
            "/api/users/1.5/photos, 400", "/api/ids/1e9, 400", "/api/photos?limit=0, 400", "/api/photos?limit=101, 400",
            "/api/photos?limit=x, 400", "/api/photos?from=today, 400",
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
        return this.publisher.publish(author, "A caption", SampleImages.picture(8, 6));
    }

}
