package io.shardedid.internal.lease;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LoggedLines;
import io.shardedid.IdRangeExhaustedException;
import io.shardedid.LeaseSettings;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What the log hears of a lease. */
class LeaseReportTest {

    private static final Duration RENEWAL = Duration.ofSeconds(8);

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final EngineTerms terms = new EngineTerms(IdLayout.manyShards(), 2000, "modulo", Duration.ofSeconds(1),
            Duration.ofSeconds(5), null, this.time);

    private final LeaseReport report = new LeaseReport(this.terms, LeaseSettings.builder().build(), List.of());

    private final LoggedLines log = new LoggedLines(LeaseReport.class.getName());

    private final List<String> lines = this.log.lines();

    @AfterEach
    void stops() {
        this.log.close();
    }

    @Test
    void whoJoinsHearsOfTheLeaseAndOfWhatFollowsUntilTheyLeave() {
        List<String> heard = new ArrayList<>();
        List<WorkerLeaseListener> joining = List.of(new WorkerLeaseListener() {
            @Override
            public void leased(WorkerLease lease) {
                heard.add("leased " + lease.worker());
            }

            @Override
            public void renewed(WorkerLease lease) {
                heard.add("renewed " + lease.worker());
            }
        });
        renewed();

        this.report.join(joining);
        renewed();
        this.report.leave(joining);
        renewed();

        assertThat(heard).containsExactly("leased 1022", "renewed 1022");
    }

    @Test
    void whoJoinsWhileNoLeaseIsHeldHearsOfNone() {
        List<WorkerLease> heard = new ArrayList<>();
        List<WorkerLeaseListener> joining = List.of(new WorkerLeaseListener() {
            @Override
            public void leased(WorkerLease lease) {
                heard.add(lease);
            }
        });
        renewed();
        this.report.lost(1022, "another token");

        this.report.join(joining);

        assertThat(heard).isEmpty();
    }

    private void renewed() {
        this.report.held(new RequestedLease(1022, "token", 2345, 1000, 31_000, 1_767_225_630_000L, this.time.nanoTime(),
                "layout"), false, null);
    }

    @Test
    void saysOnceThatALeaseIsHeldHoweverOftenItIsRenewed() {
        for (int i = 0; i < 100; i++) {
            renewed();
            this.time.advance(RENEWAL);
        }
        assertThat(this.lines).singleElement().asString().contains("1022", "'default'", "2026-01-01T00:00:30Z", "2345");
    }

    @Test
    void saysOnceAMinuteThatTheDatabaseClockJumpedWhileRenewalsSucceed() {
        renewed();
        this.lines.clear();
        for (Duration passed = Duration.ZERO; passed.toMinutes() < 10; passed = passed.plus(RENEWAL)) {
            this.report.skewed(Duration.ofSeconds(-20));
            renewed();
            this.time.advance(RENEWAL);
        }
        assertThat(this.lines).hasSizeBetween(9, 10)
            .allSatisfy((line) -> assertThat(line).contains("20s behind", "restart"));
    }

    @Test
    void saysOnceAMinuteThatTheTableDoesNotAnswerAndOnceThatItDoesAgain() {
        renewed();
        this.lines.clear();
        for (int i = 0; i < 150; i++) {
            this.report.failed(new SQLException("no answer"));
            this.time.advance(Duration.ofMillis(400));
        }
        renewed();
        assertThat(this.lines).satisfiesExactly((line) -> assertThat(line).contains("no answer"),
                (line) -> assertThat(line).contains("1022", "'default'", "2026-01-01T00:00:30Z"));
    }

