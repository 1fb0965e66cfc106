package io.shardedid.internal.lease;

import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

import io.shardedid.EngineProbe;
import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SettableTime;
import io.shardedid.WorkerLeases;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What the protocol sends and reports, reply by reply. */
class LeaseProtocolTest {

    private static final long NOW = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

    private final SettableTime time = SettableTime.at(Instant.ofEpochMilli(NOW));

    private final IdLayout layout = IdLayout.manyShards();

    private final long tick = this.layout.tickAt(Instant.ofEpochMilli(NOW));

    private final EngineTerms terms = terms(this.layout);

    private final LeaseRow layoutRow = new LeaseRow(LeaseRow.LAYOUT, "database", 0, 0, 0, null,
            this.terms.fingerprint());

    private final EngineProbe engine = new EngineProbe(this.terms, WorkerLeases.fixed(0));

    private final List<String> heard = new ArrayList<>();

    /** When the report heard that a lease had ended. */
    private final Set<Long> ends = new LinkedHashSet<>();

    private final AtomicInteger tokens = new AtomicInteger();

    private final LeaseSettings leaseSettings = LeaseSettings.builder().build();

    private LeaseProtocol protocol = protocol(this.leaseSettings);

    private LeaseProtocol protocol(LeaseSettings by) {
        return new LeaseProtocol(this.terms, by, this.layoutRow, this.engine.holder(), new Heard(),
                () -> "token " + this.tokens.incrementAndGet(), new SplittableRandom(1), this.time.nanoTime());
    }

    private EngineTerms terms(IdLayout ids) {
        return new EngineTerms(ids, 2000, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(5), null, this.time);
    }

    private final class Heard extends LeaseReport {

        Heard() {
            super(LeaseProtocolTest.this.terms, LeaseSettings.builder().build(), List.of());
        }

        @Override
        void held(RequestedLease lease, boolean fresh, LeaseReply.@Nullable Rows before) {
            LeaseProtocolTest.this.heard.add((fresh ? "leased " : "renewed ") + lease.worker());
        }

        @Override
        void ended(int worker, long nanos) {
            LeaseProtocolTest.this.ends.add(nanos);
        }

        @Override
        void lost(int worker, String why) {
            LeaseProtocolTest.this.heard.add("lost " + worker + ": " + why);
        }

        @Override
        void unwritten(int worker, Exception cause) {
            LeaseProtocolTest.this.heard.add("unwritten " + worker);
        }

        @Override
        void failed(Exception cause) {
            LeaseProtocolTest.this.heard.add("failed");
        }

        @Override
        void waiting(LeaseState obstacle, LeaseReply.Rows rows) {
            LeaseProtocolTest.this.heard.add("waiting " + obstacle);
        }

        @Override
        void skewed(Duration databaseAhead) {
            LeaseProtocolTest.this.heard.add("skewed");
        }

        @Override
        void releasing(int worker) {
            LeaseProtocolTest.this.heard.add("releasing " + worker);
        }

        @Override
        void released(int worker) {
            LeaseProtocolTest.this.heard.add("released " + worker);
        }

        @Override
        void abandoned(int worker, String why) {
            LeaseProtocolTest.this.heard.add("abandoned " + worker + ": " + why);
        }

        @Override
        void violated(int worker, long from, long end, String why) {
            long tick = LeaseProtocolTest.this.tick;
            LeaseProtocolTest.this.heard
                .add("violated %s [%s, %s): %s".formatted(worker, from - tick, end - tick, why));
        }

    }

    private LeaseStatement sent() {
        while (this.protocol.next(this.time.nanoTime()) == null) {
            this.time.advance(Duration.ofMillis(100));
        }
        return this.protocol.next(this.time.nanoTime());
    }

    private LeaseStatement answer(LeaseReply reply) {
        LeaseStatement statement = sent();
        this.protocol.reply(reply, this.time.nanoTime(), this.time.nanoTime());
        return statement;
    }

    private long millis() {
        return this.time.instant().toEpochMilli();
    }

    private LeaseReply.Rows rows(@Nullable LeaseRow row) {
        sent();
        return new LeaseReply.Rows(millis(), (row != null) ? List.of(this.layoutRow, row) : List.of(this.layoutRow));
    }

