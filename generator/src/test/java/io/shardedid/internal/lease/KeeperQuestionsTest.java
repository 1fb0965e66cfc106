package io.shardedid.internal.lease;

import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SettableTime;
import io.shardedid.WorkerLeaseException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** How often the keeper reads for those who ask. Time stands still unless it is set. */
class KeeperQuestionsTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final EngineTerms terms = new EngineTerms(IdLayout.standard(), 2000, "modulo", Duration.ofSeconds(1),
            Duration.ofSeconds(5), this.time);

    private final LeaseReport report = new LeaseReport(this.terms, LeaseSettings.builder().build(), List.of());

    private final FaultyStore store = new FaultyStore(this.time);

    private final KeeperQuestions questions = new KeeperQuestions(this.time, this.report);

    private final ExecutorService callers = Executors.newCachedThreadPool();

    @AfterEach
    void endCallers() {
        this.callers.shutdownNow();
    }

    /** Asks a keeper that comes at once. */
    private LeaseReply.Rows ask() throws Exception {
        return this.questions.ask(LONG, () -> this.questions.answer(this.store));
    }

    @Test
    void whatWasReadIsKeptForASecond() throws Exception {
        LeaseReply.Rows first = ask();
        this.time.advance(Duration.ofMillis(999));
        assertThat(ask()).isSameAs(first);
        this.time.advance(Duration.ofMillis(1));
        assertThat(ask()).isNotSameAs(first);

        assertThat(this.store.reads).hasValue(2);
    }

    @Test
    void changeOfTheOwnLeaseShowsAtOnce() throws Exception {
        ask();
        this.report.held(new RequestedLease(0, "token", 1, 0, 1000, 1_767_225_630_000L, 0, "layout"), true, null);
        ask();

        assertThat(this.store.reads).hasValue(2);
    }

    @Test
    void oneReadAnswersAllWhoWait() throws Exception {
        CountDownLatch asked = new CountDownLatch(60);
        List<Future<LeaseReply.Rows>> answers = IntStream.range(0, 60)
            .mapToObj((i) -> this.callers.submit(() -> this.questions.ask(LONG, asked::countDown)))
            .toList();
        assertThat(asked.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();

        assertThat(this.questions.asked()).isTrue();
        this.questions.answer(this.store);
        this.questions.answer(this.store);

        for (Future<LeaseReply.Rows> answer : answers) {
            assertThat(answer.get()).isSameAs(answers.get(0).get());
        }
        assertThat(this.store.reads).hasValue(1);
    }

    @Test
    void whoComesDuringAReadSharesIt() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch joined = new CountDownLatch(1);
        this.store.before = (statement) -> {
            reading.countDown();
            await(joined);
        };
        Future<LeaseReply.Rows> first = this.callers.submit(this::ask);
        await(reading);
        Future<LeaseReply.Rows> second = this.callers.submit(() -> this.questions.ask(LONG, joined::countDown));

        assertThat(second.get()).isSameAs(first.get());
        assertThat(this.store.reads).hasValue(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void questionThatNobodyWaitsForAnyMoreIsDropped() throws Exception {
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> this.questions.ask(Duration.ZERO, () -> {
        }));

        assertThat(this.questions.asked()).isFalse();
        this.questions.answer(this.store);
        assertThat(this.store.reads).hasValue(0);
        assertThat(ask().rows()).isEmpty();
        assertThat(this.store.reads).hasValue(1);
    }

    @Test
    void failedReadIsKeptForASecondToo() throws Exception {
        AtomicInteger reads = new AtomicInteger();
        SQLTransientException down = new SQLTransientException("no answer");
        LeaseStore silent = new Silent(reads, down);
        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> this.questions.ask(LONG, () -> this.questions.answer(silent)))
                .withCause(down);
        }
        assertThat(reads).hasValue(1);
        this.time.advance(Duration.ofSeconds(1));
        assertThat(ask().rows()).isEmpty();
    }

    /** A store that answers nothing. */
    private record Silent(AtomicInteger statements, Exception cause) implements LeaseStore {

        @Override
        public LeaseReply execute(LeaseStatement statement) {
            this.statements.incrementAndGet();
            return new LeaseReply.Unknown(this.cause);
        }

        @Override
        public boolean isTransient(WorkerLeaseException failure) {
            return false;
        }

        @Override
        public void ensure() {
        }

        @Override
        public void disconnect() {
        }

        @Override
        public void close() {
        }

    }

    @Test
    void errorOfAReadEndsTheWaitAndIsTheKeepersToSurvive() throws Exception {
        OutOfMemoryError full = new OutOfMemoryError("Java heap space");
        this.store.fault(full);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this::ask).isSameAs(full);
        this.store.fault(null);
        assertThatExceptionOfType(ExecutionException.class).isThrownBy(this::ask).withCause(full);

        this.time.advance(Duration.ofSeconds(1));
        assertThat(ask().rows()).isEmpty();
    }

    @Test
    void refusalIsForThoseWhoWaitNow() throws Exception {
        IllegalStateException why = new IllegalStateException("suspended");
        assertThatExceptionOfType(ExecutionException.class)
            .isThrownBy(() -> this.questions.ask(LONG, () -> this.questions.refuse(why)))
            .withCause(why);

        assertThat(ask().rows()).isEmpty();
    }

}
