package io.shardedid.internal.lease;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.shardedid.EngineProbe;
import io.shardedid.EngineProbe.Claimants;
import io.shardedid.LeaseClock;
import org.jspecify.annotations.Nullable;

/**
 * What matters of a state, as a number of 64 bits: two states with one picture go on
 * alike. Times are counted from now, tokens by their first appearance, and the past is
 * kept in its order alone. A field of the protocol counts, unless it is named here.
 */
final class SearchPicture {

    /**
     * What decides when a process asks again, what it reports, and how its ids follow the
     * clock: any process asks at any time here, and claims any tick. What was sent stands
     * in the process.
     */
    private static final Map<Class<?>, Set<String>> IGNORED = Map.of(
            KeeperRounds.class, Set.of("firstUse", "protocols", "clock", "tasks", "woken", "renewalWanted", "sentNanos",
                    "protocol", "layoutRow", "layoutWanted", "leases", "waiting", "waitEndNanos", "turn"),
            LeaseProtocol.class,
            Set.of("terms", "timing", "leaseSettings", "layoutWrites", "tokenSource", "holder", "report", "renewal",
                    "databaseTime", "random", "before", "lostEndTick", "sent", "ready", "underWay", "roundNanos",
                    "dueNanos", "nobodyElse", "passes", "layoutRefused", "failures", "unanswered", "wanted",
                    "releasedWorker"),
            AcquirePlan.class,
            Set.of("terms", "leaseSettings", "timing", "layoutRow", "tokens", "guards", "choice", "random"));

    /** Numbers that are ticks. */
    private static final Set<String> TICKS = Set.of("loAtLeast");

    /** Numbers that are times of the database. */
    private static final Set<String> MILLIS = Set.of("presentMillis");

    private static final Map<Class<?>, Map<String, Field>> FIELDS = new ConcurrentHashMap<>();

    private static final int RAW = 0;

    private static final int TICK = 1;

    private static final int TOKEN = 2;

    private final SearchedFleet fleet;

    private final long nowTick;

    /** No lease begins before it from now on, unless it was asked for already. */
    private final long oldTick;

    private final long nowMillis;

    /** What ended before it has ended for everybody. */
    private final long oldMillis;

    /** Tokens of rows that are there, may come, or may come back. */
    private final Set<String> alive;

    /** Of each worker id, the first tick of a lease that may grow or begin yet. */
    private final long[] firstTicks;

    /** Whether a row is not there, or may not be there after a failover. */
    private final boolean rowsMayGo;

    private final Map<String, Integer> tokens = new HashMap<>();

    private final long[] fewestAcquisitions;

    /** Kinds and values, one after another. */
    private long[] atoms = new long[256];

    private int size;

    private SearchPicture(SearchedFleet fleet) {
        this.fleet = fleet;
        this.nowMillis = (SimWorld.BASE_EPOCH_NANOS + fleet.nanos()) / 1_000_000;
        this.nowTick = fleet.layout().tickAtEpochNanos(this.nowMillis * 1_000_000);
        SearchBounds bounds = fleet.bounds();
        this.oldTick = fleet.layout().tickAtEpochNanos((this.nowMillis - bounds.mostBehind()) * 1_000_000);
        this.oldMillis = this.nowMillis - bounds.mostBehind() - bounds.behind().toMillis();
        this.fewestAcquisitions = new long[bounds.workers()];
        Arrays.fill(this.fewestAcquisitions, Long.MAX_VALUE);
        fleet.database().states().stream().flatMap((state) -> state.rows().values().stream()).forEach((row) -> {
            if (row.worker() >= 0) {
                this.fewestAcquisitions[row.worker()] = Math.min(this.fewestAcquisitions[row.worker()],
                        row.acquisitions());
            }
        });
        this.alive = fleet.tokensAlive();
        this.firstTicks = new long[bounds.workers()];
        this.rowsMayGo = bounds.forgotten() > 0
                && fleet.database().states().stream().anyMatch((state) -> state.rows().size() <= bounds.workers());
    }

    /** The picture, in which the processes have no order. */
    static long of(SearchedFleet fleet) {
        SearchPicture picture = new SearchPicture(fleet);
        picture.forget();
        int[] ends = picture.parts();
        return orders(ends.length - 2).mapToLong((order) -> picture.number(ends, order)).min().orElseThrow();
    }

    /** The orders of so many processes. */
    private static Stream<List<Integer>> orders(int count) {
        return (count == 0) ? Stream.of(List.of())
                : orders(count - 1).flatMap((others) -> IntStream.range(0, count).mapToObj((place) -> {
                    List<Integer> order = new ArrayList<>(others);
                    order.add(place, count - 1);
                    return order;
                }));
    }

