package io.shardedid.sample.feed;

import java.time.Instant;
import java.time.LocalDate;

import io.shardedid.IdLayout;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimeWindowTest {

    private final IdLayout layout = IdLayout.instagram();

    @Test
    void isTheIdsFromTheFirstTickToTheOneBeforeTheEnd() {
        TimeWindow day = TimeWindow.day(LocalDate.of(2026, 11, 21), this.layout);
        assertThat(this.layout.instantOf(day.firstId())).isEqualTo("2026-11-21T00:00:00Z");
        assertThat(this.layout.instantOf(day.lastId())).isEqualTo("2026-11-21T23:59:59.999Z");
        assertThat(this.layout.instantOf(day.beforeId())).isEqualTo("2026-11-22T00:00:00Z");
    }

    @Test
    void holdsNothingBeforeTheEpoch() {
        TimeWindow day = TimeWindow.day(LocalDate.of(2012, 3, 1), this.layout);
        assertThat(day.firstId()).isZero();
        assertThat(day.beforeId()).isZero();
    }

    @Test
    void isCutAtTheEndsOfTheLayout() {
        TimeWindow ever = TimeWindow.of(Instant.MIN, Instant.MAX, this.layout);
        assertThat(ever.firstId()).isZero();
        assertThat(ever.beforeId()).isEqualTo(Long.MAX_VALUE);
    }

}
