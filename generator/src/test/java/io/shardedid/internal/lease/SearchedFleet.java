package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;

import io.shardedid.EngineProbe.Claimants;
import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.LeaseSettings;
import io.shardedid.TimeSource;
import io.shardedid.WorkerIdRange;
import org.jspecify.annotations.Nullable;

/**
 * A fleet of processes on one lease table, one event after another. Whatever may happen
 * next is picked from outside, so the same picks are the same run.
 *
 * <p>
 * Ids go by no clock: a process may claim any tick of its lease at any time, and each
 * lease that it ever held was read by a call that claims later. That is more than the
 * deadline and the clocks of a process allow.
 */
final class SearchedFleet {

    /** A moment at which the first tick of the model begins. */
    private static final long BEGIN_MILLIS = 1_000_000;

    static final Duration TICK = Duration.ofSeconds(1);

    private static final int NOBODY = -1;

    /** The layout for one worker id, and for two or three. */
    private static final List<IdLayout> LAYOUTS = List.of(layout(1), layout(2));

    private final SearchBounds bounds;

    private final RemovedGuard removed;

    private final IntUnaryOperator picks;

    private LeaseSettings leaseSettings;

    /** Whether the mode has changed. */
    private boolean changed;

    private final SimWorld world = new SimWorld(0);

    private final SimDatabase database;

    private final List<SearchedProcess> processes = new ArrayList<>();

    /** Writes whose senders do not wait any more. */
    private final List<LeaseStatement> late = new ArrayList<>();

    private final ClaimedTicks claimed;

    /** How many things may still go wrong. */
    private int faults;

    private int step;

    private int tokens;

    private int started;

    /** What happened, while somebody wants to know. */
    private @Nullable List<String> trace;

    private @Nullable String violation;

    SearchedFleet(SearchBounds bounds, RemovedGuard removed, IntUnaryOperator picks) {
        this.bounds = bounds;
        this.removed = removed;
        this.picks = picks;
        this.faults = bounds.faults();
        this.leaseSettings = settings(bounds, bounds.tolerant());
        this.claimed = new ClaimedTicks(bounds.workers());
        this.world.runUntil(BEGIN_MILLIS * 1_000_000);
        this.database = SimDatabase.thatForgets(bounds.tolerant() ? bounds.forgotten() : 0);
        if (bounds.tolerant() || bounds.faults() > 1) {
            // tolerant processes would wait for a minute in a new namespace; with two
            // faults, the start of all others is searched
            this.database.begin(nanos(), token(),
                    tickAt(this.database.millis(nanos()) - LeaseRules.FORGOTTEN.toMillis()),
                    LayoutText.of(terms(SimTime.exact(this.world)), this.leaseSettings));
            // that long ago, no failover forgets it
            this.database.forgetPasts();
        }
        for (int i = 0; i < bounds.processes(); i++) {
            this.processes.add(new SearchedProcess(this, this.started++));
        }
    }

    private static IdLayout layout(int workerBits) {
        return IdLayout.builder()
            .epoch(Instant.ofEpochSecond(0, SimWorld.BASE_EPOCH_NANOS))
            .tick(TICK)
            .shardBits(0)
            .workerBits(workerBits)
            .sequenceBits(0)
            .build();
    }

    private static LeaseSettings settings(SearchBounds bounds, boolean tolerant) {
        return LeaseSettings.builder()
            .namespace("search")
            .window(bounds.window())
            .startupTimeout(bounds.window().plus(bounds.behind()).multipliedBy(2))
            .workerIds(new WorkerIdRange(0, bounds.workers() - 1))
            .tolerateLostCommits(tolerant)
            .promotedClockBehind(bounds.behind())
            .owner("process")
            .build();
    }

    void traceInto(List<String> lines) {
        this.trace = lines;
    }

    /** Says what a process did, or the rest of the world. */
    void say(int process, String form, @Nullable Object... values) {
        List<String> lines = this.trace;
        if (lines != null) {
            Object[] texts = Stream.of(values)
                .map((value) -> (value instanceof LeaseStatement statement) ? text(statement) : value)
                .toArray();
            lines.add(((process != NOBODY) ? "process " + process + " " : "") + form.formatted(texts));
        }
    }

    private void say(String form, Object... values) {
        say(NOBODY, form, values);
    }

    /** Picks one of what may happen. */
    int pick(int count) {
        return (count == 1) ? 0 : this.picks.applyAsInt(count);
    }

    /** Lets one event happen. */
    void step() {
        List<Runnable> events = events();
        events.get(pick(events.size())).run();
        this.processes.forEach(SearchedProcess::settle);
        if (this.faults == 0) {
            // nothing fails any more
            this.database.forgetPasts();
        }
        if (!this.late.isEmpty()) {
            Set<String> alive = tokensAlive();
            this.late.removeIf((statement) -> !mayHappen(statement, alive));
        }
        check();
    }

