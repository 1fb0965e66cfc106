package io.shardedid.internal.lease;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

import io.shardedid.EngineProbe;
import io.shardedid.EngineProbe.Claimants;
import io.shardedid.EngineTerms;
import io.shardedid.LeaseClock;
import io.shardedid.TickLease;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeases;
import io.shardedid.internal.LeaseHolder;
import org.jspecify.annotations.Nullable;

/** One process of the search: the engine, the protocol and the keeper's rounds. */
final class SearchedProcess {

    /** An impatient caller waits at most so long before the keeper asks again. */
    private static final long IMPATIENT_NANOS = LeaseTiming.IMPATIENT_NANOS;

    /** No lease of the search comes to its deadline. */
    private static final long FAR_NANOS = 3600 * 1_000_000_000L;

    private final SearchedFleet fleet;

    private final int number;

    private final Clock time = new Clock();

    private final EngineTerms terms;

    private final EngineProbe engine;

    private final KeeperRounds rounds;

    private @Nullable EndableHolder holder;

    private boolean suspended;

    /** The write that is under way. */
    private @Nullable LeaseStatement sent;

    /** What the store has answered to it. */
    private @Nullable LeaseReply reply;

    /** The latest lease, and whether it goes on. */
    private @Nullable TickLease latest;

    private boolean leased;

    /** Calls that have read a lease, one for each set of cells. */
    private final List<Claimants> claimants = new ArrayList<>();

    SearchedProcess(SearchedFleet fleet, int number) {
        this.fleet = fleet;
        this.number = number;
        this.time.nanos = fleet.nanos();
        this.terms = fleet.terms(this.time);
        this.engine = new EngineProbe(this.terms, WorkerLeases.fixed(0));
        this.rounds = new KeeperRounds(false, this::protocol, this.time::nanoTime);
    }

    /** A clock that is set. */
    static final class Clock extends TimeSource {

        private long nanos;

        @Override
        public long nanoTime() {
            return this.nanos;
        }

        @Override
        public long epochNanos() {
            return SimWorld.BASE_EPOCH_NANOS + this.nanos;
        }

        @Override
        public void park(long nanos) {
            throw new IllegalStateException("nothing waits in the search");
        }

    }

    /** Chance that is picked. */
    private final class Chance implements RandomGenerator {

        @Override
        public long nextLong() {
            return 0;
        }

        @Override
        public double nextDouble() {
            return 0.5;
        }

        @Override
        public int nextInt(int bound) {
            return SearchedProcess.this.fleet.pick(bound);
        }

    }

    private LeaseProtocol protocol() {
        Holder mine = new Holder();
        EndableHolder fresh = new EndableHolder(() -> mine, () -> {
        });
        this.holder = fresh;
        return new LeaseProtocol(this.terms, this.fleet.leaseSettings(), this.rounds.layoutRow(), fresh,
                new SilentReport(this.terms, this.fleet.leaseSettings()), this.fleet::token, new Chance(),
                this.time.nanoTime());
    }

    /** Adds what may happen to it next. */
    void events(List<Runnable> events) {
        if (this.sent == null) {
            events.add(this::round);
        }
        else if (this.reply != null) {
            events.add(this::answer);
        }
        else if (this.fleet.writes()) {
            events.add(this::apply);
        }
        if (this.suspended) {
            events.add(this::resume);
        }
    }

    /** Adds what may go wrong with it. */
    void faults(List<Runnable> events) {
        if (this.sent != null) {
            events.add(this::timeout);
        }
        if (this.sent != null && this.reply == null) {
            events.add(this::beLate);
            events.add(this::beDoubled);
        }
        if (!this.suspended) {
            events.add(this::suspend);
        }
        events.add(this::kill);
    }

