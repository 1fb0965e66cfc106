package io.shardedid.internal.lease;

import java.util.stream.Stream;
import java.util.Objects;
import java.time.Duration;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What a renewal writes, when it must not, and what a lost row proves. */
class LeaseRenewalTest {

    private static final IdLayout LAYOUT = IdLayout.standard();

    private static final LeaseTiming TIMING = new LeaseTiming(LAYOUT, 30_000, 8_000_000_000L);

    /** The clock of the database when the lease was confirmed last. */
    private static final long CONFIRMED = 1_767_225_600_000L;

    private static final long TICK = TIMING.tick(CONFIRMED);

    private final TokenBook tokens = new TokenBook(() -> "ours");

    private final RequestedLease lease = new RequestedLease(7, this.tokens.fresh(), 3, TICK - 1000, TICK + 30_000,
            CONFIRMED + 30_000, 0, "layout");

    private static LeaseSettings leaseSettings(boolean tolerant) {
        return LeaseSettings.builder().tolerateLostCommits(tolerant).owner("shop on web-2").build();
    }

    private LeaseRenewal renewal(boolean tolerant) {
        return new LeaseRenewal(leaseSettings(tolerant), TIMING, this.tokens);
    }

    private static LeaseRow row(String token, long acquisitions, long until, long hwmTick) {
        return new LeaseRow(7, token, acquisitions, until, hwmTick, "somebody", null);
    }

    private long sharedFrom(@Nullable LeaseRow row, long databaseMillis) {
        return renewal(false).sharedFrom(this.lease, row, databaseMillis);
    }

