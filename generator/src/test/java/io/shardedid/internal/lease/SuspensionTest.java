package io.shardedid.internal.lease;

import java.security.Security;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.Arrays;
import java.security.SecureRandomSpi;
import java.security.Provider;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.LoggedLines;
import io.shardedid.SeparateProcess;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeaseListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a process has in its hands when {@code suspend} has returned: a copy of its memory
 * has the same.
 */
@Tag("jdk")
class SuspensionTest {

    private static final long LONG = 20;

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final FaultyStore store = new FaultyStore(this.time);

    private final LoggedLines log = new LoggedLines(LeaseReport.class.getName());

    private final ExecutorService other = Executors.newSingleThreadExecutor();

    private final List<String> heard = new CopyOnWriteArrayList<>();

    private final CountDownLatch goOn = new CountDownLatch(1);

    private final Semaphore heldUp = new Semaphore(0);

    /** Whether the next renewal holds the keeper up. */
    private volatile boolean block;

    private @Nullable ShardedIdEngine ids;

    SuspensionTest() {
        this.time.onPark(() -> LockSupport.parkNanos(1_000_000));
    }

    @AfterEach
    void ends() {
        this.goOn.countDown();
        this.other.shutdownNow();
        if (this.ids != null) {
            this.ids.close();
        }
        this.log.close();
    }

    private final class Listener implements WorkerLeaseListener {

        @Override
        public void leased(WorkerLease lease) {
            hear("leased");
        }

        @Override
        public void renewed(WorkerLease lease) {
            hear("renewed");
            holdUpIfWanted();
        }

        @Override
        public void released(int worker) {
            hear("released");
        }

        private void hear(String what) {
            ShardedIdEngine opened = SuspensionTest.this.ids;
            SuspensionTest.this.heard.add(what + " " + ((opened != null) ? opened.stats().worker() : 0));
        }

    }

    private void holdUpIfWanted() {
        if (this.block) {
            this.block = false;
            holdUp();
        }
    }

    private void holdUp() {
        this.heldUp.release();
        try {
            this.goOn.await();
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private ShardedIdEngine open(Duration patience) {
        ShardedIdEngine opened = SeparateProcess.open(ShardedIds.builder()
            .layout(IdLayout.standard())
            .timeSource(this.time)
            .maxWait(Duration.ofMillis(100))
            .workers(new LeasedWorker(LeaseSettings.builder().build(), this.store, List.of(new Listener()), patience)));
        this.ids = opened;
        return opened;
    }

    private LeaseRow row() {
        return Objects.requireNonNull(this.store.row(0));
    }

    private static void until(BooleanSupplier reached) {
        while (!reached.getAsBoolean()) {
            assertThat(Thread.interrupted()).as("timed out").isFalse();
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void engineMakesNoIdWhileAListenerHoldsTheKeeperUp() throws Exception {
        ShardedIdEngine opened = open(Duration.ofMinutes(1));
        long before = opened.next(5);
        this.block = true;
        assertThat(this.heldUp.tryAcquire(LONG, TimeUnit.SECONDS)).isTrue();

        Future<?> suspension = this.other.submit(opened::suspend);
        until(() -> opened.stats().worker() == -1);
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> opened.next(5));
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> opened.uuids().next(5));
        assertThat(row().leaseUntilMillis()).as("not yet given back").isPositive();
        this.goOn.countDown();

        suspension.get(LONG, TimeUnit.SECONDS);
        assertThat(row().leaseUntilMillis()).as("given back").isZero();
        opened.resume();
        until(() -> opened.stats().worker() == 0);
        assertThat(opened.next(5)).isGreaterThan(before);
    }

    @Test
    void leaseThatCouldNotBeGivenBackInTimeIsNamedAndNeverUsedAgain() throws Exception {
        ShardedIdEngine opened = open(Duration.ofMillis(50));
        this.block = true;
        assertThat(this.heldUp.tryAcquire(LONG, TimeUnit.SECONDS)).isTrue();
        opened.suspend();

        assertThat(this.log.lines()).last()
            .asString()
            .contains("WARNING", "namespace=default", "worker=0", "until 2026-");
        assertThat(opened.stats().worker()).isEqualTo(-1);
        assertThat(row().acquisitions()).isOne();
        opened.resume();
        this.goOn.countDown();

        until(() -> opened.stats().worker() == 0);
        assertThat(opened.next(5)).isPositive();
        assertThat(row().acquisitions()).as("acquired anew").isEqualTo(2);
        assertThat(this.heard).contains("released -1");
    }

    /** The copy of a process may go on between a renewal and its reply. */
    @Test
    void renewalThatIsConfirmedAfterTheSuspensionHandsNothingOn() throws Exception {
        ShardedIdEngine opened = open(Duration.ofMillis(50));
        AtomicBoolean held = new AtomicBoolean();
        this.store.after = (statement) -> {
            if (statement instanceof LeaseStatement.Update && !held.getAndSet(true)) {
                holdUp();
            }
        };
        assertThat(this.heldUp.tryAcquire(LONG, TimeUnit.SECONDS)).isTrue();
        opened.suspend();
        opened.resume();
        this.heard.clear();
        this.goOn.countDown();

        until(() -> opened.stats().worker() == 0);
        assertThat(List.copyOf(this.heard).subList(0, 2)).containsExactly("renewed -1", "released -1");
        assertThat(row().acquisitions()).as("acquired anew").isEqualTo(2);
    }

    @Test
    void interruptedThreadWaitsForTheReleaseToo() throws Exception {
        ShardedIdEngine opened = open(Duration.ofMinutes(1));
        this.store.before = (statement) -> LockSupport.parkNanos(60_000_000);
        boolean interrupted;
        try {
            Thread.currentThread().interrupt();
            opened.suspend();
        }
        finally {
            interrupted = Thread.interrupted();
        }

        assertThat(row().leaseUntilMillis()).as("given back").isZero();
        assertThat(interrupted).as("still interrupted").isTrue();
    }

    @Test
    void copyOfAProcessDrawsItsTokensAnew() throws Exception {
        Security.insertProviderAt(new NumberedRandoms(), 1);
        try {
            ShardedIdEngine opened = open(Duration.ofMinutes(1));
            String before = row().token();
            opened.suspend();
            opened.resume();
            until(() -> opened.stats().worker() == 0);

            assertThat(row().token()).as("drawn by a generator that is no part of the copy").isNotEqualTo(before);
            assertThat(before).as("drawn by a numbered generator").matches("(..)\\1{3}-\\1{2}-\\1{2}-\\1{2}-\\1{6}");
            assertThat(row().token()).matches("(..)\\1{3}-\\1{2}-\\1{2}-\\1{2}-\\1{6}");
        }
        finally {
            Security.removeProvider(NumberedRandoms.NAME);
        }
    }

    /** Each generator always draws its own number, as if it had been copied each time. */
    static final class NumberedRandoms extends Provider {

        private static final long serialVersionUID = 1L;

        static final String NAME = "numbered";

        NumberedRandoms() {
            super(NAME, "1", "generators with numbers");
            put("SecureRandom.numbered", Numbered.class.getName());
        }

        public static final class Numbered extends SecureRandomSpi {

            private static final long serialVersionUID = 1L;

            private static final AtomicInteger MADE = new AtomicInteger();

            private final byte number = (byte) MADE.incrementAndGet();

            @Override
            protected void engineSetSeed(byte[] seed) {
            }

            @Override
            protected void engineNextBytes(byte[] bytes) {
                Arrays.fill(bytes, this.number);
            }

            @Override
            protected byte[] engineGenerateSeed(int length) {
                return new byte[length];
            }

        }

    }

}
