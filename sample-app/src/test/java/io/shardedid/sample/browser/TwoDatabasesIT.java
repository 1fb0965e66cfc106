package io.shardedid.sample.browser;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import io.shardedid.ShardedIds;
import io.shardedid.sample.SampleImages;
import io.shardedid.sample.postgres.PostgresServer;
import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The profile {@code two-databases} as a visitor has it. What a page shows is compared
 * with what each of the two servers says.
 */
@Tag("proof")
@Tag("nightly")
@DirtiesContext
@TestMethodOrder(OrderAnnotation.class)
@Needs(Tool.BROWSER)
@ExtendWith(BrowserParameter.class)
@ActiveProfiles("two-databases")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class TwoDatabasesIT {

    private static final String ROWS = "4000";

    @TempDir
    private static Path folder;

    private static Browser browser;

    @Autowired
    private Map<String, PostgresServer> servers;

    @Autowired
    private ShardedIds ids;

    @LocalServerPort
    private int port;

    @BeforeAll
    static void open(Browser opened) {
        browser = opened;
    }

    @BeforeEach
    void startAtADeskInTheLight() {
        browser.startAtADeskInTheLight();
    }

    @AfterEach
    void nothingWasComplainedAbout() {
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    @Order(1)
    void theFeedIsMergedFromBothDatabasesById() {
        List<String> a = query("a", "select id from photo");
        List<String> b = query("b", "select id from photo");
        assertThat(a).isNotEmpty();
        assertThat(b).isNotEmpty();
        browser.visit("/");
        List<String> seen = new ArrayList<>(photos());
        browser.visit("/?before=" + seen.get(seen.size() - 1));
        seen.addAll(photos());

        browser.visit("/");
        assertThat(browser.texts(".card .meta"))
            .anyMatch((meta) -> meta.contains(" · shard 635 · database a · process "))
            .anyMatch((meta) -> meta.contains(" · shard 1063 · database b · process "));
        assertThat(seen).isEqualTo(Stream.concat(a.stream(), b.stream())
            .sorted(Comparator.<String>comparingLong(Long::parseLong).reversed())
            .toList());
    }

    @Test
    @Order(1)
    void thePageByTimeShowsThePlanOfEachDatabase() {
        browser.visit("/time");
        browser.follow(".chips a:last-child");
        assertThat(browser.texts(".range h2")).containsExactly("What EXPLAIN answers in database a",
                "What EXPLAIN answers in database b");
        assertThat(browser.texts(".range pre")).hasSize(2).allMatch((plan) -> plan.contains(" on photo "));
        assertThat(browser.accessibilityFindings()).isEmpty();
    }

    /** The other server stands still meanwhile: whoever asked it would wait. */
    @ParameterizedTest
    @CsvSource({ "a, b", "b, a" })
    @Order(2)
    void thePageOfAUserComesFromOneDatabase(String database, String stopped) throws Exception {
        String user = query(database, "select min(author_id) from photo").get(0);
        List<String> published = query(database,
                "select id from photo where author_id = " + user + " order by id desc");
        signal("-STOP", stopped);
        try {
            browser.visit("/users/" + user);

            assertThat(photos()).isEqualTo(published);
            assertThat(browser.script("return document.querySelector('.card img').decode().then(() => true)"))
                .isEqualTo(true);
            browser.visit("/photos/" + published.get(0));
            assertThat(photos()).containsExactly(published.get(0));
        }
        finally {
            signal("-CONT", stopped);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "a", "b" })
    @Order(3)
    void thePageOfAnIdSaysInWhichDatabaseItsRowLives(String database) {
        for (String table : List.of("photo", "app_user")) {
            browser.visit("/ids/" + query(database, "select max(id) from " + table).get(0));

            assertThat(browser.text("#database")).isEqualTo(database);
        }
        assertThat(browser.text(".lead")).endsWith(", and it lives in database " + database + ".");
    }

    @Test
    @Order(4)
    void whatIsPublishedAndLikedGoesToTheDatabaseOfItsAuthor() throws IOException {
        String name = Stream.iterate(1, (i) -> i + 1)
            .map((i) -> "Reader " + i)
            .filter((candidate) -> this.ids.shardOfKey(candidate) >= 1000)
            .findFirst()
            .orElseThrow();
        signUp(name);
        browser.type("#image", Files.write(folder.resolve("photo.png"), SampleImages.png(800, 600)).toString());
        browser.type("#caption", "By a reader");
        browser.follow(".sheet button");
        assertThat(browser.text(".card .caption")).isEqualTo("By a reader");
        assertThat(query("b", "select caption from photo where id = " + photos().get(0)))
            .containsExactly("By a reader");
        String liked = query("a", "select max(id) from photo").get(0);
        browser.visit("/photos/" + liked);
        browser.find(".like button").click();
        browser.until("the button is pressed",
                (now) -> "true".equals(now.find(".like button").getDomAttribute("aria-pressed")));
        String likes = "select count(*) from photo_like l where photo_id = %s and user_id = %s".formatted(liked,
                query("b", "select id from app_user where name = '" + name + "'").get(0));
        assertThat(query("a", likes)).containsExactly("1");
        assertThat(query("b", likes)).containsExactly("0");
        browser.visit("/");
        browser.follow("form[action='/sign-out'] button");
        signUp(name);
        assertThat(query("b", "select count(*) from app_user where name = '" + name + "'")).containsExactly("1");
    }

    @ParameterizedTest
    @CsvSource({ "1280, 960, false", "390, 844, true" })
    @Order(5)
    void theDashboardCountsTheRowsOfAStormByDatabaseAndShard(int width, int height, boolean phone) {
        browser.window(width, height, phone);
        browser.dark(phone);
        browser.visit("/dashboard");
        assertThat(browser.text("[data-database='a'] .shards")).isEqualTo("0-999");
        assertThat(browser.text("[data-database='b'] .shards")).isEqualTo("1000-1999");
        if (!phone) {
            for (String database : List.of("a", "b")) {
                assertThat(browser.text("[data-database='%s'] .total".formatted(database)))
                    .isEqualTo(query(database, "select count(*) from photo").get(0));
            }
        }
        browser.script("fetch('/storm', {method: 'POST', redirect: 'manual', body: new URLSearchParams({rows: " + ROWS
                + ", threads: 4})})");
        browser.until("both databases have rows of the storm",
                (now) -> now.text("#shards-rows").equals("rows of the latest storm") && total("a") > 0
                        && total("a") + total("b") == Integer.parseInt(ROWS));
        assertThat(browser.script(bars("a", "slice(25)"))).isEqualTo(0L);
        assertThat(browser.script(bars("b", "slice(0, 25)"))).isEqualTo(0L);
        assertThat((Long) browser.script(bars("b", "slice(25)"))).isPositive();
        assertThat(browser.scrollsSideways()).isFalse();
        assertThat(browser.accessibilityFindings()).isEmpty();
        browser.visit("/storm");
        browser.until("the storm says how it ended", (now) -> !now.text("#verdict").isEmpty());
        assertThat(browser.text("#verdict")).isEqualTo(String.format(Locale.ROOT,
                "%,d rows by 4 threads, 0 duplicates by primary key and by count; the rows are removed.",
                Integer.parseInt(ROWS)));
        assertThat(browser.count(".lap.done")).isEqualTo(1);
    }

    /** As it is while a shard moves: a photo and its author are in both databases. */
    @Test
    @Order(7)
    void theFeedShowsAPhotoOnceThatIsInTwoDatabases() {
        browser.visit("/");
        List<String> before = photos();
        String photo = query("a", "select max(id) from photo").get(0);
        String author = query("a", "select author_id from photo where id = " + photo).get(0);
        execute("b", "insert into app_user values (%s, 'twice')".formatted(author),
                "insert into photo values (%s, %s, 'twice', 8, 6)".formatted(photo, author));
        try {
            browser.visit("/");

            assertThat(before).contains(photo);
            assertThat(photos()).isEqualTo(before);
        }
        finally {
            execute("b", "delete from photo where id = " + photo, "delete from app_user where id = " + author);
        }
    }

    @Test
    @Order(8)
    void shardsMoveWhileAStormRuns() {
        browser.visit("/photos/"
                + query("a", "select max(p.id) from photo p join app_user u on u.id = author_id where name = 'Mira'")
                    .get(0));
        String photo = photos().get(0);
        browser.visit("/dashboard");
        assertThat(browser.text("#move")).isEqualTo("Move shards 600-699 to database b");
        browser.script(
                "fetch('/storm', {method: 'POST', redirect: 'manual', body: new URLSearchParams({rows: 100000, threads: 4})})");
        browser.until("the storm has begun",
                (now) -> now.text("#shards-rows").equals("rows of the storm, which goes on") && total("a") > 0);
        browser.find("#move").click();
        browser.until("rows are copied", (now) -> !now.text("[data-move='copied']").equals("0 of 0"));
        browser.until("the move is done or has failed",
                (now) -> List.of("done", "failed").contains(now.text("[data-move='step']")));
        assertThat(browser.text("#move-message")).startsWith("Shards 600-699 are in database b: ");
        browser.until("the events name the move",
                (now) -> now.text("#events").contains("Shards 600-699 are in database b."));
        assertThat(browser.text("[data-move='pause']")).endsWith(" ms");
        assertThat(Long.parseLong(browser.text("[data-move='moving']").replace(" ms", ""))).isPositive();
        browser.until("the map is the new one",
                (now) -> now.text("[data-database='a'] .shards").equals("0-599, 700-999"));
        assertThat(browser.text("[data-database='b'] .shards")).isEqualTo("600-699, 1000-1999");
        assertThat(browser.text("#move")).isEqualTo("Move shards 600-699 to database a");
        browser.until("the bar of shards 600-639 is gone from database a",
                (now) -> now.find("[data-database='a'] rect:nth-of-type(16)").getDomAttribute("height").equals("0"));
        browser.script("document.getElementById('databases').scrollIntoView()");
        browser.screenshot("shard-move");
        browser.window(390, 844, true);
        browser.dark(true);
        browser.script("document.getElementById('databases').scrollIntoView()");
        browser.screenshot("shard-move-phone-dark");
        browser.window(1280, 960, false);
        browser.dark(false);
        browser.visit("/ids/" + photo);
        assertThat(browser.text("#database")).isEqualTo("b");
        browser.visit("/photos/" + photo);
        assertThat(browser.text(".facts")).contains("635, its author's, in database b");
        for (String table : List.of("app_user", "photo", "photo_like")) {
            assertThat(
                    query("a", "select count(*) from %s where (id >> 12) & 2047 between 600 and 699".formatted(table)))
                .as(table)
                .containsExactly("0");
        }
        browser.visit("/storm");
        browser.until("the storm says how it ended", (now) -> !now.text("#verdict").isEmpty());
        assertThat(browser.text("#verdict"))
            .isEqualTo("100,000 rows by 4 threads, 0 duplicates by primary key and by count; the rows are removed.");
        assertThat(browser.count(".lap.done")).isEqualTo(1);
    }

    /**
     * A plain number, a time to come, and a shard that nobody uses. A negative number is
     * no text of an id, as a word is none.
     */
    @Test
    @Order(6)
    void anIdThatLeadsNowhereIsNotFound() throws Exception {
        long noShard = this.ids.layout()
            .compose(this.ids.layout().tickAt(this.ids.clock().instant()), this.ids.shards(), 0, 0);
        for (long id : new long[] { 17, 123_456_789_012_345L, Long.MAX_VALUE, noShard }) {
            for (String page : List.of("/photos/%s", "/photos/%s/image", "/users/%s", "/api/users/%s/photos")) {
                assertThat(status(page.formatted(id))).as(page, id).isEqualTo(404);
            }
            assertThat(status("/ids/" + id)).isEqualTo(200);
            assertThat(status("/api/likes?photo=" + id)).isEqualTo(200);
        }
        for (String noId : List.of("-17", "seventeen")) {
            for (String page : List.of("/photos/%s", "/photos/%s/image", "/users/%s", "/api/users/%s/photos",
                    "/api/likes?photo=%s")) {
                assertThat(status(page.formatted(noId))).as(page, noId).isEqualTo(400);
            }
        }
        assertThat(status("/ids/-17")).isEqualTo(200);
    }

    private int status(String path) throws Exception {
        return HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(URI.create("http://localhost:" + this.port + path)).build(),
                    HttpResponse.BodyHandlers.discarding())
            .statusCode();
    }

    private static String bars(String database, String part) {
        return "return [...document.querySelectorAll(\"[data-database='%s'] rect\")].%s.filter((bar) => bar.height.baseVal.value > 0).length"
            .formatted(database, part);
    }

    private static int total(String database) {
        return Integer.parseInt(browser.text("[data-database='%s'] .total".formatted(database)).replace(",", ""));
    }

    private static void signUp(String name) {
        browser.visit("/sign-up");
        browser.type("#name", name);
        browser.follow(".sheet button");
    }

    @SuppressWarnings("unchecked")
    private static List<String> photos() {
        return (List<String>) browser
            .script("return [...document.querySelectorAll('[data-photo]')].map((card) => card.dataset.photo)");
    }

    /** As replication writes: the fence does not look. */
    private void execute(String database, String... statements) {
        try (Connection connection = DriverManager.getConnection(server(database).url(), "postgres", "");
                Statement statement = connection.createStatement()) {
            statement.execute("set session_replication_role = replica");
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
        catch (SQLException ex) {
            throw new IllegalStateException(String.join("; ", statements), ex);
        }
    }

    private List<String> query(String database, String sql) {
        try (Connection connection = DriverManager.getConnection(server(database).url(), "postgres", "");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        }
        catch (SQLException ex) {
            throw new IllegalStateException(sql, ex);
        }
    }

    private void signal(String signal, String database) throws Exception {
        StringBuilder command = new StringBuilder("kill " + signal);
        server(database).processes().forEach((process) -> command.append(' ').append(process.pid()));
        new ProcessBuilder("sh", "-c", command.toString()).start().waitFor();
    }

    private PostgresServer server(String database) {
        return this.servers.get("postgres-" + database);
    }

}