    /** Leases worker 0 and says by which token. */
    private String lease() {
        answer(rows(null));
        LeaseStatement.Insert insert = (LeaseStatement.Insert) answer(new LeaseReply.Written(1));
        assertThat(this.heard).containsExactly("leased 0");
        this.heard.clear();
        return insert.row().token();
    }

    private LeaseRow row(String token, int acquisitions, long until, long hwmTick) {
        return new LeaseRow(0, token, acquisitions, until, hwmTick, "somebody", null);
    }

    /** 30 s, less one in a hundred for the clock and half a second. */
    @Test
    void leaseThatIsNotRenewedEndsAtItsDeadline() {
        long sent = this.time.nanoTime();
        lease();
        long deadline = sent + 29_200_000_000L;

        this.time.advance(Duration.ofNanos(deadline - 1 - this.time.nanoTime()));
        this.protocol.next(this.time.nanoTime());
        assertThat(this.ends).isEmpty();

        this.time.advance(Duration.ofNanos(1));
        this.protocol.next(this.time.nanoTime());
        assertThat(this.ends).containsExactly(deadline);
    }

    /**
     * The database has read its clock at some time between the question and the reply.
     */
    @Test
    void firstLeaseCountsFromBeforeTheQuestion() {
        long asked = this.time.nanoTime();
        answerSlowly(List.of(this.layoutRow));
        answer(new LeaseReply.Written(1));

        assertThat(this.engine.lease().deadlineNanos()).isEqualTo(asked + 29_200_000_000L);
    }

    @Test
    void deletedRowMayMakeDuplicateIdsFromTheLastRenewalToWhereIdsMayHaveRunAhead() {
        lease();
        long passed = sentAfter();
        this.engine.tryNext(1);

        answer(rows(null));
        answer(rows(null));

        assertThat(this.heard).satisfiesExactly((event) -> assertThat(event).startsWith("lost 0: its row is gone"),
                (event) -> assertThat(event).startsWith("violated 0 [0, %s)".formatted(passed + 1)));
    }

    /**
     * Another process that has lost its row makes ours again, and we take a third one's.
     */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void afterARowThatWasMadeAgainALeaseBeginsAboveWhatOthersMayMake(boolean weWrite) {
        String ours = lease();
        sentAfter();
        LeaseRow again = row("another's", 1, NOW + 60_000, this.tick + 60_000);

        answer(rows(weWrite ? row(ours, 1, NOW + 30_000, this.tick + 30_000) : again));
        if (weWrite) {
            answer(new LeaseReply.Written(0));
        }
        answer(rows(again));

        assertThat(begin(answer(new LeaseReply.Written(1)))).isGreaterThan(othersEnd());
    }

    /** Our lease had run out. */
    @Test
    void afterARowThatWasTakenALeaseBeginsNow() {
        lease();
        this.time.advance(Duration.ofSeconds(31));
        LeaseRow taken = row("another's", 2, millis() + 30_000, this.tick + 61_000);

        answer(rows(taken));
        answer(rows(taken));

        assertThat(begin(answer(new LeaseReply.Written(1))))
            .isLessThanOrEqualTo(this.layout.tickAt(this.time.instant()));
    }

    private long begin(LeaseStatement statement) {
        return ((LeaseStatement.Insert) statement).row().hwmTick() - 30_000;
    }

    /** A lease that was renewed right now, and ids that run ahead of the clock. */
    private long othersEnd() {
        return this.layout.tickAt(this.time.instant()) + 30_000 + 1_000;
    }

    @Test
    void deletedRowMakesNoDuplicateIdsWhereNoIdWasMadeSinceTheLastRenewal() {
        String ours = lease();
        long last = this.engine.tryNext(1);
        sentAfter();
        answer(rows(row(ours, 1, NOW + 30_000, this.tick + 30_000)));
        answer(new LeaseReply.Written(1));
        sentAfter();

        answer(rows(null));
        answer(rows(null));

        assertThat(last).isPositive();
        assertThat(this.heard).satisfiesExactly((event) -> assertThat(event).isEqualTo("renewed 0"),
                (event) -> assertThat(event).startsWith("lost 0: its row is gone"));
    }

