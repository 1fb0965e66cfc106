package io.shardedid.internal.lease;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * What the keeper does from the start on, one step at a time. It knows no thread, no
 * store and no lock: any thread says what it wishes, and one at a time asks for the next
 * step, carries it out and says how it went. The layout row comes first, then the lease,
 * and its end before its renewal; tasks come last.
 */
final class KeeperRounds {

    private static final long IDLE_NANOS = 1_000_000_000;

    /** How late a wait may end on a busy machine. */
    private static final long STANDSTILL_NANOS = 2_000_000_000;

    private static final Step STAND_STILL = new StandStill(IDLE_NANOS);

    private static final Step IDLE = new Wait(IDLE_NANOS);

    private static final Step AT_ONCE = new Wait(0);

    private static final Step END = new End();

    private final boolean firstUse;

    private final Supplier<LeaseProtocol> protocols;

    private final LongSupplier clock;

    private final List<LeaseThreadTask> tasks = new CopyOnWriteArrayList<>();

    private volatile Want want = Want.RUN;

    private volatile boolean woken;

    private volatile boolean renewalWanted;

    /** Whether the layout row is wanted also without a lease. */
    private volatile boolean layoutWanted;

    private volatile @Nullable LeaseRow layoutRow;

    /**
     * Whether the lease has to be given back before anything else. It outlasts a
     * suspension that ended before the keeper came to it.
     */
    private volatile boolean releaseWanted;

    /* Used by the one that carries out the steps. */

    private @Nullable LeaseProtocol protocol;

    /** Whether a lease is wanted, and not only the layout row. */
    private boolean leases;

    /** When the time was read before the statement that is under way. */
    private long sentNanos;

    /** Whether the statement that gives the lease back is under way. */
    private boolean givingBack;

    /** Whether the latest step was to wait, and until when. */
    private boolean waiting;

    private long waitEndNanos;

    /** Whose turn it was last among the tasks. */
    private int turn;

    /**
     * Makes the rounds of one keeper.
     * @param firstUse whether to lease nothing before a caller wants an id
     * @param protocols makes a protocol that nothing of the one before reaches
     * @param clock the monotonic time, in nanoseconds
     */
    KeeperRounds(boolean firstUse, Supplier<LeaseProtocol> protocols, LongSupplier clock) {
        this.firstUse = firstUse;
        this.leases = !firstUse;
        this.protocols = protocols;
        this.clock = clock;
    }

    private enum Want {

        RUN, SUSPEND, CLOSE

    }

    sealed interface Step {

    }

    /** Call {@link KeeperRounds#sending}, send the statement, and hand the reply on. */
    record Send(LeaseStatement statement) implements Step {
    }

    /** Run the task, and say whether it wants to run again. */
    record Run(LeaseThreadTask task) implements Step {
    }

    /**
     * The lease was given back and no other one is wanted: leave the store, and wait.
     *
     * @param nanos how long to wait at most
     */
    record StandStill(long nanos) implements Step {
    }

    /**
     * Wait, unless a wish comes.
     *
     * @param nanos a second at most, since a task may be due by then; less than 1 if
     * there is nothing to wait for
     */
    record Wait(long nanos) implements Step {
    }

    /** The lease was given back, and nothing will be wanted any more. */
    record End() implements Step {
    }

    /* Wishes of any thread. */

    void wake() {
        this.woken = true;
    }

    /** The layout row is wanted; no lease is taken for that. */
    void wantLayoutRow() {
        this.layoutWanted = true;
    }

    /** The layout row, or null until it is known. Called by any thread. */
    @Nullable LeaseRow layoutRow() {
        return this.layoutRow;
    }

    void renewNow() {
        this.renewalWanted = true;
        this.woken = true;
    }

    void suspend() {
        this.releaseWanted = true;
        this.want = Want.SUSPEND;
    }

    /** Returns whether it stood still, or was about to. */
    boolean resume() {
        boolean suspended = this.want == Want.SUSPEND;
        if (suspended) {
            this.want = Want.RUN;
            this.woken |= !this.firstUse;
        }
        return suspended;
    }

    void close() {
        this.want = Want.CLOSE;
    }

    /** Returns whether the task may run, which it does not after the end. */
    boolean add(LeaseThreadTask task) {
        this.tasks.add(task);
        return this.want != Want.CLOSE;
    }

    /* The steps. */