    /** Who reads the log need not compute when ids stopped. */
    @Test
    void saysThatIdsHaveStoppedAndThatTheyComeAgain() {
        RequestedLease lease = new RequestedLease(1022, "token", 2345, 1000, 31_000, 1_767_225_630_000L, 0, "layout");
        renewed();
        this.report.idsGoOn(lease, this.time.nanoTime());
        this.lines.clear();

        this.report.failed(new SQLException("no answer"));
        long end = this.time.nanoTime();
        this.report.ended(1022, end);
        this.time.advance(Duration.ofSeconds(64));
        this.report.ended(1022, end);
        renewed();
        this.report.idsGoOn(lease, this.time.nanoTime());
        renewed();
        this.report.idsGoOn(lease, this.time.nanoTime());

        assertThat(this.lines).satisfiesExactly((line) -> assertThat(line).contains("no answer"),
                (line) -> assertThat(line).contains("1022", "'default'", "no answer", "5s", "shardedid.clock.max-wait"),
                (line) -> assertThat(line).contains("64s", "the same", "1022", "'default'", "2026-01-01T00:00:30Z"));
        assertThat(this.lines.get(1)).startsWith("WARNING ");
        assertThat(this.lines.get(2)).startsWith("INFO ");
    }

    private static Stream<Arguments> events() {
        String stopped = "2026-01-01T00:00:29.200Z";
        return Stream.of(event("an outage", (report) -> {
            report.failed(new SQLException("no answer"));
            report.ended(1022, 0);
        }, "1022", stopped, "no answer", "5s", "shardedid.clock.max-wait", "retried"),
                event("a standstill", (report) -> {
                    report.stoodStill(Duration.ofMillis(45_801));
                    report.ended(1022, 0);
                }, "1022", stopped, "this process stood still for 46s"),
                event("a stolen row", (report) -> report.lost(1022, "its row belongs to web-2"), "1022",
                        "its row belongs to web-2"),
                event("a full fleet", (report) -> report.waiting(LeaseState.TAKEN, all(31, 1_767_225_700_000L)),
                        "all 31", "worker-bits=5", "can be had at 2026-01-01T00:01:41Z",
                        "30: web-30 until 2026-01-01T00:01:41Z", "'shardedid.worker.lease.window' is 30s"),
                event("a clock that is behind", (report) -> report.waiting(LeaseState.CLOCK_BEHIND, all(1, 0)),
                        "clock of the database", "wait"),
                event("a namespace that begins later", (report) -> report.waiting(LeaseState.BEGINS_LATER,
                        rows(new LeaseRow(LeaseRow.LAYOUT, "database", 0, 0,
                                IdLayout.manyShards().tickAt(Instant.parse("2026-01-01T00:00:21Z")), null, "text"))),
                        "2026-01-01T00:00:21Z", "wait"));
    }

    private static Arguments event(String name, Consumer<LeaseReport> event, String... words) {
        return Arguments.of(name, event, words);
    }

