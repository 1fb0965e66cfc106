package io.shardedid.test;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class TestClockTest {

    private static final Instant NOON = Instant.parse("2025-06-01T12:00:00Z");

    private final TestClock clock = TestClock.at(NOON);

    @Test
    void standsStill() {
        assertThat(this.clock.instant()).isEqualTo(NOON).isEqualTo(this.clock.instant());
        assertThat(this.clock).hasToString("TestClock[2025-06-01T12:00:00Z]");
    }

    @Test
    void advancesBothClocks() {
        long before = this.clock.nanoTime();

        this.clock.advance(Duration.ofMillis(5));

        assertThat(this.clock.instant()).isEqualTo(NOON.plusMillis(5));
        assertThat(this.clock.nanoTime() - before).isEqualTo(5_000_000);
    }

    @Test
    void isSetForward() {
        this.clock.set(NOON.plusSeconds(3600));
        this.clock.set(NOON.plusSeconds(3600));

        assertThat(this.clock.instant()).isEqualTo(NOON.plusSeconds(3600));
    }

    @Test
    void refusesToGoBack() {
        assertThatIllegalArgumentException().isThrownBy(() -> this.clock.set(NOON.minusMillis(1)))
            .withMessageContainingAll("instant=2025-06-01T11:59:59.999Z", "now=2025-06-01T12:00:00Z", "earlier");
        assertThatIllegalArgumentException().isThrownBy(() -> this.clock.advance(Duration.ofMillis(-1)))
            .withMessageContainingAll("by=-1ms", "earlier");
        assertThat(this.clock.instant()).isEqualTo(NOON);
    }

    @Test
    void waitingAdvancesIt() {
        this.clock.park(1_000_000);

        assertThat(this.clock.instant()).isEqualTo(NOON.plusMillis(1));
    }

    @Test
    void interruptedThreadDoesNotWait() {
        Thread.currentThread().interrupt();

        this.clock.park(1_000_000);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(this.clock.instant()).isEqualTo(NOON);
    }

}
