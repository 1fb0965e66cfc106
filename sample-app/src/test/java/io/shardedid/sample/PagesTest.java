package io.shardedid.sample;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UnsupportedEncodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

import javax.imageio.ImageIO;

import io.shardedid.ShardedIds;
import io.shardedid.sample.photo.Photo;
import io.shardedid.sample.photo.Publisher;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import io.shardedid.sample.user.Visitor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpSession;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.util.HtmlUtils;

import static org.assertj.core.api.Assertions.assertThat;

@SampleTest
class PagesTest {

    @Autowired
    private MockMvcTester mvc;

    @Autowired
    private Users users;

    @Autowired
    private Publisher publisher;

    @Autowired
    private ShardedIds ids;

    @Test
    void homeShowsTheNewestPhotoFirstAndLeadsToOlderOnes() {
        User author = author();
        for (int i = 0; i < 14; i++) {
            publish(author, "photo " + i);
        }
        Photo newest = publish(author, "Newest <of> all");
        MvcTestResult home = get("/");
        assertThat(home).hasStatusOk().bodyText().contains("Newest &lt;of&gt; all").containsPattern("\\?before=\\d+");
        assertThat(firstPhotoOn(home)).isEqualTo(newest.getId());
        assertThat(get("/?before=" + newest.getId())).hasStatusOk()
            .bodyText()
            .contains("photo 13")
            .doesNotContain("Newest &lt;of&gt; all");
    }

    @Test
    void workersPageShowsWhoHoldsTheWorkerOfTheIds() {
        int worker = this.ids.parse(this.ids.next()).worker();
        assertThat(get("/workers")).hasStatusOk()
            .bodyText()
            .containsPattern("<th scope=\"row\">" + worker + "</th>\\s*<td>held by this process</td>")
            .containsPattern("<td class=\"until\">in \\d+ s <time")
            .doesNotContainPattern(">[^<]*\\d{4}-\\d\\d-\\d\\dT");
    }

    @Test
    void userPageShowsTheShardAndNobodyElsesPhotos() {
        User author = author();
        publish(author, "Mine");
        publish(author(), "Not mine");
        assertThat(get("/users/" + author.getId())).hasStatusOk()
            .bodyText()
            .contains("shard " + this.ids.shardOf(author.getId()), "Mine", "1 photo")
            .doesNotContain("Not mine");
    }

    @Test
    void photoPageShowsThePhoto() {
        Photo photo = publish(author(), "Here");
        assertThat(get("/photos/" + photo.getId())).hasStatusOk()
            .bodyText()
            .contains("/photos/" + photo.getId() + "/image", "Here", "/ids/" + photo.getId());
    }

    @Test
    void imageIsKeptForever() {
        Photo photo = publish(author(), "Here");
        assertThat(get("/photos/" + photo.getId() + "/image")).hasStatusOk()
            .hasContentType(MediaType.IMAGE_JPEG)
            .hasHeader("Cache-Control", "max-age=31536000, immutable")
            .hasHeader("X-Content-Type-Options", "nosniff");
    }

    @Test
    void timePageFindsPhotosByTheirIdsAlone() {
        Photo photo = publish(author(), "Of this day");
        String day = this.ids.parse(photo.getId()).instant().toString().substring(0, 10);
        assertThat(get("/time?day=" + day + "&before=" + (photo.getId() + 1))).hasStatusOk()
            .bodyText()
            .contains("Of this day");
        assertThat(get("/time?from=2025-03-01T10:00&to=2025-03-02T10:00")).hasStatusOk()
            .bodyText()
            .contains("No photo has an id in this range.", "1 Mar 2025, 10:00");
        assertThat(get("/time")).hasStatusOk();
        assertThat(get("/time?day=1969-12-31")).hasStatusOk().bodyText().contains("No photo has an id in this range.");
        assertThat(get("/time?day=2400-01-01")).hasStatusOk().bodyText().contains("No photo has an id in this range.");
    }

