package io.shardedid.sample.browser;

import java.util.Locale;

import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The dashboard and the storm as a visitor has them.
 */
@Tag("browser")
@Needs(Tool.BROWSER)
@ExtendWith(BrowserParameter.class)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "spring.datasource.url=jdbc:h2:mem:browser")
@Tag("proof")
class OperationsIT {

    private static final String ROWS = "4000";

    private static Browser browser;

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

    @ParameterizedTest
    @CsvSource({ "1280, 960, false, false", "390, 844, true, true" })
    void aStormFillsItsBarsAndFindsNoDuplicate(int width, int height, boolean phone, boolean dark) {
        browser.window(width, height, phone);
        browser.dark(dark);
        browser.visit("/storm");
        browser.script("document.querySelector('#rows').value = " + ROWS);
        browser.follow("#start");
        browser.until("the first lap begins", (now) -> now.count(".lap.inserting, .lap.done") > 0);
        browser.until("three laps are done", (now) -> now.count(".lap.done") == 3);
        browser.until("the storm says how it ended", (now) -> !now.text("#verdict").isEmpty());
        assertThat(browser.text("#verdict")).isEqualTo(String.format(Locale.ROOT,
                "%,d rows by 4 threads, 0 duplicates by primary key and by count; the rows are removed.",
                3 * Integer.parseInt(ROWS)));
        assertThat(browser.script("return [...document.querySelectorAll('progress')].map((bar) => bar.position)"))
            .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.list(Object.class))
            .allSatisfy((position) -> assertThat(((Number) position).doubleValue()).isEqualTo(1));
        long longest = (Long) browser
            .script("return Math.round(Math.max(...[...document.querySelectorAll('#bars rect')]"
                    + ".map((bar) => bar.width.baseVal.value)))");
        assertThat(longest).as("bars, or the sentence that this run ranks nothing")
            .isEqualTo(browser.text("#incomparable").isEmpty() ? 100L : 0L);
        assertThat(browser.find("#start").isEnabled()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({ "1280, 960, false, false", "390, 844, true, true" })
    void theDashboardMovesWithAStorm(int width, int height, boolean phone, boolean dark) {
        browser.window(width, height, phone);
        browser.dark(dark);
        browser.visit("/dashboard");
        browser.until("the plot has a line", (now) -> now.count("[data-plot='shardedid.ids'] .line[d*=L]") == 1);
        long before = ids();
        browser.script("fetch('/storm', {method: 'POST', redirect: 'manual', " + "body: new URLSearchParams({rows: "
                + ROWS + ", threads: 4})})");
        browser.until("the figure of the ids follows the storm", (now) -> ids() >= before + Long.parseLong(ROWS));
        browser.until("the histogram shows the storm",
                (now) -> now.text("#shards-rows").equals("rows of the latest storm")
                        && now.text("#shards-used").equals("50"));
        assertThat(browser.text("[data-plot='shardedid.lease.remaining'] .now")).endsWith(" s");
        assertThat(browser.text("#workers .mine")).contains("this process");
        assertThat(browser.text("#events")).contains("is leased.");
        browser.until("the storm is over", (now) -> Boolean.FALSE
            .equals(now.script("return fetch('/api/storm').then((a) => a.json()).then((s) => s.running)")));
    }

    @Test
    void bothAreReadableWithoutScripts() {
        browser.scripts(false);
        browser.visit("/dashboard");
        assertThat(browser.text("[data-meter='shardedid.lease.remaining']")).endsWith(" s");
        assertThat(browser.text("#workers")).contains("this process");
        assertThat(browser.text("main")).contains("These plots need a script.");
        browser.visit("/storm");
        assertThat(browser.count("progress")).isEqualTo(3);
        browser.find("#rows").clear();
        browser.type("#rows", "500");
        browser.follow("#start");
        browser.until("the storm says how it ended", (now) -> {
            now.visit("/storm");
            return !now.text("#verdict").isEmpty();
        });
        assertThat(browser.text("#verdict")).startsWith("1,500 rows");
    }

    private static long ids() {
        return Long.parseLong(browser.text("[data-meter='shardedid.ids']").replace(",", ""));
    }

}
