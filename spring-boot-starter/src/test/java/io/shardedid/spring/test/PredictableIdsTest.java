package io.shardedid.spring.test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.shardedid.IdParts;
import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.boot.LeaseMonitor;
import io.shardedid.spring.feed.Author;
import io.shardedid.spring.feed.Authors;
import io.shardedid.spring.feed.FeedApplication;
import io.shardedid.test.TestClock;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A whole application whose rows are committed: methods run in the order that is written.
 */
@SpringBootTest(classes = FeedApplication.class)
@PredictableIds(start = "2025-06-01T12:00:00Z", worker = 3)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PredictableIdsTest {

    private static final Instant START = Instant.parse("2025-06-01T12:00:00Z");

    @Autowired
    private ShardedIdEngine ids;

    @Autowired
    private TestClock clock;

    @Autowired
    private Authors authors;

    @Autowired
    private JdbcTemplate jdbc;

    @Autowired
    private LeaseMonitor leases;

    @Test
    @Order(1)
    void beginsAtTheStart() {
        assertThat(this.clock.instant()).isEqualTo(START);

        Author author = this.authors.save(new Author());

        IdParts parts = this.ids.parse(author.getId());
        assertThat(parts).isEqualTo(new IdParts(START, parts.shard(), 3, 0));
        // the number itself: the same in each run
        assertThat(author.getId()).isEqualTo(109803523282419808L);
    }

    @Test
    @Order(2)
    void nextMethodBeginsAtTheNextHourWithSequenceZero() {
        assertThat(this.clock.instant()).isEqualTo(START.plus(Duration.ofHours(1)));
        assertThat(this.ids.parse(this.ids.next(5)).sequence()).isZero();

        this.clock.advance(Duration.ofMinutes(90));
        assertThat(this.ids.parse(this.ids.next(5)).instant()).isEqualTo(START.plus(Duration.ofMinutes(150)));
    }

    @Test
    @Order(3)
    void methodAfterAnAdvancedClockBeginsAtTheHourAfterThat() {
        assertThat(this.clock.instant()).isEqualTo(START.plus(Duration.ofHours(3)));
    }

    @Test
    @Order(4)
    void methodAfterOneWithoutIdsBeginsWhereThatDid() {
        assertThat(this.clock.instant()).isEqualTo(START.plus(Duration.ofHours(3)));
    }

    @Test
    @Order(5)
    void needsNoLeaseAndNoTable() {
        List<String> tables = this.jdbc.queryForList("select table_name from information_schema.tables", String.class);
        assertThat(tables).contains("AUTHOR").doesNotContain("SHARDEDID_WORKER");
        assertThat(this.leases.lease()).isEmpty();
        assertThat(this.ids.workers()).singleElement().extracting("owner").isEqualTo("test");
    }

    @Test
    @Order(6)
    void mayAdvanceTheClockAndMakeNoIds() {
        this.clock.advance(Duration.ofMillis(1));
    }

    @Test
    @Order(7)
    void methodAfterAnAdvancedClockWithoutIdsBeginsAtTheNextHour() {
        assertThat(this.clock.instant()).isEqualTo(START.plus(Duration.ofHours(4)));
    }

    @Nested
    class NestedClass {

        @Test
        void sharesTheContext() {
            assertThat(PredictableIdsTest.this.ids.terms().time()).isSameAs(PredictableIdsTest.this.clock);
            assertThat(PredictableIdsTest.this.clock.instant()).isEqualTo(START.plus(Duration.ofHours(4)));
        }

    }

}
