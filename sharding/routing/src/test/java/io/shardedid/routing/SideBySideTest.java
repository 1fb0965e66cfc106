package io.shardedid.routing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Who asks a database. */
@Tag("jdk")
class SideBySideTest {

    @Test
    void callerAsksOneAfterTheOtherWhereNothingIsSideBySide() {
        List<Thread> threads = new ArrayList<>();
        try (SideBySide one = new SideBySide(1, null)) {
            one.accept(Collections.nCopies(2, () -> threads.add(Thread.currentThread())));
        }

        assertThat(threads).containsOnly(Thread.currentThread()).hasSize(2);
    }

    /** Each task waits until all of both calls have begun. */
    @Test
    void callsThatComeAtTheSameTimeTakeNoThreadsFromEachOther() throws Exception {
        CountDownLatch begun = new CountDownLatch(6);
        CountDownLatch ended = new CountDownLatch(6);
        AtomicInteger met = new AtomicInteger();
        AtomicInteger decorated = new AtomicInteger();
        Collection<Runnable> tasks = Collections.nCopies(3, () -> {
            begun.countDown();
            if (isReached(begun)) {
                met.incrementAndGet();
            }
            ended.countDown();
        });
        try (SideBySide three = new SideBySide(3, (task) -> {
            decorated.incrementAndGet();
            return task;
        })) {
            Thread other = new Thread(() -> three.accept(tasks));
            other.start();
            three.accept(tasks);
            other.join();
            ended.await();
        }
        assertThat(met).hasValue(6);
        assertThat(decorated).as("the threads of two calls").hasValue(4);
    }

    @Test
    void callHasNoMoreThreadsThanItMay() {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        try (SideBySide two = new SideBySide(2, null)) {
            two.accept(Collections.nCopies(50, () -> {
                threads.add(Thread.currentThread());
                LockSupport.parkNanos(5_000_000);
            }));
        }

        assertThat(threads).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void callerGoesOnByItselfWhereAllThreadsAreBusy() {
        CountDownLatch busy = new CountDownLatch(SideBySide.MOST_THREADS + 1);
        CountDownLatch asked = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        try (SideBySide many = new SideBySide(SideBySide.MOST_THREADS + 1, null)) {
            Thread first = new Thread(() -> many.accept(Collections.nCopies(SideBySide.MOST_THREADS + 1, () -> {
                busy.countDown();
                isReached(asked);
            })));
            first.start();
            assertThat(isReached(busy)).isTrue();
            many.accept(Collections.nCopies(3, () -> threads.add(Thread.currentThread())));
            asked.countDown();
        }

        assertThat(threads).containsOnly(Thread.currentThread()).hasSize(3);
    }

    @Test
    void callerAsksAlsoAfterTheEnd() {
        List<Thread> threads = new ArrayList<>();
        SideBySide ended = new SideBySide(8, null);
        ended.close();

        ended.accept(Collections.nCopies(2, () -> threads.add(Thread.currentThread())));

        assertThat(threads).containsOnly(Thread.currentThread());
    }

    private static boolean isReached(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        }
        catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

}
