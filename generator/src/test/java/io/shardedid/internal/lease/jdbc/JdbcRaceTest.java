package io.shardedid.internal.lease.jdbc;

import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Calls that are made again while the one before is not answered. */
class JdbcRaceTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static final Duration SHORT = Duration.ofMillis(20);

    private final AtomicInteger calls = new AtomicInteger();

    private final CountDownLatch gate = new CountDownLatch(1);

    @Test
    void answersByTheSecondCallWhileTheFirstHangs() throws Exception {
        Set<Integer> late = ConcurrentHashMap.newKeySet();
        CountDownLatch closed = new CountDownLatch(1);
        try (BoundedCalls lane = new BoundedCalls()) {
            int answer = lane.race("connect", LONG, SHORT, () -> {
                int call = this.calls.incrementAndGet();
                if (call == 1) {
                    this.gate.await();
                }
                return call;
            }, (each) -> {
                late.add(each);
                if (each == 1) {
                    closed.countDown();
                }
            });
            assertThat(answer).isGreaterThan(1);
            this.gate.countDown();
            closed.await();
            assertThat(late).as("answers handed over to be closed").contains(1).doesNotContain(answer);
        }
    }

    @Test
    void callsOnceWhileTheAnswerIsNotOverdue() throws Exception {
        try (BoundedCalls lane = new BoundedCalls()) {
            lane.race("connect", LONG, LONG, this.calls::incrementAndGet, (late) -> {
            });
            assertThat(this.calls).hasValue(1);
        }
    }

    @Test
    void givesUpAfterTheLimitHoweverOftenItCalled() {
        try (BoundedCalls lane = new BoundedCalls()) {
            assertThatExceptionOfType(SQLTimeoutException.class)
                .isThrownBy(() -> lane.race("connect", Duration.ofMillis(70), SHORT, () -> {
                    this.calls.incrementAndGet();
                    this.gate.await();
                    return 1;
                }, (late) -> {
                }))
                .withMessageContaining("within 70ms");
            assertThat(this.calls).hasValueBetween(2, 4);
            this.gate.countDown();
        }
    }

}