    /** Whatever happens, it happens at one moment and has one reason. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("events")
    void eventIsOneLineAndCallersHearTheSame(String name, Consumer<LeaseReport> event, String[] words) {
        renewed();

        event.accept(this.report);
        event.accept(this.report);

        String heard = String.valueOf(refusal().getMessage());
        assertThat(heard).contains("'default'").contains(words);
        assertThat(this.lines).filteredOn((line) -> line.endsWith(" " + heard)).hasSize(1);
        assertThat(refusal()).isInstanceOf(WorkerLeaseException.class).returns(true, ShardedIdException::retryable);
    }

    @Test
    void saysThatAProcessStoodStillAndUnderWhichNumberIdsComeAgain() {
        renewed();
        this.lines.clear();

        this.report.stoodStill(Duration.ofMillis(45_801));
        this.report.ended(1022, this.time.nanoTime());
        this.report.lost(1022, "its row belongs to web-2");
        this.time.advance(Duration.ofMillis(250));
        RequestedLease next = new RequestedLease(7, "token", 3, 1000, 31_000, 1_767_225_660_000L, 0, "layout");
        this.report.held(next, true, rows(new LeaseRow(7, "token", 2, 1_767_225_600_000L, 0, "shop on\nvm", null)));
        this.report.idsGoOn(next, this.time.nanoTime());

        assertThat(this.lines).satisfiesExactly((line) -> assertThat(line).contains("46s"),
                (line) -> assertThat(line).contains("1022", "'default'", "46s", "5s", "shardedid.clock.max-wait"),
                (line) -> assertThat(line).contains("1022", "web-2"),
                (line) -> assertThat(line).contains("Worker id 7 ", "2026-01-01T00:01:00Z", "shop on?vm",
                        "2026-01-01T00:00:00Z"),
                (line) -> assertThat(line).contains("250ms", "worker id 7 ", "1022", "2026-01-01T00:01:00Z"));
    }

    /** A process that sleeps because it was told to has nothing to explain. */
    @Test
    void suspensionIsNoEndThatSomebodyHasToExplain() {
        renewed();
        this.report.releasing(1022);
        this.report.released(1022);
        this.lines.clear();
        this.time.advance(Duration.ofMinutes(10));

        RequestedLease next = new RequestedLease(7, "token", 3, 1000, 31_000, 1_767_225_660_000L, 0, "layout");
        this.report.held(next, true, rows(new LeaseRow(7, "token", 2, 0, 0, null, null)));
        this.report.idsGoOn(next, this.time.nanoTime());

        assertThat(this.lines).singleElement().asString().contains("Worker id 7 ", "2026-01-01T00:01:00Z");
    }

    private static LeaseReply.Rows rows(LeaseRow row) {
        return new LeaseReply.Rows(1_767_225_650_000L, List.of(row));
    }

    private static LeaseReply.Rows all(int workers, long until) {
        return new LeaseReply.Rows(1_767_225_600_000L,
                IntStream.range(0, workers)
                    .mapToObj((i) -> new LeaseRow(i, "token", 1, until + (workers - i) * 1000L, 0, "web-" + i, null))
                    .toList());
    }

    @Test
    void saysOnceAMinuteAndShortThatAllWorkersAreTaken() {
        for (int second = 0; second < 600; second++) {
            this.report.waiting(LeaseState.TAKEN, all(31, 1_767_225_700_000L));
            this.time.advance(Duration.ofSeconds(1));
        }
        assertThat(this.lines).hasSize(10)
            .allSatisfy((line) -> assertThat(line)
                .contains("'default'", "all 31", "30: web-30 until 2026-01-01T00:01:41Z",
                        "26: web-26 until 2026-01-01T00:01:45Z", "26 more")
                .doesNotContain("web-25"));
    }

    @ParameterizedTest
    @CsvSource({ "22, 0, ", "30, 8, ", "23, 0, 24 of the 31", "30, 7, 24 of the 31", "31, 0, 31 of the 31" })
    void warnsWhereMoreThanThreeQuartersOfTheWorkerIdsAreLeased(int rows, int expired, @Nullable String expected) {
        LeaseReply.Rows found = all(rows, 1_767_225_700_000L);
        List<LeaseRow> leased = new ArrayList<>(found.rows().subList(0, rows - expired));
        found.rows()
            .subList(rows - expired, rows)
            .forEach((row) -> leased
                .add(new LeaseRow(row.worker(), "token", 1, 1_767_225_599_999L, 0, row.owner(), null)));

        this.report.held(new RequestedLease(30, "token", 1, 0, 1000, 1_767_225_630_000L, 0, "layout"), true,
                new LeaseReply.Rows(found.databaseMillis(), leased));

        assertThat(this.lines).hasSize((expected != null) ? 2 : 1);
        assertThat(this.lines.get(this.lines.size() - 1)).startsWith((expected != null) ? "WARNING " : "INFO ");
        if (expected != null) {
            assertThat(this.lines.get(1)).contains(expected, "'default'", "worker-bits=5", "many-processes");
        }
    }

