package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseSettings;
import io.shardedid.LeaseSource;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdException;
import io.shardedid.TimeSource;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import io.shardedid.WorkerLeaseListener;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.ConnectedLeases;
import io.shardedid.internal.LeaseHolder;
import io.shardedid.internal.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * Mode {@code lease}: a worker id that is leased from a store and kept by a thread of its
 * own.
 */
final class LeasedWorker implements WorkerLeases, LeaseThread {

    private static final System.Logger LOG = System.getLogger(LeasedWorker.class.getName());

    /** The difference of the wall clocks that a start warns of. */
    private static final Duration WARNED_SKEW = Duration.ofSeconds(10);

    private static final long REPEAT_NANOS = Duration.ofMinutes(1).toNanos();

    private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(200).toNanos();

    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

    /** How long a start waits for the look of the application. */
    private static final long LOOK_NANOS = Duration.ofSeconds(5).toNanos();

    private final LeaseSettings leaseSettings;

    private final WatchedStore store;

    private final List<WorkerLeaseListener> listeners;

    /** How long to wait for a release. */
    private final Duration patience;

    private volatile @Nullable LeaseKeeper keeper;

    private volatile @Nullable EngineTerms terms;

    private final CompletableFuture<LeaseRow> layoutRow = new CompletableFuture<>();

    private final AtomicBoolean readsLayout = new AtomicBoolean();

    /** What the latest protocol has in its hands. */
    private volatile @Nullable EndableHolder holder;

    private volatile @Nullable LeaseReport report;

    /** What came of the look whether the application reads the lease. */
    private final CompletableFuture<@Nullable Void> look = new CompletableFuture<>();

    private final AtomicBoolean looks = new AtomicBoolean();

    private volatile @Nullable ShardedIdConfigurationException unseen;

    private volatile boolean opened;

    private volatile boolean closed;

    LeasedWorker(LeaseSettings leaseSettings, LeaseStore store, List<WorkerLeaseListener> listeners) {
        this(leaseSettings, store, listeners, LeaseKeeper.RELEASE_PATIENCE);
    }

    LeasedWorker(LeaseSettings leaseSettings, LeaseStore store, List<WorkerLeaseListener> listeners,
            Duration patience) {
        this.patience = patience;
        this.leaseSettings = leaseSettings;
        this.store = new WatchedStore(store);
        this.listeners = List.copyOf(listeners);
    }

    Optional<String> namespaceIn(Predicate<LeaseStore> kind) {
        return kind.test(this.store.store) ? Optional.of(this.leaseSettings.namespace()) : Optional.empty();
    }

    @Override
    public ConnectedLeases connect(EngineTerms terms) {
        LeaseRules.of(this.leaseSettings).check(terms);
        checkRange(terms);
        if (this.leaseSettings.firstUse()) {
            // no database is touched, so no other engine of this JVM is found that uses
            // it
            return new ConnectedLeases("lease:" + TokenBook.freshSource().get(),
                    (patience) -> firstTick(terms, patience), (holder) -> start(terms, holder));
        }
        LeaseRow row = layoutRow(terms, this.leaseSettings.startupTimeout());
        return new ConnectedLeases("lease:" + row.token() + "/" + this.leaseSettings.namespace(), row.hwmTick(),
                (holder) -> start(terms, holder));
    }

    /**
     * Makes the store ready and reads the layout row, once. Used by one thread at a time.
     * @param limit how long to try again
     */
    private LeaseRow layoutRow(EngineTerms terms, Duration limit) {
        LeaseRow known = this.layoutRow.getNow(null);
        if (known != null) {
            return known;
        }
        long began = terms.time().nanoTime();
        ensureStore(terms.time(), began, limit);
        LayoutDialogue dialogue = new LayoutDialogue(LeaseRules.of(this.leaseSettings).timing(terms.layout()),
                this.leaseSettings.namespace(), LayoutText.of(terms, this.leaseSettings), TokenBook.freshSource(),
                (failure) -> this.store
                    .isTransient(new WorkerLeaseException(String.valueOf(failure.getMessage()), failure)),
                terms.time(), began);
        long ready = terms.time().nanoTime();
        if (!dialogue.end(this.store, began + limit.toNanos())) {
            throw dialogue
                .unanswered(Thread.currentThread().isInterrupted() ? "the start was interrupted" : limit.isZero()
                        ? "the lease thread asks again; see whether the store is up"
                        : ("shardedid.worker.lease.startup-timeout=%s (connecting and checks took %s, then questions %s); "
                                + "start the store, or set a longer 'shardedid.worker.lease.startup-timeout'")
                            .formatted(MessageText.duration(limit), millis(ready - began),
                                    millis(terms.time().nanoTime() - ready)));
        }
        LeaseRow row = dialogue.row();
        checkSkew(Duration.ofMillis(dialogue.databaseMillis() - terms.time().epochNanos() / 1_000_000));
        LeaseRules.checkLine(terms, row.hwmTick());
        this.layoutRow.complete(row);
        return row;
    }