    /** Nobody claims below the first tick of a lease that may grow or begin yet. */
    private void forget() {
        for (int worker = 0; worker < this.firstTicks.length; worker++) {
            TreeSet<Long> bounds = new TreeSet<>(Set.of(this.oldTick));
            for (SearchedProcess process : this.fleet.processes()) {
                for (RequestedLease each : leases(process)) {
                    if (each.worker() == worker) {
                        bounds.addAll(List.of(each.lo(), each.hi()));
                    }
                }
            }
            this.firstTicks[worker] = bounds.first();
            for (SearchedProcess process : this.fleet.processes()) {
                for (Claimants each : process.claimants()) {
                    if (each.worker() == worker) {
                        bounds.addAll(List.of(each.from(), each.end()));
                    }
                }
            }
            this.fleet.claimed().forgetBefore(worker, this.firstTicks[worker]);
            this.fleet.claimed().fill(worker, this.oldTick, bounds);
        }
    }

    /** The leases that the process may hold yet, or for longer. */
    private List<RequestedLease> leases(SearchedProcess process) {
        Object protocol = value(process.rounds, "protocol");
        if (protocol == null) {
            return List.of();
        }
        Object plan = value(protocol, "plan");
        List<RequestedLease> leases = new ArrayList<>();
        if (plan != null) {
            for (Object each : (Collection<?>) Objects.requireNonNull(value(plan, "attempts"))) {
                leases.add((RequestedLease) each);
            }
        }
        if (value(protocol, "held") instanceof RequestedLease held) {
            leases.add(held);
        }
        leases.removeIf((lease) -> !this.alive.contains(lease.token()));
        if (succeeds(process) && value(protocol, "sent") instanceof RequestedLease sent) {
            leases.add(sent);
        }
        return leases;
    }

    /** Whether the write that is under way may be, or was, done. */
    private boolean succeeds(SearchedProcess process) {
        LeaseStatement sent = process.underWay();
        return (sent != null) ? this.fleet.mayHappen(sent, this.alive)
                : new LeaseReply.Written(1).equals(process.reply());
    }

    /** Nobody renews a lease whose token no row shows. */
    private boolean mayCome(RequestedLease lease) {
        return this.alive.contains(lease.token());
    }

    /**
     * Collects what matters.
     * @return where the rows, each process and the rest end
     */
    private int[] parts() {
        List<SearchedProcess> processes = this.fleet.processes();
        int[] ends = new int[processes.size() + 2];
        raw(this.fleet.phase());
        raw(this.fleet.faultsLeft());
        raw(this.fleet.database().lacking());
        raw(this.fleet.changed() ? 1 : 0);
        this.fleet.database().states().forEach((state) -> {
            raw(state.aheadMillis());
            state.rows().values().forEach(this::row);
            raw(-1);
        });
        ends[0] = this.size;
        for (int i = 0; i < processes.size(); i++) {
            process(processes.get(i));
            ends[i + 1] = this.size;
        }
        this.fleet.late().stream().sorted(Comparator.comparing(LeaseStatement::toString)).forEach(this::statement);
        for (int worker = 0; worker < this.fleet.bounds().workers(); worker++) {
            for (ClaimedTicks.Range range : this.fleet.claimed().of(worker)) {
                tick(range.from());
                tick(range.end());
            }
            raw(-2);
        }
        ends[processes.size() + 1] = this.size;
        return ends;
    }

    private void process(SearchedProcess process) {
        raw(process.suspended() ? 1 : 0);
        LeaseStatement sent = process.sent();
        LeaseReply reply = process.reply();
        raw((sent == null) ? 0 : (reply == null) ? 1 : (reply instanceof LeaseReply.Unknown) ? 2 : 3);
        raw((sent == null) ? 0 : workerOf(sent));
        if (sent != null && reply == null && succeeds(process)) {
            statement(sent);
        }
        else {
            raw(succeeds(process) ? 1 : 0);
        }
        long first = LongStream.of(this.firstTicks).min().orElseThrow();
        process.claimants()
            .stream()
            .sorted(Comparator.comparingInt(Claimants::worker).thenComparingLong(Claimants::from))
            .filter((each) -> each.end() > first)
            .forEach((each) -> {
                raw(each.worker());
                tick(each.from());
                tick(each.end());
            });
        engine(process);
        object(process.rounds);
        rounds(process);
    }