    @Test
    void idPageReadsAnIdFromHere() {
        Photo photo = publish(author(), "With an id");
        assertThat(get("/ids/" + photo.getId())).hasStatusOk()
            .bodyText()
            .contains("With an id", "4 November 2059", "UUIDv7",
                    "<strong id=\"shard\">" + this.ids.shardOf(photo.getId()) + "</strong>");
    }

    @Test
    void idPageShowsTheCodeThatMadeTheId() throws IOException {
        Photo photo = publish(author(), "By code");
        assertThat(codeOn("/ids/" + photo.getId())).isSubstringOf(source("photo/Photo.java"))
            .contains("@ShardedId(shardKey = \"author\")");
        assertThat(codeOn("/ids/" + photo.getAuthor().getId())).isSubstringOf(source("user/User.java"))
            .contains("@ShardedId(shardKey = \"name\")");
        assertThat(get("/ids/1")).bodyText().doesNotContain("<pre>");
    }

    private String codeOn(String page) throws UnsupportedEncodingException {
        String html = get(page).getResponse().getContentAsString();
        return HtmlUtils.htmlUnescape(html.substring(html.indexOf("<pre>"), html.indexOf("</pre>")))
            .replaceAll("</?(pre|code)>", "");
    }

    private static String source(String file) throws IOException {
        return Files.readString(Path.of("src/main/java/io/shardedid/sample", file)).replaceAll("(?m)^ +", "");
    }

    @Test
    void timePageExplainsItsQueryByThePrimaryKeyAlone() {
        assertThat(get("/time?day=2026-01-02")).hasStatusOk()
            .bodyText()
            .containsPattern("PRIMARY_KEY_\\w+: ID &gt;= \\d+\\s+AND ID &lt;= \\d+")
            .contains("/* index sorted */");
    }

    @Test
    void oneMoreIsPublishedWithoutAFileAndWithoutAName() throws Exception {
        assertThat(this.mvc.post().uri("/photos/one-more")).hasRedirectedUrl("/");
        MvcTestResult home = get("/");
        assertThat(home).bodyText().contains("<p class=\"caption\">One more</p>");
        byte[] picture = get("/photos/" + firstPhotoOn(home) + "/image").getResponse().getContentAsByteArray();
        assertThat(ImageIO.read(new ByteArrayInputStream(picture)).getWidth()).isEqualTo(480);
        User author = author();
        assertThat(this.mvc.post().uri("/photos/one-more").session(session(author))).hasRedirectedUrl("/");
        assertThat(this.ids.shardOf(firstPhotoOn(get("/")))).isEqualTo(this.ids.shardOf(author.getId()));
        assertThat(get("/users/" + author.getId())).bodyText().contains("1 photo");
    }

    @ParameterizedTest
    @ValueSource(strings = { "0", "1", "-1", "9223372036854775807", "-9223372036854775808" })
    void idPageReadsAnyId(String id) {
        assertThat(get("/ids/" + id)).hasStatusOk().bodyText().contains(id);
    }

    @Test
    void idPageDoubtsWhatWasNotMadeHere() {
        assertThat(get("/ids/-1")).bodyText()
            .contains("It is negative: the sign bit is 1, which no layout uses. Nothing made this id.");
        assertThat(get("/ids/9223372036854775807")).bodyText()
            .contains("Its time has not come yet: nothing here has made it.",
                    "Its shard is outside 0 to 1,999, the shards in use.");
    }

    @Test
    void idFormLeadsToTheIdPage() {
        assertThat(get("/ids")).hasStatusOk().bodyText().contains("name=\"id\"");
        assertThat(get("/ids?id=%2042%20")).hasStatus(HttpStatus.FOUND).hasRedirectedUrl("/ids/42");
    }

    @ParameterizedTest
    @ValueSource(strings = { "/photos/1", "/photos/1/image", "/users/1", "/nowhere" })
    void whatIsUnknownIsAReadable404(String path) {
        assertThat(get(path)).hasStatus(HttpStatus.NOT_FOUND)
            .hasContentTypeCompatibleWith(MediaType.TEXT_HTML)
            .bodyText()
            .contains("<p class=\"status\">404</p>", "To the photos");
    }

