package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Leases that move from one lease table in H2 to another. */
class StoreChangeTest {

    private final IdLayout layout = IdLayout.manyShards();

    private final String old = "jdbc:h2:mem:old" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    private final String fresh = "jdbc:h2:mem:new" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    private static LeaseSettings settings(boolean tolerant) {
        return LeaseSettings.builder()
            .tolerateLostCommits(tolerant)
            .promotedClockBehind(Duration.ofSeconds(2))
            .owner("test")
            .build();
    }

    private static LeaseStore store(String url) {
        return JdbcLeases.store("default", LeaseConnections.url(url, "sa", ""), "shardedid_worker",
                SchemaInitialization.EMBEDDED);
    }

    /** With these, a process that gets no worker id gives up after 3.1 s. */
    private static LeaseSettings impatient() {
        return LeaseSettings.builder()
            .window(Duration.ofSeconds(3))
            .renewEvery(Duration.ofSeconds(1))
            .startupTimeout(Duration.ofMillis(3100))
            .owner("test")
            .build();
    }

    private static ShardedIdEngine open(String url) {
        return open(url, settings(false));
    }

    private static ShardedIdEngine open(String url, LeaseSettings settings) {
        return ShardedIds.builder()
            .layout(IdLayout.manyShards())
            .workers(JdbcLeases.leased(settings, LeaseConnections.url(url, "sa", ""), "shardedid_worker",
                    SchemaInitialization.EMBEDDED, List.of()))
            .open();
    }

    private StoreChange change(LeaseStore to) {
        return new StoreChange(new StoreChange.Place("old", settings(false), store(this.old)),
                new StoreChange.Place("new", settings(false), to));
    }

    private StoreChange.Carried carry() {
        return change(store(this.fresh)).carry();
    }

    private static LeaseReply.Rows rows(String url) {
        try (LeaseStore store = store(url)) {
            return (LeaseReply.Rows) store.execute(new LeaseStatement.ReadAll());
        }
    }

    /** Raises the mark of one worker id, as a lease ahead of the clock does. */
    private long raise(String url, Duration ahead) {
        long tick = this.layout.tickAt(Instant.now().plus(ahead));
        try (LeaseStore store = store(url)) {
            LeaseRow row = rows(url).row(0).orElseThrow();
            assertThat(store
                .execute(new LeaseStatement.Update(0, row.token(), Long.MAX_VALUE, "raised", 0, 0, tick, null, null)))
                .isEqualTo(new LeaseReply.Written(1));
        }
        return tick;
    }

    @Test
    void noLeaseOfTheNewStoreBeginsBelowTheHighestMarkOfTheOldOne() {
        open(this.old).close();
        long mark = raise(this.old, Duration.ofSeconds(2));

        StoreChange.Carried carried = carry();

        assertThat(carried.workers()).isEqualTo(31);
        assertThat(carried.first()).isEqualTo(this.layout.instantAt(mark));
        assertThat(rows(this.fresh).rows()).hasSize(32)
            .filteredOn((row) -> row.worker() != LeaseRow.LAYOUT)
            .allMatch((row) -> row.hwmTick() == mark && row.leaseUntilMillis() == 0);
        try (ShardedIdEngine ids = open(this.fresh)) {
            assertThat(this.layout.parse(ids.next(5)).instant()).isAfterOrEqualTo(carried.first());
        }
        assertThat(rows(this.fresh).row(LeaseRow.LAYOUT).orElseThrow()).as("the time of the first lease and the layout")
            .usingRecursiveComparison()
            .ignoringFields("token")
            .isEqualTo(rows(this.old).row(LeaseRow.LAYOUT).orElseThrow());
    }

    /** Of a process that leased there, when its clock was ahead. */
    @Test
    void aMarkOfTheNewStoreIsNeverLowered() {
        open(this.old).close();
        open(this.fresh).close();
        long mark = raise(this.fresh, Duration.ofSeconds(20));

        StoreChange.Carried carried = carry();

        assertThat(carried.first()).isBefore(this.layout.instantAt(mark));
        assertThat(rows(this.fresh).row(0).orElseThrow().hwmTick()).isEqualTo(mark);
        assertThat(rows(this.fresh).row(1).orElseThrow().hwmTick()).isLessThan(mark);
    }

