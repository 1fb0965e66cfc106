package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SettableTime;
import io.shardedid.TickLease;
import io.shardedid.internal.LeaseHolder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a process that tolerates lost commits writes and waits for.
 */
class LeaseModeTest {

    /** In milliseconds, as the ticks of the layout. */
    private static final long REACH = 10_000;

    private static final long LATEST = 1_000;

    private static final long BEHIND = 4_000;

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final long origin = this.time.nanoTime();

    private final EngineTerms terms = new EngineTerms(IdLayout.standard(), 2048, "modulo", Duration.ofSeconds(1),
            Duration.ofSeconds(5), null, this.time);

    private final SimDatabase database = new SimDatabase();

    private final LeaseRow layout = new LeaseRow(LeaseRow.LAYOUT, "database", 0, 0, 0, null, this.terms.fingerprint());

    LeaseModeTest() {
        write(this.layout);
    }

    private static LeaseSettings leaseSettings(boolean tolerant, Duration window) {
        return LeaseSettings.builder()
            .window(window)
            .renewEvery(Duration.ofSeconds(1))
            .tolerateLostCommits(tolerant)
            .promotedClockBehind(Duration.ofMillis(BEHIND))
            .owner(tolerant ? "tolerant process" : "plain process")
            .build();
    }

    private void write(LeaseRow row) {
        this.database.execute(new LeaseStatement.Insert(row, null), 0, 0);
    }

    private void write(int worker, long untilFromNow, @Nullable String promise) {
        write(new LeaseRow(worker, "theirs", 1, (untilFromNow == Long.MIN_VALUE) ? 0 : millis() + untilFromNow, 0,
                "somebody", promise));
    }

    private LeaseRow row(int worker) {
        return this.database.rows().stream().filter((row) -> row.worker() == worker).findFirst().orElseThrow();
    }

    private long millis() {
        return this.database.millis(this.time.nanoTime() - this.origin);
    }

    private long tick(long millis) {
        return this.terms.layout().tickAtEpochNanos(millis * 1_000_000);
    }

    /** A process of the fleet, driven from outside. */
    private final class Process implements LeaseHolder {

        private final LeaseSettings leaseSettings;

        private final LeaseReport report;

        private final LeaseProtocol protocol;

        private TickLease lease = TickLease.NONE;

        Process(LeaseSettings leaseSettings) {
            this.leaseSettings = leaseSettings;
            this.report = new LeaseReport(LeaseModeTest.this.terms, leaseSettings, List.of());
            this.protocol = new LeaseProtocol(LeaseModeTest.this.terms, leaseSettings, LeaseModeTest.this.layout, this,
                    this.report, () -> UUID.randomUUID().toString(), new SplittableRandom(1),
                    LeaseModeTest.this.time.nanoTime());
        }

        @Override
        public void hold(TickLease held) {
            this.lease = held;
        }

        @Override
        public long relinquish() {
            this.lease = TickLease.NONE;
            return -1;
        }

        /** One statement, when it is due. */
        @Nullable LeaseStatement advance() {
            SettableTime clock = LeaseModeTest.this.time;
            clock.advance(Duration.ofNanos(Math.max(0, this.protocol.dueNanos() - clock.nanoTime())));
            long now = clock.nanoTime();
            LeaseStatement statement = this.protocol.next(now);
            if (statement != null) {
                this.protocol.reply(LeaseModeTest.this.database.execute(statement, now - LeaseModeTest.this.origin, 0),
                        now, now);
            }
            return statement;
        }

        boolean leasesAtOnce() {
            advance();
            return advance() instanceof LeaseStatement.Insert || this.lease.leased();
        }

        String refusal() {
            return this.report.refusal().getMessage();
        }

    }

    private Process plain() {
        return new Process(leaseSettings(false, Duration.ofSeconds(10)));
    }

    private Process tolerant() {
        return new Process(leaseSettings(true, Duration.ofSeconds(10)));
    }