    @ParameterizedTest
    @ValueSource(strings = { "/photos/abc", "/photos/x/image", "/users/1.5", "/ids/99999999999999999999",
            "/ids/9223372036854775808", "/?before=x", "/time?day=yesterday", "/time?from=2026-01-01T00:00",
            "/time?from=2026-01-02T00:00&to=2026-01-01T00:00", "/time?day=%2B999999999-12-31", "/ids?id=a" })
    void whatIsMalformedIsAReadable400(String path) {
        assertThat(get(path)).hasStatus(HttpStatus.BAD_REQUEST)
            .hasContentTypeCompatibleWith(MediaType.TEXT_HTML)
            .bodyText()
            .contains("<p class=\"status\">400</p>");
    }

    @Test
    void aMalformedIdIsNamedWithItsRule() {
        assertThat(get("/photos/abc")).bodyText().contains("&#39;id&#39; must be a whole number", "&#39;abc&#39;");
    }

    /** Not a bare refusal: a word says why, and the way leads back to the photo. */
    @Test
    void whoHasNoNameIsToldWhyALikeNeedsOne() {
        Photo photo = publish(author(), "Like me");
        String form = "/sign-up?photo=" + photo.getId();
        assertThat(this.mvc.post().uri("/photos/" + photo.getId() + "/like")).hasRedirectedUrl(form);
        assertThat(get(form)).bodyText().contains("A like belongs to a person", "/photos/" + photo.getId());
        assertThat(this.mvc.post().uri(form).param("name", "")).hasStatus(HttpStatus.BAD_REQUEST)
            .bodyText()
            .contains("A like belongs to a person");
        assertThat(this.mvc.post().uri(form).param("name", "Liker")).hasRedirectedUrl("/photos/" + photo.getId());
    }