    @Test
    void aProcessWithTheOldConfigurationGetsNoWorkerId() {
        open(this.old).close();
        carry();
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> open(this.old, impatient()))
            .withMessageContaining("all 31 of namespace 'default' are leased")
            .withMessageContaining("0: leases moved to store 'new' until 9999-12-31T23:59:59Z");
    }

    @Test
    void itCanBeRepeatedAndLeadsBack() {
        open(this.old).close();
        long mark = raise(this.old, Duration.ofMillis(500));
        carry();
        assertThat(carry().first()).isEqualTo(this.layout.instantAt(mark));
        open(this.fresh).close();
        long later = raise(this.fresh, Duration.ofSeconds(1));

        new StoreChange(new StoreChange.Place("new", settings(false), store(this.fresh)),
                new StoreChange.Place("old", settings(false), store(this.old)))
            .carry();

        assertThat(rows(this.old).rows()).filteredOn((row) -> row.worker() != LeaseRow.LAYOUT)
            .hasSize(31)
            .allMatch((row) -> row.hwmTick() == later && row.owner() == null);
        try (ShardedIdEngine ids = open(this.old)) {
            assertThat(ids.layout().tickAt(this.layout.parse(ids.next(5)).instant())).isGreaterThanOrEqualTo(later);
        }
    }

    /** The store may have forgotten the last marks. */
    @Test
    void aStoreThatMayLoseWritesIsLeftByItsReach() {
        open(this.old).close();
        Instant before = Instant.now();
        StoreChange.Carried carried = new StoreChange(new StoreChange.Place("old", settings(true), store(this.old)),
                new StoreChange.Place("new", settings(false), store(this.fresh)))
            .carry();
        assertThat(carried.first()).isBetween(before.plusMillis(12_990), Instant.now().plusMillis(13_010));
    }

    /** The file of the old store has its name and its URL alone. */
    @Test
    void aRowOfATolerantProcessTellsTheReachWhateverTheOldFileSays() {
        open(this.old).close();
        promise(this.old);
        Instant before = Instant.now();
        assertThat(carry().first()).isBetween(before.plusMillis(14_990), Instant.now().plusMillis(15_010));
        assertThat(carry().first()).as("repeated").isAfterOrEqualTo(before.plusMillis(14_990));
    }

    @Test
    void aRowOfATolerantProcessInTheNewStoreTellsItsReachToo() {
        open(this.old).close();
        open(this.fresh).close();
        promise(this.fresh);
        Instant before = Instant.now();
        assertThat(carry().first()).isBetween(before.plusMillis(14_990), Instant.now().plusMillis(15_010));
    }

    private void promise(String url) {
        try (LeaseStore store = store(url)) {
            LeaseRow row = rows(url).row(0).orElseThrow();
            assertThat(store.execute(new LeaseStatement.Update(0, row.token(), Long.MAX_VALUE, "promised", 0, 0,
                    row.hwmTick(), null, "mode=tolerant window=11000 reach=12000", null)))
                .isEqualTo(new LeaseReply.Written(1));
        }
    }

    /** No process can have run with this file. */
    @Test
    void aStoreThatMayLoseWritesIsNotLeftByAFileWithoutTheMode() {
        open(this.old).close();
        LeaseStore forgetful = new ForwardingStore(store(this.old)) {
            @Override
            public Durability durability() {
                return Durability.MAY_BE_LOST;
            }
        };
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> new StoreChange(new StoreChange.Place("old", settings(false), forgetful),
                    new StoreChange.Place("new", settings(false), store(this.fresh)))
                .carry())
            .withMessageEndingWith(
                    ": the old one may lose writes that it has acknowledged, and no process leases there "
                            + "with its configuration: shardedid.worker.lease.tolerate-lost-commits=false; add to it "
                            + "'shardedid.worker.lease.tolerate-lost-commits=true', and "
                            + "'shardedid.worker.lease.promoted-clock-behind' if the processes had it");
        assertThat(rows(this.old).rows()).noneMatch(StoreChange::moved);
    }

    @Test
    void aLeaseThatHasNotRunOutIsNamedOnEitherSide() {
        try (ShardedIdEngine ids = open(this.old)) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(this::carry)
                .withMessageMatching(
                        "Could not move leases from store 'old' \\(jdbc:h2:mem:old.*, namespace 'default'\\) "
                                + "to store 'new' \\(jdbc:h2:mem:new.*, namespace 'default'\\): leases of the store 'old' have not "
                                + "run out \\(0: test until \\S+Z, on its clock\\); stop these processes, and wait until then");
        }
        try (ShardedIdEngine ids = open(this.fresh)) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(this::carry)
                .withMessageContaining("leases of the store 'new' have not run out (0: test until ");
        }
        assertThat(rows(this.old).rows()).noneMatch(StoreChange::moved);
    }

    @Test
    void anotherLayoutAndAnEmptyStoreAreRefused() {
        try (LeaseStore made = store(this.old)) {
            made.ensure();
        }
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(this::carry)
            .withMessageEndingWith("the old one has no rows there; correct the configuration of the old store");
        open(this.old).close();
        ShardedIds.builder()
            .layout(IdLayout.standard())
            .workers(JdbcLeases.leased(settings(false), LeaseConnections.url(this.fresh, "sa", ""), "shardedid_worker",
                    SchemaInitialization.EMBEDDED, List.of()))
            .open()
            .close();
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(this::carry)
            .withMessageContaining(": the new one makes ids by another layout: old=[epoch=")
            .withMessageEndingWith("; take another 'shardedid.worker.lease.namespace' in the new store");
    }

    @Test
    void noProcessStartsInAHalfMovedStoreAndASecondRunCompletesIt() {
        open(this.old).close();
        long mark = raise(this.old, Duration.ofMillis(500));
        FailingStore failing = new FailingStore(store(this.fresh), 7);
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> change(failing).carry())
            .withMessageContaining("the store 'new' did not answer: java.lang.IllegalStateException: away; stop all "
                    + "processes, and repeat it");
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> open(this.fresh))
            .withMessageContaining("there=[half moved, repeat it: epoch=");

        carry();

        assertThat(rows(this.fresh).rows()).filteredOn((row) -> row.worker() != LeaseRow.LAYOUT)
            .hasSize(31)
            .allMatch((row) -> row.hwmTick() == mark);
        open(this.fresh).close();
    }

    /** Answers some writes. */
    private static final class FailingStore extends ForwardingStore {

        private int writes;

        FailingStore(LeaseStore store, int writes) {
            super(store);
            this.writes = writes;
        }

        @Override
        public LeaseReply execute(LeaseStatement statement) {
            boolean write = statement instanceof LeaseStatement.Insert || statement instanceof LeaseStatement.Update;
            return (write && this.writes-- <= 0) ? new LeaseReply.Unknown(new IllegalStateException("away"))
                    : super.execute(statement);
        }

    }

}
