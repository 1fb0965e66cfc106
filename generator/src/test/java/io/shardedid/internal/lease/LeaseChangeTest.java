package io.shardedid.internal.lease;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LeaseChangeTest {

    /** A border of older ids that is older than a minute. */
    private static final long OLDER = 1_000;

    private static final IdLayout SMALL = IdLayout.builder().shardBits(2).workerBits(2).sequenceBits(3).build();

    /** Its ticks are longer, and its ids larger. */
    private static final IdLayout LARGE = IdLayout.builder()
        .timeBits(37)
        .tick(Duration.ofMillis(10))
        .shardBits(2)
        .workerBits(3)
        .sequenceBits(20)
        .build();

    private static final WorkerIdRange ALL = new WorkerIdRange(0, 2);

    private static final WorkerIdRange LOW = new WorkerIdRange(0, 1);

    private final SimWorld world = new SimWorld(1);

    private final SimDatabase table = new SimDatabase();

    private final SimDatabase other = new SimDatabase();

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private long markMillis() {
        return this.table.millis(this.world.now()) + 100_000;
    }

    private EngineTerms terms(IdLayout layout) {
        return new EngineTerms(layout, 4, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(1), null, this.time);
    }

    private static LeaseSettings settings(boolean tolerant, WorkerIdRange workers) {
        return LeaseSettings.builder().tolerateLostCommits(tolerant).workerIds(workers).build();
    }

    private void begin(boolean tolerant, WorkerIdRange workers) {
        insert(new LeaseRow(LeaseRow.LAYOUT, "begin", 0, 0, OLDER, null,
                LayoutText.of(terms(SMALL), settings(tolerant, workers)).toString()));
        insert(new LeaseRow(1, "theirs", 4, 0, SMALL.tickAt(Instant.ofEpochMilli(markMillis())), "somebody", null));
    }

    private void insert(LeaseRow row) {
        this.table.execute(new LeaseStatement.Insert(row, null), this.world.now(), 0);
    }

    private LeaseChange change(IdLayout layout, boolean tolerant, WorkerIdRange workers, @Nullable SimDatabase from) {
        return change(this.table, layout, tolerant, workers, from);
    }

    private LeaseChange change(SimDatabase to, IdLayout layout, boolean tolerant, WorkerIdRange workers,
            @Nullable SimDatabase from) {
        return new LeaseChange(terms(layout), settings(tolerant, workers), new SimStore(to, this.world),
                (from != null) ? new SimStore(from, this.world) : null, () -> UUID.randomUUID().toString());
    }

    /**
     * Carries a change out while time goes on.
     * @param writes how many writes there are before it breaks off
     * @return whether it came to its end
     */
    private boolean run(LeaseChange change, int writes) {
        int left = writes;
        while (!change.ended()) {
            LeaseChange.Step step = change.next(this.world.now());
            if (step == null) {
                this.world.runUntil(change.dueNanos());
                continue;
            }
            boolean write = !(step.statement() instanceof LeaseStatement.ReadAll);
            if (write && left-- == 0) {
                assertThatExceptionOfType(WorkerLeaseException.class)
                    .isThrownBy(() -> change.reply(new LeaseReply.Unknown(new IOException("gone")), this.world.now()))
                    .satisfies((broken) -> assertThat(broken.action()).contains("again"));
                return false;
            }
            SimDatabase rows = ((SimStore) step.place().store).rows();
            change.reply(rows.execute(step.statement(), this.world.now(), 0), this.world.now());
        }
        return true;
    }

    private void run(LeaseChange change) {
        assertThat(run(change, Integer.MAX_VALUE)).isTrue();
    }

    private LeaseRow row(SimDatabase database, int worker) {
        return database.rows().stream().filter((row) -> row.worker() == worker).findFirst().orElseThrow();
    }

    private LayoutText text(SimDatabase database) {
        return LayoutText.parse(row(database, LeaseRow.LAYOUT).layout());
    }

    @Test
    void anotherModeKeepsTheBorderOfOlderIdsAndGivesEachRowANewTokenAndTheHighestMark() {
        begin(false, ALL);
        long mark = row(this.table, 1).hwmTick();
        run(change(SMALL, true, ALL, null));

        assertThat(text(this.table)).isEqualTo(LayoutText.of(terms(SMALL), settings(true, ALL)));
        assertThat(row(this.table, LeaseRow.LAYOUT)).returns(OLDER, LeaseRow::hwmTick)
            .returns(0L, LeaseRow::leaseUntilMillis)
            .doesNotReturn("begin", LeaseRow::token);
        assertThat(this.table.rows()).hasSize(4).filteredOn((row) -> row.worker() >= 0).allSatisfy((row) -> {
            assertThat(row.hwmTick()).isEqualTo(mark);
            assertThat(row.token()).isNotEqualTo("theirs");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void waitsForWhatMayBeForgottenAndWhereAModeIsTolerantUntilTheClosedRowIsNotForgotten(boolean tolerant) {
        begin(false, ALL);
        run(change(SMALL, tolerant, ALL, null));
        assertThat(Duration.ofNanos(this.world.now())).isBetween(Duration.ofSeconds(tolerant ? 60 : 21),
                Duration.ofSeconds(tolerant ? 61 : 22));
    }

    @Test
    void anotherLayoutBeginsAboveAllMarksAndAllIdsBeforeAreOlder() {
        begin(false, ALL);
        Instant mark = SMALL.instantAt(row(this.table, 1).hwmTick());
        LeaseChange change = change(LARGE, false, new WorkerIdRange(0, 6), null);
        run(change);

        assertThat(change.changed().first()).isAfter(mark);
        long first = row(this.table, LeaseRow.LAYOUT).hwmTick();
        assertThat(LARGE.firstIdAt(LARGE.instantAt(first)))
            .isGreaterThanOrEqualTo(SMALL.firstIdAt(mark.plus(SMALL.tick())));
        assertThat(this.table.rows()).hasSize(8).allSatisfy((row) -> assertThat(row.hwmTick()).isEqualTo(first));
    }

    @Test
    void smallerIdsAreRefusedAndNothingIsClosed() {
        insert(new LeaseRow(LeaseRow.LAYOUT, "begin", 0, 0, OLDER, null,
                LayoutText.of(terms(LARGE), settings(false, ALL)).toString()));
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> run(change(SMALL, false, ALL, null)))
            .withMessageContaining("larger");
        assertThat(row(this.table, LeaseRow.LAYOUT).token()).isEqualTo("begin");
    }

    /** The clock of the database was ahead when a process had a lease for a moment. */
    @Test
    void idsFarAheadOfTheClockAreToldBeforeAnythingIsClosed() {
        begin(false, ALL);
        Instant ahead = Instant.ofEpochMilli(this.table.millis(this.world.now()) + 29 * 60_000);
        insert(new LeaseRow(2, "ahead", 1, 0, SMALL.tickAt(ahead), null, null));
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> run(change(LARGE, false, ALL, null)))
            .withMessageContaining(ahead.toString())
            .withMessageContaining("wait");
        assertThat(row(this.table, LeaseRow.LAYOUT).token()).isEqualTo("begin");
    }

    /** There are a closing, a record of the first tick, eight rows, and the opening. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 2, 3, 5, 7, 8, 9 })
    void runThatBreaksOffIsRepeated(int writes) {
        begin(false, ALL);
        Instant mark = SMALL.instantAt(row(this.table, 1).hwmTick());
        assertThat(run(change(LARGE, false, ALL, null), writes)).isFalse();
        if (writes > 0) {
            assertThat(text(this.table).closed()).isTrue();
            assertThat(text(this.table).layout()).isEqualTo(SMALL);
        }
        run(change(LARGE, false, ALL, null));

        assertThat(text(this.table)).isEqualTo(LayoutText.of(terms(LARGE), settings(false, ALL)));
        assertThat(this.table.rows()).hasSize(8).allSatisfy((row) -> {
            assertThat(LARGE.instantAt(row.hwmTick())).isBetween(mark, mark.plusSeconds(1));
            assertThat(row.leaseUntilMillis()).isZero();
        });
    }

    @Test
    void waitsForALeaseThatRunsOutAndNamesWhoRenewsAllTheSame() {
        begin(false, ALL);
        long now = this.table.millis(this.world.now());
        insert(new LeaseRow(0, "killed", 1, now + 50_000, 5, "killed", null));
        run(change(SMALL, false, ALL, null));
        assertThat(Duration.ofNanos(this.world.now())).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(62));

        LeaseRow row = row(this.table, 0);
        this.table.execute(new LeaseStatement.Update(0, row.token(), Long.MAX_VALUE, "lives", 1, Long.MAX_VALUE / 2, 6,
                "the living", null, null), this.world.now(), 0);
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> run(change(SMALL, false, ALL, null)))
            .withMessageContaining("the living");
    }

    /** A process with a fixed worker id reads no mark. */
    @ParameterizedTest
    @CsvSource({ "0, 1, 21", "2, 2, 100" })
    void waitsForTheIdsOfWorkerIdsThatAreNoLongerGivenOut(int first, int last, int seconds) {
        begin(false, ALL);
        run(change(SMALL, false, new WorkerIdRange(first, last), null));
        assertThat(Duration.ofNanos(this.world.now())).isBetween(Duration.ofSeconds(seconds),
                Duration.ofSeconds(seconds + 2));
    }

    @Test
    void clockThatIsSetBackMeanwhileIsNotAwaited() {
        begin(false, ALL);
        assertThat(run(change(SMALL, false, new WorkerIdRange(2, 2), null), 1)).isFalse();
        this.table.stepClock(-Duration.ofMinutes(10).toMillis());
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> run(change(SMALL, false, new WorkerIdRange(2, 2), null)))
            .withMessageContaining("no longer")
            .withMessageContaining("again");
    }

    @Test
    void clockThatStandsStillIsNotAwaitedForever() {
        begin(false, ALL);
        LongStream.range(0, 200)
            .forEach((second) -> this.world.after(second * 1_000_000_000, () -> this.table.stepClock(-second * 1_000)));
        assertThatExceptionOfType(WorkerLeaseException.class)
            .isThrownBy(() -> run(change(SMALL, false, new WorkerIdRange(2, 2), null)))
            .withMessageContaining("set back");
    }

    @Test
    void ofTwoRunsTheFirstLoses() {
        begin(false, ALL);
        LeaseChange first = change(SMALL, true, ALL, null);
        assertThat(first.next(0)).isNotNull();
        first.reply(this.table.execute(new LeaseStatement.ReadAll(), 0, 0), 0);
        LeaseChange.Step closing = first.next(0);
        first.reply(this.table.execute(closing.statement(), 0, 0), 0);
        run(change(SMALL, true, ALL, null));

        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> run(first))
            .withMessageContaining("one operator");
    }

    @Test
    void widerRangeNeedsTheTableThatHasGivenItOut() {
        begin(false, LOW);
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> run(change(SMALL, false, ALL, null)))
            .satisfies((refused) -> assertThat(refused.problem().keys())
                .containsExactly("shardedid.worker.lease.worker-ids"));
        run(change(SMALL, false, ALL, this.table));
        assertThat(text(this.table).workers()).isEqualTo(ALL);
    }

    /** After a failover its closed row gives out what both texts do. */
    @Test
    void narrowedTableThatIsStillClosedIsNotWidened() {
        begin(false, ALL);
        run(change(SMALL, false, LOW, null), 2);
        assertThat(text(this.table).workers()).isEqualTo(LOW);
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> run(change(SMALL, false, ALL, null)));
    }

    @Test
    void tableThatGivesAllAwayIsClosedForGood() {
        begin(false, ALL);
        long mark = row(this.table, 1).hwmTick();
        run(change(this.other, SMALL, false, ALL, this.table));

        assertThat(text(this.table).closed()).isTrue();
        assertThat(text(this.other).closed()).isFalse();
        assertThat(row(this.other, LeaseRow.LAYOUT).hwmTick()).isEqualTo(OLDER);
        assertThat(row(this.other, 2).hwmTick()).isEqualTo(mark);
        // and back
        run(change(SMALL, false, ALL, this.other));
        assertThat(text(this.table).closed()).isFalse();
        assertThat(text(this.other).closed()).isTrue();
    }

    @Test
    void workerIdsThatAnotherTableStillGivesOutAreRefused() {
        begin(false, ALL);
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> run(change(this.other, SMALL, false, new WorkerIdRange(2, 2), this.table)))
            .withMessageContaining("first");
        run(change(SMALL, false, LOW, null));
        run(change(this.other, SMALL, false, new WorkerIdRange(2, 2), this.table));
        assertThat(text(this.table)).isEqualTo(LayoutText.of(terms(SMALL), settings(false, LOW)));
    }

    @Test
    void tableThatChangesWhileWorkerIdsLeaveItIsNoticed() {
        begin(false, LOW);
        LeaseChange change = change(this.other, SMALL, false, new WorkerIdRange(2, 2), this.table);
        for (int i = 0; i < 3; i++) {
            LeaseChange.Step step = change.next(this.world.now());
            change.reply(((SimStore) step.place().store).rows().execute(step.statement(), this.world.now(), 0),
                    this.world.now());
        }
        run(change(SMALL, false, ALL, this.table));
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> run(change));
    }

    @Test
    void nothingIsMadeWhereThereIsNothing() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> run(change(SMALL, false, ALL, null)))
            .withMessageContaining("--from");
        assertThat(List.copyOf(this.table.rows())).isEmpty();
    }

}