    @Test
    void signUpTakesANameAndKeepsItInTheSession() {
        String name = "Zoë " + UUID.randomUUID().toString().substring(0, 8);
        MvcTestResult signedUp = this.mvc.post().uri("/sign-up").param("name", "  " + name + " ").exchange();
        assertThat(signedUp).hasStatus(HttpStatus.FOUND).hasRedirectedUrl("/");
        Visitor visitor = (Visitor) signedUp.getRequest().getSession().getAttribute(Visitor.ATTRIBUTE);
        assertThat(this.users.findByName(name).orElseThrow().getId()).isEqualTo(visitor.id());
        assertThat(this.mvc.post().uri("/sign-up").param("name", name)).hasStatus(HttpStatus.FOUND);
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "   ", "a\nb", "a name that is much longer than forty characters", "\u200B\u200B",
            "\u00A0\u2003", "\u0301", "Mira\u202Eevil", "\u0000" })
    void signUpRefusesWhatIsNoName(String name) {
        assertThat(this.mvc.post().uri("/sign-up").param("name", name)).hasStatus(HttpStatus.BAD_REQUEST)
            .bodyText()
            .contains("id=\"name-error\"");
    }

    @ParameterizedTest
    @ValueSource(strings = { "\uD83D\uDC69\u200D\uD83D\uDE80", "\u0645\u06CC\u200C\u0631\u0627", "Zoe\u0308",
            "\uD83E\uDEE0", "O'Hara-Smith, Jr." })
    void signUpTakesTheNamesOfThisWorld(String name) {
        assertThat(this.mvc.post().uri("/sign-up").param("name", name)).hasStatus(HttpStatus.FOUND);
    }

    /** Somebody may have planted a session id before the sign-up. */
    @Test
    void signUpGivesTheSessionANewId() {
        MockHttpSession session = new MockHttpSession();
        String planted = session.getId();
        assertThat(this.mvc.post().uri("/sign-up").param("name", "Planted").session(session))
            .hasStatus(HttpStatus.FOUND);
        assertThat(session.getId()).isNotEqualTo(planted);
    }

    /**
     * Each page that shows a name or a caption is asked: the header has the visitor, the
     * card the author, the picture its description, the page its title.
     */
    @Test
    void whatVisitorsTypeIsTextAndNeverMarkup() {
        String name = "<b id='n'>" + UUID.randomUUID().toString().substring(0, 8) + "</b>";
        String caption = "<script id=\"c\">alert('x')</script> & " + UUID.randomUUID();
        User author = this.users.save(new User(name));
        Photo photo = publish(author, caption);
        Photo untitled = publish(author, "");
        String day = this.ids.parse(photo.getId()).instant().toString().substring(0, 10);
        for (String page : new String[] { "/", "/users/" + author.getId(), "/photos/" + photo.getId(),
                "/photos/" + untitled.getId(), "/time?day=" + day, "/ids/" + photo.getId(),
                "/ids/" + author.getId() }) {
            assertThat(this.mvc.get().uri(java.net.URI.create(page)).session(session(author))).as(page)
                .hasStatusOk()
                .bodyText()
                .contains("&lt;b id=&#39;n&#39;&gt;" + name.substring(10, 18))
                .doesNotContain("<b id=", "<script id=");
        }
        assertThat(get("/photos/" + photo.getId())).bodyText()
            .contains("&lt;script id=&quot;c&quot;&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; ");
    }

    @Test
    void signOutEndsTheSession() {
        MockHttpSession session = session(author());
        assertThat(this.mvc.post().uri("/sign-out").session(session)).hasRedirectedUrl("/");
        assertThat(session.isInvalid()).isTrue();
    }

    @Test
    void likeButtonWorksWithoutScripts() {
        Photo photo = publish(author(), "Like me");
        MockHttpSession session = session(author());
        String page = "/photos/" + photo.getId();
        assertThat(this.mvc.post().uri(page + "/like").session(session)).hasRedirectedUrl(page);
        assertThat(this.mvc.get().uri(page).session(session)).bodyText()
            .contains("aria-pressed=\"true\"", "<span class=\"count\">1</span>");
        assertThat(this.mvc.post().uri(page + "/like").session(session)).hasRedirectedUrl(page);
        assertThat(this.mvc.get().uri(page).session(session)).bodyText().contains("<span class=\"count\">0</span>");
    }

    @Test
    void pagesAllowNothingFromOutside() {
        assertThat(get("/")).hasHeader("Content-Security-Policy",
                "default-src 'none'; img-src 'self' blob:; style-src 'self'; script-src 'self'; connect-src 'self'; "
                        + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
        assertThat(get("/")).bodyText().doesNotContain("style=", "http://www.", "https://");
    }

    @Test
    void operatorsSeeWhatIsNamedAndNothingElse() {
        for (String shown : new String[] { "health", "metrics", "shardedid" }) {
            assertThat(get("/actuator/" + shown)).as(shown).hasStatusOk();
        }
        for (String hidden : new String[] { "env", "beans", "heapdump", "configprops" }) {
            assertThat(get("/actuator/" + hidden)).as(hidden).hasStatus(HttpStatus.NOT_FOUND);
        }
    }

    @Test
    void aPageOfAnotherSiteCannotSignAnybodyUp() {
        assertThat(this.mvc.post().uri("/sign-up").header("Sec-Fetch-Site", "cross-site").param("name", "Mallory"))
            .hasStatus(HttpStatus.FORBIDDEN);
        assertThat(this.users.findByName("Mallory")).isEmpty();
    }

    private MvcTestResult get(String path) {
        return this.mvc.get().uri(java.net.URI.create(path)).exchange();
    }

    private static long firstPhotoOn(MvcTestResult page) {
        try {
            String html = page.getResponse().getContentAsString();
            int at = html.indexOf("data-photo=\"") + 12;
            return Long.parseLong(html.substring(at, html.indexOf('"', at)));
        }
        catch (UnsupportedEncodingException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private MockHttpSession session(User user) {
        MockHttpSession session = new MockHttpSession();
        session.setAttribute(Visitor.ATTRIBUTE, new Visitor(user.getId(), user.getName()));
        return session;
    }

    private User author() {
        return this.users.save(new User(UUID.randomUUID().toString()));
    }

    private Photo publish(User author, String caption) {
        return this.publisher.publish(author, caption, SampleImages.picture(8, 6));
    }

}
