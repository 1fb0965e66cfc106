package io.shardedid.internal.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.shardedid.EngineTerms;
import io.shardedid.IdLayout;
import io.shardedid.IdWindow;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.TimeSource;
import io.shardedid.WorkerLeaseException;
import org.jspecify.annotations.Nullable;

/**
 * The one offline change of a lease table: of layout, mode, the range of worker ids, or,
 * from another lease table or store, of the place of the leases. Used by one thread.
 *
 * <p>
 * It closes the layout row, so that no process gets a lease or renews one, and waits
 * until no lease is live, and for as long as any mode may have forgotten, whatever the
 * rows show. Then every worker row, missing ones too, gets a new token, no lease and the
 * new first tick, so that a process that was frozen loses its lease at its next renewal.
 * The new text of the layout row comes last. A run that broke off is repeated; of two
 * runs at once one finds another token in the layout row, and fails.
 *
 * <p>
 * The moment from which new ids may be made is written into the closed row before the
 * first worker row is, in milliseconds: a run that repeats another one goes by it, since
 * the ticks in rows that were written are those of the new layout.
 */
public final class LeaseChange {

    /** The owner of a row that this change has written and nobody has leased since. */
    static final String OWNER = "inspector change";

    private static final String AGAIN = "Run the same command again. Until it has ended, no process gets a lease.";

    /** The first answer may take longer than others: the client connects. */
    private static final int READS = 4;

    /** How often the rows are read again because one was changed meanwhile. */
    private static final int ROUNDS = 5;

    /** A mark this far ahead of the clock and of its lease was made by a wrong clock. */
    private static final long AHEAD_MILLIS = Duration.ofMinutes(2).toMillis();

    private static final long LOOK_NANOS = 1_000_000_000;

    private final EngineTerms terms;

    private final LeaseSettings settings;

    private final LayoutText wanted;

    private final Place to;

    /** The table that is left, or null. */
    private @Nullable Place from;

    /** Whether somebody said where further worker ids come from. */
    private final boolean fromNamed;

    private final Supplier<String> tokens;

    private Phase phase = Phase.READ;

    /** What is to be sent before the next phase begins. */
    private final Deque<Step> steps = new ArrayDeque<>();

    private @Nullable Step sent;

    private int failures;

    private int rounds;

    private long dueNanos;

    /** When the leases that were live at the first look have run out at the latest. */
    private long patienceNanos;

    private boolean looked;

    /** The tokens of the worker rows that this run has written last. */
    private final Map<Integer, String> fresh = new HashMap<>();

    private long firstTick;

    private long olderIdsTick;

    /**
     * Makes the change of one lease table.
     * @param terms the layout, the number of shards and the shard function from here on
     * @param settings the namespace, the mode and the worker ids from here on
     * @param store the rows of the namespace
     */
    public LeaseChange(EngineTerms terms, LeaseSettings settings, LeaseStore store) {
        this(terms, settings, store, null, TokenBook.freshSource());
    }

    LeaseChange(EngineTerms terms, LeaseSettings settings, LeaseStore to, @Nullable LeaseStore from,
            Supplier<String> tokens) {
        LeaseRules.of(settings).check(terms);
        this.terms = terms;
        this.settings = settings;
        this.wanted = LayoutText.of(terms, settings);
        this.to = new Place("the lease table", to);
        this.from = (from != null) ? new Place("the lease table that is left", from) : null;
        this.fromNamed = from != null;
        this.tokens = tokens;
    }

    /**
     * Names the lease table or store that the leases or some of its worker ids come from.
     * If it gives out nothing but what the other one gets, it is closed for good.
     * Otherwise it must have stopped giving that out before.
     * @param store the rows of the namespace there; of the lease table itself, if no
     * other one has ever given out what it gets in addition
     * @return the change
     */
    public LeaseChange from(LeaseStore store) {
        return new LeaseChange(this.terms, this.settings, this.to.store, store, this.tokens);
    }

