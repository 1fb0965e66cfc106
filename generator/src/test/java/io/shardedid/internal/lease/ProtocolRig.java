package io.shardedid.internal.lease;

import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseSettings;
import io.shardedid.LeaseSource;
import io.shardedid.SeparateProcess;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.ConnectedLeases;
import io.shardedid.internal.LeaseHolder;
import org.jspecify.annotations.Nullable;

/**
 * Ids whose callers really wait, by clocks that pass only while they do: the protocol and
 * the database do their part in each park. One thread, nothing random but the seed.
 */
final class ProtocolRig implements LeaseSource {

    static final Duration MAX_WAIT = Duration.ofSeconds(5);

    private static final Duration ANSWER = Duration.ofMillis(2);

    /** How long a statement hangs that nobody answers. */
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    final SimDatabase database = new SimDatabase();

    final SplittableRandom random;

    private final long origin = this.time.nanoTime();

    private boolean reachable = true;

    private @Nullable LeaseProtocol protocol;

    private @Nullable LeaseStatement underWay;

    private long sent;

    private long answered;

    ProtocolRig(long seed) {
        this.random = new SplittableRandom(seed);
        this.time.onPark(this::turn);
    }

    ShardedIdEngine open() {
        return SeparateProcess.open(ShardedIds.builder().timeSource(this.time).maxWait(MAX_WAIT).workers(this));
    }

    void reachable(boolean reachable) {
        this.reachable = reachable;
    }

    /** Lets time pass without a caller. */
    void pass(Duration duration) {
        long step = Duration.ofMillis(5).toNanos();
        for (long left = duration.toNanos(); left > 0; left -= step) {
            this.time.advance(Duration.ofNanos(Math.min(left, step)));
            turn();
        }
    }

    /** The keeper's turn. */
    private void turn() {
        LeaseProtocol running = this.protocol;
        while (running != null) {
            long now = this.time.nanoTime();
            if (this.underWay == null) {
                this.underWay = running.next(now);
                this.sent = now;
                this.answered = now + (this.reachable ? ANSWER : TIMEOUT).toNanos();
            }
            if (this.underWay == null || now - this.answered < 0) {
                return;
            }
            LeaseReply reply = this.reachable ? this.database.execute(this.underWay, now - this.origin, 0)
                    : new LeaseReply.Unknown(new SQLTransientException("no answer"));
            this.underWay = null;
            running.reply(reply, this.sent, now);
        }
    }

    @Override
    public ConnectedLeases connect(EngineTerms terms) {
        return new ConnectedLeases("rig", 0, (holder) -> start(terms, holder));
    }

    private void start(EngineTerms terms, LeaseHolder holder) {
        LeaseRow layout = new LeaseRow(LeaseRow.LAYOUT, "database", 0, 0, 0, null, terms.fingerprint());
        this.database.execute(new LeaseStatement.Insert(layout, null), 0, 0);
        this.protocol = new LeaseProtocol(terms, LeaseSettings.builder().build(), layout, holder,
                new LeaseReport(terms, LeaseSettings.builder().build(), List.of()), () -> UUID.randomUUID().toString(),
                this.random, this.time.nanoTime());
        while (!this.protocol.holding()) {
            pass(ANSWER);
        }
    }

    @Override
    public void renewSoon() {
        LeaseProtocol running = this.protocol;
        if (running != null) {
            running.want(this.time.nanoTime());
        }
    }

    @Override
    public WorkerLeaseException refusal() {
        return new WorkerLeaseException("no lease");
    }

    @Override
    public List<WorkerHolding> workers() {
        return List.of();
    }

    @Override
    public void close() {
        this.protocol = null;
    }

}
