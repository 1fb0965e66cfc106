package io.shardedid.worker;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

import io.shardedid.EngineTerms;
import io.shardedid.LeaseHolder;
import io.shardedid.LeaseSource;
import io.shardedid.ShardedIdException;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * Mode {@code lease}: a worker id that is leased from a table and kept by a thread of its
 * own.
 */
final class LeaseKeeper implements WorkerLeases {

    private static final System.Logger LOG = System.getLogger(LeaseKeeper.class.getName());

    private final LeaseSettings settings;

    private final LeaseTable table;

    private final List<WorkerLeaseListener> listeners;

    private final @Nullable LayoutChange change;

    private final Supplier<String> tokens = () -> UUID.randomUUID().toString();

    private @Nullable LeaseRow layoutRow;

    private volatile @Nullable KeeperThread thread;

    private volatile @Nullable LeaseNews news;

    LeaseKeeper(LeaseSettings settings, LeaseTable table, List<WorkerLeaseListener> listeners) {
        this(settings, table, listeners, null);
    }

    LeaseKeeper(LeaseSettings settings, LeaseTable table, List<WorkerLeaseListener> listeners,
            @Nullable LayoutChange change) {
        this.settings = settings;
        this.table = table;
        this.listeners = List.copyOf(listeners);
        this.change = change;
    }

    @Override
    public String identity(EngineTerms terms) {
        this.settings.check(terms);
        this.table.ensure();
        long began = terms.time().nanoTime();
        LayoutDialogue dialogue = new LayoutDialogue(
                LeaseTiming.of(terms.layout(), this.settings.window(), this.settings.renewEvery()),
                this.settings.namespace(), terms.fingerprint(), this.tokens, firstTick(terms), began);
        Exchange exchange = new Exchange(this.table, terms.time());
        while (!dialogue.ended() && terms.time().nanoTime() - began < this.settings.startupTimeout().toNanos()
                && !Thread.currentThread().isInterrupted()) {
            exchange.advance(dialogue);
        }
        LeaseRow row = dialogue.row();
        checkSkew(Duration.ofMillis(dialogue.databaseMillis() - terms.time().epochNanos() / 1_000_000));
        this.layoutRow = row;
        return "lease:" + row.token() + "/" + this.settings.namespace();
    }

    /** Where a namespace that replaces another one begins; once, as the first of it. */
    private long firstTick(EngineTerms terms) {
        LayoutChange replaced = this.change;
        if (replaced == null) {
            return 0;
        }
        boolean begun = this.table.execute(new LeaseStatement.ReadOne(LeaseRow.LAYOUT)) instanceof LeaseReply.Rows rows
                && !rows.rows().isEmpty();
        return begun ? 0 : replaced.close(terms);
    }

    private void checkSkew(Duration ahead) {
        if (ahead.abs().compareTo(this.settings.refuseSkew()) > 0) {
            throw new WorkerLeaseException(
                    ("Could not lease a worker id: the clocks of this machine and of the database "
                            + "differ: database ahead by %s (shardedid.clock.refuse-skew=%s); set the wrong one right")
                        .formatted(ahead, this.settings.refuseSkew()));
        }
        if (ahead.abs().compareTo(this.settings.warnSkew()) > 0) {
            LOG.log(System.Logger.Level.WARNING,
                    "The clocks of this machine and of the database differ: database ahead "
                            + "by {0}; ids go by the database",
                    ahead);
            LeaseNews.tell(this.listeners, (listener) -> listener.skewed(ahead), LeaseNews::logThrown);
        }
    }

    @Override
    public void start(EngineTerms terms, LeaseHolder holder) {
        LeaseRow row = this.layoutRow;
        if (row == null) {
            throw new IllegalStateException("identity() comes before start()");
        }
        LeaseNews news = new LeaseNews(terms, this.settings, this.listeners);
        this.news = news;
        KeeperThread started = new KeeperThread(terms, this.settings, this.table, news,
                () -> new LeaseProtocol(terms, this.settings, row, holder, news, this.tokens,
                        new java.util.SplittableRandom(), terms.time().nanoTime()));
        this.thread = started;
        started.start();
        if (!this.settings.firstUse()) {
            started.awaitLease();
        }
    }

    @Override
    public Duration startTimeout() {
        return this.settings.startupTimeout().multipliedBy(2);
    }

    @Override
    public void renewSoon() {
        KeeperThread running = this.thread;
        if (running != null) {
            running.wake();
            refuseIfHopeless();
        }
    }

    private void refuseIfHopeless() {
        LeaseNews told = this.news;
        if (told != null && told.hopeless()) {
            throw refusal();
        }
    }

    @Override
    public ShardedIdException refusal() {
        KeeperThread running = this.thread;
        return (running != null) ? running.refusal() : new WorkerLeaseException(
                "No worker lease: the keeper of namespace '%s' is not running".formatted(this.settings.namespace()));
    }

    @Override
    public List<WorkerHolding> workers() {
        KeeperThread running = this.thread;
        if (running == null) {
            throw refusal();
        }
        return running.workers();
    }

    @Override
    public long firstTick() {
        LeaseRow row = this.layoutRow;
        return (row != null) ? row.hwmTick() : 0;
    }

    @Override
    public void join(LeaseSource other) {
        LeaseNews told = this.news;
        if (told != null && other instanceof LeaseKeeper joining) {
            told.join(joining.listeners);
        }
    }

    @Override
    public void leave(LeaseSource other) {
        LeaseNews told = this.news;
        if (told != null && other instanceof LeaseKeeper leaving) {
            told.leave(leaving.listeners);
        }
    }

    @Override
    public void suspend() {
        KeeperThread running = this.thread;
        if (running != null) {
            running.suspend();
        }
    }

    @Override
    public void resume() {
        KeeperThread running = this.thread;
        if (running != null) {
            running.resume();
        }
    }

    @Override
    public void close() {
        KeeperThread running = this.thread;
        this.thread = null;
        if (running != null) {
            running.close();
        }
        else {
            this.table.close();
        }
    }

}