    /**
     * What was changed.
     *
     * @param layout what the layout row says from here on
     * @param first when the first new ids are made at the earliest
     */
    public record Changed(String layout, Instant first) {
    }

    private enum Phase {

        READ, CLOSE, LOOK, SEAL, RECORD, WRITE, VERIFY, OPEN, END

    }

    /** A statement to one of the two stores. */
    record Step(Place place, LeaseStatement statement) {
    }

    /** A store, what was read there last, and what this run has written. */
    static final class Place {

        private final String name;

        final LeaseStore store;

        private LeaseReply.@Nullable Rows rows;

        /** The token that the layout row must show. */
        private String token = "";

        /** Whether this run has closed the table. */
        private boolean closed;

        Place(String name, LeaseStore store) {
            this.name = name;
            this.store = store;
        }

        private LeaseReply.Rows rows() {
            return Objects.requireNonNull(this.rows);
        }

        private @Nullable LeaseRow layoutRow() {
            return rows().row(LeaseRow.LAYOUT).orElse(null);
        }

        private LeaseRow ownRow() {
            return Objects.requireNonNull(layoutRow());
        }

        private @Nullable LayoutText text() {
            LeaseRow row = layoutRow();
            return (row != null) ? LayoutText.parse(row.layout()) : null;
        }

        private Stream<LeaseRow> workers() {
            return rows().rows().stream().filter((row) -> row.worker() != LeaseRow.LAYOUT);
        }

    }

    /**
     * Carries the change out, and closes the stores. Takes half a minute, more than a
     * minute where lost commits are tolerated, and as long as the leases of processes
     * last that were killed.
     * @return what was changed
     * @throws ShardedIdConfigurationException if the change is not possible
     * @throws WorkerLeaseException if a store did not answer, a process renews its lease
     * all the same, or another run of this command came between
     */
    public Changed run() {
        TimeSource time = this.terms.time();
        Place left = this.from;
        try (LeaseStore first = this.to.store; LeaseStore second = (left != null) ? left.store : first) {
            first.ensure();
            if (second != first) {
                second.ensure();
            }
            while (!ended()) {
                Step step = next(time.nanoTime());
                if (step != null) {
                    LeaseReply reply = step.place().store.execute(step.statement());
                    reply(reply, time.nanoTime());
                }
                else {
                    time.park(Math.max(1, this.dueNanos - time.nanoTime()));
                }
            }
            return changed();
        }
    }

    /**
     * Returns what to send now.
     * @return the statement, or null until {@link #dueNanos()}
     */
    @Nullable Step next(long now) {
        if (this.phase == Phase.END || now - this.dueNanos < 0) {
            return null;
        }
        if (this.steps.isEmpty()
                && (this.phase == Phase.READ || this.phase == Phase.LOOK || this.phase == Phase.VERIFY)) {
            places().forEach((place) -> this.steps.add(new Step(place, new LeaseStatement.ReadAll())));
        }
        this.sent = this.steps.peek();
        return this.sent;
    }

    private List<Place> places() {
        Place left = this.from;
        return (left != null) ? List.of(left, this.to) : List.of(this.to);
    }

    /** Takes the reply to what {@link #next} returned last. */
    void reply(LeaseReply reply, long now) {
        Step step = Objects.requireNonNull(this.sent);
        this.sent = null;
        this.dueNanos = now;
        if (reply instanceof LeaseReply.Rows rows) {
            step.place().rows = rows;
        }
        else if (step.statement() instanceof LeaseStatement.ReadAll) {
            if (++this.failures == READS) {
                throw unanswered(step, reply);
            }
            return;
        }
        else if (reply instanceof LeaseReply.Unknown) {
            throw unanswered(step, reply);
        }
        else if (!new LeaseReply.Written(1).equals(reply)) {
            changedMeanwhile(step);
            return;
        }
        this.steps.remove();
        if (this.steps.isEmpty()) {
            this.failures = 0;
            advance(now);
        }
    }