    @Test
    void tolerantLeaseStartsAboveAllThatMayBeForgottenWhateverItsWindow() {
        for (int seconds : new int[] { 3, 10, 30 }) {
            long now = millis();
            Process process = new Process(leaseSettings(true, Duration.ofSeconds(seconds)));
            assertThat(process.leasesAtOnce()).isTrue();
            assertThat(process.lease.lo()).isEqualTo(tick(now + REACH + LATEST + BEHIND));
            assertThat(process.lease.hi()).as("an interval that is empty").isEqualTo(process.lease.lo());
            assertThat(process.protocol.holding()).isFalse();

            while (!process.protocol.holding()) {
                process.advance();
            }
            assertThat(millis() - now).as("the wait for the first id")
                .isBetween(LATEST + BEHIND, LATEST + BEHIND + 500);
            assertThat(process.lease.hi()).isEqualTo(tick(millis() + REACH));
        }
    }

    @Test
    void tolerantProcessRenewsBeforeItsReachRunsOut() {
        LeaseSettings slow = LeaseSettings.builder()
            .window(Duration.ofSeconds(60))
            .renewEvery(Duration.ofSeconds(16))
            .firstUse(true)
            .tolerateLostCommits(true)
            .build();

        assertThat(Duration.ofNanos(LeaseRules.of(slow).timing(this.terms.layout()).renewNanos()))
            .isBetween(Duration.ofMillis(2600), Duration.ofMillis(2700));
    }

    @Test
    void rowOfAKilledTolerantProcessIsTakenOnlyWhenEveryClockIsPastIt() {
        write(0, -BEHIND, "window=10000");
        LeaseReply.Rows rows = new LeaseReply.Rows(millis(), this.database.rows());
        AcquirePlan plan = new AcquirePlan(this.terms, onlyWorker(0),
                new LeaseTiming(this.terms.layout(), 10_000, 1_000_000_000), this.layout, new TokenBook(() -> "t"),
                new SplittableRandom(1));

        assertThat(plan.move(rows, 0).statement()).isNull();
        assertThat(plan.move(new LeaseReply.Rows(millis() + 1, this.database.rows()), 0).statement()).isNotNull();
    }

    private static LeaseSettings onlyWorker(int worker) {
        return LeaseSettings.builder()
            .window(Duration.ofSeconds(10))
            .renewEvery(Duration.ofSeconds(1))
            .workerId(worker)
            .tolerateLostCommits(true)
            .promotedClockBehind(Duration.ofMillis(BEHIND))
            .build();
    }

    @Test
    void renewalOnAClockThatIsBehindDoesNotShortenTheLease() {
        Process process = tolerant();
        assertThat(process.leasesAtOnce()).isTrue();
        long until = row(0).leaseUntilMillis();
        this.database.stepClock(-BEHIND);
        process.advance();
        process.advance();

        assertThat(row(0).leaseUntilMillis()).isGreaterThanOrEqualTo(until);
    }

    /**
     * A failover may forget the layout row itself, and a plain process would make it
     * anew.
     */
    @Test
    void tolerantProcessWaitsInANewNamespaceUntilNoFailoverForgetsIt() {
        assertThat(obstacle(true, 59_000)).isEqualTo(LeaseState.BEGINS_LATER);
        assertThat(obstacle(true, 60_000)).isNull();
        assertThat(obstacle(false, 59_000)).isNull();
    }

    private @Nullable LeaseState obstacle(boolean tolerant, long ageMillis) {
        LeaseSettings settings = leaseSettings(tolerant, Duration.ofSeconds(10));
        LeaseRow young = new LeaseRow(LeaseRow.LAYOUT, "database", 0, 0, tick(millis() - ageMillis), null, "text");
        return new AcquirePlan(this.terms, settings, LeaseRules.of(settings).timing(this.terms.layout()), young,
                new TokenBook(() -> UUID.randomUUID().toString()), new SplittableRandom(1))
            .move(new LeaseReply.Rows(millis(), List.of(young)), this.time.nanoTime())
            .obstacle();
    }

}
