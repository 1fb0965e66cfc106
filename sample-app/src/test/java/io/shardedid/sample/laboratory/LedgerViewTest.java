package io.shardedid.sample.laboratory;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LedgerViewTest {

    @Test
    void anAcknowledgedRowThatIsMissingIsLost() {
        LedgerView two = LedgerView.EMPTY.withRow(false).withRow(false);
        assertThat(two.counted(1).lost()).isEqualTo(1);
        assertThat(two.counted(2).lost()).isZero();
    }

    @Test
    void aRowThatIsThereWithoutAnAcknowledgementIsNoLoss() {
        assertThat(LedgerView.EMPTY.withRow(false).withRetry().counted(2).lost()).isZero();
    }

    @Test
    void anIdThatIsThereAlreadyAndOneThatGoesBackAreBooked() {
        LedgerView view = LedgerView.EMPTY.withDoubled().withRow(true);
        assertThat(view.doubled()).isEqualTo(1);
        assertThat(view.backwards()).isEqualTo(1);
    }

}