    /** The layout row says who lost; a worker row was renewed at the last moment. */
    private void changedMeanwhile(Step step) {
        boolean worker = step.statement() instanceof LeaseStatement.Update update ? update.worker() != LeaseRow.LAYOUT
                : ((LeaseStatement.Insert) step.statement()).row().worker() != LeaseRow.LAYOUT;
        if (!worker || ++this.rounds == ROUNDS) {
            throw lost(step.place());
        }
        this.steps.clear();
        this.phase = Phase.LOOK;
    }

    private WorkerLeaseException lost(Place place) {
        return new WorkerLeaseException(
                "Could not change the leases: %s (%s) was changed meanwhile; let one operator run 'inspector change'"
                    .formatted(place.name, place.store.describe()),
                true, AGAIN, null);
    }

    private WorkerLeaseException unanswered(Step step, LeaseReply reply) {
        Exception cause = (reply instanceof LeaseReply.Unknown unknown) ? unknown.cause() : null;
        return new WorkerLeaseException(
                "Could not change the leases: %s (%s) did not answer (%s); start it, and run ".formatted(
                        step.place().name, step.place().store.describe(),
                        (cause != null) ? LeaseReport.oneLine(cause.getMessage()) : null) + "the command again",
                true, AGAIN, cause);
    }

    private void advance(long now) {
        switch (this.phase) {
            case READ -> close();
            case CLOSE -> await(now);
            case LOOK -> look(now);
            case SEAL -> record();
            case RECORD -> write();
            case WRITE -> this.phase = Phase.VERIFY;
            case VERIFY -> open();
            default -> this.phase = Phase.END;
        }
    }

    /* The steps. */

    private void close() {
        LayoutText here = this.to.text();
        leave();
        Place left = this.from;
        if (here == null && left == null) {
            throw refused(
                    "there is no lease table of namespace '%s' at %s".formatted(this.settings.namespace(),
                            this.to.store.describe()),
                    "start the application, which makes it, or name the table that its worker ids come from: '--from'");
        }
        requireRange(here, left);
        places().stream().filter((place) -> place.layoutRow() != null).forEach((place) -> {
            requireLarger(place);
            requirePresent(place);
        });
        if (left != null && closes(left)) {
            LayoutText there = text(left);
            this.steps.add(closing(left, new LayoutText(true, there.fingerprint(), there.tolerant(), there.workers())));
        }
        this.steps
            .add(closing(this.to, (here != null) ? here.closingFor(this.wanted) : this.wanted.closingFor(this.wanted)));
        this.phase = Phase.CLOSE;
    }

    /**
     * New ids begin above all marks. One far ahead was made by a wrong clock, and would
     * keep all processes from making ids until the clock has come there.
     */
    private void requirePresent(Place place) {
        if (text(place).closed()) {
            return;
        }
        IdLayout before = text(place).layout();
        long now = place.rows().databaseMillis();
        place.workers()
            .filter((row) -> ends(row, before).toEpochMilli() > Math.max(now, row.leaseUntilMillis()) + AHEAD_MILLIS)
            .map((row) -> ends(row, before))
            .max(Comparator.naturalOrder())
            .ifPresent((latest) -> {
                throw refused("ids of %s go up to %s, which is ahead of the clock of the database (%s)"
                    .formatted(place.name, latest, Instant.ofEpochMilli(now)), "wait until then");
            });
    }

    private static Instant ends(LeaseRow row, IdLayout layout) {
        return layout.instantAt(Math.min(row.hwmTick(), layout.lastTick()));
    }

    /** The table that is left may be this one. */
    private void leave() {
        Place left = this.from;
        if (left == null) {
            return;
        }
        LeaseRow there = left.layoutRow();
        if (there == null) {
            throw refused("there is no lease table of namespace '%s' to leave at %s"
                .formatted(this.settings.namespace(), left.store.describe()), "correct '--from'");
        }
        LeaseRow here = this.to.layoutRow();
        left.token = there.token();
        this.from = (here != null && here.token().equals(there.token())) ? null : left;
    }

