package io.shardedid.internal.lease;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseSettings;
import io.shardedid.LeaseSource;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.ConnectedLeases;
import io.shardedid.internal.LeaseHolder;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * Mode {@code lease}: a worker id that is leased from a store. What it is asked, the
 * {@link LeaseKeeper} does.
 */
public final class LeasedWorker implements WorkerLeases, LeaseThread {

    private final LeaseSettings leaseSettings;

    private final LeaseStore store;

    private final List<WorkerLeaseListener> listeners;

    /** How long to wait for a release. */
    private final Duration patience;

    /** There is one from the start to {@link #close}. */
    private volatile @Nullable LeaseKeeper keeper;

    /**
     * Makes a source that leases a worker id from a store and keeps it by a thread of its
     * own. For a table of a database, {@code JdbcWorkerLeases} makes one, and the table.
     * @param leaseSettings the namespace and the times
     * @param store where the rows of the namespace are, which the source closes
     * @param listeners the listeners of the lease
     */
    public LeasedWorker(LeaseSettings leaseSettings, LeaseStore store, List<WorkerLeaseListener> listeners) {
        this(leaseSettings, store, listeners, LeaseKeeper.RELEASE_PATIENCE);
    }

    LeasedWorker(LeaseSettings leaseSettings, LeaseStore store, List<WorkerLeaseListener> listeners,
            Duration patience) {
        this.patience = patience;
        this.leaseSettings = leaseSettings;
        this.store = store;
        this.listeners = List.copyOf(listeners);
    }

    /** Returns the namespace of a source that leases from a store of some kind. */
    public static Optional<String> namespaceOf(LeaseSource source, Predicate<LeaseStore> kind) {
        return (source instanceof LeasedWorker leased && kind.test(leased.store))
                ? Optional.of(leased.leaseSettings.namespace()) : Optional.empty();
    }

    @Override
    public ConnectedLeases connect(EngineTerms terms) {
        LeaseRules rules = LeaseRules.of(this.leaseSettings);
        rules.check(terms);
        rules.checkRange(terms);
        LeaseKeeper made = new LeaseKeeper(terms, this.leaseSettings, this.store,
                new LeaseReport(terms, this.leaseSettings, this.listeners), this.patience);
        if (this.leaseSettings.firstUse()) {
            // no database is touched, so no other engine of this JVM is found that uses
            // it
            return new ConnectedLeases("lease:" + TokenBook.freshSource().get(), this::firstTick,
                    (engine) -> start(made, engine));
        }
        LeaseRow row = made.connect();
        return new ConnectedLeases("lease:" + row.token() + "/" + this.leaseSettings.namespace(), row.hwmTick(),
                (engine) -> start(made, engine));
    }

    private void start(LeaseKeeper made, LeaseHolder engine) {
        this.keeper = made;
        made.start(engine);
        made.awaitStart();
    }

    private long firstTick(Duration patience) {
        return keeper().layoutRow(patience).hwmTick();
    }

    private LeaseKeeper keeper() {
        LeaseKeeper running = this.keeper;
        if (running == null) {
            throw refusal();
        }
        return running;
    }

    @Override
    public Duration startTimeout() {
        return this.leaseSettings.startupTimeout().multipliedBy(2);
    }

    @Override
    public void renewSoon() {
        LeaseKeeper running = this.keeper;
        if (running != null) {
            running.wake();
            running.refuseIfHopeless();
        }
    }

    @Override
    public ShardedIdException refusal() {
        LeaseKeeper running = this.keeper;
        return (running != null) ? running.refusal()
                : new WorkerLeaseException("No worker lease: the lease thread of namespace '%s' is not running"
                    .formatted(this.leaseSettings.namespace()));
    }

    @Override
    public List<WorkerHolding> workers() {
        return keeper().report().workers();
    }

    @Override
    public boolean keepsItsEnd() {
        return true;
    }

    @Override
    public boolean sharesLeasesWith(LeaseSource other) {
        LeaseKeeper running = this.keeper;
        if (!(other instanceof LeasedWorker joining) || running == null) {
            return false;
        }
        running.resume();
        Duration limit = joining.leaseSettings.startupTimeout();
        try {
            return running.writes().shownBy(joining.store, running::renewNow, limit);
        }
        catch (TimeoutException ex) {
            throw new WorkerLeaseException(
                    ("Could not join the id engine of namespace '%s': it could not renew its lease, which shows whether "
                            + "both use one store: waited=%s (shardedid.worker.lease.startup-timeout); see its log "
                            + "lines, and start the store")
                        .formatted(this.leaseSettings.namespace(), MessageText.duration(limit)),
                    running.refusal());
        }
    }

    @Override
    public void join(LeaseSource other) {
        LeaseKeeper running = this.keeper;
        if (running != null && other instanceof LeasedWorker joining) {
            running.report().join(joining.listeners);
        }
    }

    @Override
    public void leave(LeaseSource other) {
        LeaseKeeper running = this.keeper;
        if (running != null && other instanceof LeasedWorker leaving) {
            running.report().leave(leaving.listeners);
        }
    }

    @Override
    public boolean add(LeaseThreadTask task) {
        LeaseKeeper running = this.keeper;
        return running != null && running.add(task);
    }

    @Override
    public LeaseStore store() {
        return this.store;
    }

    @Override
    public void look() {
        LeaseKeeper running = this.keeper;
        if (running != null) {
            running.unpark();
        }
    }

    @Override
    public String namespace() {
        return this.leaseSettings.namespace();
    }

    @Override
    public String owner() {
        return this.leaseSettings.owner();
    }

    @Override
    public void suspend() {
        LeaseKeeper running = this.keeper;
        if (running != null) {
            running.suspend();
        }
    }

    @Override
    public void resume() {
        LeaseKeeper running = this.keeper;
        if (running != null) {
            running.resume();
        }
    }

    @Override
    public void close() {
        LeaseKeeper running = this.keeper;
        if (running != null) {
            running.close();
            this.keeper = null;
        }
        else {
            this.store.close();
        }
    }

}
