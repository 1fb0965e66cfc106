package io.shardedid.sample.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerHolding;
import io.shardedid.sample.SampleImages;
import io.shardedid.sample.SampleTest;
import io.shardedid.sample.photo.Publisher;
import io.shardedid.sample.user.User;
import io.shardedid.sample.user.Users;
import io.shardedid.spring.actuate.ShardedIdEndpoint.WorkerDescriptor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SampleTest
@Tag("slow")
class DashboardTest {

    @Autowired
    private MockMvcTester mvc;

    @Autowired
    private Figures figures;

    @Autowired
    private ShardHistogram histogram;

    @Autowired
    private ShardedIdEngine ids;

    @Autowired
    private Users users;

    @Autowired
    private Publisher publisher;

    @Autowired
    private JdbcTemplate sql;

    @Test
    void showsTheMetersOfTheActuatorByNameAndWithoutScripts() {
        int worker = this.ids.stats().worker();
        assertThat(this.mvc.get().uri("/dashboard")).hasStatusOk()
            .bodyText()
            .contains("/actuator/metrics/shardedid.lease.remaining",
                    "data-meter=\"shardedid.worker.id\">" + worker + "</td>", "this process", "is leased.");
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
    void countsPhotosByTheShardInTheirIds() {
        ShardsView before = this.histogram.now();
        User author = this.users.save(new User(UUID.randomUUID().toString()));
        this.publisher.publish(author, "", SampleImages.picture(8, 6));
        int bin = this.ids.shardOf(author.getId()) / before.shardsPerBin();
        ShardsView after = this.histogram.now();
        for (int i = 0; i < ShardHistogram.BINS; i++) {
            assertThat(after.bins().get(i) - before.bins().get(i)).as("bin %s", i).isEqualTo((i == bin) ? 1 : 0);
        }
        assertThat(after.total()).isEqualTo(before.total() + 1);
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
    void theLogAnnouncesWhoJoinsAndWhoGoes() {
        EventLog log = new EventLog();
        WorkerDescriptor mine = new WorkerDescriptor(0, "held", "this", null, 1, true);
        WorkerDescriptor early = new WorkerDescriptor(1, "held", "early", null, 1, false);
        WorkerDescriptor free = new WorkerDescriptor(2, "free", "", null, 1, false);
        log.observe(List.of(mine, early, free));
        assertThat(log.newestFirst()).isEmpty();
        log.observe(List.of(mine, early, new WorkerDescriptor(2, "held", "late", null, 2, false)));
        assertThat(log.newestFirst()).extracting(EventLog.Event::text)
            .containsExactly("Another process joined with worker id 2: late.");
        log.observe(List.of());
        log.observe(List.of(mine, new WorkerDescriptor(1, "free", "", null, 1, false),
                new WorkerDescriptor(2, "held", "later", null, 3, false)));
        assertThat(log.newestFirst()).extracting(EventLog.Event::text)
            .containsExactly("Another process joined with worker id 2: later.", "Worker id 1 was given back by early.",
                    "Another process joined with worker id 2: late.");
    }

    @Test
    void aSecondProcessThatJoinsIsAnnounced() {
        assertThat(this.mvc.get().uri("/dashboard")).hasStatusOk();
        String owner = "a second one, pid " + UUID.randomUUID();
        this.sql.update("""
                insert into shardedid_worker (namespace, worker_id, token, fence, lease_until, hwm_tick, owner)
                values ('default', 29, 'joined', 1, ?, 0, ?)""", Instant.now().plusSeconds(300).toEpochMilli(), owner);
        try {
            // what was read before is shown for a second
            await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(this.mvc.get().uri("/api/dashboard/workers")).hasStatusOk()
                    .bodyText()
                    .contains(owner));
            assertThat(this.mvc.get().uri("/api/dashboard/events")).bodyText()
                .contains("Another process joined with worker id 29: " + owner + ".");
        }
        finally {
            this.sql.update("delete from shardedid_worker where token = 'joined'");
        }
    }

    @Test
    void photosByShardHaveAxes() {
        ShardsView view = new ShardsView(40, Collections.nCopies(50, 3L));
        assertThat(view.ticks()).containsExactly(0, 500, 1000, 1500, 2000);
        assertThat(this.mvc.get().uri("/dashboard")).bodyText()
            .contains("<span>500</span><span>1000</span><span>1500</span><span>2000</span>",
                    "Photos by shard, from shard 0 at the left to shard 1999 at the right", "id=\"shards-most\"");
    }

    @Test
    void theEndOfALeaseIsADistanceAndATimeOfDay() {
        Instant now = Instant.parse("2026-03-04T10:15:30Z");
        assertThat(lease(now.plusSeconds(27), now)).isEqualTo("in 27 s");
        assertThat(lease(now.minusSeconds(200), now)).isEqualTo("3 min ago");
        assertThat(lease(now.minus(Duration.ofHours(30)), now)).isEqualTo("30 h ago");
        assertThat(lease(now.minus(Duration.ofDays(9)), now)).isEqualTo("9 days ago");
        assertThat(lease(Instant.MAX, now)).isEqualTo("without an end, since it is configured");
        assertThat(WorkerView
            .of(new WorkerHolding(3, WorkerHolding.State.HELD, "somebody", now.plusMillis(27_900), 1, false), now)
            .at()).isEqualTo("4 Mar 2026, 10:15:57 UTC");
        assertThat(WorkerView.of(new WorkerHolding(3, WorkerHolding.State.FREE, "", now, 1, false), now).until())
            .isEmpty();
    }

    private static String lease(Instant until, Instant now) {
        return WorkerView.of(new WorkerHolding(3, WorkerHolding.State.HELD, "somebody", until, 1, false), now).until();
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