    @Test
    void doesNotWarnAProcessWithAWorkerIdOfItsOwnThatFewAreLeft() {
        LeaseReport claim = new LeaseReport(this.terms, LeaseSettings.builder().workerId(30).build(), List.of());

        claim.held(new RequestedLease(30, "token", 1, 0, 1000, 1_767_225_630_000L, 0, "layout"), true,
                all(30, 1_767_225_700_000L));

        assertThat(this.lines).singleElement().asString().startsWith("INFO ");
    }

    @Test
    void saysHowTheNextProcessesGetAWorkerId() {
        this.report.waiting(LeaseState.TAKEN, all(31, 1_767_225_700_000L));
        assertThat(refusal()).satisfies((ex) -> assertThat(ex.action()).contains("many-processes", "first-use"));
        assertThat(allTaken(IdLayout.standard())).contains("many-processes");
        assertThat(allTaken(IdLayout.manyProcesses())).contains("'shardedid.layout.worker-bits'");
    }

    private String allTaken(IdLayout layout) {
        LeaseReport full = new LeaseReport(
                new EngineTerms(layout, 2000, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(5), null, this.time),
                LeaseSettings.builder().build(), List.of());
        full.waiting(LeaseState.TAKEN, all(1023, 1_767_225_700_000L));
        return full.refusal().action();
    }

    @Test
    void rowIsHeldUntilItRunsOutOrIsGivenBack() {
        long now = 1_767_225_600_000L;
        LeaseReply.Rows rows = new LeaseReply.Rows(now,
                List.of(new LeaseRow(0, "token", 1, now, 0, "web-0", null),
                        new LeaseRow(1, "token", 1, now - 1, 0, "killed", null),
                        new LeaseRow(2, "token", 1, 0, 0, null, null)));

        assertThat(this.report.holders(rows)).extracting(WorkerHolding::owner).containsExactly("web-0", "killed", "");
        assertThat(this.report.holders(rows)).extracting(WorkerHolding::state)
            .containsExactly(WorkerHolding.State.HELD, WorkerHolding.State.EXPIRED, WorkerHolding.State.FREE);
    }

    @Test
    void saysThatOnlyTheClaimedWorkerIsTaken() {
        LeaseSettings claiming = LeaseSettings.builder().workerId(2).owner("me").build();
        LeaseReport claim = new LeaseReport(this.terms, claiming, List.of());

        for (int second = 0; second < 60; second++) {
            claim.waiting(LeaseState.TAKEN, all(3, 1_767_225_700_000L));
            this.time.advance(Duration.ofSeconds(1));
        }

        assertThat(this.lines).singleElement()
            .asString()
            .contains("worker id 2;", "2: web-2 until 2026-01-01T00:01:41Z")
            .doesNotContain("web-1");
        assertThat(claim.refusal()).isInstanceOf(WorkerLeaseException.class)
            .hasMessageContainingAll("worker id 2;", "'default'", "2: web-2 until 2026-01-01T00:01:41Z",
                    "'shardedid.worker.lease.window' is 30s")
            .satisfies((ex) -> assertThat(((WorkerLeaseException) ex).retryable()).isTrue())
            .satisfies((ex) -> assertThat(((WorkerLeaseException) ex).action()).startsWith("Stop processes"));
    }

    @Test
    void saysThatItIsPointlessToWait() {
        this.report.waiting(LeaseState.RANGE_EXHAUSTED, all(1, 0));
        assertThat(this.report.hopeless()).isTrue();
        assertThat(refusal()).isInstanceOf(IdRangeExhaustedException.class);
        this.report.waiting(LeaseState.OTHER_LAYOUT, all(1, 0));
        assertThat(this.report.hopeless()).isTrue();
        assertThat(refusal()).hasMessageContainingAll("'default'", "here=[" + this.terms.fingerprint() + ",mode=plain")
            .returns(false, ShardedIdException::retryable)
            .satisfies((ex) -> assertThat(ex.action()).contains("settings of the lease table"));
        assertThat(this.lines)
            .satisfiesExactly(
                    (line) -> assertThat(line).contains("epoch=2025-01-01T00:00:00Z",
                            "instant=2059-11-04T19:53:47.775Z", MessageText.OTHER_LAYOUT),
                    (line) -> assertThat(line).endsWith(" " + refusal().getMessage()));
    }