    private void requireRange(@Nullable LayoutText here, @Nullable Place left) {
        if (left != null) {
            LayoutText there = text(left);
            if ((there.closed() || this.wanted.overlaps(there)) && !this.wanted.includes(there)) {
                throw refused(
                        ("the lease table that is left gives out worker ids that this one does not get, or is being "
                                + "changed: there=[%s], worker-ids here=%s")
                            .formatted(there, this.wanted.workers()),
                        "change that one first: 'inspector change' with its settings and without these worker ids");
            }
            if (!closes(left) && !there.fingerprint().equals(this.wanted.fingerprint())) {
                throw refused("the two lease tables make ids by different layouts: there=[%s], here=[%s]"
                    .formatted(there, this.wanted), "give both the same 'shardedid.*' settings");
            }
        }
        // a layout may have more worker ids than the one before
        if (here != null && !this.fromNamed && !here.includes(this.wanted) && !here.whole()) {
            throw refused(
                    "worker ids of another lease table would be given out here, too: there=%s, here=%s"
                        .formatted(here.workers(), this.wanted.workers()),
                    "name the table that has given them out: '--from'", "shardedid.worker.lease.worker-ids");
        }
    }

    /** Whether a table gives out nothing but what this one gets. */
    private boolean closes(Place left) {
        LayoutText there = text(left);
        return there.closed() || this.wanted.overlaps(there);
    }

    private static LayoutText text(Place place) {
        return Objects.requireNonNull(place.text());
    }

    private Step closing(Place place, LayoutText text) {
        LeaseRow row = place.layoutRow();
        place.token = this.tokens.get();
        place.closed = true;
        if (row == null) {
            return new Step(place, new LeaseStatement.Insert(
                    new LeaseRow(LeaseRow.LAYOUT, place.token, 0, 0, 0, null, text.toString()), null));
        }
        long begun = text(place).closed() ? row.leaseUntilMillis() : 0;
        return new Step(place, layoutRow(row, row.token(), place.token, begun, row.hwmTick(), text));
    }

    private static LeaseStatement layoutRow(LeaseRow row, String seen, String token, long untilMillis, long mark,
            LayoutText text) {
        return new LeaseStatement.Update(LeaseRow.LAYOUT, seen, row.hwmTick(), token, 0, untilMillis, mark, null,
                text.toString(), null);
    }

    /**
     * A lease that was granted in the last moment ends its ticks by then, on any clock,
     * also where a failover has forgotten it; and no failover forgets that the row was
     * closed.
     */
    private void await(long now) {
        Duration wait = LeaseRules.of(this.settings).untilForgotten();
        boolean tolerant = places().stream()
            .map(Place::text)
            .filter(Objects::nonNull)
            .anyMatch((text) -> text.tolerant()) || this.wanted.tolerant();
        if (tolerant && wait.compareTo(LeaseRules.FORGOTTEN) < 0) {
            wait = LeaseRules.FORGOTTEN;
        }
        this.dueNanos = now + wait.toNanos();
        this.phase = Phase.LOOK;
    }

    private void look(long now) {
        requireOwn();
        long live = places().stream().mapToLong(this::liveMillis).max().orElse(0);
        long left = Math.max(live, aheadMillis());
        if (left <= 0) {
            seal();
            return;
        }
        if (!this.looked) {
            this.looked = true;
            this.patienceNanos = now + (left + LeaseTiming.JUMP_MILLIS) * 1_000_000;
        }
        if (now - this.patienceNanos > 0) {
            throw new WorkerLeaseException((live > 0)
                    ? "Could not change the leases: processes renew their leases all the same: %s; ".formatted(owners())
                            + "stop them, and run the command again"
                    : "Could not change the leases: the clock of the database was set back meanwhile; run the command again",
                    true, AGAIN, null);
        }
        this.dueNanos = now + Math.min(left * 1_000_000, LOOK_NANOS);
    }

    /** Nobody else has changed one of the tables since this run has read or closed it. */
    private void requireOwn() {
        for (Place place : places()) {
            LeaseRow row = place.layoutRow();
            if (row == null || !row.token().equals(place.token)) {
                throw lost(place);
            }
        }
    }

