package io.shardedid.internal.lease;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class DatabaseTimeTest {

    private static final long SECOND = 1_000_000_000;

    /** Far from everything that the database says, unless a test sets it. */
    private long wallNanos = Duration.ofDays(1).toNanos();

    private final DatabaseTime clock = new DatabaseTime(Duration.ofSeconds(1).toNanos(), () -> this.wallNanos);

    /** A reply that took no time. */
    private void observe(long databaseMillis, long now, boolean holding) {
        this.clock.observe(databaseMillis, now, now, holding);
    }

    private long millisAt(long now) {
        return this.clock.line().epochNanosAt(now) / 1_000_000;
    }

    @Test
    void knowsNoTimeBeforeTheFirstReply() {
        assertThatIllegalStateException().isThrownBy(this.clock::line);
        assertThat(this.clock.skewNanos(5, 0)).isZero();
        assertThat(this.clock.estimateMillis(5, 0)).isEqualTo(5);
    }

    @Test
    void takesTheMiddleOfTheFirstExchange() {
        this.clock.observe(1000, 0, SECOND, false);
        assertThat(millisAt(SECOND)).isEqualTo(1500);
    }

    @Test
    void goesForwardAtOnceAndBackwardByHalfOfMaxAhead() {
        observe(10_000, 0, true);
        observe(19_000, SECOND, true);
        assertThat(millisAt(SECOND)).isEqualTo(19_000);

        observe(18_000, 2 * SECOND, true);
        assertThat(millisAt(2 * SECOND)).isEqualTo(19_500);
        observe(19_300, 3 * SECOND, true);
        assertThat(millisAt(3 * SECOND)).as("again").isEqualTo(20_000);
    }

    @Test
    void slowReplyChangesNothing() {
        observe(10_000, 0, true);
        this.clock.observe(14_000, SECOND, SECOND + SECOND / 4 + 1, true);
        assertThat(millisAt(SECOND)).isEqualTo(11_000);
        this.clock.observe(14_000, SECOND, SECOND + SECOND / 4, true);
        assertThat(millisAt(SECOND + SECOND / 4)).isEqualTo(14_125);
    }

    @Test
    void jumpIsNotBelievedWhileALeaseIsHeld() {
        observe(100_000, 0, true);
        observe(111_001, SECOND, true);
        assertThat(millisAt(SECOND)).isEqualTo(101_000);
        assertThat(this.clock.believes(111_001, SECOND)).isFalse();
        assertThat(this.clock.believes(111_000, SECOND)).isTrue();
        assertThat(this.clock.believes(90_999, SECOND)).isFalse();
        assertThat(this.clock.skewNanos(111_001, SECOND)).isEqualTo(10_001_000_000L);
        assertThat(this.clock.estimateMillis(111_001, SECOND)).isEqualTo(101_000);
        assertThat(this.clock.estimateMillis(111_000, SECOND)).isEqualTo(111_000);
    }

    @Test
    void machineThatSleptBelievesTheDatabaseWithItsOwnWallClock() {
        observe(100_000, 0, true);
        this.wallNanos = Duration.ofMillis(3_700_000 - 10_000).toNanos();
        assertThat(this.clock.estimateMillis(3_700_000, SECOND)).isEqualTo(3_700_000);
        this.clock.observe(3_700_000, SECOND, 2 * SECOND, true);
        assertThat(millisAt(2 * SECOND)).as("also by a slow reply").isEqualTo(3_700_500);
    }

    @Test
    void databaseThatWasSetBackIsNotBelievedEvenWithTheWallClock() {
        observe(100_000, 0, true);
        this.wallNanos = Duration.ofMillis(50_000).toNanos();
        observe(50_000, SECOND, true);
        assertThat(millisAt(SECOND)).isEqualTo(101_000);
    }

    @Test
    void jumpIsBelievedWithoutALease() {
        observe(100_000, 0, false);
        observe(50_000, SECOND, false);
        assertThat(millisAt(SECOND)).isEqualTo(50_000);
    }

    @Test
    void slowReplyIsBelievedWithoutALeaseBeyondItsDelay() {
        observe(100_000, 0, false);
        this.clock.observe(109_000, SECOND / 2, SECOND, false);
        assertThat(millisAt(SECOND)).isEqualTo(109_250);
        this.clock.observe(109_900, SECOND, SECOND * 3 / 2, false);
        assertThat(millisAt(SECOND * 3 / 2)).as("what the delay explains").isEqualTo(109_750);
        this.clock.observe(110_500, SECOND * 3 / 2, SECOND * 2, false);
        assertThat(millisAt(SECOND * 2)).as("all that the delay explains").isEqualTo(110_250);
        this.clock.observe(121_250, SECOND * 10, SECOND * 21 / 2, false);
        assertThat(millisAt(SECOND * 21 / 2)).as("long after the start").isEqualTo(121_500);
    }

}
