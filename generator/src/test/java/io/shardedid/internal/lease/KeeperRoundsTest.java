package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.shardedid.EngineProbe;
import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SettableTime;
import io.shardedid.TickLease;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.LeaseHolder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What the rounds notice of time; the simulation runs all the rest of them. */
class KeeperRoundsTest {

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final EngineTerms terms = new EngineTerms(IdLayout.standard(), 2000, "modulo", Duration.ofSeconds(1),
            Duration.ofSeconds(5), null, this.time);

    private final LeaseSettings settings = LeaseSettings.builder().build();

    private final SimDatabase database = new SimDatabase();

    private final List<Duration> standstills = new ArrayList<>();

    private final LeaseReport report = new LeaseReport(this.terms, this.settings, List.of()) {
        @Override
        void stoodStill(Duration length) {
            KeeperRoundsTest.this.standstills.add(length);
        }
    };

    private final LeaseRow layout = new LeaseRow(LeaseRow.LAYOUT, "database", 0, 0, 0, null, this.terms.fingerprint());

    private final LeaseHolder engine = new EngineProbe(this.terms, WorkerLeases.fixed(0)).holder();

    /** How often the engine cannot end its lease. */
    private int failures;

    private int relinquished;

    private final LeaseHolder holder = new LeaseHolder() {
        @Override
        public void hold(TickLease lease) {
            KeeperRoundsTest.this.engine.hold(lease);
        }

        @Override
        public long relinquish() {
            if (KeeperRoundsTest.this.failures-- > 0) {
                throw new OutOfMemoryError("simulated");
            }
            KeeperRoundsTest.this.relinquished++;
            return KeeperRoundsTest.this.engine.relinquish();
        }
    };

    private final KeeperRounds rounds = new KeeperRounds(false,
            () -> new LeaseProtocol(this.terms, this.settings, this.layout, this.holder, this.report,
                    () -> UUID.randomUUID().toString(), new SplittableRandom(1), this.time.nanoTime()),
            this.time::nanoTime);

    KeeperRoundsTest() {
        this.database.execute(new LeaseStatement.Insert(this.layout, null), 0, 0);
    }

    /** Sends what there is to send, until there is a wait. */
    private KeeperRounds.Wait untilTheWait() {
        KeeperRounds.Step step = this.rounds.next();
        while (step instanceof KeeperRounds.Send send) {
            this.rounds.sending();
            this.rounds.reply(this.database.execute(send.statement(), this.time.nanoTime(), 0));
            step = this.rounds.next();
        }
        return (KeeperRounds.Wait) step;
    }

    @Test
    void waitThatEndsMuchTooLateIsAStandstill() {
        for (int i = 0; i < 20; i++) {
            this.time.advance(Duration.ofNanos(untilTheWait().nanos()).plusMillis(1_999));
        }
        assertThat(this.standstills).isEmpty();

        this.time.advance(Duration.ofNanos(untilTheWait().nanos()).plusSeconds(46));
        untilTheWait();

        assertThat(this.standstills).containsExactly(Duration.ofSeconds(46));
    }

    /** The database took that long, or a task did. */
    @Test
    void replyThatComesLateIsNone() {
        this.time.advance(Duration.ofNanos(untilTheWait().nanos()));
        KeeperRounds.Step step = this.rounds.next();
        while (!(step instanceof KeeperRounds.Send)) {
            this.time.advance(Duration.ofNanos(((KeeperRounds.Wait) step).nanos()));
            step = this.rounds.next();
        }

        this.time.advance(Duration.ofSeconds(46));
        this.rounds.next();

        assertThat(this.standstills).isEmpty();
    }

    /**
     * The engine holds its lease until the second attempt, whatever is wanted by then.
     */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void releaseThatFailedHalfwayIsCompletedBeforeAnythingElse(boolean resumedMeanwhile) {
        untilTheWait();
        this.failures = 1;
        this.rounds.suspend();
        if (resumedMeanwhile) {
            this.rounds.resume();
        }
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.rounds::next);
        assertThat(this.relinquished).isZero();

        KeeperRounds.Step step = this.rounds.next();

        assertThat(this.relinquished).isOne();
        if (!resumedMeanwhile) {
            assertThat(step).isInstanceOf(KeeperRounds.StandStill.class);
            this.rounds.resume();
            step = this.rounds.next();
        }
        assertThat(step).as("another lease is acquired").isInstanceOf(KeeperRounds.Send.class);
    }

    /** All are due again as soon as they have run. */
    @Test
    void tasksTakeTurns() {
        untilTheWait();
        LeaseThreadTask one = new AlwaysDue();
        LeaseThreadTask other = new AlwaysDue();
        this.rounds.add(one);
        this.rounds.add(other);

        List<KeeperRounds.Step> steps = Stream.generate(this.rounds::next).limit(4).toList();

        assertThat(steps.subList(0, 2)).containsExactlyInAnyOrder(new KeeperRounds.Run(one),
                new KeeperRounds.Run(other));
        assertThat(steps.subList(2, 4)).isEqualTo(steps.subList(0, 2));
    }

    /** Adding to many tasks takes a while, in which the keeper comes to its end. */
    @Test
    void taskThatIsAddedAtTheEndEndsOrHearsThatItDoesNotRun() throws Exception {
        LeaseThreadTask other = new AlwaysDue();
        LeaseThreadTask late = new AlwaysDue();
        for (int i = 0; i < 3_000; i++) {
            this.rounds.add(other);
        }
        AtomicInteger met = new AtomicInteger();
        for (int round = 1; round <= 200; round++) {
            int both = 2 * round;
            AtomicBoolean runs = new AtomicBoolean();
            Thread adding = new Thread(() -> {
                meet(met, both);
                runs.set(this.rounds.add(late));
            });
            adding.start();
            meet(met, both);
            this.rounds.close();
            List<LeaseThreadTask> ended = this.rounds.tasks();
            adding.join();

            assertThat(runs.get() && !ended.contains(late)).as("runs forever, by what it hears, round " + round)
                .isFalse();
            // not closed any more
            this.rounds.suspend();
            this.rounds.resume();
            this.rounds.forget(late);
        }
    }

    private static void meet(AtomicInteger met, int both) {
        met.incrementAndGet();
        while (met.get() < both) {
            Thread.onSpinWait();
        }
    }

    private final class AlwaysDue implements LeaseThreadTask {

        @Override
        public long dueNanos() {
            return KeeperRoundsTest.this.time.nanoTime();
        }

        @Override
        public boolean run() {
            return true;
        }

        @Override
        public void end() {
        }

    }

}