    /** A protocol that has to give its lease back does nothing else. */
    private void rounds(SearchedProcess process) {
        Object protocol = value(process.rounds, "protocol");
        raw((protocol != null) ? 1 : 0);
        if (protocol != null && (process.suspended() || value(process.rounds, "releaseWanted") == Boolean.TRUE)) {
            lease((RequestedLease) value(protocol, "held"));
        }
        else if (protocol != null) {
            object(protocol);
            if (this.rowsMayGo) {
                line((DatabaseTime) Objects.requireNonNull(value(protocol, "databaseTime")));
            }
        }
        if (protocol != null && succeeds(process)) {
            lease((RequestedLease) value(protocol, "sent"));
        }
    }

    /** A process whose row is gone goes by the time that it keeps. */
    private void line(DatabaseTime time) {
        LeaseClock line = (LeaseClock) value(time, "line");
        raw((line == null) ? 1 : line.epochNanosAt(this.fleet.nanos()) - this.nowMillis * 1_000_000);
    }

    private static int workerOf(LeaseStatement write) {
        return (write instanceof LeaseStatement.Insert insert) ? insert.row().worker()
                : ((LeaseStatement.Update) write).worker();
    }

    /** What was claimed counts where a lease may begin below it. */
    private void engine(SearchedProcess process) {
        EngineProbe engine = process.engine;
        long first = leases(process).stream().mapToLong(RequestedLease::lo).reduce(this.oldTick, Math::min);
        tick((engine.lastTick() < first) ? -1 : engine.lastTick());
        tick((engine.highestTick() < first) ? -1 : engine.highestTick());
        raw(engine.lease().worker());
    }

    private void object(Object object) {
        raw(object.getClass().getSimpleName().hashCode());
        Set<String> ignored = IGNORED.getOrDefault(object.getClass(), Set.of());
        for (Field field : fields(object).values()) {
            if (!ignored.contains(field.getName())) {
                value(field, value(object, field));
            }
        }
    }

    private void value(Field field, @Nullable Object value) {
        if (field.getName().equals("lost")) {
            lost((RequestedLease) value);
        }
        else if (value == null || value instanceof RequestedLease) {
            lease((RequestedLease) value);
        }
        else if (value instanceof TokenBook book) {
            // which of the tokens that a row may show are known here
            this.alive.stream().filter(book::mine).sorted().forEach(this::token);
            raw(-6);
        }
        else if (value instanceof Boolean is) {
            raw((is && !field.getName().equals("leased")) || (is && this.fleet.bounds().mostBehind() > 0) ? 1 : 0);
        }
        else if (value instanceof Enum<?> constant) {
            raw(constant.ordinal());
        }
        else if (value instanceof Number number) {
            number(field.getName(), number.longValue());
        }
        else if (field.getName().equals("attempts")) {
            Collection<?> attempts = (Collection<?>) value;
            raw((attempts.isEmpty() || oneWorker()) ? 0 : 1);
            attempts.stream().map(RequestedLease.class::cast).filter(this::mayCome).forEach(this::lease);
        }
        else if (value instanceof Map<?, ?> ahead) {
            // a token that no row may show any more says only that its row was written
            ahead.entrySet()
                .stream()
                .sorted(Comparator.comparing((each) -> (Integer) each.getKey()))
                .forEach((each) -> {
                    raw((Integer) each.getKey());
                    if (this.alive.contains(each.getValue())) {
                        token((String) each.getValue());
                    }
                });
            raw(-8);
        }
        else if (value instanceof Set<?> unanswered) {
            // it makes no difference where there is no choice
            unanswered.stream().filter((worker) -> !oneWorker()).map(Integer.class::cast).sorted().forEach(this::raw);
            raw(-7);
        }
        else {
            object(value);
        }
    }

    private void number(String name, long value) {
        if (TICKS.contains(name)) {
            tick(value);
        }
        else if (MILLIS.contains(name)) {
            raw((value == 0) ? 0 : 1);
            millis(value);
        }
        else {
            raw(value);
        }
    }

    private void row(LeaseRow row) {
        raw(row.worker());
        token(row.token());
        tick(row.hwmTick());
        millis(row.leaseUntilMillis());
        if (row.worker() >= 0) {
            acquisitions(row.worker(), row.acquisitions());
        }
    }

    private void lease(@Nullable RequestedLease lease) {
        if (lease == null) {
            raw(-5);
            return;
        }
        raw(lease.worker());
        token(lease.token());
        acquisitions(lease.worker(), lease.acquisitions());
        // of a lease that ended long ago its end counts only for one that lost its row
        tick((lease.hi() > this.firstTicks[lease.worker()]) ? lease.lo() : -1);
        tick((lease.hi() > this.firstTicks[lease.worker()]) ? lease.hi() : -1);
    }

