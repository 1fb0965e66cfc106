package io.shardedid.internal.lease;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerIdRange;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Worker ids that go from one lease table in H2 to another. */
class LeaseHandOverTest {

    private static final WorkerIdRange LOW = WorkerIdRange.parse("0-15");

    private static final WorkerIdRange HIGH = WorkerIdRange.parse("16-30");

    private final IdLayout layout = IdLayout.manyShards();

    private final String first = url();

    private final String second = url();

    private static String url() {
        return "jdbc:h2:mem:table" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    }

    @BeforeEach
    void firstTable() {
        open(this.first, settings()).close();
    }

    private static LeaseSettings.Builder settings() {
        return LeaseSettings.builder().promotedClockBehind(Duration.ofSeconds(2)).owner("test");
    }

    /** With these, a process that gets no worker id gives up after 3.1 s. */
    private static LeaseSettings.Builder impatient() {
        return settings().window(Duration.ofSeconds(3))
            .renewEvery(Duration.ofSeconds(1))
            .startupTimeout(Duration.ofMillis(3100));
    }

    private static LeaseStore store(String url) {
        return JdbcLeases.store("default", LeaseConnections.url(url, "sa", ""), "shardedid_worker",
                SchemaInitialization.EMBEDDED);
    }

    private static ShardedIdEngine open(String url, LeaseSettings.Builder settings) {
        return ShardedIds.builder()
            .layout(IdLayout.manyShards())
            .workers(JdbcLeases.leased(settings.build(), LeaseConnections.url(url, "sa", ""), "shardedid_worker",
                    SchemaInitialization.EMBEDDED, List.of()))
            .open();
    }

    private static LeaseHandOver.Place place(String name, String url, UnaryOperator<LeaseStore> store) {
        return new LeaseHandOver.Place(name, settings().build(), store.apply(store(url)));
    }

    private LeaseHandOver tables() {
        return between(this.first, this.second);
    }

    private static LeaseHandOver between(String giver, String receiver) {
        return new LeaseHandOver(place("giver", giver, UnaryOperator.identity()),
                place("receiver", receiver, UnaryOperator.identity()));
    }

    private static LeaseReply.Rows rows(String url) {
        try (LeaseStore store = store(url)) {
            return (LeaseReply.Rows) store.execute(new LeaseStatement.ReadAll());
        }
    }

    private static LeaseRow row(String url, int worker) {
        return rows(url).row(worker).orElseThrow();
    }

    private static void write(String url, int worker, long until, long hwmTick, String promise) {
        try (LeaseStore store = store(url)) {
            LeaseRow row = row(url, worker);
            assertThat(store.execute(new LeaseStatement.Update(worker, row.token(), Long.MAX_VALUE,
                    UUID.randomUUID().toString(), 0, until, hwmTick, "somebody", promise, null)))
                .isEqualTo(new LeaseReply.Written(1));
        }
    }

    @Test
    void eachTableLeasesItsOwnWorkerIds() {
        assertThat(tables().make()).isEqualTo(new WorkerIdRange(0, 30));
        assertThat(tables().give(HIGH).workers()).isEqualTo(HIGH);

        try (ShardedIdEngine ids = open(this.first, settings().workerIds(LOW))) {
            assertThat(this.layout.parse(ids.next(5)).worker()).isBetween(0, 15);
        }
        try (ShardedIdEngine ids = open(this.second, settings().workerIds(HIGH))) {
            assertThat(this.layout.parse(ids.next(5)).worker()).isBetween(16, 30);
        }
    }

    /** Otherwise each older id of the first table would be an older id at the second. */
    @Test
    void secondTableHasTheLayoutAndTheFirstTickOfTheFirst() {
        tables().make();
        assertThat(row(this.second, LeaseRow.LAYOUT)).usingRecursiveComparison()
            .ignoringFields("token")
            .isEqualTo(row(this.first, LeaseRow.LAYOUT));
        assertThat(row(this.second, LeaseRow.LAYOUT).token()).isNotEqualTo(row(this.first, LeaseRow.LAYOUT).token());
    }

