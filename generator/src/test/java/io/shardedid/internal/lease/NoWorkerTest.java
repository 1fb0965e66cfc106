package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;

import io.shardedid.OwnRegistry;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeases;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class NoWorkerTest {

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final OwnRegistry registry = new OwnRegistry();

    private ShardedIdsBuilder builder() {
        return this.registry.builder().timeSource(this.time).workers(WorkerLeases.none());
    }

    @Test
    void everyIdIsRefusedAtOnce() {
        try (ShardedIdEngine ids = builder().open()) {
            assertRefused(() -> ids.next(1));
            assertRefused(() -> ids.next());
            assertRefused(() -> ids.nextFor(5001));
            assertRefused(() -> ids.next(1, new long[1]));
            assertThat(this.time.parks()).isZero();
        }
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(call)
            .withMessageContainingAll("shardedid.worker.mode=none", "lease")
            .satisfies((ex) -> assertThat(ex.retryable()).isFalse());
    }

    @Test
    void idsOfOthersCanBeRead() {
        try (ShardedIdEngine ids = builder().open()) {
            assertThat(ids.shardOf(2217813737476100905L)).isEqualTo(1001);
            assertThat(ids.shardOfKey(5001)).isEqualTo(1001);
            assertThat(ids.clock().instant()).isEqualTo(this.time.instant());
            assertThat(ids.workers()).isEmpty();
            assertThat(ids.stats().worker()).isEqualTo(-1);
        }
    }

    @Test
    void readersWithDifferentSettingsLiveInOneJvm() {
        try (ShardedIdEngine one = builder().open();
                ShardedIdEngine other = builder().maxWait(Duration.ofSeconds(1)).open()) {
            assertThat(one.shards()).isEqualTo(other.shards());
        }
    }

}
