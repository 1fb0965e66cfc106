package io.shardedid;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;

import io.shardedid.internal.ConnectedLeases;
import io.shardedid.internal.LeaseHolder;

/**
 * A source of leases that does what the test says and nothing by itself.
 */
public final class ScriptedLeases implements LeaseSource {

    private final String identity;

    private volatile LeaseHolder holder;

    private volatile Runnable onIdentity = () -> {
    };

    private volatile Runnable onStart = () -> {
    };

    private volatile Runnable onRenew = () -> {
    };

    private volatile Runnable onSuspend = () -> {
    };

    private volatile Runnable onResume = () -> {
    };

    private volatile Runnable onClose = () -> {
    };

    private volatile long firstTick;

    private volatile Duration startTimeout = Duration.ofSeconds(10);

    private final AtomicInteger renewals = new AtomicInteger();

    private final AtomicInteger patienceAsked = new AtomicInteger();

    private volatile BiPredicate<LeaseSource, LeaseSource> sharing = (mine, other) -> true;

    private volatile boolean keepsItsEnd;

    private final AtomicInteger closes = new AtomicInteger();

    public ScriptedLeases(String identity) {
        this.identity = identity;
    }

    public ScriptedLeases onIdentity(Runnable action) {
        this.onIdentity = action;
        return this;
    }

    /** Sets what happens at the start, when {@link #holder()} is known already. */
    public ScriptedLeases onStart(Runnable action) {
        this.onStart = action;
        return this;
    }

    public ScriptedLeases onRenew(Runnable action) {
        this.onRenew = action;
        return this;
    }

    public ScriptedLeases onSuspend(Runnable action) {
        this.onSuspend = action;
        return this;
    }

    public ScriptedLeases onResume(Runnable action) {
        this.onResume = action;
        return this;
    }

    public ScriptedLeases onClose(Runnable action) {
        this.onClose = action;
        return this;
    }

    public ScriptedLeases firstTick(long tick) {
        this.firstTick = tick;
        return this;
    }

    public ScriptedLeases startTimeout(Duration timeout) {
        this.startTimeout = timeout;
        return this;
    }

    /**
     * Holds, from the start on, the whole range of the layout for one hour of real time.
     */
    public static ScriptedLeases endless(int worker, EngineTerms terms) {
        ScriptedLeases leases = new ScriptedLeases("endless:" + worker);
        return leases.onStart(() -> leases.holder().hold(endlessLease(worker, terms)));
    }

    static TickLease endlessLease(int worker, EngineTerms terms) {
        TimeSource time = terms.time();
        return new TickLease(worker, 0, terms.layout().lastTick() + 1, time.nanoTime() + Duration.ofHours(1).toNanos(),
                new LeaseClock(time.nanoTime(), time.epochNanos()));
    }

    public LeaseHolder holder() {
        return this.holder;
    }

    /** Sets which other sources take their leases from the same place. */
    public ScriptedLeases sharing(BiPredicate<LeaseSource, LeaseSource> sharing) {
        this.sharing = sharing;
        return this;
    }

    /** Stands for a store that keeps the mark of each lease. */
    public ScriptedLeases keepingItsEnd() {
        this.keepsItsEnd = true;
        return this;
    }

    @Override
    public boolean keepsItsEnd() {
        return this.keepsItsEnd;
    }

    @Override
    public boolean sharesLeasesWith(LeaseSource other) {
        return this.sharing.test(this, other);
    }

    /** How often somebody was about to wait for an engine of this source. */
    public int patienceAsked() {
        return this.patienceAsked.get();
    }

    /** How often callers asked for a lease. */
    public int renewals() {
        return this.renewals.get();
    }

    public int closes() {
        return this.closes.get();
    }

    @Override
    public ConnectedLeases connect(EngineTerms terms) {
        this.onIdentity.run();
        return new ConnectedLeases(this.identity, this.firstTick, (engine) -> {
            this.holder = engine;
            this.onStart.run();
        });
    }

    @Override
    public Duration startTimeout() {
        this.patienceAsked.incrementAndGet();
        return this.startTimeout;
    }

    @Override
    public void renewSoon() {
        this.renewals.incrementAndGet();
        this.onRenew.run();
    }

    @Override
    public ShardedIdException refusal() {
        return new WorkerLeaseException("Worker lease expired: worker=3");
    }

    @Override
    public List<WorkerHolding> workers() {
        return List.of();
    }

    @Override
    public void suspend() {
        this.onSuspend.run();
    }

    @Override
    public void resume() {
        this.onResume.run();
    }

    @Override
    public void close() {
        this.closes.incrementAndGet();
        this.onClose.run();
    }

}