    @ParameterizedTest
    @CsvSource({ "first, ", "first, 0-16", "second, ", "second, 15-30" })
    void processThatWouldAskForAWorkerIdOfAnotherTableDoesNotStart(String table, String range) {
        tables().make();
        tables().give(HIGH);
        LeaseSettings.Builder settings = settings();
        if (range != null) {
            settings.workerIds(WorkerIdRange.parse(range));
        }
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> open(table.equals("first") ? this.first : this.second, settings))
            .withMessageMatching(
                    "Could not lease a worker id: worker ids of namespace 'default' belong to another lease "
                            + "table: shardedid.worker.lease.worker-ids=\\d+-\\d+, elsewhere=[\\d, ]+; let "
                            + "'shardedid.worker.lease.worker-ids' name those of this lease table alone, or hand the others over "
                            + "to it \\('hand-over' of the inspector\\).*");
    }

    /** The clock of the receiver may be behind, and the giver's last ids ahead. */
    @Test
    void receiverBeginsWhereTheGiverEnded() {
        tables().make();
        long mark = this.layout.tickAt(Instant.now().plusMillis(1500));
        open(this.first, settings().workerId(20)).close();
        write(this.first, 20, 0, mark, "mode=plain window=30000");

        assertThat(tables().give(HIGH).first()).isEqualTo(this.layout.instantAt(mark));
        assertThat(row(this.second, 20)).returns(mark, LeaseRow::hwmTick).returns(0L, LeaseRow::leaseUntilMillis);
        try (ShardedIdEngine ids = open(this.second, settings().workerIds(WorkerIdRange.parse("20-20")))) {
            assertThat(this.layout.tickAt(this.layout.parse(ids.next(5)).instant())).isGreaterThanOrEqualTo(mark);
        }
    }

    /** A failover may have forgotten the last marks of the giver. */
    @ParameterizedTest
    @CsvSource({ "20", "3" })
    void receiverBeginsAboveWhatATolerantGiverMayHaveForgotten(int tolerant) {
        tables().make();
        open(this.first, settings().workerId(tolerant)).close();
        write(this.first, tolerant, 0, 1, "mode=tolerant window=11000 reach=12000");
        Instant before = Instant.now();
        assertThat(tables().give(HIGH).first()).isBetween(before.plusMillis(14_990), Instant.now().plusMillis(15_010));
    }

    @Test
    void receiverBeginsAboveWhatItsOwnTolerantProcessesMayHaveForgotten() {
        tables().make();
        tables().give(HIGH);
        write(this.second, 16, 0, 1, "mode=tolerant window=11000 reach=12000");
        Instant before = Instant.now();
        assertThat(tables().give(LOW).first()).isBetween(before.plusMillis(14_990), Instant.now().plusMillis(15_010));
    }

    @Test
    void leaseMustBeOver() {
        tables().make();
        try (ShardedIdEngine ids = open(this.first, settings().workerId(18))) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> tables().give(HIGH))
                .withMessageMatching("Could not hand worker ids over from giver \\(.*\\) to receiver "
                        + "\\(.*\\): the lease of worker id 18 has not run out \\(test until \\S+Z, on the clock of the "
                        + "giver\\); start its processes with 'shardedid.worker.lease.worker-ids' that leave it out, and "
                        + "wait until then");
        }
        assertThat(rows(this.first).rows()).noneMatch(LeaseHandOver::elsewhere);
        tables().give(HIGH);
    }

    /** The clock of a promoted server may be behind. */
    @Test
    void leaseOfATolerantProcessIsOverLater() {
        tables().make();
        open(this.first, settings().workerId(18)).close();
        write(this.first, 18, Instant.now().minusMillis(500).toEpochMilli(), 1,
                "mode=tolerant window=3000 reach=10000");
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> tables().give(HIGH))
            .withMessageContaining("the lease of worker id 18 has not run out (somebody until ");
        write(this.first, 18, Instant.now().minusMillis(500).toEpochMilli(), 1, "mode=plain window=3000");
        tables().give(HIGH);
    }

    /** A process that wakes up finds that another acquisition came after its own. */
    @Test
    void rowOfTheGiverCountsOneAcquisitionMore() {
        tables().make();
        open(this.first, settings().workerId(18)).close();
        long before = row(this.first, 18).acquisitions();
        tables().give(HIGH);
        assertThat(row(this.first, 18).acquisitions()).isEqualTo(before + 1);
    }

    /** Breaks off after each of its writes, with and without the write's effect. */
    @ParameterizedTest
    @CsvSource({ "false, true", "true, true", "false, false", "true, false" })
    void itCanBeRepeatedWhereverItBreaksOff(boolean applied, boolean giver) {
        tables().make();
        open(this.first, settings().workerId(17)).close();
        WorkerIdRange three = WorkerIdRange.parse("17-19");
        int broken = 0;
        for (int writes = 0;; writes++) {
            AtomicInteger left = new AtomicInteger(writes);
            UnaryOperator<LeaseStore> breaking = (store) -> new BreakingStore(store, left, applied);
            UnaryOperator<LeaseStore> plain = UnaryOperator.identity();
            LeaseHandOver tables = new LeaseHandOver(place("giver", this.first, giver ? breaking : plain),
                    place("receiver", this.second, giver ? plain : breaking));
            try {
                tables.give(three);
                break;
            }
            catch (WorkerLeaseException ex) {
                assertThat(ex).hasMessageContaining("did not answer: java.io.IOException: broken");
                broken++;
            }
            for (int worker = 17; worker <= 19; worker++) {
                boolean atGiver = rows(this.first).row(worker).filter(LeaseHandOver::elsewhere).isEmpty();
                boolean atReceiver = !LeaseHandOver.elsewhere(row(this.second, worker));
                assertThat(atGiver && atReceiver).as("worker id %s belongs to both", worker).isFalse();
            }
        }
        assertThat(broken).isBetween(1, 4);
        assertThat(rows(this.first).rows()).filteredOn(LeaseHandOver::elsewhere).hasSize(3);
        assertThat(rows(this.second).rows()).filteredOn((row) -> three.contains(row.worker()))
            .noneMatch(LeaseHandOver::elsewhere);
    }

    /** A write of a run that broke off may arrive after another run has turned back. */
    @Test
    void lateWriteOfARunThatBrokeOffHandsNothingOver() {
        WorkerIdRange one = WorkerIdRange.parse("17-17");
        tables().make();
        open(this.first, settings().workerId(17)).close();
        AtomicReference<LeaseStatement> late = new AtomicReference<>();
        LeaseHandOver broken = new LeaseHandOver(place("giver", this.first, UnaryOperator.identity()),
                place("receiver", this.second, (store) -> new LateStore(store, late)));
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> broken.give(one));
        between(this.second, this.first).give(one);
        try (LeaseStore store = store(this.second)) {
            assertThat(store.execute(late.get())).isEqualTo(new LeaseReply.Written(0));
        }
        assertThat(LeaseHandOver.elsewhere(row(this.first, 17))).isFalse();
        assertThat(LeaseHandOver.elsewhere(row(this.second, 17))).isTrue();
    }

    /** As after a run that broke off before its first write. */
    @Test
    void workerIdThatWasNeverLeasedAndNeverTakenCanBeHandedBack() {
        tables().make();
        LeaseReply.Rows before = rows(this.first);
        assertThat(between(this.second, this.first).give(HIGH).workers()).isEqualTo(HIGH);
        assertThat(rows(this.first).rows()).isEqualTo(before.rows());
        assertThat(rows(this.second).rows()).filteredOn(LeaseHandOver::elsewhere).hasSize(31);
    }

    @Test
    void secondTableCanBeMadeInSeveralRuns() {
        AtomicInteger left = new AtomicInteger(7);
        assertThatExceptionOfType(WorkerLeaseException.class)
            .isThrownBy(() -> new LeaseHandOver(place("giver", this.first, UnaryOperator.identity()),
                    place("receiver", this.second, (store) -> new BreakingStore(store, left, true)))
                .make());
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> open(this.second, settings()))
            .withMessageContaining("make ids by different layouts");
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> tables().give(HIGH))
            .withMessageContaining("is half made; repeat 'add-lease-table'");
        tables().make();
        // as if its last reply had been lost
        assertThat(tables().make()).isEqualTo(new WorkerIdRange(0, 30));
        assertThat(rows(this.second).rows()).hasSize(32).filteredOn(LeaseHandOver::elsewhere).hasSize(31);
        tables().give(HIGH);
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> tables().make())
            .withMessageContaining(": the lease table of the receiver is in use: layout=[epoch=");
    }

    /** Three tables: each worker id is at one of them, wherever it came from. */
    @Test
    void workerIdBelongsToOneOfThreeTables() {
        String third = url();
        tables().make();
        between(this.first, third).make();
        tables().give(HIGH);

        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> between(this.first, third).give(HIGH))
            .withMessageContaining(": worker id 16 does not belong to the giver: belongs to lease table "
                    + row(this.second, LeaseRow.LAYOUT).token());
        between(this.second, third).give(HIGH);
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> between(this.second, this.first).give(HIGH))
            .withMessageContaining(": worker id 16 does not belong to the giver: belongs to lease table "
                    + row(third, LeaseRow.LAYOUT).token());
        between(third, this.first).give(HIGH);
        open(this.first, settings()).close();
        assertThat(rows(this.first).rows()).noneMatch(LeaseHandOver::elsewhere);
        assertThat(rows(this.second).rows()).filteredOn(LeaseHandOver::elsewhere).hasSize(31);
        assertThat(rows(third).rows()).filteredOn(LeaseHandOver::elsewhere).hasSize(31);
    }

    /** A row that was taken long ago says where its worker id went then. */
    @Test
    void oldRowGivesNothing() {
        String third = url();
        tables().make();
        between(this.first, third).make();
        tables().give(HIGH);
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> between(third, this.first).give(HIGH))
            .withMessageContaining(": worker id 16 does not belong to the giver: belongs to lease table ");

        for (int process = 0; process < 3; process++) {
            open(this.second, settings().workerIds(HIGH).workerId(16)).close();
        }
        between(this.second, this.first).give(HIGH);
        between(this.first, third).give(HIGH);
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> between(this.second, this.first).give(HIGH))
            .withMessageContaining(": worker id 16 does not belong to the giver: belongs to lease table ");
        assertThat(rows(third).rows()).filteredOn(LeaseHandOver::elsewhere).hasSize(16);
        assertThat(rows(this.first).rows()).filteredOn(LeaseHandOver::elsewhere).hasSize(15);
    }

    /** Its ids carry one worker id forever. */
    @Test
    void workerIdOfADatabaseIsAtNoLeaseTable() {
        tables().make();
        tables().give(HIGH);
        WorkerIdRange last = WorkerIdRange.parse("30-30");
        long mark = this.layout.tickAt(Instant.now().plusMillis(1500));
        write(this.second, 30, 0, mark, null);
        for (int run = 0; run < 2; run++) {
            assertThat(
                    LeaseHandOver.giveToDatabase(place("giver", this.second, UnaryOperator.identity()), last).first())
                .isEqualTo(this.layout.instantAt(mark));
        }
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> LeaseHandOver.giveToDatabase(place("giver", this.first, UnaryOperator.identity()), last))
            .withMessageStartingWith("Could not hand worker ids over from giver (")
            .withMessageContaining(") to ids that a database makes: worker id 30 does not belong")
            .withMessageContaining(": worker id 30 does not belong to the giver: belongs to lease table ");
        for (LeaseHandOver way : List.of(tables(), between(this.second, this.first))) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> way.give(last))
                .withMessageContaining(": worker id 30 ");
        }
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> open(this.second, settings().workerIds(HIGH)))
            .withMessageContaining("shardedid.worker.lease.worker-ids=16-30, elsewhere=30; ");
        open(this.second, settings().workerIds(WorkerIdRange.parse("16-29"))).close();
    }

    @Test
    void workerIdThatIsAtTheReceiverIsNotGivenAgain() {
        tables().make();
        tables().give(HIGH);
        LeaseReply.Rows before = rows(this.second);
        assertThat(tables().give(HIGH).workers()).isEqualTo(HIGH);
        assertThat(rows(this.second).rows()).isEqualTo(before.rows());

        String other = url();
        open(other, settings()).close();
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> between(other, this.second).give(HIGH))
            .withMessageContaining(": worker id 16 belongs to the receiver: nobody");
    }

    @Test
    void tablesMustBelongTogether() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> tables().give(HIGH))
            .withMessageContaining(": there is no lease table of the namespace at receiver");
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> between(this.first, this.first).give(HIGH))
            .withMessageContaining(
                    ": both configurations lead to one lease table, or one is a copy of the other: identity="
                            + row(this.first, LeaseRow.LAYOUT).token());
        ShardedIds.builder()
            .layout(IdLayout.standard())
            .workers(JdbcLeases.leased(settings().build(), LeaseConnections.url(this.second, "sa", ""),
                    "shardedid_worker", SchemaInitialization.EMBEDDED, List.of()))
            .open()
            .close();
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> tables().give(HIGH))
            .withMessageContaining(": the two make ids by different layouts: giver=[epoch=");
    }

    /** Its mark would have to be above those of all tables. */
    @Test
    void noLayoutChangesWhileAnotherTableHasWorkerIds() {
        tables().make();
        tables().give(HIGH);
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIds.builder()
                .layout(IdLayout.standard())
                .workers(JdbcLeases.leasedInPlaceOf(settings().namespace("fleet").build(),
                        LeaseConnections.url(this.first, "sa", ""), "shardedid_worker", SchemaInitialization.EMBEDDED,
                        List.of(), "default"))
                .open())
            .withMessageContaining(
                    " belong to another lease table; hand the worker ids of all tables over to one of them " + "first");
    }

    /** A row that is taken forever is no lease of a plain process. */
    @Test
    void tolerantProcessStartsBesideWorkerIdsOfAnotherTable() {
        tables().make();
        tables().give(HIGH);
        open(this.second, impatient().promotedClockBehind(Duration.ZERO).workerIds(HIGH).tolerateLostCommits(true))
            .close();
    }

    @Test
    void refusesRangesThatAreNone() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> WorkerIdRange.parse("16 to 31"))
            .withMessage(
                    "a range of worker ids must be two numbers with a hyphen between them: range='16 to 31'; write "
                            + "it as 16-31");
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> WorkerIdRange.parse("16-15"))
            .withMessageContaining("first=16, last=15");
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> open(this.first, settings().workerIds(WorkerIdRange.parse("16-31"))))
            .withMessageContaining("worker-ids must be in [0, 30] (worker-bits=5; 31 is reserved for ids made by the "
                    + "database): shardedid.worker.lease.worker-ids=16-31");
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> open(this.first, settings().workerIds(LOW).workerId(16)))
            .withMessageContaining("shardedid.worker.id=16, shardedid.worker.lease.worker-ids=0-15");
    }

    /** Breaks off with a write, which happens nevertheless or does not. */
    private static final class BreakingStore extends ForwardingStore {

        private final AtomicInteger left;

        private final boolean applied;

        BreakingStore(LeaseStore store, AtomicInteger left, boolean applied) {
            super(store);
            this.left = left;
            this.applied = applied;
        }

        @Override
        public LeaseReply execute(LeaseStatement statement) {
            boolean write = !(statement instanceof LeaseStatement.ReadAll
                    || statement instanceof LeaseStatement.ReadOne);
            if (!write || this.left.getAndDecrement() > 0) {
                return super.execute(statement);
            }
            if (this.applied) {
                super.execute(statement);
            }
            return new LeaseReply.Unknown(new IOException("broken"));
        }

    }

    /** Keeps a write back. */
    private static final class LateStore extends ForwardingStore {

        private final AtomicReference<LeaseStatement> late;

        LateStore(LeaseStore store, AtomicReference<LeaseStatement> late) {
            super(store);
            this.late = late;
        }

        @Override
        public LeaseReply execute(LeaseStatement statement) {
            if (statement instanceof LeaseStatement.Update) {
                this.late.set(statement);
                return new LeaseReply.Unknown(new IOException("late"));
            }
            return super.execute(statement);
        }

    }

}
