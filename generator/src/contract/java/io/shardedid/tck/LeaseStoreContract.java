package io.shardedid.tck;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.Stream;

import io.shardedid.EngineTerms;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
import io.shardedid.IdLayout;
import io.shardedid.internal.lease.LeaseChange;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.LeaseSettings;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.Durability;
import io.shardedid.WorkerIdRange;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract of a store of leases. A class that extends it opens the store, and JUnit
 * runs the tests. They use namespaces that are used nowhere else, so that the store need
 * not be empty, and they leave their rows behind.
 */
public abstract class LeaseStoreContract {

    /** Creates the contract. */
    protected LeaseStoreContract() {
    }

    /**
     * Opens the store, on which {@link LeaseStore#ensure()} has not been called. The
     * tests close it. Called by many threads.
     * @param namespace whose rows the store reads and writes
     * @return a new store, with a connection of its own
     */
    protected abstract LeaseStore open(String namespace);

    /**
     * Returns a namespace that was never used.
     * @return at most 64 characters, the first one a small letter
     */
    protected static String freshNamespace() {
        return "tck-" + UUID.randomUUID();
    }

    /**
     * Opens a store and makes it ready.
     * @param namespace whose rows the store reads and writes
     * @return the store
     */
    protected final LeaseStore ready(String namespace) {
        LeaseStore store = open(namespace);
        store.ensure();
        return store;
    }

    @TestFactory
    Stream<DynamicTest> passesEachCheck() {
        try (LeaseStore store = ready(freshNamespace())) {
            return LeaseStoreCheck.of(store.durability())
                .stream()
                .map((check) -> DynamicTest.dynamicTest(check.name(), () -> pass(check)));
        }
    }

    private void pass(LeaseStoreCheck check) {
        String namespace = freshNamespace();
        try (LeaseStore store = ready(namespace); LeaseStore other = ready(namespace.replaceFirst("t", "T"))) {
            check.run(store, other);
        }
    }

    @Test
    void givesEachWorkerIdToOneOfManyRacers() throws Exception {
        race(4);
    }

    /**
     * Lets {@value LeaseRace#THREADS} threads race.
     * @param rounds how many rounds
     * @throws Exception if a racer fails
     */
    protected final void race(int rounds) throws Exception {
        String namespace = freshNamespace();
        ready(namespace).close();
        LeaseRace.run(rounds, () -> open(namespace));
    }

    @Test
    void showsAWriteToOthersAtOnce() {
        String namespace = freshNamespace();
        try (LeaseStore one = ready(namespace); LeaseStore other = ready(namespace)) {
            one.execute(new LeaseStatement.Insert(new LeaseRow(1, "a", 0, 0, 0, null, null), null));
            String token = "a";
            for (int i = 0; i < 50; i++) {
                LeaseStore writer = (i % 2 == 0) ? one : other;
                LeaseStore reader = (i % 2 == 0) ? other : one;
                String next = "token " + i;
                assertThat(writer.execute(new LeaseStatement.Update(1, token, 0, next, 0, 0, 0, null, null, null)))
                    .isEqualTo(new LeaseReply.Written(1));
                token = next;
                assertThat(LeaseStoreCheck.read(reader).rows()).extracting(LeaseRow::token).containsExactly(token);
            }
        }
    }

    @Test
    void takesANamespaceAsItIs() {
        String odd = "x' OR '1'='1 /../\u00fc%{} " + UUID.randomUUID();
        try (LeaseStore store = ready(freshNamespace()); LeaseStore other = ready(odd)) {
            LeaseRow row = new LeaseRow(1, "a", 0, 0, 0, null, null);
            store.execute(new LeaseStatement.Insert(row, null));
            assertThat(LeaseStoreCheck.read(other).rows()).isEmpty();
            other.execute(new LeaseStatement.Insert(row, null));
            assertThat(LeaseStoreCheck.read(other).rows()).containsExactly(row);
        }
    }

    /** Each table is a namespace here, as the table of another region would be. */
    @Test
    void givesWorkerIdsToAnotherTableAndChangesItsLayout() {
        String first = freshNamespace();
        String second = freshNamespace();
        long mark = IdLayout.standard().tickAt(Instant.now());
        try (LeaseStore store = ready(first)) {
            store.execute(new LeaseStatement.Insert(new LeaseRow(LeaseRow.LAYOUT, "first", 0, 0, 5, null,
                    "%s,mode=plain,workers=0-126".formatted(terms(1).fingerprint())), null));
            store.execute(new LeaseStatement.Insert(new LeaseRow(7, "a", 3, 0, mark, null, null), null));
        }

        change(first, 1, new WorkerIdRange(0, 6)).run();
        change(second, 1, new WorkerIdRange(7, 126)).from(ready(first)).run();
        change(second, 2, new WorkerIdRange(7, 126)).run();

        try (LeaseStore store = ready(first); LeaseStore other = ready(second)) {
            assertThat(LeaseStoreCheck.read(store).row(LeaseRow.LAYOUT)).get()
                .returns(5L, LeaseRow::hwmTick)
                .extracting(LeaseRow::layout)
                .asString()
                .startsWith(terms(1).fingerprint())
                .endsWith(",workers=0-6");
            assertThat(LeaseStoreCheck.read(other).rows()).hasSize(128).allSatisfy((row) -> {
                assertThat(row.leaseUntilMillis()).isZero();
                assertThat(row.hwmTick()).isGreaterThanOrEqualTo((row.worker() == LeaseRow.LAYOUT) ? 5 : mark);
            });
            assertThat(LeaseStoreCheck.read(other).row(LeaseRow.LAYOUT)).get()
                .extracting(LeaseRow::layout)
                .asString()
                .startsWith(terms(2).fingerprint());
        }
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> change(first, 1, new WorkerIdRange(0, 7)).run())
            .satisfies((refused) -> assertThat(refused.problem().keys())
                .containsExactly("shardedid.worker.lease.worker-ids"));
    }

    private LeaseChange change(String namespace, int shards, WorkerIdRange workers) {
        LeaseStore store = open(namespace);
        store.ensure();
        return new LeaseChange(terms(shards),
                LeaseSettings.builder()
                    .namespace(namespace)
                    .workerIds(workers)
                    .tolerateLostCommits(store.durability() == Durability.MAY_BE_LOST)
                    .build(),
                store);
    }

    private static EngineTerms terms(int shards) {
        return new EngineTerms(IdLayout.standard(), shards, "modulo", Duration.ofSeconds(1), Duration.ofSeconds(1), null,
                new SkippedTime());
    }

    /** A clock that comes to the end of each wait at once. */
    private static final class SkippedTime extends TimeSource {

        private long skippedNanos;

        @Override
        public long nanoTime() {
            return TimeSource.system().nanoTime() + this.skippedNanos;
        }

        @Override
        public long epochNanos() {
            return TimeSource.system().epochNanos();
        }

        @Override
        public void park(long nanos) {
            this.skippedNanos += nanos;
        }

    }

}
