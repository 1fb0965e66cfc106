package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.SettableTime;
import io.shardedid.TickLease;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.internal.LeaseHolder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the protocol keeps in mind when the engine cannot follow, because the heap is
 * full.
 */
class LeaseProtocolFullHeapTest {

    private static final int HIGHEST = 17;

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final long origin = this.time.nanoTime();

    private final EngineTerms terms = new EngineTerms(IdLayout.standard(), 2048, "modulo", Duration.ofSeconds(1),
            Duration.ofSeconds(5), null, this.time);

    private final SimDatabase database = new SimDatabase();

    private final Engine engine = new Engine();

    private final List<Integer> abandoned = new ArrayList<>();

    private final WorkerLeaseListener listener = new WorkerLeaseListener() {

        @Override
        public void abandoned(int worker, String why) {
            LeaseProtocolFullHeapTest.this.abandoned.add(worker);
        }

    };

    private final LeaseProtocol protocol = protocol();

    private LeaseProtocol protocol() {
        LeaseRow layout = new LeaseRow(LeaseRow.LAYOUT, "database", 0, 0, 0, null, this.terms.fingerprint());
        this.database.execute(new LeaseStatement.Insert(layout, null), 0, 0);
        return new LeaseProtocol(this.terms, LeaseSettings.builder().build(), layout, this.engine,
                new LeaseReport(this.terms, LeaseSettings.builder().build(), List.of(this.listener)),
                () -> UUID.randomUUID().toString(), new SplittableRandom(1), this.time.nanoTime());
    }

    /** An engine that can be short of memory. */
    private static final class Engine implements LeaseHolder {

        private TickLease lease = TickLease.NONE;

        private boolean heapFull;

        @Override
        public void hold(TickLease held) {
            failIfFull();
            this.lease = held;
        }

        @Override
        public long relinquish() {
            failIfFull();
            this.lease = TickLease.NONE;
            return HIGHEST;
        }

        private void failIfFull() {
            if (this.heapFull) {
                throw new OutOfMemoryError("Java heap space");
            }
        }

    }

    /** Says what the protocol wants to say next, when it is due. */
    private void advance() {
        this.time.advance(Duration.ofNanos(Math.max(0, this.protocol.dueNanos() - this.time.nanoTime())));
        long now = this.time.nanoTime();
        LeaseStatement statement = this.protocol.next(now);
        if (statement != null) {
            this.protocol.reply(this.database.execute(statement, now - this.origin, 0), now, now);
        }
    }

    private LeaseRow row() {
        return this.database.rows().stream().filter((row) -> row.worker() == 0).findFirst().orElseThrow();
    }

    private void acquire() {
        advance();
        advance();
        assertThat(this.protocol.holding()).isTrue();
    }

    @Test
    void releaseWritesTheTickAfterTheHighest() {
        acquire();
        long lo = this.engine.lease.lo();
        this.protocol.release(this.time.nanoTime());
        advance();

        assertThat(row().hwmTick()).isEqualTo(Math.max(lo, HIGHEST + 1));
        assertThat(row().leaseUntilMillis()).isZero();
        assertThat(this.protocol.next(this.time.nanoTime())).isNull();
        assertThat(this.abandoned).isEmpty();
    }

    @Test
    void releaseThatFailedHalfwayNeverWritesAMark() {
        acquire();
        LeaseRow before = row();
        this.engine.heapFull = true;
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.protocol.release(this.time.nanoTime()));
        assertThat(this.protocol.next(this.time.nanoTime())).isNull();

        this.engine.heapFull = false;
        this.protocol.release(this.time.nanoTime());
        advance();

        assertThat(this.engine.lease.leased()).as("leased after the second attempt").isFalse();
        assertThat(this.protocol.next(this.time.nanoTime())).isNull();
        assertThat(row()).as("the row, which runs out by itself").isEqualTo(before);
        assertThat(this.abandoned).containsExactly(0);
    }

    @Test
    void leaseThatTheEngineCouldNotTakeIsOfferedAgain() {
        advance();
        this.engine.heapFull = true;
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this::advance);
        assertThat(this.protocol.holding()).isFalse();

        this.engine.heapFull = false;
        advance();
        // what the row shows is taken once another write of it was confirmed
        advance();
        assertThat(this.engine.lease.worker()).isZero();
        assertThat(this.protocol.holding()).isTrue();
    }

    @Test
    void lossThatTheEngineCouldNotTakeIsToldAgain() {
        acquire();
        this.database.loseCommitsSince(-1);
        this.engine.heapFull = true;
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this::advance);
        assertThat(this.engine.lease.leased()).isTrue();

        this.engine.heapFull = false;
        advance();
        assertThat(this.engine.lease.leased()).isFalse();
        assertThat(this.protocol.holding()).isFalse();
    }

}