    private List<Runnable> events() {
        List<Runnable> events = new ArrayList<>();
        for (SearchedProcess process : this.processes) {
            process.events(events);
        }
        for (int i = 0; i < this.late.size() && writes(); i++) {
            int which = i;
            events.add(() -> {
                LeaseStatement statement = this.late.remove(which);
                say("a late write comes, to %s: %s", statement, execute(statement));
            });
        }
        events.add(this::goOn);
        if (!this.database.confirms()) {
            events.add(this::standbyReturns);
            events.add(this::standbyTakesOver);
        }
        // where a failover has forgotten all of them, nobody can tell that there were
        // tolerant processes
        if (this.bounds.changes() && !this.changed) {
            events.add(this::change);
        }
        if (this.faults > 0) {
            faults(events);
        }
        return events;
    }

    private void faults(List<Runnable> events) {
        for (SearchedProcess process : this.processes) {
            process.faults(events);
        }
        this.bounds.offsets()
            .stream()
            .filter((offset) -> offset != this.database.aheadMillis())
            .forEach((offset) -> events.add(() -> {
                fault();
                this.database.stepClock(offset);
                say("the clock of the database is set to %s", databaseTick());
            }));
        if (!this.bounds.tolerant() && this.bounds.forgotten() > 0 && this.database.confirms()) {
            events.add(this::cutStandby);
        }
        for (int i = 1; i <= this.database.pasts(); i++) {
            int forgotten = i;
            for (long offset : this.bounds.offsets()) {
                events.add(() -> failOver(forgotten, offset));
            }
        }
    }

    /** Something goes wrong. */
    void fault() {
        this.faults--;
    }

    boolean changed() {
        return this.changed;
    }

    int faultsLeft() {
        return this.faults;
    }

    private void goOn() {
        sleep(this.bounds.steps().get(this.step) * 1_000_000);
        this.step = (this.step + 1) % this.bounds.steps().size();
        say("time goes on; the database shows tick %s", databaseTick());
    }

    private void failOver(int forgotten, long offset) {
        fault();
        this.database.loseWrites(forgotten);
        this.database.stepClock(offset);
        say("a failover forgets %s writes; the database shows tick %s", forgotten, databaseTick());
    }

    private void cutStandby() {
        fault();
        this.database.cutStandby();
        say("the synchronous standby is cut off");
    }

    private void standbyReturns() {
        this.database.standbyReturns();
        say("the standby is back");
    }

    private void standbyTakesOver() {
        this.database.promoteStandby();
        say("the standby takes over as it was");
    }

    private void sleep(long nanos) {
        this.world.runUntil(nanos() + nanos);
    }

    /**
     * All processes are killed, and the command gives the table another mode. Time goes
     * on while it waits.
     */
    private void change() {
        LeaseSettings plain = settings(this.bounds, false);
        LeaseChange command = new LeaseChange(terms(SimTime.exact(this.world)), plain,
                new SimStore(this.database, this.world), null, this::token);
        boolean waits = this.removed != RemovedGuard.CHANGE_WITHOUT_WAIT;
        long skippedNanos = 0;
        while (!command.ended()) {
            LeaseChange.Step step = command.next(nanos() + skippedNanos);
            if (step != null) {
                command.reply(this.removed.seenByChange(this.database.execute(step.statement(), nanos(), 0)),
                        nanos() + skippedNanos);
            }
            else if (waits) {
                sleep((command.dueNanos() - nanos()) / 1_000_000 * 1_000_000 + 1_000_000);
            }
            else {
                skippedNanos = command.dueNanos() - nanos();
            }
        }
        say("the mode changes");
        this.changed = true;
        this.faults = 0;
        this.leaseSettings = plain;
        this.database.forgetPasts();
        this.late.clear();
        List.copyOf(this.processes).forEach(SearchedProcess::end);
        this.processes.subList(1, this.processes.size()).clear();
    }

    private long databaseTick() {
        return shown(tickAt(this.database.millis(nanos())));
    }

    /** A process died; another one comes in its place. */
    SearchedProcess replace(SearchedProcess process) {
        SearchedProcess next = new SearchedProcess(this, this.started++);
        this.processes.set(this.processes.indexOf(process), next);
        return next;
    }

    /** Carries a statement out. */
    LeaseReply execute(LeaseStatement statement) {
        LeaseReply reply = this.removed.execute(statement, this.database, nanos(), 0);
        if (this.removed == RemovedGuard.NONE && this.violation == null
                && this.database.raised() + this.database.lowered() > 0) {
            this.violation = "a mark or the end of a lease is lowered, or a release raises a mark";
            say(this.violation);
        }
        return reply;
    }

