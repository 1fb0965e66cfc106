package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.EngineProbe;
import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SettableTime;
import io.shardedid.WorkerLease;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A keeper whose thread ends while it holds a lease. The layout has one worker id, so
 * that whoever comes next must take the one that was held.
 */
@Tag("jdk")
class KeeperDeathTest {

    private static final long LONG = 20;

    private static final int SHARD = 7;

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final FaultyStore store = new FaultyStore(this.time);

    private final EngineTerms terms = new EngineTerms(IdLayout.builder().workerBits(1).build(), 2000, "modulo",
            Duration.ofSeconds(1), Duration.ofSeconds(5), null, this.time);

    private final Set<Long> ids = new TreeSet<>();

    private final List<Peer> peers = new ArrayList<>();

    /** When the first thread ends, or null if it goes on. */
    private volatile @Nullable Death death;

    private final CountDownLatch dead = new CountDownLatch(1);

    private final CompletableFuture<Void> testOver = new CompletableFuture<>();

    KeeperDeathTest() {
        this.time.onPark(() -> {
            dieIf(Death.IN_A_PAUSE);
            LockSupport.parkNanos(1_000_000);
        });
    }

    /** Where the thread is when it ends. */
    enum Death {

        IN_A_PAUSE, BEFORE_A_RENEWAL_IS_SENT, AFTER_A_RENEWAL_WAS_WRITTEN

    }

    /**
     * A thread that ends without a word, as far as anybody can see: it runs nothing any
     * more, and its state says so.
     */
    private final class Mortal extends Thread {

        private volatile boolean ended;

        Mortal(Runnable task) {
            super(task);
            setDaemon(true);
        }

        @Override
        public State getState() {
            return this.ended ? State.TERMINATED : super.getState();
        }

        void end() {
            this.ended = true;
            KeeperDeathTest.this.dead.countDown();
            KeeperDeathTest.this.testOver.join();
            throw new AssertionError("the test is over");
        }

    }

    private void dieIf(Death now) {
        if (this.death == now && Thread.currentThread() instanceof Mortal mortal) {
            this.death = null;
            mortal.end();
        }
    }

    private final class MortalTable extends ForwardingStore {

        MortalTable() {
            super(KeeperDeathTest.this.store);
        }

        @Override
        public LeaseReply execute(LeaseStatement statement) {
            if (statement instanceof LeaseStatement.Update) {
                dieIf(Death.BEFORE_A_RENEWAL_IS_SENT);
            }
            LeaseReply reply = super.execute(statement);
            if (statement instanceof LeaseStatement.Update) {
                dieIf(Death.AFTER_A_RENEWAL_WAS_WRITTEN);
            }
            return reply;
        }

    }

    /** A process: an engine and the keeper of its lease. */
    private final class Peer implements WorkerLeaseListener {

        final Semaphore renewals = new Semaphore(0);

        final AtomicInteger leases = new AtomicInteger();

        final AtomicInteger abandoned = new AtomicInteger();

        final EngineProbe engine = new EngineProbe(KeeperDeathTest.this.terms, WorkerLeases.fixed(0));

        final LeaseKeeper keeper;

        Peer() {
            LeaseSettings settings = LeaseSettings.builder().build();
            this.keeper = new LeaseKeeper(KeeperDeathTest.this.terms, settings, new MortalTable(),
                    new LeaseReport(KeeperDeathTest.this.terms, settings, List.of(this)), Mortal::new,
                    Duration.ofSeconds(15));
            KeeperDeathTest.this.peers.add(this);
            this.keeper.start(this.engine.holder());
            this.keeper.awaitLease();
        }

        @Override
        public void leased(WorkerLease lease) {
            this.leases.incrementAndGet();
        }

        @Override
        public void renewed(WorkerLease lease) {
            this.renewals.release();
        }

        @Override
        public void abandoned(int worker, String why) {
            this.abandoned.incrementAndGet();
        }

        void renewsAgain() throws InterruptedException {
            this.renewals.drainPermits();
            assertThat(this.renewals.tryAcquire(2, LONG, TimeUnit.SECONDS)).as("renewed").isTrue();
        }

        void dies(Death where) throws InterruptedException {
            KeeperDeathTest.this.death = where;
            assertThat(KeeperDeathTest.this.dead.await(LONG, TimeUnit.SECONDS)).as("dead").isTrue();
        }

        /** Makes ids until there are some, each of which must be new. */
        void makesIds() {
            int made = 0;
            for (int i = 0; made < 50; i++) {
                assertThat(i).as("attempts at %s ids", made).isLessThan(100_000);
                long id = this.engine.tryNext(SHARD);
                if (id >= 0) {
                    made++;
                    assertThat(KeeperDeathTest.this.ids.add(id)).as("new").isTrue();
                }
                else {
                    LockSupport.parkNanos(100_000);
                }
            }
        }

    }

    @AfterEach
    void endsThreads() {
        this.testOver.complete(null);
        this.peers.forEach((peer) -> peer.keeper.close());
    }

    private LeaseRow row() {
        return Objects.requireNonNull(this.store.row(0));
    }

    private long lastTick() {
        return this.ids.stream()
            .mapToLong((id) -> this.terms.layout().tickAt(this.terms.layout().instantOf(id)))
            .max()
            .orElseThrow();
    }

    private void anotherProcessGoesOnAboveAllIds() {
        assertThat(row().hwmTick()).isGreaterThan(lastTick());
        Peer other = new Peer();
        other.makesIds();
        other.keeper.close();
        assertThat(this.ids).hasSizeGreaterThanOrEqualTo(100);
    }

    @ParameterizedTest
    @EnumSource
    void nextThreadGoesOnWithTheLease(Death where) throws Exception {
        Peer peer = new Peer();
        peer.makesIds();
        peer.dies(where);
        peer.makesIds();

        peer.keeper.wake();

        peer.renewsAgain();
        peer.makesIds();
        peer.keeper.close();
        assertThat(row().leaseUntilMillis()).as("given back").isZero();
        anotherProcessGoesOnAboveAllIds();
    }

    @ParameterizedTest
    @EnumSource
    void closeGivesTheLeaseBackThatADeadThreadHeldOrLetsItRunOut(Death where) throws Exception {
        Peer peer = new Peer();
        peer.makesIds();
        peer.dies(where);
        peer.makesIds();

        peer.keeper.close();

        assertThat(peer.engine.tryNext(SHARD)).as("no id after that").isNegative();
        // a renewal that nobody saw written leaves another token than the last known one
        boolean known = where != Death.AFTER_A_RENEWAL_WAS_WRITTEN;
        assertThat(row().leaseUntilMillis() == 0).as("given back").isEqualTo(known);
        assertThat(peer.abandoned).as("else said so").hasValue(known ? 0 : 1);
        anotherProcessGoesOnAboveAllIds();
    }

    @Test
    void leaseOfADeadKeeperIsRenewedAndNotAcquiredAnew() throws Exception {
        Peer peer = new Peer();
        long acquisitions = row().acquisitions();
        peer.dies(Death.IN_A_PAUSE);

        peer.keeper.wake();

        peer.renewsAgain();
        assertThat(row().acquisitions()).isEqualTo(acquisitions);
        assertThat(peer.leases).hasValue(1);
        peer.keeper.close();
    }

}