    /**
     * Returns the tick of the very first lease. Where the store was not read before, the
     * lease thread reads it, and takes no lease for that.
     */
    private long firstTick(EngineTerms terms, Duration patience) {
        if (!this.layoutRow.isDone() && this.readsLayout.compareAndSet(false, true)) {
            add(new LayoutLook(terms));
        }
        if (!this.layoutRow.isDone() && this.keeper == null) {
            throw refusal();
        }
        try {
            return this.layoutRow.get(patience.toNanos(), TimeUnit.NANOSECONDS).hwmTick();
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw refusal();
        }
        catch (ExecutionException | TimeoutException ex) {
            throw refusal();
        }
    }

    private static String millis(long nanos) {
        return MessageText.duration(Duration.ofNanos(nanos).truncatedTo(ChronoUnit.MILLIS));
    }

    /**
     * A layout whose time has passed makes no id ever again. The clock of the machine may
     * be ahead by what the start would refuse.
     */
    private void checkRange(EngineTerms terms) {
        if (terms.layout().tickAtEpochNanos(terms.time().epochNanos() - this.leaseSettings.maxSkew().toNanos()) > terms
            .layout()
            .lastTick()) {
            throw LeaseRefusal.rangeExhausted(terms);
        }
    }

    /**
     * Tries again until the start has waited long enough, if the reason can pass: of many
     * processes that start at once not all get a connection at once.
     */
    private void ensureStore(TimeSource time, long began, Duration patience) {
        long limit = patience.toNanos();
        long pause = FIRST_PAUSE_NANOS;
        long logged = began - REPEAT_NANOS;
        while (true) {
            try {
                this.store.ensure();
                checkDurability();
                return;
            }
            catch (WorkerLeaseException ex) {
                long now = time.nanoTime();
                long left = limit - (now - began);
                if (!this.store.isTransient(ex) || left <= 0 || Thread.currentThread().isInterrupted()) {
                    throw ex;
                }
                if (now - logged >= REPEAT_NANOS) {
                    logged = now;
                    LOG.log(System.Logger.Level.WARNING,
                            "{0}; the start tries again for {1} (shardedid.worker.lease.startup-timeout={2})",
                            ex.getMessage(),
                            MessageText.duration(Duration.ofNanos(left).truncatedTo(ChronoUnit.MILLIS)),
                            MessageText.duration(patience));
                }
                // half of the pause at least, and of different length in each process
                time.park(Math.min(left, pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2)));
                pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            }
        }
    }

    /** A lease is only as good as what the store keeps of it. */
    private void checkDurability() {
        boolean tolerant = this.leaseSettings.tolerateLostCommits();
        Durability durability = this.store.durability();
        if (durability == Durability.KEPT && tolerant) {
            throw new ShardedIdConfigurationException(("Could not use the store of the leases: store=%s, "
                    + "shardedid.worker.lease.tolerate-lost-commits=true (this store cannot compare its own clock "
                    + "within a write, on which that mode rests)")
                .formatted(this.store.describe()),
                    "remove 'shardedid.worker.lease.tolerate-lost-commits', or take another store",
                    "shardedid.worker.lease.tolerate-lost-commits");
        }
        if (durability == Durability.MAY_BE_LOST && !tolerant) {
            throw new ShardedIdConfigurationException(("Could not use the store of the leases: store=%s, "
                    + "shardedid.worker.lease.tolerate-lost-commits=false (this store may lose writes that it has "
                    + "acknowledged, and the plain mode would make duplicate ids then)")
                .formatted(this.store.describe()), "set 'shardedid.worker.lease.tolerate-lost-commits=true'",
                    "shardedid.worker.lease.tolerate-lost-commits");
        }
    }

    private void checkSkew(Duration ahead) {
        if (ahead.abs().compareTo(this.leaseSettings.maxSkew()) > 0) {
            throw new WorkerLeaseException(
                    ("Could not lease a worker id: the clock of the database is %s the clock of this machine "
                            + "(shardedid.clock.max-skew=%s); correct the clock that is wrong")
                        .formatted(LeaseTiming.aheadOrBehind(ahead),
                                MessageText.duration(this.leaseSettings.maxSkew())),
                    true, "Correct the clock of this machine or that of the database, and start again.", null);
        }
        if (ahead.abs().compareTo(WARNED_SKEW) > 0) {
            LOG.log(System.Logger.Level.WARNING,
                    "The clock of the database is {0} the clock of this machine; ids go by the database",
                    LeaseTiming.aheadOrBehind(ahead));
            LeaseReport.tell(this.listeners, (listener) -> listener.skewed(ahead), LeaseReport::logThrown);
        }
    }

    private void start(EngineTerms terms, LeaseHolder holder) {
        LeaseReport report = new LeaseReport(terms, this.leaseSettings, this.listeners);
        this.report = report;
        LeaseKeeper started = new LeaseKeeper(terms, this.leaseSettings, this.store, report,
                () -> protocol(terms, holder, report), this.patience);
        this.keeper = started;
        this.terms = terms;
        started.start();
        if (!this.leaseSettings.firstUse()) {
            started.awaitLease();
            awaitLook();
        }
        this.opened = true;
        refuseIfUnseen();
    }

    private void refuseIfUnseen() {
        ShardedIdConfigurationException refused = this.unseen;
        if (refused != null) {
            throw refused;
        }
    }

    /** Each lease uses the same connections, so the first one is looked for. */
    private void beginLook() {
        refuseIfUnseen();
        if (this.looks.compareAndSet(false, true)) {
            Thread thread = new Thread(this::lookUntilSeen, "shardedid-lease-look-" + this.leaseSettings.namespace());
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Callers may hold all connections of the application, so none waits for this. */
    private void lookUntilSeen() {
        long pause = FIRST_PAUSE_NANOS;
        try {
            while (!this.closed && !isSeen()) {
                TimeSource.system().park(pause);
                pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            }
            this.look.complete(null);
        }
        catch (ShardedIdConfigurationException ex) {
            this.unseen = ex;
            this.look.completeExceptionally(ex);
            if (this.opened && !this.closed) {
                LOG.log(System.Logger.Level.ERROR, "No more ids: {0}", ex.getMessage());
                suspend();
            }
        }
        catch (Throwable ex) {
            this.look.completeExceptionally(ex);
        }
    }

    private boolean isSeen() {
        Sent written = this.store.confirmed;
        try {
            return written != null && this.store.checkSeen(written.worker(), this.store::tokens);
        }
        catch (ShardedIdConfigurationException ex) {
            Sent now = this.store.confirmed;
            if (now != null && written != null && now.worker() != written.worker()) {
                // another process may have the row by now
                return false;
            }
            throw ex;
        }
    }

    /** No id was made yet, so a start waits a little for what it may refuse. */
    private void awaitLook() {
        try {
            this.look.get(LOOK_NANOS, TimeUnit.NANOSECONDS);
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        catch (ExecutionException | TimeoutException ex) {
            // lookUntilSeen() refuses the ids of a look that failed later
        }
    }

    /** A protocol that nothing of before a suspension reaches: no lease, no token. */
    private LeaseProtocol protocol(EngineTerms terms, LeaseHolder engine, LeaseReport report) {
        LeaseRow row = layoutRow(terms, Duration.ZERO);
        EndableHolder fresh = new EndableHolder(engine, this::beginLook);
        this.holder = fresh;
        LeaseProtocol protocol = new LeaseProtocol(terms, this.leaseSettings, row, fresh, report,
                TokenBook.freshSource(), new SplittableRandom(), terms.time().nanoTime());
        protocol.nobodyElse(this.store.reachedByThisProcessAlone());
        return protocol;
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
            refuseIfHopeless();
        }
    }

    private void refuseIfHopeless() {
        refuseIfUnseen();
        if (this.store.waitsForCallers()) {
            throw new WorkerLeaseException(
                    ("No worker lease: its renewal waits for a connection of the pool, and callers hold them while they "
                            + "wait for an id: namespace='%s'; give the pool more connections")
                        .formatted(this.leaseSettings.namespace()),
                    true, "Give the connection pool more connections than callers hold at once.", null);
        }
        LeaseReport told = this.report;
        if (told != null && told.hopeless()) {
            throw refusal();
        }
    }

    @Override
    public ShardedIdException refusal() {
        LeaseKeeper running = this.keeper;
        ShardedIdConfigurationException refused = this.unseen;
        return (refused != null) ? refused
                : (running != null) ? running.refusal()
                        : new WorkerLeaseException("No worker lease: the lease thread of namespace '%s' is not running"
                            .formatted(this.leaseSettings.namespace()));
    }

    @Override
    public List<WorkerHolding> workers() {
        LeaseReport told = this.report;
        if (this.keeper == null || told == null) {
            throw refusal();
        }
        return told.workers();
    }

    @Override
    public boolean keepsItsEnd() {
        return true;
    }

    /**
     * Renews the lease, and looks whether the other source reads just that renewal by its
     * own connection. Nothing less proves that both are one store: a copy of a database
     * has all that was written before it was made, so the write comes after the other
     * source has named itself, which it read from a database that was there.
     */
    @Override
    public boolean sharesLeasesWith(LeaseSource other) {
        LeaseKeeper running = this.keeper;
        if (!(other instanceof LeasedWorker joining) || running == null) {
            return false;
        }
        long limit = joining.leaseSettings.startupTimeout().toNanos();
        TimeSource clock = TimeSource.system();
        long began = clock.nanoTime();
        running.resume();
        while (true) {
            Sent renewal = this.store.next(running::renewNow, limit - (clock.nanoTime() - began));
            if (renewal == null) {
                throw new WorkerLeaseException(
                        ("Could not join the id engine of namespace '%s': it could not renew its "
                                + "lease, which shows whether both use one store: waited=%s "
                                + "(shardedid.worker.lease.startup-timeout); see its log lines, and start the store")
                            .formatted(this.leaseSettings.namespace(),
                                    MessageText.duration(joining.leaseSettings.startupTimeout())),
                        running.refusal());
            }
            LeaseReply reply = joining.store.execute(new LeaseStatement.ReadOne(renewal.worker()));
            if (reply instanceof LeaseReply.Rows rows) {
                if (rows.row(renewal.worker()).filter((row) -> row.token().equals(renewal.token())).isPresent()) {
                    joining.store.checkSeen(renewal.worker(), this.store::tokens);
                    return true;
                }
                if (renewal == this.store.latest()) {
                    return false;
                }
            }
            else {
                clock.park(LeaseTiming.IMPATIENT_NANOS);
            }
        }
    }

    @Override
    public void join(LeaseSource other) {
        LeaseReport told = this.report;
        if (told != null && other instanceof LeasedWorker joining) {
            told.join(joining.listeners);
        }
    }

    @Override
    public void leave(LeaseSource other) {
        LeaseReport told = this.report;
        if (told != null && other instanceof LeasedWorker leaving) {
            told.leave(leaving.listeners);
        }
    }

    @Override
    public boolean add(LeaseThreadTask task) {
        LeaseKeeper running = this.keeper;
        EngineTerms known = this.terms;
        return running != null && known != null && running.add(new Ready(task, known));
    }

    @Override
    public LeaseStore store() {
        return this.store.store;
    }

    @Override
    public void look() {
        LeaseKeeper running = this.keeper;
        if (running != null) {
            running.look();
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
        LeaseReport told = this.report;
        EndableHolder held = this.holder;
        if (held != null) {
            held.end();
        }
        if (running != null && !running.suspend() && told != null) {
            told.stillHeld();
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
        this.closed = true;
        LeaseKeeper running = this.keeper;
        if (running != null) {
            running.close();
            this.keeper = null;
        }
        else {
            this.store.close();
        }
    }

    /**
     * A task that runs when the store is ready, which it may not be before the first id.
     */
    private final class Ready implements LeaseThreadTask {

        private final LeaseThreadTask task;

        private final EngineTerms terms;

        Ready(LeaseThreadTask task, EngineTerms terms) {
            this.task = task;
            this.terms = terms;
        }

        @Override
        public long dueNanos() {
            return this.task.dueNanos();
        }

        @Override
        public boolean run() {
            layoutRow(this.terms, Duration.ZERO);
            return this.task.run();
        }

        @Override
        public void end() {
            this.task.end();
        }

    }

    /**
     * Looks at the layout row, and at nothing else.
     *
     * @param terms the terms of the engine
     */
    private record LayoutLook(EngineTerms terms) implements LeaseThreadTask {

        @Override
        public long dueNanos() {
            return this.terms.time().nanoTime();
        }

        @Override
        public boolean run() {
            return false;
        }

        @Override
        public void end() {
        }

    }

    /**
     * A write that was sent to the store.
     *
     * @param worker whose row it writes
     * @param token what the row shows afterwards
     */
    private record Sent(int worker, String token) {
    }

    /**
     * The store of the keeper, with an eye on what it writes. One thread uses the store,
     * any thread may wait for a write.
     */
    private static final class WatchedStore implements LeaseStore {

        private final LeaseStore store;

        private final Queue<CompletableFuture<Sent>> waiting = new ConcurrentLinkedQueue<>();

        private volatile @Nullable Sent latest;

        private volatile @Nullable Sent confirmed;

        WatchedStore(LeaseStore store) {
            this.store = store;
        }

        /** The latest write that was sent, whatever became of it. */
        @Nullable Sent latest() {
            return this.latest;
        }

        /** What a row that was written last may show: the reply may be under way. */
        Set<String> tokens() {
            return Stream.of(this.confirmed, this.latest)
                .filter(Objects::nonNull)
                .map(Sent::token)
                .collect(Collectors.toSet());
        }

        /**
         * Waits for a write that is sent from now on and acknowledged.
         * @param ask asks the keeper for it
         * @return the write, or null if there was none in time
         */
        @Nullable Sent next(Runnable ask, long nanos) {
            CompletableFuture<Sent> write = new CompletableFuture<>();
            this.waiting.add(write);
            try {
                ask.run();
                return write.get(nanos, TimeUnit.NANOSECONDS);
            }
            catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
                throw new WorkerLeaseException(
                        "Could not join the id engine: interrupted while waiting for a renewal of its lease", ex);
            }
            catch (ExecutionException | TimeoutException ex) {
                return null;
            }
            finally {
                this.waiting.remove(write);
            }
        }

        @Override
        public LeaseReply execute(LeaseStatement statement) {
            Sent sent = (statement instanceof LeaseStatement.Update update) ? new Sent(update.worker(), update.token())
                    : (statement instanceof LeaseStatement.Insert insert)
                            ? new Sent(insert.row().worker(), insert.row().token()) : null;
            if (sent == null) {
                return this.store.execute(statement);
            }
            List<CompletableFuture<Sent>> before = List.copyOf(this.waiting);
            this.latest = sent;
            LeaseReply reply = this.store.execute(statement);
            if (reply instanceof LeaseReply.Written written && written.rows() == 1) {
                this.confirmed = sent;
                before.forEach((each) -> each.complete(sent));
            }
            return reply;
        }

        @Override
        public void ensure() {
            this.store.ensure();
        }

        @Override
        public boolean isTransient(WorkerLeaseException failure) {
            return this.store.isTransient(failure);
        }

        @Override
        public Durability durability() {
            return this.store.durability();
        }

        @Override
        public boolean reachedByThisProcessAlone() {
            return this.store.reachedByThisProcessAlone();
        }

        @Override
        public String describe() {
            return this.store.describe();
        }

        @Override
        public boolean checkSeen(int worker, Supplier<Set<String>> tokens) {
            return this.store.checkSeen(worker, tokens);
        }

        @Override
        public boolean waitsForCallers() {
            return this.store.waitsForCallers();
        }

        @Override
        public void disconnect() {
            this.store.disconnect();
        }

        @Override
        public void close() {
            this.store.close();
        }

    }

}
