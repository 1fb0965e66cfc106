package io.shardedid.internal.lease;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

import io.shardedid.EngineProbe.Claimants;
import io.shardedid.LeaseClock;
import io.shardedid.TickLease;
import org.jspecify.annotations.Nullable;

/**
 * A process to which each thing that may happen happens in its turn. Its keeper asks at
 * any time, and its callers claim any tick.
 */
final class SearchedProcess extends SimProcess {

    /** An impatient caller waits at most so long before the keeper asks again. */
    private static final long IMPATIENT_NANOS = LeaseTiming.IMPATIENT_NANOS;

    /** No lease of the search comes to its deadline. */
    private static final long FAR_NANOS = 3600 * 1_000_000_000L;

    private final SearchedFleet fleet;

    private final int number;

    /** What the store has answered to the write that is under way. */
    private @Nullable LeaseReply reply;

    /** Calls that have read a lease, one for each set of cells. */
    private final List<Claimants> claimants = new ArrayList<>();

    SearchedProcess(SearchedFleet fleet, int number) {
        this(fleet, number, SimTime.exact(fleet.world()));
    }

    private SearchedProcess(SearchedFleet fleet, int number, SimTime time) {
        super(fleet.removed(), time, fleet.terms(time), fleet.leaseSettings(), () -> false);
        this.fleet = fleet;
        this.number = number;
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

    @Override
    String token() {
        return this.fleet.token();
    }

    @Override
    RandomGenerator choice() {
        return new Chance();
    }

    @Override
    LeaseReport report() {
        return new SilentReport(this.terms, this.leaseSettings);
    }

    @Override
    TickLease timed(TickLease lease) {
        long now = this.time.read();
        return new TickLease(lease.worker(), lease.lo(), lease.hi(), now + FAR_NANOS,
                new LeaseClock(now, this.terms.layout().instantAt(lease.lo()).getEpochSecond() * 1_000_000_000));
    }

    @Override
    void begun(boolean beforeSuspension) {
        Claimants now = this.engine.claimants();
        if (now.worker() >= 0) {
            this.claimants.removeIf(now::share);
            this.claimants.add(now);
            say("may make ids of worker id %s with ticks from %s to before %s", now.worker(),
                    SearchedFleet.shown(now.from()), SearchedFleet.shown(now.end()));
        }
    }

    /** Before a lease ends: nothing was claimed, one tick or all. */
    @Override
    void ending() {
        Claimants now = this.engine.claimants();
        long from = now.from();
        long end = now.end();
        if (from < end) {
            int much = this.fleet.pick((end - from == 1) ? 2 : 3);
            if (much > 0) {
                long last = (much == 1) ? from : end - 1;
                now.make(last);
                claimed(now.worker(), from, last);
            }
        }
    }

    private void claimed(int worker, long from, long last) {
        this.fleet.claimed().add(worker, from, last + 1);
        say("has made the ids of worker id %s with ticks %s to %s", worker, SearchedFleet.shown(from),
                SearchedFleet.shown(last));
    }

    /** Adds what may happen to it next. */
    void events(List<Runnable> events) {
        if (sent() == null) {
            events.add(this::round);
        }
        else if (this.reply != null) {
            events.add(() -> answer(this.reply));
        }
        else if (this.fleet.writes()) {
            events.add(this::apply);
        }
        if (suspended()) {
            events.add(this::goOn);
        }
    }

    /** Adds what may go wrong with it. */
    void faults(List<Runnable> events) {
        if (sent() != null) {
            events.add(() -> fail("timed out"));
        }
        if (underWay() != null) {
            events.add(this::beLate);
            events.add(this::beDoubled);
        }
        if (!suspended()) {
            events.add(this::beSuspended);
        }
        events.add(this::kill);
    }

    /**
     * The next round of the keeper: a read with its answer, and then the write is under
     * way.
     */
    private void round() {
        this.time.suspended(IMPATIENT_NANOS);
        if (!suspended()) {
            this.rounds.wake();
        }
        KeeperRounds.Step step = this.rounds.next();
        this.time.suspended(-IMPATIENT_NANOS);
        if (step instanceof KeeperRounds.Wait) {
            step = this.rounds.next();
        }
        // once the layout row is known, the rows are read at the same moment
        int reads = (this.rounds.layoutRow() == null) ? 2 : 1;
        while (step instanceof KeeperRounds.Send send && reads(send.statement()) && reads-- > 0) {
            hear(this.fleet.execute(send(send.statement())));
            step = this.rounds.next();
        }
        if (step instanceof KeeperRounds.Send send && !reads(send.statement())) {
            say("asks to %s", send(send.statement()));
        }
        else {
            say("reads the rows");
        }
    }

    private void apply() {
        LeaseStatement write = sent();
        if (write != null) {
            this.reply = this.fleet.execute(write);
            say("asked, and the store answers %s", this.reply);
        }
    }

    private void answer(LeaseReply answer) {
        say("hears %s", (answer instanceof LeaseReply.Unknown unknown) ? unknown.cause().getMessage() : answer);
        this.reply = null;
        hear(answer);
    }

    /** There is no answer. */
    private void fail(String why) {
        this.fleet.fault();
        answer(new LeaseReply.Unknown(new IOException(why)));
    }

    /** The write comes a second time. */
    private void beDoubled() {
        this.fleet.fault();
        this.fleet.beLate(sent());
        say("its write is doubled");
    }

    private void beLate() {
        this.fleet.beLate(sent());
        fail("late");
    }

    private void beSuspended() {
        this.fleet.fault();
        ending();
        say("is suspended");
        suspend();
    }

    private void goOn() {
        say("goes on");
        resume();
    }

    private void kill() {
        this.fleet.fault();
        if (underWay() != null && this.fleet.pick(2) == 1) {
            this.fleet.beLate(sent());
        }
        say("is killed");
        end();
    }

    /** Whatever it could claim, it has claimed. Another process comes. */
    void end() {
        for (Claimants each : this.claimants) {
            if (each.from() < each.end()) {
                claimed(each.worker(), each.from(), each.end() - 1);
            }
        }
        SearchedProcess next = this.fleet.replace(this);
        TickLease lease = file();
        if (lease != null) {
            next.goOnWith(lease);
        }
    }

    /** Forgets calls that can claim nothing any more. */
    void settle() {
        this.claimants.removeIf((each) -> each.end() <= each.from() && each.end() == 0);
    }

    private void say(String form, @Nullable Object... values) {
        this.fleet.say(this.number, form, values);
    }

    List<Claimants> claimants() {
        return this.claimants;
    }

    /** The write that the store has not got yet. */
    @Nullable LeaseStatement underWay() {
        return (this.reply == null) ? sent() : null;
    }

    @Nullable LeaseReply reply() {
        return this.reply;
    }

}