    /**
     * Returns the next step. What it throws, for example in a full heap, changes nothing:
     * the next call begins anew.
     */
    Step next() {
        long now = this.clock.getAsLong();
        noticeStandstill(now);
        Step step = next(now);
        this.waiting = step instanceof Wait;
        this.waitEndNanos = (step instanceof Wait wait) ? now + Math.max(0, wait.nanos()) : 0;
        return step;
    }

    /** Notices that this process did not run when its wait was over. */
    private void noticeStandstill(long now) {
        LeaseProtocol leasing = this.protocol;
        long late = this.waiting ? now - this.waitEndNanos : 0;
        this.waiting = false;
        if (leasing != null && late >= STANDSTILL_NANOS) {
            leasing.stoodStill(late);
        }
    }

    private Step next(long now) {
        if (this.want != Want.RUN || this.releaseWanted) {
            LeaseStatement last = giveBack(now);
            if (last != null) {
                return send(last, now);
            }
            this.releaseWanted = false;
        }
        return switch (this.want) {
            case CLOSE -> END;
            case SUSPEND -> STAND_STILL;
            case RUN -> lease(now);
        };
    }

    /** Returns what is left to send, or null when the lease was given back. */
    private @Nullable LeaseStatement giveBack(long now) {
        LeaseProtocol leasing = this.protocol;
        if (leasing == null) {
            return null;
        }
        leasing.release(now);
        LeaseStatement last = leasing.next(now);
        this.givingBack = last != null;
        this.protocol = this.givingBack ? leasing : null;
        this.leases = !this.firstUse;
        return last;
    }

    private Step lease(long now) {
        LeaseProtocol leasing = this.protocol;
        this.leases |= this.woken;
        if (!this.leases && (this.layoutRow != null || !this.layoutWanted)) {
            Step other = other(leasing);
            return (other != null) ? other : IDLE;
        }
        if (leasing == null) {
            leasing = this.protocols.get();
            this.protocol = leasing;
        }
        if (this.woken) {
            this.woken = false;
            leasing.want(now);
        }
        if (this.renewalWanted) {
            this.renewalWanted = false;
            leasing.renewNow(now);
        }
        LeaseStatement statement = leasing.next(now);
        if (statement != null) {
            return send(statement, now);
        }
        Step other = other(leasing);
        return (other != null) ? other : new Wait(Math.min(leasing.dueNanos() - now, IDLE_NANOS));
    }

    private Step send(LeaseStatement statement, long now) {
        this.sentNanos = now;
        return new Send(statement);
    }

    /** What is due beside the lease, which has nothing to send, in turns. */
    private @Nullable Step other(@Nullable LeaseProtocol leasing) {
        List<LeaseThreadTask> all = List.copyOf(this.tasks);
        for (int i = 1; i <= all.size(); i++) {
            int place = (this.turn + i) % all.size();
            LeaseThreadTask task = all.get(place);
            // the clock is read second: a task may be due now
            if (task.dueNanos() - this.clock.getAsLong() <= 0) {
                if (this.layoutRow == null) {
                    // the store is not ready before, which it may not be before the first
                    // id
                    boolean asked = this.layoutWanted;
                    this.layoutWanted = true;
                    return asked ? null : AT_ONCE;
                }
                if (!mayTry(leasing)) {
                    return null;
                }
                this.turn = place;
                return new Run(task);
            }
        }
        return null;
    }

    /**
     * While the store does not answer the protocol, all others wait for the next attempt,
     * which then comes soon, since each of them could stand before it for as long as a
     * statement may take.
     */
    private boolean mayTry(@Nullable LeaseProtocol leasing) {
        boolean unanswered = leasing != null && leasing.unanswered();
        if (leasing != null && unanswered) {
            leasing.want(this.clock.getAsLong());
        }
        return !unanswered;
    }

    /** The statement of the step is sent now. */
    void sending() {
        protocol().sending();
    }

    void reply(LeaseReply reply) {
        protocol().reply(reply, this.sentNanos, this.clock.getAsLong());
        this.layoutRow = protocol().layoutRow();
        if (this.givingBack) {
            this.givingBack = false;
            this.protocol = null;
        }
    }

    private LeaseProtocol protocol() {
        return Objects.requireNonNull(this.protocol, "No statement was to be sent");
    }

    void forget(LeaseThreadTask task) {
        this.tasks.remove(task);
    }

    List<LeaseThreadTask> tasks() {
        return List.copyOf(this.tasks);
    }

    /** Returns whether a lease is held that allows ids; it may be past its deadline. */
    boolean holding() {
        LeaseProtocol leasing = this.protocol;
        return leasing != null && leasing.holding();
    }

}