    @Test
    void deletedRowOfAStoreThatNobodyElseReachesMakesNoDuplicateIds() {
        this.protocol.ask(() -> true, (cause) -> true);
        lease();
        sentAfter();
        this.engine.tryNext(1);

        answer(rows(null));
        answer(rows(null));

        assertThat(this.heard).singleElement().asString().startsWith("lost 0: its row is gone");
    }

    @Test
    void rowOfSomebodyElseIsAViolationInAnyStore() {
        this.protocol.ask(() -> true, (cause) -> true);
        lease();
        LeaseRow theirs = row("theirs", 2, millis() + 60_000, this.tick + 20_000);
        sentAfter();
        this.engine.tryNext(1);

        answer(rows(theirs));
        answer(rows(theirs));

        assertThat(this.heard).hasSize(2).last().asString().startsWith("violated 0 ");
    }

    @Test
    void callThatReadTheLeaseBeforeTheLossClaimsNothingAfterIt() {
        lease();
        EngineProbe.Call underWay = this.engine.call(1);
        answer(rows(null));

        assertThat(underWay.claims()).isFalse();
    }

    @Test
    void errorInPlaceOfAReplyIsFollowedByARead() {
        String ours = lease();
        answer(rows(row(ours, 1, NOW + 30_000, this.tick + 30_000)));
        LeaseStatement.Update renewal = (LeaseStatement.Update) sent();
        this.protocol.sending();

        assertThat(sent()).isEqualTo(new LeaseStatement.ReadOne(0));
        answer(rows(row(renewal.token(), 1, renewal.leaseUntilMillis(), renewal.hwmTick())));
        assertThat(sent()).isInstanceOf(LeaseStatement.Update.class);
        answer(new LeaseReply.Written(1));
        assertThat(this.heard).containsExactly("renewed 0");
    }

    /** Others whose rows were deleted, too, may have renewed just before. */
    @Test
    void afterADeletedRowALeaseBeginsAboveWhatOthersMayMake() {
        lease();
        answer(rows(null));
        answer(rows(null));

        assertThat(begin(sent())).isEqualTo(othersEnd() + 1);
    }

    @Test
    void loweredMarkUnderAnotherOwnerMayMakeDuplicateIds() {
        lease();
        LeaseRow theirs = row("theirs", 2, millis() + 60_000, this.tick + 20_000);
        sentAfter();
        this.engine.tryNext(1);

        answer(rows(theirs));
        answer(rows(theirs));

        assertThat(this.heard).hasSize(2).first().isEqualTo("lost 0: its row belongs to somebody");
        assertThat(this.heard.get(1)).startsWith("violated 0 [0, ")
            .contains("owner=somebody", "fence=2", "hwm_tick=" + (this.tick + 20_000));
    }

    @Test
    void takeOverAfterTheLeaseRanOutMakesNoDuplicateIds() {
        lease();
        sent();
        this.time.advance(Duration.ofMinutes(2));
        LeaseRow theirs = row("theirs", 2, millis() + 30_000, this.tick + 140_000);

        answer(rows(theirs));
        answer(rows(theirs));

        assertThat(this.heard).containsExactly("lost 0: its row belongs to somebody");
    }

    @Test
    void oneStaleAnswerMakesNoDuplicateIds() {
        String ours = lease();
        sentAfter();

        answer(rows(row("before", 0, 0, this.tick - 60_000)));
        answer(rows(row(ours, 1, NOW + 30_000, this.tick + 30_000)));

        assertThat(this.heard).containsExactly("lost 0: its row belongs to somebody");
    }

    private long sentAfter() {
        sent();
        return millis() - NOW;
    }

