package io.shardedid;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(30)
class OpenAsyncTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final OwnRegistry registry = new OwnRegistry();

    private final CountDownLatch gate = new CountDownLatch(1);

    private final List<Thread> openers = new CopyOnWriteArrayList<>();

    private final ScriptedLeases leases = new ScriptedLeases("async");

    @AfterEach
    void openTheGate() {
        this.gate.countDown();
    }

    private ShardedIdsBuilder builder() {
        return this.registry.builder().workers(this.leases);
    }

    /** An engine whose source gets its lease when the gate opens. */
    private ShardedIds waiting() {
        this.leases.onIdentity(this::passGate);
        ShardedIds ids = builder().openAsync(PATIENCE);
        this.leases.onStart(() -> this.leases.holder().hold(ScriptedLeases.endlessLease(7, ids.terms())));
        return ids;
    }

    private void passGate() {
        this.openers.add(Thread.currentThread());
        try {
            assertThat(this.gate.await(10, TimeUnit.SECONDS)).isTrue();
        }
        catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void callersGoOnWhileItOpensAndIdsWait() throws Exception {
        try (ShardedIds ids = waiting()) {
            CompletableFuture<Long> id = CompletableFuture.supplyAsync(() -> ids.next(5), each());

            assertThatThrownBy(() -> id.get(200, TimeUnit.MILLISECONDS)).as("no lease yet")
                .isInstanceOf(TimeoutException.class);
            assertThat(ids.stats()).as("nothing to tell, and nothing to wait for").isEqualTo(EngineStats.NONE);
            assertThat(ids.shardFor(2005)).as("needs no engine").isEqualTo(5);
            this.gate.countDown();

            assertThat(ids.parse(id.get(10, TimeUnit.SECONDS)).worker()).isEqualTo(7);
            ids.awaitOpen();
            assertThat(ids.stats().worker()).isEqualTo(7);
            assertThat(ids.stats().issued()).isOne();
            assertThat(this.openers).doesNotContain(Thread.currentThread()).hasSize(1);
        }
        assertThat(this.leases.closes()).isOne();
    }

    @Test
    void sourceIsMadeOnTheThreadThatOpens() {
        CompletableFuture<Thread> maker = new CompletableFuture<>();
        try (ShardedIds ids = this.registry.builder().workers(() -> {
            maker.complete(Thread.currentThread());
            return this.leases;
        }).openAsync(PATIENCE)) {
            ids.awaitOpen();
        }
        assertThat(maker.join()).isNotSameAs(Thread.currentThread());
        assertThat(maker.join().isDaemon()).isTrue();
    }

    @Test
    void whatGoesWrongIsToldToEachWhoAsks() {
        WorkerLeaseException refused = new WorkerLeaseException("all worker ids are taken");
        this.leases.onStart(() -> {
            throw refused;
        });
        try (ShardedIds ids = builder().openAsync(PATIENCE)) {
            assertThatThrownBy(ids::awaitOpen).isSameAs(refused);
            assertThatThrownBy(() -> ids.next(1)).isSameAs(refused);
            assertThatThrownBy(ids::firstTick).isSameAs(refused);
            assertThat(ids.stats()).isEqualTo(EngineStats.NONE);
        }
        assertThat(this.leases.closes()).isOne();
    }

    @Test
    void errorsAreNotLost() {
        this.leases.onIdentity(() -> {
            throw new NoClassDefFoundError("org/h2/Driver");
        });
        try (ShardedIds ids = builder().openAsync(PATIENCE)) {
            assertThatThrownBy(ids::awaitOpen).isInstanceOf(ShardedIdException.class)
                .hasRootCauseInstanceOf(NoClassDefFoundError.class);
        }
    }

    @Test
    void choicesOutsideTheirRangeAreRefusedAtOnce() {
        ShardedIdsBuilder builder = builder().shards(0);

        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> builder.openAsync(PATIENCE))
            .withMessageStartingWith("shards must be in");
        assertThat(this.openers).isEmpty();
    }

    @Test
    void patienceEndsTheWaitAndTheEngineStillOpens() {
        this.leases.onIdentity(this::passGate);
        try (ShardedIds ids = builder().openAsync(Duration.ofMillis(50))) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(ids::awaitOpen)
                .withMessage("Could not open the id engine: waited=PT0.05S; see its log lines");
            this.gate.countDown();
            opened(ids);
        }
        assertThat(this.leases.closes()).isOne();
    }

    private static void opened(ShardedIds ids) {
        while (true) {
            try {
                ids.awaitOpen();
                return;
            }
            catch (WorkerLeaseException ex) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void engineThatOpensAfterTheLastUserHasGoneIsClosed() throws Exception {
        ShardedIds ids = waiting();
        long began = System.nanoTime();
        ids.close();

        assertThat(Duration.ofNanos(System.nanoTime() - began)).as("does not wait for a database")
            .isLessThan(Duration.ofSeconds(8));
        assertThatExceptionOfType(EngineClosedException.class).isThrownBy(() -> ids.next(1));
        assertThatExceptionOfType(EngineClosedException.class).isThrownBy(ids::stats);
        assertThat(this.leases.closes()).isZero();
        this.gate.countDown();
        this.openers.get(0).join(10_000);
        assertThat(this.leases.closes()).isOne();
    }

    @Test
    void interruptedCallerIsToldAndTheEngineStillOpens() {
        try (ShardedIds ids = waiting()) {
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> ids.next(1)).isInstanceOf(ShardedIdException.class)
                .hasMessageContaining("interrupted");

            assertThat(Thread.interrupted()).isTrue();
            this.gate.countDown();
            assertThat(ids.next(1)).isPositive();
        }
    }

    @Test
    void suspensionWaitsForTheEngine() throws Exception {
        try (ShardedIds ids = waiting()) {
            CompletableFuture<Void> suspended = CompletableFuture.runAsync(ids::suspend, each());
            assertThat(suspended.isDone()).isFalse();
            this.gate.countDown();
            suspended.get(10, TimeUnit.SECONDS);
            ids.resume();
            assertThat(ids.next(1)).isPositive();
        }
    }

    /** Not the common pool, which may have one thread only. */
    private static Executor each() {
        return (task) -> new Thread(task).start();
    }

}
