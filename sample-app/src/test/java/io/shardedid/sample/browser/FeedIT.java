package io.shardedid.sample.browser;

import java.util.List;
import java.util.UUID;

import io.shardedid.IdWindow;
import io.shardedid.ShardedIdEngine;
import io.shardedid.sample.SampleImages;
import io.shardedid.sample.photo.Photos;
import io.shardedid.sample.photo.Publisher;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.data.domain.Limit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application as a visitor has it, with the photos of a first start. Screenshots for
 * the documentation are made on the way with {@code -Dscreenshots=true}.
 */
@Tag("browser")
@TestMethodOrder(OrderAnnotation.class)
@Needs(Tool.BROWSER)
@ExtendWith(BrowserParameter.class)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "spring.datasource.url=jdbc:h2:mem:browser")
class FeedIT {

    private static Browser browser;

    @Autowired
    private Users users;

    @Autowired
    private Photos photos;

    @Autowired
    private Publisher publisher;

    @Autowired
    private ShardedIdEngine ids;

    @BeforeAll
    static void open(Browser opened) {
        browser = opened;
    }

    @BeforeEach
    void startAsNobodyAtADesk() {
        browser.startAtADeskInTheLight();
        browser.visit("/");
        if (browser.count("form[action='/sign-out']") > 0) {
            browser.follow("form[action='/sign-out'] button");
        }
    }