    @Test
    void leaseWhoseConfirmationWasLostIsAdoptedByAConfirmedWrite() {
        answer(rows(null));
        LeaseStatement.Insert insert = (LeaseStatement.Insert) answer(
                new LeaseReply.Unknown(new SQLTransientException("no answer")));
        assertThat(this.protocol.holding()).isFalse();

        answer(rows(insert.row()));

        assertThat(this.heard).containsExactly("failed");
        assertThat(this.protocol.holding()).isFalse();

        LeaseStatement.Update update = (LeaseStatement.Update) answer(new LeaseReply.Written(1));

        assertThat(update.seenToken()).isEqualTo(insert.row().token());
        assertThat(this.heard).containsExactly("failed", "leased 0");
        assertThat(this.protocol.holding()).isTrue();
        assertThat(this.engine.lease().lo()).isEqualTo(this.tick);
        assertThat(this.engine.lease().hi()).isEqualTo(update.hwmTick()).isGreaterThanOrEqualTo(this.tick + 30_000);
        assertThat(this.engine.lease().worker()).isZero();
    }

    /** An UPDATE that names no namespace locks the rows of all processes. */
    @Test
    void rowThatIsLockedWhenItIsToBeTakenIsNamed() {
        answer(rows(row("of a process that has ended", 4, 0, 0)));
        assertThat(answer(new LeaseReply.Unknown(new SQLTransientException("lock timeout"))))
            .isInstanceOf(LeaseStatement.Update.class);

        assertThat(this.heard).containsExactly("unwritten 0");
    }

    /** A database that waits for its standby in vain shows what it has not confirmed. */
    @Test
    void leaseThatIsReadAgainAndAgainButNeverConfirmedIsNotHeld() {
        LeaseReply.Unknown unconfirmed = new LeaseReply.Unknown(new SQLTransientException("not confirmed"));
        answer(rows(null));
        LeaseRow row = ((LeaseStatement.Insert) answer(unconfirmed)).row();
        for (int i = 0; i < 100; i++) {
            answer(rows(row));
            LeaseStatement.Update update = (LeaseStatement.Update) answer(unconfirmed);
            assertThat(update.seenToken()).isEqualTo(row.token());
            row = new LeaseRow(0, update.token(), row.acquisitions(), update.leaseUntilMillis(), update.hwmTick(),
                    update.owner(), update.layout());
        }
        assertThat(this.protocol.holding()).isFalse();
        assertThat(this.heard).containsOnly("failed", "unwritten 0");

        answer(rows(row));
        answer(new LeaseReply.Written(1));

        assertThat(this.protocol.holding()).isTrue();
        assertThat(this.engine.lease().worker()).isZero();
    }

    /**
     * It kept its row from all that were sent after it, until its standby came back. The
     * process has to have this row.
     */
    @Test
    void renewalThatWaitedForAStandbyIsKnownHoweverManyFailedBehindIt() {
        this.protocol = protocol(LeaseSettings.builder().workerId(0).build());
        LeaseReply.Unknown unknown = new LeaseReply.Unknown(new SQLTransientException("no answer"));
        LeaseRow row = row(lease(), 1, millis() + 30_000, this.tick + 30_000);
        answer(rows(row));
        LeaseStatement.Update waiting = (LeaseStatement.Update) answer(unknown);
        for (int i = 0; i < 100; i++) {
            answer(rows(row));
            answer(unknown);
        }
        answer(rows(row(waiting.token(), 1, waiting.leaseUntilMillis(), waiting.hwmTick())));
        LeaseStatement.Update next = (LeaseStatement.Update) answer(new LeaseReply.Written(1));

        assertThat(next.seenToken()).isEqualTo(waiting.token());
        assertThat(this.heard).containsOnly("unwritten 0", "renewed 0");
    }

    /** Of a database whose clock ran ahead: ids would carry a time that has not come. */
    @Test
    void rowThatWasLeasedIntoTheFutureIsLeftAlone() {
        LeaseStatement beyond = after(row("given back", 3, 0, this.tick + 1));
        assertThat(beyond).isInstanceOfSatisfying(LeaseStatement.Insert.class,
                (insert) -> assertThat(insert.row().worker()).isOne());
    }

    @Test
    void rowThatWasLeasedUntilNowIsTaken() {
        LeaseStatement now = after(row("given back", 3, 0, this.tick));
        assertThat(now).isInstanceOfSatisfying(LeaseStatement.Update.class,
                (update) -> assertThat(update.worker()).isZero());
    }

    /** The statement that follows the first look at the rows. */
    private LeaseStatement after(LeaseRow row) {
        answer(rows(row));
        return sent();
    }