    @Test
    void rowThatAnotherProcessTookAfterTheLeaseRanOutSharesNothing() {
        long later = CONFIRMED + 40_000;
        assertThat(sharedFrom(row("theirs", 4, later + 30_000, TICK + 70_000), later)).isEqualTo(Long.MAX_VALUE);
        assertThat(sharedFrom(row("released", 4, 0, TICK + 30_000), later)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void rowThatWasTakenBeforeTheLeaseRanOutIsShared() {
        long early = CONFIRMED + 5_000;
        assertThat(sharedFrom(row("theirs", 4, early + 30_000, TICK + 35_000), early)).isEqualTo(TICK);
    }

    @Test
    void takeOverThatAJumpOfTheDatabaseClockAllowedSharesNothingBecauseItBeginsAtOurEnd() {
        long early = CONFIRMED + 5_000;
        assertThat(sharedFrom(row("theirs", 4, early + 30_000, TICK + 60_000), early)).isEqualTo(Long.MAX_VALUE);
        assertThat(sharedFrom(row("theirs", 4, early + 30_000, TICK + 59_999), early)).isEqualTo(TICK);
    }

    @Test
    void rowThatIsGoneIsSharedUntilOurEndHasPassed() {
        assertThat(sharedFrom(null, CONFIRMED + 5_000)).isEqualTo(TICK);
        assertThat(sharedFrom(null, CONFIRMED + 29_999)).isEqualTo(TICK);
        assertThat(sharedFrom(null, CONFIRMED + 30_000)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void markBelowOurEndIsSharedAtAnyTime() {
        long later = CONFIRMED + 40_000;
        assertThat(sharedFrom(row("theirs", 4, later, TICK + 29_999), later)).isEqualTo(TICK);
        assertThat(sharedFrom(row("theirs", 4, later, TICK + 30_000), later)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void rowThatWasMadeAgainOrCopiedIsSharedAtAnyTime() {
        long later = CONFIRMED + 40_000;
        assertThat(sharedFrom(row("theirs", 1, later, TICK + 70_000), later)).isEqualTo(TICK);
        assertThat(sharedFrom(row("copy", 3, later, TICK + 70_000), later)).isEqualTo(TICK);
    }

    @Test
    void rowThatIsOursAfterAllSharesNothing() {
        assertThat(sharedFrom(row("ours", 3, CONFIRMED, TICK), CONFIRMED + 5_000)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void sharedTicksBeginWhereTheClockOfTheDatabaseWasSetBackTo() {
        assertThat(sharedFrom(null, CONFIRMED - 400)).isEqualTo(TICK - 400);
        assertThat(sharedFrom(null, CONFIRMED - 4_000)).as("not below our own first tick").isEqualTo(TICK - 1000);
    }

    @Test
    void databaseThatMayLoseCommitsSharesOnlyWhatItsClockHasTakenBack() {
        LeaseRenewal tolerant = renewal(true);
        RequestedLease reaching = new RequestedLease(7, "ours", 3, TICK - 1000, TICK + LeaseRules.REACH_MILLIS,
                CONFIRMED + 30_000, 0, "layout");
        assertThat(tolerant.sharedFrom(reaching, null, CONFIRMED + 1_000)).isEqualTo(Long.MAX_VALUE);
        assertThat(tolerant.sharedFrom(reaching, row("older", 2, 0, TICK - 5_000), CONFIRMED + 1_000))
            .isEqualTo(Long.MAX_VALUE);
        // an acquire begins 10 s of reach, 1 s and 10 s of promoted-clock-behind above
        // the clock
        assertThat(tolerant.sharedFrom(reaching, null, CONFIRMED - 11_000)).isEqualTo(Long.MAX_VALUE);
        assertThat(tolerant.sharedFrom(reaching, null, CONFIRMED - 11_001)).isEqualTo(TICK + 9_999);
    }

    @Test
    void namesWhyARowIsNoLongerOurs() {
        LeaseRenewal plain = renewal(false);
        assertThat(loss(plain)).contains("gone", "emptied");
        assertThat(loss(plain, row("theirs", 4, 0, 0))).isEqualTo("its row belongs to somebody");
        assertThat(loss(plain, new LeaseRow(7, "theirs", 4, 0, 0, null, null))).isEqualTo("its row belongs to nobody");
        assertThat(loss(plain, row("ours", 3, CONFIRMED - 1, 0))).isNull();
        assertThat(loss(renewal(true), row("ours", 3, CONFIRMED - 1, 0)))
            .isEqualTo("its lease expired on the database");
        assertThat(loss(renewal(true), row("ours", 3, CONFIRMED, 0))).isNull();
    }

    @Test
    void leaseEndsWhenTheLayoutRowHasAnotherToken() {
        assertThat(loss(renewal(false), row("ours", 3, CONFIRMED, 0), layout("layout"))).isNull();
        assertThat(loss(renewal(false), row("ours", 3, CONFIRMED, 0), layout("other"))).contains("changed");
    }

    private static LeaseRow layout(String token) {
        return new LeaseRow(LeaseRow.LAYOUT, token, 0, 0, 1, null, "any");
    }

    private @Nullable String loss(LeaseRenewal renewal, @Nullable LeaseRow... rows) {
        return renewal.loss(this.lease,
                new LeaseReply.Rows(CONFIRMED, Stream.of(rows).filter(Objects::nonNull).toList()));
    }

    @Test
    void lowersNoBoundAndKeepsTheFirstTick() {
        LeaseRow row = row("ours", 5, CONFIRMED, TICK + 20_000);
        RequestedLease longer = renewal(false).attempt(this.lease, row, CONFIRMED + 8_000, 99);
        assertThat(longer)
            .isEqualTo(new RequestedLease(7, "ours", 5, TICK - 1000, TICK + 38_000, CONFIRMED + 38_000, 99, "layout"));
        assertThat(renewal(false).attempt(this.lease, row, CONFIRMED - 8_000, 99).hi()).as("ours")
            .isEqualTo(TICK + 30_000);
        assertThat(renewal(false).attempt(this.lease, row("ours", 5, 0, TICK + 77_000), CONFIRMED, 99).hi())
            .as("the row's")
            .isEqualTo(TICK + 77_000);
    }

    @Test
    void databaseThatMayLoseCommitsIsLeasedAsLongAsAnyVersionOfTheRowSays() {
        LeaseRenewal tolerant = renewal(true);
        RequestedLease longer = tolerant.attempt(this.lease, row("ours", 5, CONFIRMED + 37_999, TICK),
                CONFIRMED + 8_000, 99);
        assertThat(longer.untilMillis()).as("a window from now").isEqualTo(CONFIRMED + 38_000);
        assertThat(longer.hi()).as("no tick beyond the reach of all").isEqualTo(TICK + 30_000);
        assertThat(tolerant.attempt(this.lease, row("ours", 5, 0, TICK), CONFIRMED + 25_000, 99).hi())
            .isEqualTo(TICK + 25_000 + LeaseRules.REACH_MILLIS);
        LeaseRow leasedLonger = row("ours", 5, CONFIRMED + 60_000, TICK);
        assertThat(tolerant.attempt(this.lease, leasedLonger, CONFIRMED + 8_000, 99).untilMillis()).as("the row's")
            .isEqualTo(CONFIRMED + 60_000);
        assertThat(renewal(false).attempt(this.lease, leasedLonger, CONFIRMED + 8_000, 99).untilMillis())
            .as("on any other database")
            .isEqualTo(CONFIRMED + 38_000);
    }

    @Test
    void renewsAsOftenAsItIsToldAndOnADatabaseThatMayLoseCommitsBeforeTheReachIsUsedUp() {
        assertThat(LeaseRules.of(leaseSettings(false)).timing(LAYOUT).renewNanos())
            .isEqualTo(Duration.ofSeconds(8).toNanos());
        assertThat(LeaseRules.of(leaseSettings(true)).timing(LAYOUT).renewNanos())
            .isEqualTo(LeaseRules.REACH_MILLIS * 1_000_000 * 4 / 15);
        LeaseSettings often = LeaseSettings.builder()
            .renewEvery(Duration.ofSeconds(1))
            .tolerateLostCommits(true)
            .owner("shop on web-2")
            .build();
        assertThat(LeaseRules.of(often).timing(LAYOUT).renewNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
    }

    @Test
    void takeOverInTheMillisecondInWhichTheLeaseEndsIsTooEarly() {
        long end = CONFIRMED + 30_000;
        assertThat(sharedFrom(row("theirs", 4, end + 30_000, TICK + 30_000), end)).isEqualTo(TICK);
        assertThat(sharedFrom(row("theirs", 4, end + 30_000, TICK + 30_000), end + 1)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void writesWhoHoldsTheRowAndOnlyWhereItIsOurs() {
        LeaseRow row = row("seen", 5, CONFIRMED, TICK);
        assertThat(renewal(false).statement(this.lease, row, CONFIRMED)).isEqualTo(new LeaseStatement.Update(7, "seen",
                TICK + 30_000, "ours", 0, CONFIRMED + 30_000, TICK + 30_000, "shop on web-2", "window=30000", null));
        assertThat(((LeaseStatement.Update) renewal(true).statement(this.lease, row, CONFIRMED)).guard())
            .isEqualTo(new LeaseStatement.Guard(CONFIRMED + 1000, true));
    }

    @Test
    void leaseWithoutTicksIsPending() {
        assertThat(renewal(true).pending(new RequestedLease(7, "t", 1, 5, 5, 0, 0, "layout"))).isTrue();
        assertThat(renewal(true).pending(new RequestedLease(7, "t", 1, 5, 6, 0, 0, "layout"))).isFalse();
    }

}