    @AfterEach
    void nothingWasComplainedAbout() {
        assertThat(browser.complaints()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({ "1280, 960, false", "390, 844, true" })
    void signsUpPublishesOneMoreSeesItFirstAndReadsItsShard(int width, int height, boolean phone) {
        browser.window(width, height, phone);
        String newest = browser.find(".card").getDomAttribute("data-photo");
        String name = signUp();
        browser.follow(".one-more button");
        assertThat(browser.path()).isEqualTo("/");
        assertThat(browser.text(".card .caption")).isEqualTo("One more");
        assertThat(browser.text(".card .author span")).isEqualTo(name);
        assertThat(Long.parseLong(browser.find(".card").getDomAttribute("data-photo")))
            .isGreaterThan(Long.parseLong(newest));
        assertThat(browser.script("return document.querySelector('.card img').naturalWidth")).isEqualTo(480L);
        // 24 pixels is what WCAG 2.2 asks of a target
        assertThat(height(".card .strip")).isGreaterThanOrEqualTo(24);
        browser.follow(".card .strip");
        User author = this.users.findByName(name).orElseThrow();
        assertThat(browser.text("#shard")).isEqualTo(Integer.toString(this.ids.shardOf(author.getId())));
        assertThat(browser.text(".lead")).contains("It is the photo One more.");
        assertThat(browser.count(".cells span")).isEqualTo(64);
        assertThat(bits()).isEqualTo(Long.parseLong(browser.path().substring("/ids/".length())));
        assertThat(browser.scrollsSideways()).isFalse();
    }

    @Test
    void likesInPlaceAndShowsTheLikesOfOthersWithoutReloading() {
        signUp();
        browser.visit("/");
        String photo = browser.find(".card").getDomAttribute("data-photo");
        long before = likes();
        browser.find(".card .like button").click();
        browser.until("the like counts", (now) -> likes() == before + 1);
        assertThat(browser.find(".card .like button").getDomAttribute("aria-pressed")).isEqualTo("true");
        browser.script("fetch('/sign-out', {method: 'POST'}).then(() => fetch('/sign-up', {method: 'POST', "
                + "body: new URLSearchParams({name: 'Somebody else'})})).then(() => fetch('/api/photos/" + photo
                + "/like', {method: 'PUT'}))");
        browser.until("the like of somebody else is shown", (now) -> likes() == before + 2);
    }

    @Test
    void whoHasNoNameIsToldWhyALikeNeedsOneAndComesBackToThePhoto() {
        String photo = browser.find(".card").getDomAttribute("data-photo");
        browser.follow(".card .like button");
        assertThat(browser.path()).isEqualTo("/sign-up?photo=" + photo);
        assertThat(browser.text(".why")).startsWith("A like belongs to a person");
        browser.type("#name", "Liker");
        browser.follow(".sheet button");
        assertThat(browser.path()).isEqualTo("/photos/" + photo);
    }

    @Test
    void appendsOlderPhotosWhileScrollingEachOnce() {
        assertThat(browser.count(".card")).isEqualTo(12);
        long first = Long.parseLong(browser.find(".card").getDomAttribute("data-photo"));
        List<String> expected = this.photos.findNewest(new IdWindow(0, first), Limit.unlimited())
            .stream()
            .map((photo) -> Long.toString(photo.getId()))
            .toList();
        // Meanwhile somebody publishes, which moves every photo down by one.
        this.publisher.publish(this.users.save(new User("P " + UUID.randomUUID())), "", SampleImages.picture(8, 6));
        browser.script("window.scrollTo(0, document.body.scrollHeight)");
        browser.until("older photos are appended", (now) -> now.count(".card") > 12);
        browser.until("the last page is appended", (now) -> now.count(".more") == 0);
        assertThat(browser.path()).isEqualTo("/");
        assertThat(browser.script("return [...document.querySelectorAll('.card')].map((card) => card.dataset.photo)"))
            .isEqualTo(expected);
    }

    @Test
    void worksWithoutScripts() {
        browser.scripts(false);
        signUp();
        browser.visit("/");
        browser.follow(".more a");
        assertThat(browser.path()).startsWith("/?before=");
        String photo = browser.find(".card").getDomAttribute("data-photo");
        long before = likes();
        browser.follow(".card .like button");
        assertThat(browser.path()).isEqualTo("/photos/" + photo);
        assertThat(browser.text(".count")).isEqualTo(Long.toString(before + 1));
    }

    @Test
    void goesByKeyboard() {
        signUp();
        browser.visit("/");
        browser.type("body", "jj");
        assertThat(browser.script(
                "return [...document.querySelectorAll('.card')].indexOf(" + "document.activeElement.closest('.card'))"))
            .isEqualTo(1L);
        String photo = browser.find(".card.here").getDomAttribute("data-photo");
        browser.type("body", "l");
        browser.until("the key l likes the photo",
                (now) -> "true".equals(now.find(".card.here .like button").getDomAttribute("aria-pressed")));
        browser.find(".card.here .picture").sendKeys(Keys.ENTER);
        browser.until("Enter opens the photo", (now) -> now.path().equals("/photos/" + photo));
    }

    /** At a desk and on a phone, in the light and in the dark. */
    @Test
    @Tag("proof")
    void fitsADeskAndAPhoneAndEverybodyCanUseIt() {
        String photo = browser.find("[data-photo]").getDomAttribute("data-photo");
        String user = browser.find(".card .author").getDomAttribute("href");
        signUp();
        for (String path : new String[] { "/", "/time", "/ids", "/ids/" + photo, "/ids/-1", user, "/photos/" + photo,
                "/workers", "/dashboard", "/sign-up", "/sign-up?photo=" + photo, "/photos/1" }) {
            browser.visit(path);
            for (boolean phone : new boolean[] { false, true }) {
                browser.window(phone ? 390 : 1280, phone ? 844 : 960, phone);
                for (boolean dark : new boolean[] { false, true }) {
                    browser.dark(dark);
                    String where = path + (phone ? " on a phone" : " at a desk") + (dark ? " in the dark" : "");
                    assertThat(browser.dark()).as("%s is dark", where).isEqualTo(dark);
                    assertThat(browser.scrollsSideways()).as("%s scrolls sideways", where).isFalse();
                    assertThat(browser.cutOff()).as("cut off of %s", where).isEmpty();
                    assertThat(browser.wrapped()).as("wrapped navigation of %s", where).isEmpty();
                    assertThat(browser.accessibilityFindings()).as("accessibility of %s", where).isEmpty();
                }
            }
        }
        // The last one is not found, and the console says so.
        assertThat(browser.complaints()).hasSize(1).allMatch((complaint) -> complaint.contains("404"));
    }

    /** First, while the feed is that of a first start. */
    @Test
    @Order(1)
    void showsWhatAFirstStartMade() {
        browser.visit("/");
        assertThat(browser.text(".card .caption")).isEqualTo("Festival of small lights");
        assertThat(browser.text(".card .meta"))
            .matches("1[2-5] min ago · shard 939 · worker id " + this.ids.stats().worker());
        browser.screenshot("feed");
        browser.visit("/ids/" + browser.find(".card").getDomAttribute("data-photo"));
        assertThat(browser.count(".problems")).isZero();
        browser.screenshot("id");
        String id = browser.path();
        browser.window(390, 844, true);
        browser.dark(true);
        browser.visit("/");
        browser.screenshot("feed-phone-dark");
        browser.visit(id);
        browser.screenshot("id-phone-dark");
    }

    private static String signUp() {
        String name = "V " + UUID.randomUUID().toString().substring(0, 8);
        browser.visit("/sign-up");
        browser.type("#name", name);
        browser.follow(".sheet button");
        assertThat(browser.path()).isEqualTo("/");
        return name;
    }

    private static double height(String selector) {
        return ((Number) browser
            .script("return document.querySelector('" + selector + "').getBoundingClientRect().height")).doubleValue();
    }

    private static long likes() {
        return Long.parseLong(browser.text(".card .count"));
    }

    private static long bits() {
        StringBuilder bits = new StringBuilder();
        browser.find(".bits")
            .findElements(By.cssSelector(".cells span"))
            .forEach((cell) -> bits.append(cell.getDomAttribute("class").equals("one") ? '1' : '0'));
        return Long.parseLong(bits.toString(), 2);
    }

}