    @Test
    void keeperForWhomNobodyWaitsComesBackWithinARenewal() {
        lease();
        long renewal = this.leaseSettings.renewEvery().toNanos();
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            pauses.add(pauseAfterAFailure());
        }
        assertThat(pauses.get(0)).as("the first one is short").isLessThanOrEqualTo(300_000_000L);
        assertThat(pauses).allMatch((pause) -> pause <= renewal * 6 / 5);
        assertThat(pauses.get(19)).as("a renewal").isGreaterThanOrEqualTo(renewal * 4 / 5);
    }

    @Test
    void failuresAreForgottenWithARenewal() {
        String ours = lease();
        for (int i = 0; i < 20; i++) {
            pauseAfterAFailure();
        }
        answer(rows(row(ours, 1, NOW + 30_000, this.tick + 30_000)));
        answer(new LeaseReply.Written(1));
        assertThat(this.heard).last().isEqualTo("renewed 0");

        assertThat(pauseAfterAFailure()).isLessThanOrEqualTo(300_000_000L);
    }

    /** The caller who waited has got its id by then. */
    @Test
    void keeperForWhomSomebodyWaitedIsPatientAgainAfterTheRenewal() {
        String ours = lease();
        this.protocol.want(this.time.nanoTime());
        answer(rows(row(ours, 1, NOW + 30_000, this.tick + 30_000)));
        answer(new LeaseReply.Written(1));
        assertThat(this.heard).last().isEqualTo("renewed 0");

        long pause = 0;
        for (int i = 0; i < 20; i++) {
            pause = pauseAfterAFailure();
        }
        assertThat(pause).isGreaterThanOrEqualTo(this.leaseSettings.renewEvery().toNanos() * 4 / 5);
    }

    @Test
    void callerWhoJoinsDoesNotMakeAStoreThatDoesNotAnswerBeAskedAtOnce() {
        lease();
        this.protocol.renewNow(this.time.nanoTime());
        assertThat(this.protocol.dueNanos()).as("it answers").isEqualTo(this.time.nanoTime());
        for (int i = 0; i < 5; i++) {
            pauseAfterAFailure();
        }
        long due = this.protocol.dueNanos();

        this.protocol.renewNow(this.time.nanoTime());

        assertThat(this.protocol.dueNanos()).isEqualTo(due);
    }

    /** Its lease has run out, so the row comes free with the last tick of it. */
    @Test
    void processWhoseRowComesFreeWithItsMarkLooksThen() {
        this.protocol = protocol(LeaseSettings.builder().workerId(0).build());
        answer(rows(row("stopped", 3, NOW - 1, this.tick + 400)));

        assertThat(Duration.ofNanos(this.protocol.dueNanos() - this.time.nanoTime())).isBetween(Duration.ofMillis(320),
                Duration.ofMillis(480));
    }

    private long pauseAfterAFailure() {
        answer(new LeaseReply.Unknown(new SQLTransientException("no answer")));
        return this.protocol.dueNanos() - this.time.nanoTime();
    }

    /** None of them is quick enough to tell the time. */
    @Test
    void leaseThatWasWaitedForBySlowAnswersBeginsNow() {
        List<LeaseRow> rows = new ArrayList<>(List.of(this.layoutRow));
        for (int worker = 0; worker < 31; worker++) {
            rows.add(new LeaseRow(worker, "theirs", 1, NOW + 60_000, this.tick + 60_000, "somebody", null));
        }
        while (this.time.instant().isBefore(Instant.ofEpochMilli(NOW + 61_000))) {
            answerSlowly(rows);
        }
        answerSlowly(rows);
        answer(new LeaseReply.Written(1));
        assertThat(this.heard).last().asString().startsWith("leased ");

        assertThat(this.layout.instantOf(this.engine.tryNext(1))).isBetween(this.time.instant().minusMillis(300),
                this.time.instant());
    }

    private void answerSlowly(List<LeaseRow> rows) {
        sent();
        long sentNanos = this.time.nanoTime();
        LeaseReply.Rows read = new LeaseReply.Rows(millis(), rows);
        this.time.advance(Duration.ofMillis(300));
        this.protocol.reply(read, sentNanos, this.time.nanoTime());
    }

    @Test
    void missingRowIsTheLowestAndOneOfMoreAfterEachLostRace() {
        AcquirePlan plan = new AcquirePlan(this.terms, this.leaseSettings,
                LeaseRules.of(this.leaseSettings).timing(this.layout), this.layoutRow,
                new TokenBook(() -> "token " + this.tokens.incrementAndGet()), new SplittableRandom(1));
        LeaseReply.Rows rows = new LeaseReply.Rows(NOW, List.of(this.layoutRow));
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            asked.add(((LeaseStatement.Insert) plan.move(rows, 0).statement()).row().worker());
        }

        assertThat(asked.get(0)).isZero();
        assertThat(asked.get(1)).isBetween(1, 7);
        assertThat(asked).anyMatch((worker) -> worker > 7);
    }

    @Test
    void rangeThatIsSpentIsNotAcquired() {
        IdLayout ended = IdLayout.builder().timeBits(30).epoch(Instant.ofEpochMilli(NOW - (1L << 30))).build();
        EngineTerms spent = terms(ended);
        LeaseRow first = new LeaseRow(LeaseRow.LAYOUT, "database", 0, 0, 0, null, spent.fingerprint());
        AcquirePlan plan = new AcquirePlan(spent, LeaseSettings.builder().build(),
                new LeaseTiming(ended, 30_000, 8_000_000_000L), first, new TokenBook(() -> "token"),
                new SplittableRandom(1));

        AcquirePlan.Move after = plan.move(new LeaseReply.Rows(NOW, List.of(first)), 0);
        AcquirePlan.Move before = plan.move(new LeaseReply.Rows(NOW - 1, List.of(first)), 0);

        assertThat(after.obstacle()).isEqualTo(LeaseState.RANGE_EXHAUSTED);
        assertThat(after.statement()).isNull();
        assertThat(before.statement()).isNotNull();
    }

    /**
     * Another server with a copy of the rows, say, where the holder of this row has
     * written it in the future. What it did since then, the copy does not tell.
     */
    @Test
    void startOnAClockThatIsBehindItsOwnRowsWaitsForThePresentTime() {
        LeaseRow copied = new LeaseRow(4, "theirs", 3, NOW - 9_000 + 30_000, this.tick + 21_000, "web-1",
                "window=30000");
        answer(new LeaseReply.Rows(begun(NOW - 15_000), List.of(this.layoutRow, copied)));
        assertThat(this.heard).containsExactly("waiting CLOCK_BEHIND");
        answer(new LeaseReply.Rows(begun(NOW - 1), List.of(this.layoutRow, copied)));
        assertThat(this.heard).containsExactly("waiting CLOCK_BEHIND", "waiting CLOCK_BEHIND");

        answer(new LeaseReply.Rows(begun(NOW), List.of(this.layoutRow, copied)));
        assertThat(sent()).isInstanceOf(LeaseStatement.Insert.class);
    }

    /**
     * Its holder lives here, and goes on by the time of before the clock was set back.
     */
    @Test
    void startBesideALivingProcessDoesNotWaitForAClockThatWentBack() {
        LeaseRow theirs = new LeaseRow(4, "theirs", 3, NOW - 1_000 + 30_000, this.tick + 29_000, "web-1",
                "window=30000");
        answer(new LeaseReply.Rows(begun(NOW - 120_000), List.of(this.layoutRow, theirs)));
        assertThat(this.heard).containsExactly("waiting CLOCK_BEHIND");
        LeaseRow renewed = new LeaseRow(4, "renewed", 3, NOW + 8_000 + 30_000, this.tick + 38_000, "web-1",
                "window=30000");
        answer(new LeaseReply.Rows(begun(NOW - 111_000), List.of(this.layoutRow, renewed)));
        assertThat(sent()).isInstanceOf(LeaseStatement.Insert.class);
    }

    /** That clock was ahead for a moment, and nobody has to wait for it to come there. */
    @Test
    void startBesideARowThatWasWrittenByAClockAheadOfBothDoesNotWait() {
        LeaseRow ahead = new LeaseRow(4, "theirs", 3, NOW + 1_830_000, this.tick + 1_830_000, "web-1", "window=30000");
        answer(new LeaseReply.Rows(begun(NOW), List.of(this.layoutRow, ahead)));
        assertThat(sent()).isInstanceOf(LeaseStatement.Insert.class);
    }

    private long begun(long databaseMillis) {
        sent();
        return databaseMillis;
    }

    /** A transaction has locked the row, which everybody can read. */
    @Test
    void processWhoseRowIsLockedTakesAnotherOneWhenItsLeaseHasRunOut() {
        String token = lease();
        LeaseRow mine = row(token, 1, NOW + 30_000, this.tick + 30_000);
        this.time.advance(Duration.ofSeconds(25));
        renewInVain(mine);
        renewInVain(mine);
        assertThat(this.heard).containsExactly("unwritten 0", "unwritten 0");
        assertThat(this.engine.lease().leased()).as("until it has run out").isTrue();
        this.heard.clear();

        this.time.advance(Duration.ofSeconds(6));
        answer(rows(mine));
        assertThat(this.heard).singleElement().asString().startsWith("lost 0").contains("locked");
        assertThat(this.engine.lease().leased()).isFalse();
        answer(rows(mine));
        LeaseStatement.Insert other = (LeaseStatement.Insert) answer(new LeaseReply.Written(1));

        assertThat(other.row().worker()).isOne();
        assertThat(other.row().hwmTick()).as("begins now").isEqualTo(this.layout.tickAt(this.time.instant()) + 30_000);
        assertThat(this.heard).endsWith("leased 1");
    }

    private void renewInVain(LeaseRow mine) {
        answer(rows(mine));
        assertThat(answer(new LeaseReply.Unknown(new SQLTransientException("lock timeout"))))
            .isInstanceOfSatisfying(LeaseStatement.Update.class, (renewal) -> assertThat(renewal.worker()).isZero());
    }

    /** Nor does it try a free row again and again that it cannot write. */
    @Test
    void rowThatGaveNoAnswerComesLast() {
        LeaseRow locked = row("given back", 3, 0, this.tick);
        answer(rows(locked));
        answer(new LeaseReply.Unknown(new SQLTransientException("lock timeout")));
        answer(rows(locked));
        assertThat(sent()).isInstanceOfSatisfying(LeaseStatement.Insert.class,
                (insert) -> assertThat(insert.row().worker()).isPositive());
    }

    /** The transaction that had locked it may have ended during the lease. */
    @Test
    void rowThatGaveNoAnswerIsAsGoodAsOthersAfterALease() {
        LeaseRow locked = row("given back", 3, 0, this.tick);
        answer(rows(locked));
        answer(new LeaseReply.Unknown(new SQLTransientException("lock timeout")));
        answer(rows(locked));
        answer(new LeaseReply.Written(1));
        assertThat(this.protocol.holding()).isTrue();
        answer(rows(locked));
        assertThat(this.protocol.holding()).as("its row was deleted").isFalse();
        this.time.advance(Duration.ofMinutes(1));

        answer(rows(locked));

        assertThat(sent()).isInstanceOfSatisfying(LeaseStatement.Update.class,
                (update) -> assertThat(update.worker()).isZero());
    }

    @Test
    void processThatHasToHaveItsRowWaitsForIt() {
        LeaseProtocol running = protocol(LeaseSettings.builder().workerId(7).build());
        SimDatabase database = new SimDatabase();
        database.execute(new LeaseStatement.Insert(this.layoutRow, null), 0, 0);
        for (int statements = 0; statements < 40; statements++) {
            LeaseStatement statement = running.next(this.time.nanoTime());
            while (statement == null) {
                this.time.advance(Duration.ofSeconds(1));
                statement = running.next(this.time.nanoTime());
            }
            boolean renewal = statement instanceof LeaseStatement.Update;
            running.reply(
                    renewal ? new LeaseReply.Unknown(new SQLTransientException("lock timeout"))
                            : database.execute(statement,
                                    Duration.between(Instant.ofEpochMilli(NOW), this.time.instant()).toNanos(), 0),
                    this.time.nanoTime(), this.time.nanoTime());
        }
        assertThat(this.time.instant()).isAfter(Instant.ofEpochMilli(NOW).plusSeconds(60));
        assertThat(this.heard).containsOnly("leased 7", "unwritten 7");
        assertThat(database.rows()).extracting(LeaseRow::worker).containsExactly(LeaseRow.LAYOUT, 7);
    }

    /** After a change of layout; ids that far ahead would stop with the first renewal. */
    @Test
    void namespaceThatBeginsLaterThanIdsMayRunAheadIsAwaited() {
        long ahead = this.terms.maxAhead().toMillis();
        answer(rows(this.tick + ahead + 1));
        assertThat(this.heard).containsExactly("waiting BEGINS_LATER");
        answer(rows(this.tick + ahead + this.terms.layout().tickAt(this.time.instant()) - this.tick));
        assertThat(sent()).isInstanceOf(LeaseStatement.Insert.class);
    }

    /** The clock of the database was ahead for a moment, when nobody else had a lease. */
    @Test
    void namespaceThatAWrongClockHasBegunFarAheadIsAwaitedToo() {
        answer(rows(this.tick + this.leaseSettings.startupTimeout().toMillis() + 1));
        assertThat(this.heard).containsExactly("waiting BEGINS_LATER");
    }

    private LeaseReply.Rows rows(long begin) {
        sent();
        return new LeaseReply.Rows(millis(),
                List.of(new LeaseRow(LeaseRow.LAYOUT, "database", 0, 0, begin, null, this.terms.fingerprint())));
    }

    @Test
    void ownerIsWrittenByAnAcquireAndByARenewalAndEndsWithTheRelease() {
        LeaseSettings named = LeaseSettings.builder().owner("shop web-2 4711").build();
        LeaseProtocol running = protocol(named);
        SimDatabase database = new SimDatabase();
        database.execute(new LeaseStatement.Insert(this.layoutRow, null), 0, 0);
        for (int statements = 0; statements < 4; statements++) {
            LeaseStatement statement = running.next(this.time.nanoTime());
            while (statement == null) {
                this.time.advance(Duration.ofSeconds(1));
                statement = running.next(this.time.nanoTime());
            }
            running.reply(database.execute(statement, 0, 0), this.time.nanoTime(), this.time.nanoTime());
            if (statements > 0) {
                assertThat(database.rows().get(1).owner()).as("after statement %s", statements)
                    .isEqualTo("shop web-2 4711");
            }
        }
        assertThat(this.heard).containsExactly("leased 0", "renewed 0");
        running.release(this.time.nanoTime());
        LeaseStatement release = running.next(this.time.nanoTime());
        database.execute(release, 0, 0);
        assertThat(database.rows().get(1).owner()).isNull();
    }

    @Test
    void releaseIsReportedWhenItWasAcknowledged() {
        lease();
        this.protocol.release(this.time.nanoTime());
        assertThat(this.heard).containsExactly("releasing 0");

        answer(new LeaseReply.Written(1));

        assertThat(this.heard).containsExactly("releasing 0", "released 0");
        assertThat(this.protocol.next(this.time.nanoTime())).isNull();
    }

    /** As when the heap is full after the database has carried out a read. */
    @Test
    void leaseIsGivenBackAlsoAfterAnErrorInPlaceOfAReply() {
        String ours = lease();
        sent();
        this.protocol.sending();

        this.protocol.release(this.time.nanoTime());

        assertThat(answer(new LeaseReply.Written(1))).isInstanceOfSatisfying(LeaseStatement.Update.class, (release) -> {
            assertThat(release.seenToken()).isEqualTo(ours);
            assertThat(release.leaseUntilMillis()).isZero();
        });
        assertThat(this.heard).containsExactly("releasing 0", "released 0");
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void releaseThatWasNotAcknowledgedIsReportedAsSuch(boolean answered) {
        lease();
        this.protocol.release(this.time.nanoTime());

        answer(answered ? new LeaseReply.Written(0) : new LeaseReply.Unknown(new SQLTransientException("no answer")));

        assertThat(this.heard).containsExactly("releasing 0",
                answered ? "abandoned 0: its row was changed by another process"
                        : "abandoned 0: java.sql.SQLTransientException: no answer");
        assertThat(this.protocol.next(this.time.nanoTime())).isNull();
    }

}
