package io.shardedid.tck;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What a fleet tells of its processes. */
class LeaseFleetTest {

    private static final Instant EVENT = Instant.parse("2026-01-01T00:00:00Z");

    private static final LeaseFleet.Run BEFORE = run(9, -5, -1);

    private static final LeaseFleet.Run AGAIN = run(9, -5, 2, 4);

    private static LeaseFleet.Run run(int end, int... batches) {
        return new LeaseFleet.Run(Arrays.stream(batches).mapToObj(EVENT::plusSeconds).toList(), EVENT.plusSeconds(end));
    }

    private static LeaseFleet.Outcome outcome(LeaseFleet.Run... runs) {
        return new LeaseFleet.Outcome(0, 0, List.of(runs));
    }

    @Test
    void eachProcessThatSawAnEventTellsItsTime() {
        LeaseFleet.Run killedBefore = run(-2, -5);
        LeaseFleet.Run startedAfter = run(9, 1);
        assertThat(outcome(AGAIN, killedBefore, startedAfter).until(EVENT)).containsExactly(Duration.ofSeconds(2));
    }

    @Test
    void aProcessThatDoesNotRecoverIsFound() {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> outcome(AGAIN, BEFORE).until(EVENT))
            .withMessage("A process made no ids after 2026-01-01T00:00:00Z");
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> outcome(run(-2, -5)).until(EVENT))
            .withMessage("No process made ids before 2026-01-01T00:00:00Z and ended after it");
    }

    @Test
    void idsInASpanOfTimeAreFound() {
        assertThat(outcome(BEFORE, AGAIN).madeIds(EVENT, EVENT.plusSeconds(3))).isTrue();
        assertThat(outcome(BEFORE, AGAIN).madeIds(EVENT, EVENT.plusSeconds(2))).isFalse();
    }

}