    /** It is compared with its row once, as long as nobody has taken that since. */
    private void lost(@Nullable RequestedLease lease) {
        if (lease == null || lease.acquisitions() < this.fewestAcquisitions[lease.worker()]) {
            raw(-5);
            return;
        }
        raw(lease.worker());
        token(lease.token());
        acquisitions(lease.worker(), lease.acquisitions());
        tick(Math.max(lease.hi(), this.oldTick + 1));
    }

    private boolean oneWorker() {
        return this.fleet.bounds().workers() == 1;
    }

    private void statement(LeaseStatement statement) {
        if (statement instanceof LeaseStatement.Update update) {
            raw(update.acquisitionStep());
            raw(update.worker());
            token(update.seenToken());
            tick(update.hwmAtMost());
            token(update.token());
            millis(update.leaseUntilMillis());
            tick(update.hwmTick());
            guard((update.guard() != null) ? update.guard().latestMillis() : null);
            raw((update.guard() != null && update.guard().whileLeased()) ? 1 : 0);
        }
        else if (statement instanceof LeaseStatement.Insert insert) {
            raw(-8);
            row(insert.row());
            guard(insert.latestMillis());
        }
    }

    private void guard(@Nullable Long latestMillis) {
        raw((latestMillis != null) ? 1 : 0);
        millis((latestMillis != null) ? latestMillis : 0);
    }

    /**
     * Acquisitions of one row are compared, and one that all rows have passed is less.
     */
    private void acquisitions(int worker, long acquisitions) {
        long fewest = Math.min(this.fewestAcquisitions[worker], 1_000_000_000);
        raw((fewest == 1_000_000_000) ? acquisitions : Math.max(-1, acquisitions - fewest));
    }

    private void raw(long value) {
        atom(RAW, value);
    }

    private void tick(long value) {
        if (value == Long.MAX_VALUE) {
            raw(value);
        }
        else if (value >= this.oldTick) {
            raw(value - this.nowTick);
        }
        else {
            atom(TICK, value);
        }
    }

    private void millis(long value) {
        raw((value >= this.oldMillis) ? value - this.nowMillis : Long.MIN_VALUE);
    }

    /** Tokens that no row will ever show are all alike. */
    private void token(String token) {
        atom(TOKEN,
                this.alive.contains(token) ? this.tokens.computeIfAbsent(token, (key) -> this.tokens.size() + 1) : 0);
    }

    private void atom(int kind, long value) {
        if (this.size == this.atoms.length) {
            this.atoms = Arrays.copyOf(this.atoms, this.size * 2);
        }
        this.atoms[this.size++] = kind;
        this.atoms[this.size++] = value;
    }

    /** One number for all, with the processes in an order. */
    private long number(int[] ends, List<Integer> order) {
        long[] past = IntStream.range(0, this.size / 2)
            .filter((i) -> this.atoms[2 * i] == TICK)
            .mapToLong((i) -> this.atoms[2 * i + 1])
            .sorted()
            .distinct()
            .toArray();
        List<Long> tokens = new ArrayList<>();
        long hash = mix(0, 0, ends[0], past, tokens);
        for (int process : order) {
            hash = mix(hash, ends[process], ends[process + 1], past, tokens);
        }
        hash = mix(hash, ends[ends.length - 2], ends[ends.length - 1], past, tokens);
        return (hash != 0) ? hash : 1;
    }

    private long mix(long before, int from, int end, long[] past, List<Long> tokens) {
        long hash = before;
        for (int i = from; i < end; i += 2) {
            long value = this.atoms[i + 1];
            if (this.atoms[i] == TICK) {
                value = Arrays.binarySearch(past, value);
            }
            else if (this.atoms[i] == TOKEN) {
                if (!tokens.contains(value)) {
                    tokens.add(value);
                }
                value = tokens.indexOf(value);
            }
            hash = mix(mix(hash + this.atoms[i]) ^ value);
        }
        return hash;
    }

    private static long mix(long value) {
        long mixed = value * 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L;
        return mixed ^ mixed >>> 32;
    }

    private static Map<String, Field> fields(Object object) {
        return FIELDS.computeIfAbsent(object.getClass(), (type) -> {
            Map<String, Field> fields = new LinkedHashMap<>();
            Stream.of(type.getDeclaredFields())
                .filter((field) -> !Modifier.isStatic(field.getModifiers()))
                .forEach((field) -> fields.put(field.getName(), field));
            fields.values().forEach((field) -> field.setAccessible(true));
            return fields;
        });
    }

    private static @Nullable Object value(Object object, String name) {
        return value(object, Objects.requireNonNull(fields(object).get(name)));
    }

    private static @Nullable Object value(Object object, Field field) {
        try {
            return field.get(object);
        }
        catch (IllegalAccessException ex) {
            throw new IllegalStateException(ex);
        }
    }

}