    /**
     * The next round of the keeper: a read with its answer, and then the write is under
     * way.
     */
    private void round() {
        this.time.nanos = this.fleet.nanos() - IMPATIENT_NANOS;
        if (!this.suspended) {
            this.rounds.wake();
        }
        KeeperRounds.Step step = this.rounds.next();
        if (step instanceof KeeperRounds.Wait) {
            step = next();
        }
        if (step instanceof KeeperRounds.Send send && reads(send.statement())) {
            boolean starts = this.rounds.layoutRow() == null;
            step = read(send.statement());
            if (starts && step instanceof KeeperRounds.Send again && reads(again.statement())) {
                // the layout row is known, and the rows are read at the same moment
                step = read(again.statement());
            }
        }
        if (step instanceof KeeperRounds.Send send && !reads(send.statement())) {
            this.rounds.sending();
            this.sent = sent(send.statement());
        }
        LeaseStatement write = this.sent;
        if (write != null) {
            say("asks to %s", write);
        }
        else {
            say("reads the rows");
        }
    }

    /** Returns what follows a read. */
    private KeeperRounds.Step read(LeaseStatement statement) {
        this.time.nanos = this.fleet.nanos();
        this.rounds.sending();
        LeaseReply.Rows rows = (LeaseReply.Rows) this.fleet.execute(statement);
        this.rounds.reply(this.fleet.removed()
            .seen(rows, this.leased || statement instanceof LeaseStatement.ReadOne, this.fleet));
        return next();
    }

    private LeaseStatement sent(LeaseStatement statement) {
        SearchedGuard removed = this.fleet.removed();
        TickLease lease = this.latest;
        if (!(statement instanceof LeaseStatement.Update update) || lease == null || update.acquisitionStep() == 1) {
            return removed.sent(statement, this.fleet);
        }
        if (update.leaseUntilMillis() == 0) {
            long mark = (removed == SearchedGuard.RELEASE_TO_LO) ? lease.lo() : update.hwmTick();
            return new LeaseStatement.Update(update.worker(), update.seenToken(), update.hwmAtMost(), update.token(), 0,
                    0, mark, null, update.layout(), null);
        }
        if (removed == SearchedGuard.GRANTED_WHEN_ASKED && this.leased) {
            new Holder().hold(
                    new TickLease(lease.worker(), lease.lo(), update.hwmTick(), lease.deadlineNanos(), lease.clock()));
        }
        return removed.sent(statement, this.fleet);
    }

    private KeeperRounds.Step next() {
        this.time.nanos = this.fleet.nanos();
        return this.rounds.next();
    }

    private static boolean reads(LeaseStatement statement) {
        return statement instanceof LeaseStatement.ReadAll || statement instanceof LeaseStatement.ReadOne;
    }

    private void apply() {
        LeaseStatement write = this.sent;
        if (write != null) {
            LeaseReply done = this.fleet.execute(write);
            say("asked, and the store answers %s", done);
            this.reply = (this.fleet.confirms() || !done.equals(SearchedFleet.DONE)) ? done
                    : new LeaseReply.Unknown(new IOException("not confirmed"));
        }
    }

    /** The write comes a second time. */
    private void beDoubled() {
        this.fleet.fault();
        LeaseStatement write = this.sent;
        if (write != null) {
            this.fleet.beLate(write);
            say("its write is doubled");
        }
    }

    private void answer() {
        LeaseReply answer = this.reply;
        if (answer != null) {
            hear(answer);
        }
    }

    private void beLate() {
        this.fleet.fault();
        LeaseStatement write = this.sent;
        if (write != null) {
            this.fleet.beLate(write);
            say("its write is late");
            hear(new LeaseReply.Unknown(new IOException("late")));
        }
    }

    private void timeout() {
        this.fleet.fault();
        hear(new LeaseReply.Unknown(new IOException("timed out")));
    }

    private void hear(LeaseReply answer) {
        say("hears %s", (answer instanceof LeaseReply.Unknown unknown) ? unknown.cause().getMessage() : answer);
        boolean renews = this.sent instanceof LeaseStatement.Update update && update.acquisitionStep() == 0;
        this.sent = null;
        this.reply = null;
        this.time.nanos = this.fleet.nanos();
        this.rounds.reply((answer instanceof LeaseReply.Unknown && takesAsDone(renews)) ? SearchedFleet.DONE : answer);
    }

    private boolean takesAsDone(boolean renews) {
        return switch (this.fleet.removed()) {
            case UNKNOWN_TAKEN_AS_DONE -> true;
            // nobody renews who holds no lease, but for one that a read has shown
            case GRANTED_WHEN_READ -> renews && !this.leased && !this.suspended;
            default -> false;
        };
    }