    /**
     * No row of a table that is closed for good can be renewed any more, so the marks are
     * the last ones.
     */
    private void seal() {
        this.phase = Phase.SEAL;
        Place left = this.from;
        if (left != null && left.closed) {
            for (int worker : workers(left, text(left).layout())) {
                LeaseRow row = left.rows().row(worker).orElse(null);
                release(left, worker, (row != null) ? row.hwmTick() : 0, (row != null) ? row.owner() : null);
            }
        }
        if (this.steps.isEmpty()) {
            record();
        }
    }

    private static TreeSet<Integer> workers(Place place, IdLayout layout) {
        return Stream
            .concat(IntStream.range(0, LeaseRules.workers(layout)).boxed(), place.workers().map(LeaseRow::worker))
            .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Ends the lease of a row, or makes one without; returns its token. */
    private String release(Place place, int worker, long mark, @Nullable String owner) {
        String token = this.tokens.get();
        this.steps.add(new Step(place, place.rows()
            .row(worker)
            .<LeaseStatement>map((row) -> new LeaseStatement.Update(worker, row.token(), row.hwmTick(), token, 1, 0,
                    mark, owner, null, null))
            .orElseGet(() -> new LeaseStatement.Insert(new LeaseRow(worker, token, 1, 0, mark, owner, null), null))));
        return token;
    }

    /** How long the last lease of a table lasts, at most, in milliseconds. */
    private long liveMillis(Place place) {
        long behind = this.settings.promotedClockBehind().toMillis();
        return counted(place).filter((row) -> row.leaseUntilMillis() != 0)
            .mapToLong((row) -> row.leaseUntilMillis() - place.rows().databaseMillis() + behind + 1)
            .map((live) -> Math.min(live, LeaseRules.LONGEST_WINDOW.toMillis()))
            .max()
            .orElse(0);
    }

    /**
     * How far the ids of worker ids that the table no longer gives out are ahead of the
     * clock of the database: a process with a fixed worker id reads no mark.
     */
    private long aheadMillis() {
        IdLayout before = text(this.to).layout();
        Instant end = leased(this.to).filter((row) -> !this.wanted.workers().contains(row.worker()))
            .map((row) -> ends(row, before))
            .max(Comparator.naturalOrder())
            .orElse(Instant.EPOCH);
        long ahead = end.toEpochMilli() + 1 - this.to.rows().databaseMillis();
        if (ahead > AHEAD_MILLIS) {
            throw refused(
                    "ids of worker ids that the table no longer gives out go up to %s, which is ahead of the clock "
                        .formatted(end) + "of the database",
                    "wait until then, and run the command again");
        }
        return ahead;
    }

    /** The rows that matter: a table that goes on gives out other worker ids. */
    private Stream<LeaseRow> counted(Place place) {
        return place.workers().filter((row) -> place.closed || this.wanted.workers().contains(row.worker()));
    }

    private String owners() {
        return places().stream()
            .flatMap(this::counted)
            .filter((row) -> row.leaseUntilMillis() != 0)
            .map((row) -> row.worker() + ": " + row.shownOwner())
            .collect(Collectors.joining(", "));
    }

    /** Writes when the new ids begin, before any row has ticks of the new layout. */
    private void record() {
        IdLayout after = this.terms.layout();
        Instant end = places().stream().map(this::end).max(Comparator.naturalOrder()).orElseThrow();
        places().forEach(this::requireLarger);
        boolean other = places().stream().anyMatch((place) -> !text(place).layout().equals(after));
        long tick = after.tickAt(end) + (other ? 1 : 0);
        long millis = after.instantAt(Math.min(tick, after.lastTick())).plusNanos(999_999).toEpochMilli();
        this.firstTick = after.tickAt(Instant.ofEpochMilli(millis));
        if (this.firstTick > after.lastTick() || tick > after.lastTick()) {
            throw refused("the time range of the new layout is used up", "choose a layout with more time bits");
        }
        this.olderIdsTick = olderIdsTick();
        LeaseRow row = this.to.ownRow();
        String seen = this.to.token;
        this.to.token = this.tokens.get();
        this.steps.add(new Step(this.to, layoutRow(row, seen, this.to.token, millis, row.hwmTick(), text(this.to))));
        this.phase = Phase.RECORD;
    }

    /** The first moment whose ids nobody has made under a row of a table. */
    private Instant end(Place place) {
        IdLayout before = text(place).layout();
        Instant marks = leased(place).map((row) -> ends(row, before))
            .max(Comparator.naturalOrder())
            .orElse(Instant.EPOCH);
        Instant now = Instant.ofEpochMilli(Math.max(place.rows().databaseMillis(), begunMillis(place)));
        return marks.isAfter(now) ? marks : now;
    }

    /** When new ids begin by a run before this one, or 0. */
    private static long begunMillis(Place place) {
        return text(place).closed() ? place.ownRow().leaseUntilMillis() : 0;
    }

    /** Without the rows of a run before this one: their ticks are of another layout. */
    private Stream<LeaseRow> leased(Place place) {
        boolean begun = begunMillis(place) != 0;
        return counted(place).filter((row) -> !(begun && OWNER.equals(row.owner())));
    }

    /**
     * The border of older ids stays what it was, unless the layout is another one. A new
     * table takes over that of the one it comes from.
     */
    private long olderIdsTick() {
        LayoutText here = text(this.to);
        if (!here.layout().equals(this.terms.layout())) {
            return this.firstTick;
        }
        long known = this.to.ownRow().hwmTick();
        Place left = this.from;
        if (left == null || !text(left).layout().equals(this.terms.layout())) {
            return (known != 0) ? known : this.firstTick;
        }
        long there = left.ownRow().hwmTick();
        return (known != 0) ? Math.min(known, there) : there;
    }

    /** Ids from now on are larger than all before. */
    private void requireLarger(Place place) {
        IdLayout after = this.terms.layout();
        IdLayout before = text(place).layout();
        Instant end = end(place);
        if (!before.equals(after)) {
            long largest = IdWindow.between(before, before.epoch(), end.plus(before.tick())).lastId();
            long smallest = after.firstIdAt(after.instantAt(Math.min(after.tickAt(end) + 1, after.lastTick())));
            if (smallest <= largest) {
                throw refused(
                        "ids of the new layout would not be larger than those there are: smallest new id=%s, "
                            .formatted(smallest) + "largest old id=%s".formatted(largest),
                        "choose an earlier epoch or wider fields below the time");
            }
        }
    }

    private void write() {
        this.phase = Phase.WRITE;
        this.fresh.clear();
        for (int worker : workers(this.to, this.terms.layout())) {
            this.fresh.put(worker, release(this.to, worker, this.firstTick, OWNER));
        }
    }

    /** A failover may have forgotten some of the rows. */
    private void open() {
        requireOwn();
        boolean all = this.fresh.entrySet()
            .stream()
            .allMatch((each) -> this.to.rows()
                .row(each.getKey())
                .filter((row) -> row.token().equals(each.getValue()))
                .isPresent());
        if (!all) {
            throw lost(this.to);
        }
        this.steps.add(new Step(this.to,
                layoutRow(this.to.ownRow(), this.to.token, this.tokens.get(), 0, this.olderIdsTick, this.wanted)));
        this.phase = Phase.OPEN;
    }

    private static ShardedIdConfigurationException refused(String why, String remedy, String... keys) {
        return new ShardedIdConfigurationException("Could not change the leases: " + why, remedy, keys);
    }

    /** Returns when there will be something to send, a monotonic time. */
    long dueNanos() {
        return this.dueNanos;
    }

    /** Returns whether all is written. */
    boolean ended() {
        return this.phase == Phase.END;
    }

    /** What was changed, once this has ended. */
    Changed changed() {
        IdLayout layout = this.terms.layout();
        return new Changed(this.wanted.toString(), layout.instantAt(Math.min(this.firstTick, layout.lastTick())));
    }

}
