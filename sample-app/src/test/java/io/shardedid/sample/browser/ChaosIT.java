package io.shardedid.sample.browser;

import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.ActiveProfiles;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The buttons of chaos: the dashboard shows what the engine does, and nothing is lost or
 * doubled.
 */
@ActiveProfiles("chaos")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@ExtendWith(BrowserParameter.class)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = { "spring.datasource.url=jdbc:h2:mem:chaos", "sample.demo-data=false", "sample.chaos.outage=6s" })
class ChaosIT {

    private static Browser browser;

    @BeforeAll
    static void open(Browser opened) {
        browser = opened;
        browser.visit("/dashboard");
    }

    @Test
    @Order(1)
    void aClockThatIsSetBackLeavesTheIdsAsTheyAre() {
        press("/chaos/clock/back");
        browser.until((now) -> !now.text("[data-chaos='machineClock']").equals(now.text("[data-chaos='idClock']")));
        assertThat(browser.text("[data-chaos='machineClock']").substring(2, 6))
            .isEqualTo(browser.text("[data-chaos='idClock']").substring(2, 6));
        goesOnUnharmed();
        press("/chaos/clock/right");
        browser.until((now) -> now.text("#events").contains("Somebody set this machine's clock right."));
    }

    @Test
    @Order(2)
    void aLeaseThatIsTakenAwayIsReplacedByAnother() {
        assertThat(browser.text("[data-meter='shardedid.lease.lost']")).isEqualTo("0");
        press("/chaos/lease");
        browser.until((now) -> now.text("[data-meter='shardedid.lease.lost']").equals("1"));
        browser.until((now) -> now.text("[data-meter='shardedid.worker']").equals("1"));
        assertThat(browser.text("#events")).contains("Worker id 0 was lost: its row belongs to a thief.",
                "Worker id 1 is leased.");
        browser.until((now) -> now.text("#workers").contains("a thief"));
        goesOnUnharmed();
    }

    @Test
    @Order(3)
    void aDatabaseThatIsStoppedIsWaitedFor() {
        press("/chaos/database");
        browser.until((now) -> now.text("[data-chaos='database']").equals("stopped"));
        assertThat(browser.find("#stop").isEnabled()).isFalse();
        double remaining = remaining();
        long before = acknowledged();
        browser.until((now) -> remaining() < remaining - 2);
        // At most the row that was on its way when the database stopped.
        assertThat(acknowledged()).isLessThanOrEqualTo(before + 30);
        browser.screenshot("chaos");
        browser.until((now) -> now.text("[data-chaos='database']").equals("running"));
        assertThat(browser.find("#stop").isEnabled()).isTrue();
        browser.until((now) -> remaining() > 12);
        goesOnUnharmed();
        assertThat(browser.text("#events")).contains("The database goes on.");
    }

    @Test
    @Order(4)
    void everybodyCanUseTheButtons() {
        for (boolean phone : new boolean[] { false, true }) {
            browser.window(phone ? 390 : 1280, phone ? 844 : 960, phone);
            browser.dark(phone);
            assertThat(browser.scrollsSideways()).isFalse();
            assertThat(browser.accessibilityFindings()).isEmpty();
        }
        assertThat(browser.complaints()).isEmpty();
    }

    private static void press(String action) {
        browser.find("form[action='" + action + "'] button").click();
    }

    /** At least one more count of the rows, and then some. */
    private static void goesOnUnharmed() {
        long before = acknowledged();
        browser.until((now) -> acknowledged() > before + 60);
        for (String harm : List.of("lost", "doubled", "backwards")) {
            assertThat(browser.text("[data-chaos='" + harm + "']")).as(harm).isEqualTo("0");
        }
    }

    private static long acknowledged() {
        return Long.parseLong(browser.text("[data-chaos='acknowledged']").replace(",", ""));
    }

    private static double remaining() {
        return Double.parseDouble(browser.text("[data-meter='shardedid.lease.remaining']").replace(" s", ""));
    }

}