    /** Whether a write may be carried out now, of which a failover may lose so many. */
    boolean writes() {
        return this.database.confirms() || this.database.lacking() < this.bounds.forgotten();
    }

    void beLate(@Nullable LeaseStatement statement) {
        this.late.add(Objects.requireNonNull(statement));
    }

    /**
     * The tokens that a row shows, or may show yet. A token that is none of them never
     * comes back.
     */
    Set<String> tokensAlive() {
        Set<String> alive = new HashSet<>();
        this.database.states().forEach((state) -> state.rows().values().forEach((row) -> alive.add(row.token())));
        int before;
        do {
            before = alive.size();
            Stream.concat(this.late.stream(), this.processes.stream().map(SearchedProcess::underWay))
                .filter((statement) -> statement != null && mayHappen(statement, alive))
                .forEach((statement) -> alive.add(tokenOf(statement)));
        }
        while (alive.size() > before);
        return alive;
    }

    private static String tokenOf(LeaseStatement statement) {
        return (statement instanceof LeaseStatement.Insert insert) ? insert.row().token()
                : ((LeaseStatement.Update) statement).token();
    }

    /** Whether a write may find the row as it must be. */
    boolean mayHappen(LeaseStatement statement, Set<String> alive) {
        return (statement instanceof LeaseStatement.Insert insert) ? !this.removed.comparesTokens()
                || this.database.states().stream().anyMatch((state) -> !state.rows().containsKey(insert.row().worker()))
                : !this.removed.comparesTokens() || alive.contains(((LeaseStatement.Update) statement).seenToken());
    }

    /** No tick may be claimed by two, or by one after another. */
    private void check() {
        List<Claimants> all = new ArrayList<>();
        this.processes.forEach((process) -> all.addAll(process.claimants()));
        for (int i = 0; i < all.size() && this.violation == null; i++) {
            Claimants one = all.get(i);
            long again = this.claimed.first(one.worker(), one.from(), one.end());
            if (again >= 0) {
                violated(one, again);
            }
            for (int j = 0; j < i && this.violation == null; j++) {
                Claimants other = all.get(j);
                long tick = Math.max(one.from(), other.from());
                if (one.worker() == other.worker() && tick < Math.min(one.end(), other.end())) {
                    if (one.make(tick) != other.make(tick)) {
                        throw new IllegalStateException("ids of one tick differ: " + tick);
                    }
                    violated(one, tick);
                }
            }
        }
    }

    private void violated(Claimants one, long tick) {
        this.violation = "the id of worker id %s with tick %s is made twice".formatted(one.worker(), shown(tick));
        say(this.violation);
    }

    /** The tick of a time of the database. */
    long tickAt(long millis) {
        return layout().tickAtEpochNanos(millis * 1_000_000);
    }

    /** A tick as traces show it. */
    static long shown(long tick) {
        return tick - BEGIN_MILLIS / TICK.toMillis();
    }

    @Nullable String violation() {
        return this.violation;
    }

    String token() {
        return Integer.toString(++this.tokens);
    }

    EngineTerms terms(TimeSource time) {
        return new EngineTerms(layout(), 1, "modulo", TICK, TICK, null, time);
    }

    String text(LeaseStatement statement) {
        if (statement instanceof LeaseStatement.Update update) {
            String what = (update.acquisitionStep() == 1) ? "take" : "renew";
            return "%s worker id %s with mark %s".formatted((update.leaseUntilMillis() == 0) ? "give back" : what,
                    update.worker(), shown(update.hwmTick()));
        }
        return (statement instanceof LeaseStatement.Insert insert)
                ? "make worker id %s with mark %s".formatted(insert.row().worker(), shown(insert.row().hwmTick()))
                : "read";
    }

    SearchBounds bounds() {
        return this.bounds;
    }

    RemovedGuard removed() {
        return this.removed;
    }

    IdLayout layout() {
        return LAYOUTS.get((this.bounds.workers() == 1) ? 0 : 1);
    }

    SimWorld world() {
        return this.world;
    }

    SimDatabase database() {
        return this.database;
    }

    LeaseSettings leaseSettings() {
        return this.leaseSettings;
    }

    List<SearchedProcess> processes() {
        return this.processes;
    }

    List<LeaseStatement> late() {
        return this.late;
    }

    ClaimedTicks claimed() {
        return this.claimed;
    }

    /** The true time since the beginning of the simulated year, in nanoseconds. */
    long nanos() {
        return this.world.now();
    }

    /** Where the time is between the steps of the bounds. */
    int phase() {
        return this.step;
    }

}