    private void suspend() {
        this.fleet.fault();
        claim();
        this.suspended = true;
        if (this.fleet.removed() != SearchedGuard.RELEASE_WITHOUT_POISON) {
            this.engine.suspend();
        }
        EndableHolder held = this.holder;
        if (held != null) {
            held.end();
        }
        this.rounds.suspend();
        say("is suspended");
    }

    private void resume() {
        this.engine.resume();
        this.suspended = false;
        this.rounds.resume();
        say("goes on");
    }

    private void kill() {
        this.fleet.fault();
        LeaseStatement write = this.sent;
        if (write != null && this.reply == null && this.fleet.pick(2) == 1) {
            this.fleet.beLate(write);
        }
        say("is killed");
        end();
    }

    /** Whatever it could claim, it has claimed. Another process comes. */
    void end() {
        for (Claimants each : this.claimants) {
            if (each.from() < each.end()) {
                this.fleet.claimed().add(each.worker(), each.from(), each.end());
                say("had made all ids of worker id %s with ticks %s to %s", each.worker(),
                        SearchedFleet.shown(each.from()), SearchedFleet.shown(each.end() - 1));
            }
        }
        SearchedProcess next = this.fleet.replace(this);
        TickLease lease = this.latest;
        if (this.fleet.removed() == SearchedGuard.LEASE_FROM_FILE && lease != null && this.leased) {
            next.new Holder().hold(lease);
        }
    }

    /** Before a lease ends: nothing was claimed, one tick or all. */
    private void claim() {
        Claimants now = this.engine.claimants();
        long from = now.from();
        long end = now.end();
        if (from < end) {
            int much = this.fleet.pick((end - from == 1) ? 2 : 3);
            if (much > 0) {
                long last = (much == 1) ? from : end - 1;
                now.make(last);
                this.fleet.claimed().add(now.worker(), from, last + 1);
                say("has made the ids of worker id %s with ticks %s to %s", now.worker(), SearchedFleet.shown(from),
                        SearchedFleet.shown(last));
            }
        }
    }

    /** Forgets calls that can claim nothing any more. */
    void settle() {
        this.claimants.removeIf((each) -> each.end() <= each.from() && each.end() == 0);
    }

    private final class Holder implements LeaseHolder {

        @Override
        public void hold(TickLease confirmed) {
            SearchedProcess me = SearchedProcess.this;
            TickLease lease = me.fleet.removed().held(confirmed);
            if (me.fleet.removed() == SearchedGuard.FRESH_CELLS && me.leased) {
                me.engine.forgetCells(WorkerLeases.fixed(0));
            }
            me.latest = confirmed;
            me.leased = true;
            me.engine.holder()
                .hold(new TickLease(lease.worker(), lease.lo(), lease.hi(), me.time.nanoTime() + FAR_NANOS,
                        new LeaseClock(me.time.nanoTime(),
                                me.fleet.layout().instantAt(lease.lo()).getEpochSecond() * 1_000_000_000)));
            Claimants now = me.engine.claimants();
            if (now.worker() >= 0) {
                me.claimants.removeIf(now::share);
                me.claimants.add(now);
                me.say("may make ids of worker id %s with ticks from %s to before %s", now.worker(),
                        SearchedFleet.shown(now.from()), SearchedFleet.shown(now.end()));
            }
        }

        @Override
        public long relinquish() {
            SearchedProcess me = SearchedProcess.this;
            claim();
            me.leased = false;
            return (me.fleet.removed() == SearchedGuard.RELEASE_WITHOUT_POISON) ? me.engine.relinquishWithoutPoison()
                    : me.engine.holder().relinquish();
        }

    }

    private void say(String form, Object... values) {
        this.fleet.say(this.number, form, values);
    }

    List<Claimants> claimants() {
        return this.claimants;
    }

    EngineProbe engine() {
        return this.engine;
    }

    KeeperRounds rounds() {
        return this.rounds;
    }

    boolean suspended() {
        return this.suspended;
    }

    /** The write that the store has not got yet. */
    @Nullable LeaseStatement underWay() {
        return (this.reply == null) ? this.sent : null;
    }

    @Nullable LeaseStatement sent() {
        return this.sent;
    }

    @Nullable LeaseReply reply() {
        return this.reply;
    }

}
