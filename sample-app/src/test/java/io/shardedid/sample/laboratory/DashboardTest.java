package io.shardedid.sample.laboratory;

import io.shardedid.ShardedIds;
import io.shardedid.sample.SampleTest;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

@SampleTest
class DashboardTest {

    @Autowired
    private MockMvcTester mvc;

    @Autowired
    private Figures figures;

    @Autowired
    private ShardHistogram histogram;

    @Autowired
    private ShardedIds ids;

    @Autowired
    private Users users;

    @Test
    void showsTheMetersOfTheActuatorByNameAndWithoutScripts() {
        int worker = this.ids.stats().worker();
        assertThat(this.mvc.get().uri("/dashboard")).hasStatusOk()
            .bodyText()
            .contains("/actuator/metrics/shardedid.lease.remaining",
                    "data-meter=\"shardedid.worker\">" + worker + "</td>", "this process", "is leased.");
    }

    @Test
    void countsTheIdsThatWereMade() {
        long before = ids();
        for (int i = 0; i < 5; i++) {
            this.ids.next();
        }
        assertThat(ids()).isGreaterThanOrEqualTo(before + 5);
    }

    @Test
    void eachFigureIsAMeterThatTheActuatorHas() {
        for (Figure figure : this.figures.now()) {
            assertThat(this.mvc.get().uri(java.net.URI.create("/actuator/metrics/" + figure.meter())))
                .as(figure.meter())
                .hasStatusOk();
        }
    }

    @Test
    void countsRowsByTheShardInTheirIds() {
        java.util.List<Long> before = this.histogram.of("app_user");
        User user = this.users.save(new User(java.util.UUID.randomUUID().toString()));
        int bin = this.ids.shardOf(user.getId()) / this.histogram.shardsPerBin();
        java.util.List<Long> after = this.histogram.of("app_user");
        for (int i = 0; i < ShardHistogram.BINS; i++) {
            assertThat(after.get(i) - before.get(i)).as("bin %d", i).isEqualTo((i == bin) ? 1 : 0);
        }
    }

    @Test
    void theLogSaysOnceWhatHappensAgain() {
        EventLog log = new EventLog();
        log.add("a");
        log.add("b");
        log.add("b");
        assertThat(log.newestFirst()).extracting(EventLog.Event::text).containsExactly("b", "a");
        assertThat(log.newestFirst().get(0).times()).isEqualTo(2);
    }

    @Test
    void theLogForgetsTheOldest() {
        EventLog log = new EventLog();
        for (int i = 0; i < 100; i++) {
            log.add("event " + i);
        }
        assertThat(log.newestFirst()).hasSize(12).first().extracting(EventLog.Event::text).isEqualTo("event 99");
    }

    private long ids() {
        return Long.parseLong(this.figures.now().get(0).value().replace(",", ""));
    }

}
