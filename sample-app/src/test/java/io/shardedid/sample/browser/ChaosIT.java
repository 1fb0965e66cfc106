package io.shardedid.sample.browser;

import java.util.List;

import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
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
@Tag("browser")
@Needs(Tool.BROWSER)
@ExtendWith(BrowserParameter.class)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = { "spring.datasource.url=jdbc:h2:mem:chaos", "sample.chaos.outage=6s" })
@Tag("proof")
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
        browser.until("the machine's clock is another than the ids'",
                (now) -> !now.text("[data-chaos='machineClock']").equals(now.text("[data-chaos='idClock']")));
        assertThat(browser.text("[data-chaos='machineClock']").substring(2, 6))
            .isEqualTo(browser.text("[data-chaos='idClock']").substring(2, 6));
        goesOnUnharmed();
        press("/chaos/clock/right");
        browser.until("the events say that the clock was set right",
                (now) -> now.text("#events").contains("A visitor set this machine's clock right."));
    }

    @Test
    @Order(2)
    void aLeaseThatIsTakenAwayIsReplacedByAnother() {
        assertThat(browser.text("[data-meter='shardedid.lease.lost']")).isEqualTo("0");
        press("/chaos/lease");
        browser.until("one lease is lost", (now) -> now.text("[data-meter='shardedid.lease.lost']").equals("1"));
        browser.until("the worker is 1", (now) -> now.text("[data-meter='shardedid.worker']").equals("1"));
        browser.until("the events name the loss and the new lease",
                (now) -> now.text("#events").contains("Worker id 0 was lost: its row belongs to a thief.")
                        && now.text("#events").contains("Worker id 1 is leased."));
        browser.until("the table of workers names the thief", (now) -> now.text("#workers").contains("a thief"));
        goesOnUnharmed();
    }

    @Test
    @Order(3)
    void aDatabaseThatIsStoppedIsWaitedFor() {
        press("/chaos/database");
        browser.until("the database is shown as stopped",
                (now) -> now.text("[data-chaos='database']").equals("stopped"));
        assertThat(browser.find("#stop").isEnabled()).isFalse();
        double remaining = remaining();
        long before = acknowledged();
        browser.until("the lease runs down", (now) -> remaining() < remaining - 2);
        // At most the row that was on its way when the database stopped.
        assertThat(acknowledged()).isLessThanOrEqualTo(before + 30);
        browser.until("the database is shown as running",
                (now) -> now.text("[data-chaos='database']").equals("running"));
        assertThat(browser.find("#stop").isEnabled()).isTrue();
        browser.until("the lease is renewed", (now) -> remaining() > 12);
        goesOnUnharmed();
        browser.until("the events say that the database goes on",
                (now) -> now.text("#events").contains("The database goes on."));
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
        browser.until("the writer goes on", (now) -> acknowledged() > before + 60);
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