    @Test
    void rowThatCannotBeWrittenIsNamed() {
        LeaseReport pinned = new LeaseReport(this.terms, LeaseSettings.builder().workerId(2).owner("me").build(),
                List.of());

        pinned.unwritten(2, new SQLException("lock timeout\nUPDATE"));

        assertThat(this.lines).singleElement()
            .asString()
            .contains("worker id 2 ", "lock timeout", "shardedid.worker.id=2")
            .doesNotContain("UPDATE");
        assertThat(pinned.refusal()).hasMessageContainingAll("worker id 2 ", "lock timeout", "shardedid.worker.id=2");
    }

    private ShardedIdException refusal() {
        return this.report.refusal();
    }

    @Test
    void saysWhatBecameOfTheLeaseToWhoeverAsksForAnId() {
        assertThat(refusal()).hasMessageContainingAll("'default'", "retried");
        renewed();
        this.report.failed(new SQLException("no answer"));
        assertThat(refusal()).hasMessageContainingAll("2026-01-01T00:00:29.200Z", "1022", "no answer", "retried");
        this.report.lost(1022, "its row is gone");
        this.report.failed(new SQLException("no answer"));
        assertThat(refusal()).as("what was seen last").hasMessageContainingAll("1022", "its row is gone", "another");
        this.report.releasing(1022);
        assertThat(refusal()).hasMessageContainingAll("1022", "given back");
    }

    @Test
    void saysWhichIdsMayBeEqual() {
        List<String> heard = new ArrayList<>();
        this.report.join(List.of(new WorkerLeaseListener() {
            @Override
            public void violated(int worker, Instant from, Instant end, String why) {
                heard.add("%s %s %s %s".formatted(worker, from, end, why));
            }
        }));
        long tick = this.terms.layout().tickAt(this.time.instant());

        this.report.violated(7, tick, tick + 9_500, "its row is gone");

        assertThat(heard).containsExactly("7 2026-01-01T00:00:00Z 2026-01-01T00:00:09.500Z its row is gone");
        assertThat(this.lines).singleElement()
            .asString()
            .startsWith("SEVERE ")
            .contains("2026-01-01T00:00:00Z and 2026-01-01T00:00:09.500Z", "worker id 7 ", "'default'",
                    "its row is gone");
    }

    @Test
    void saysThatALeaseIsGivenBackAfterItWasAndOtherwiseThatItWasNot() {
        renewed();
        this.lines.clear();
        this.report.releasing(1022);
        assertThat(this.lines).isEmpty();
        this.report.released(1022);
        renewed();
        this.report.releasing(1022);
        this.report.abandoned(1022, "no answer");
        assertThat(this.lines).satisfiesExactly((line) -> assertThat(line).contains("1022", "is given back"),
                (line) -> assertThat(line).contains("is leased"),
                (line) -> assertThat(line).contains("1022", "no answer", "2026-01-01T00:00:30Z"));
    }

    @Test
    void leaseThatEndsBeyondTheLayoutIsHeldAllTheSame() {
        long last = this.terms.layout().lastTick();
        List<WorkerLease> heard = new ArrayList<>();
        this.report.join(List.of(new WorkerLeaseListener() {
            @Override
            public void renewed(WorkerLease lease) {
                heard.add(lease);
            }
        }));

        this.report.held(new RequestedLease(7, "token", 1, last - 10, last + 1, 0, 0, "layout"), false, null);
        this.report.held(new RequestedLease(7, "token", 1, last - 10, last + 30_000, 0, 0, "layout"), false, null);

        assertThat(heard).hasSize(2)
            .allSatisfy((lease) -> assertThat(lease.toString())
                .contains(this.terms.layout().lastUsableInstant().toString()));
    }

}
