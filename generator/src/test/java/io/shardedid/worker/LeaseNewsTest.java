package io.shardedid.worker;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.SettableTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What the log hears of a lease. */
class LeaseNewsTest {

    private static final Duration RENEWAL = Duration.ofSeconds(8);

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final LeaseNews news = new LeaseNews(new EngineTerms(IdLayout.instagram(), 2000, "modulo",
            Duration.ofSeconds(1), Duration.ofSeconds(5), this.time), LeaseSettings.DEFAULTS, List.of());

    private final List<String> lines = new ArrayList<>();

    private final Handler log = new Handler() {
        @Override
        public void publish(LogRecord line) {
            LeaseNewsTest.this.lines.add(new SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    };

    private final Logger logger = Logger.getLogger(LeaseNews.class.getName());

    @BeforeEach
    void listens() {
        this.logger.addHandler(this.log);
    }

    @AfterEach
    void stops() {
        this.logger.removeHandler(this.log);
    }

    @Test
    void whoJoinsHearsOfTheLeaseAndOfWhatFollowsUntilTheyLeave() {
        List<String> heard = new ArrayList<>();
        List<WorkerLeaseListener> joining = List.of(new WorkerLeaseListener() {
            @Override
            public void leased(WorkerLease lease) {
                heard.add("leased " + lease.worker());
            }

            @Override
            public void renewed(WorkerLease lease) {
                heard.add("renewed " + lease.worker());
            }
        });
        renewed();

        this.news.join(joining);
        renewed();
        this.news.leave(joining);
        renewed();

        assertThat(heard).containsExactly("leased 1022", "renewed 1022");
    }

    @Test
    void whoJoinsWhileNoLeaseIsHeldHearsOfNone() {
        List<WorkerLease> heard = new ArrayList<>();
        List<WorkerLeaseListener> joining = List.of(new WorkerLeaseListener() {
            @Override
            public void leased(WorkerLease lease) {
                heard.add(lease);
            }
        });
        renewed();
        this.news.lost(1022, "another token");

        this.news.join(joining);

        assertThat(heard).isEmpty();
    }

    private void renewed() {
        this.news.held(new LeaseAttempt(1022, "token", 2345, 1000, 31_000, 1_767_225_630_000L, this.time.nanoTime()),
                false);
    }

    @Test
    void saysOnceThatALeaseIsHeldHoweverOftenItIsRenewed() {
        for (int i = 0; i < 100; i++) {
            renewed();
            this.time.advance(RENEWAL);
        }
        assertThat(this.lines).singleElement()
            .isEqualTo(
                    "Worker id 1022 of namespace 'default' is leased until 2026-01-01T00:00:30Z (database clock), fence 2345");
    }

    @Test
    void saysOnceAMinuteThatTheDatabaseClockJumpedWhileRenewalsSucceed() {
        renewed();
        this.lines.clear();
        for (Duration passed = Duration.ZERO; passed.toMinutes() < 10; passed = passed.plus(RENEWAL)) {
            this.news.skewed(Duration.ofSeconds(-20));
            renewed();
            this.time.advance(RENEWAL);
        }
        assertThat(this.lines).hasSizeBetween(9, 10)
            .containsOnly("The clock of the database jumped: it is PT-20S ahead of the one that ids go by; ids go on "
                    + "unchanged");
    }

    @Test
    void saysOnceAMinuteThatTheTableDoesNotAnswerAndOnceThatItDoesAgain() {
        renewed();
        this.lines.clear();
        for (int i = 0; i < 150; i++) {
            this.news.failed(new SQLException("no answer"), this.time.nanoTime());
            this.time.advance(Duration.ofMillis(400));
        }
        renewed();
        assertThat(this.lines).containsExactly(
                "The lease table did not answer: java.sql.SQLException: no answer; trying again",
                "Worker id 1022 of namespace 'default' is leased until 2026-01-01T00:00:30Z (database clock), fence 2345");
    }

}
