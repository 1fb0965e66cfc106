package io.shardedid.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Who asks a database. */
class SideBySideTest {

    @Test
    void callerAsksOneAfterTheOtherWhereNothingIsSideBySide() {
        List<Thread> threads = new ArrayList<>();
        try (SideBySide one = new SideBySide(1, null)) {
            one.execute(() -> threads.add(Thread.currentThread()));
            one.execute(() -> threads.add(Thread.currentThread()));
        }

        assertThat(threads).containsOnly(Thread.currentThread());
    }

    @Test
    void callerGoesOnByItselfWhereAllThreadsAreBusy() throws Exception {
        CountDownLatch busy = new CountDownLatch(2);
        CountDownLatch asked = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        AtomicInteger decorated = new AtomicInteger();
        try (SideBySide three = new SideBySide(3, (task) -> {
            decorated.incrementAndGet();
            return task;
        })) {
            for (int i = 0; i < 2; i++) {
                three.execute(() -> {
                    busy.countDown();
                    await(asked);
                });
            }
            assertThat(busy.await(60, TimeUnit.SECONDS)).isTrue();
            three.execute(() -> threads.add(Thread.currentThread()));
            asked.countDown();
        }

        assertThat(threads).containsExactly(Thread.currentThread());
        assertThat(decorated).hasValue(3);
    }

    @Test
    void callerAsksAlsoAfterTheEnd() {
        List<Thread> threads = new ArrayList<>();
        SideBySide ended = new SideBySide(8, null);
        ended.close();

        ended.execute(() -> threads.add(Thread.currentThread()));

        assertThat(threads).containsExactly(Thread.currentThread());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(60, TimeUnit.SECONDS);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

}
