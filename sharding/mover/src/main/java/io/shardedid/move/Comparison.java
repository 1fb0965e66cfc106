package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The comparison of all rows of the shards in both databases. All of them are hashed
 * before anybody waits, and under the fence only those that have been written since.
 */
class Comparison implements AutoCloseable {

    /*
     * Why a row that is not looked at again under the fence is the same in both
     * databases: Its last comparison came after a mark had arrived at the target, and the
     * slot has told of no write of it that the rounds have not looked for since. The mark
     * was made after the slot had told of all writes that were looked for until then, so
     * these had arrived; what the slot tells later is looked for by a later comparison.
     * Under the fence the slot tells of the last mark, and thus has told of everything.
     * So nobody has written the row at the source after its last comparison, and the
     * subscription has brought nothing to the target. Who writes to the target alone,
     * past its fence and after all rows were hashed, is not seen.
     *
     * What is known as compared afterwards are versions of rows. Each of them that was
     * there at the last comparison is of a transaction below the horizon, or was read by
     * a look: by the hash of its part, or after the slot had told of it. The other way
     * round, a transaction that was read had committed, and the slot is silent from the
     * last mark before the comparison to the first one after it, or nothing is opened. So
     * all that it wrote was compared. Without the slot one snapshot reads all tables.
     */

    private static final int MOST_ROUNDS = 6;

    private static final long SHORT_ROUND_MILLIS = 50;

    /** How many rows are fetched at a time. */
    static final int CHUNK = 20_000;

    /** More ids than that take too much memory. */
    private static final int MOST_IDS = 1_000_000;

    static final int NAMED_IDS = 5;

    /** More transactions than that are too long a list. */
    private static final int MOST_TRANSACTIONS = 10_000;

    private final MoveContext context;

    private final Replication replication;

    private final List<Pair> pairs = new ArrayList<>();

    /** The sessions that hash the rows. */
    private List<Session> sessions = List.of();

    /** Tells which rows were written; null if all rows are compared under the fence. */
    private @Nullable ChangedRows changes;

    private boolean all;

    private ComparedRows compared = ComparedRows.NONE;

    private long rows;

    Comparison(MoveContext context, Replication replication) {
        this.context = context;
        this.replication = replication;
        this.all = context.comparesAll();
    }

    /** The rows that were the same under the fence. */
    ComparedRows compared() {
        return this.compared;
    }

    /** How many rows the source had that were compared; 0 until they are counted. */
    long rows() {
        return this.rows;
    }

    /**
     * Hashes all rows while writers go on, and then again and again those that were
     * written meanwhile, until a round takes hardly less time than the one before it.
     * @return how long the last round took, which is about what writers are going to wait
     * for the comparison
     */
    Duration prepare() throws SQLException {
        Duration took = prepareRows();
        this.context.await(
                "old transactions to end (more than %s later ones have written these shards)"
                    .formatted(mostTransactions()),
                this.context.limits().patience(), () -> transactions(horizon()).size() <= mostTransactions(),
                () -> String.valueOf(Transactions.thatWrite(this.context.source(), 0)));
        return took;
    }

    int mostTransactions() {
        return MOST_TRANSACTIONS;
    }

    private long horizon() throws SQLException {
        return this.context.source().number("SELECT " + TableDigest.HORIZON);
    }

    /** The transactions above a horizon that have written the rows of the source. */
    private Set<Long> transactions(long horizon) {
        Set<Long> all = new TreeSet<>();
        for (Pair pair : this.pairs) {
            ComparedRows.forgetBelow(horizon, pair.here.recent());
            all.addAll(pair.here.recent());
        }
        return all;
    }

    private Duration prepareRows() throws SQLException {
        List<Session> now = List.of(this.context.source(), this.context.target());
        if (!this.sessions.equals(now)) {
            // a session that could not answer in time was replaced
            forget();
            this.sessions = now;
            for (FencedTable table : this.context.tables()) {
                List<Long> bounds = this.context.longRunning(this.context.source(), this.context.limits().copy(),
                        () -> TableDigest.bounds(this.context.source(), table, this.context.shards()));
                this.pairs.add(new Pair(table.name(), digest(this.context.source(), table, bounds),
                        digest(this.context.target(), table, bounds)));
            }
        }
        if (!this.all) {
            try {
                return prepareChanges();
            }
            catch (ChangedRows.LostException ex) {
                giveUpChanges(ex);
            }
        }
        this.context.tell("All rows are hashed in both databases, while writers go on");
        return rounds(() -> {
            for (Pair pair : this.pairs) {
                refresh(pair, this.context.limits().copy());
            }
        });
    }

    /** What was compared counts for nothing; the next preparation begins anew. */
    void forget() {
        close();
        this.pairs.clear();
        this.sessions = List.of();
    }

    private void giveUpChanges(Exception reason) {
        close();
        this.all = true;
        this.context.tell("All rows are going to be compared while writers wait, because the changes are not known: "
                + reason.getMessage());
    }

    private Duration prepareChanges() throws SQLException {
        if (this.changes == null) {
            hashAll();
        }
        return rounds(() -> {
            addSuspects();
            this.replication.mark(this.context.limits().patience());
            for (Pair pair : this.pairs) {
                compareSuspects(pair, this.context.limits().copy());
            }
        });
    }

    /** The slot begins before the rows are hashed. */
    private void hashAll() throws SQLException {
        this.context.tell("All rows are hashed in both databases, while writers go on");
        ChangedRows open = open();
        try {
            this.replication.mark(this.context.limits().patience());
            for (Pair pair : this.pairs) {
                refresh(pair, this.context.limits().copy());
                pair.suspects.clear();
                findSuspects(pair);
            }
            this.changes = open;
        }
        finally {
            if (this.changes != open) {
                open.close();
            }
        }
    }

    int mostIds() {
        return MOST_IDS;
    }

    private ChangedRows open() throws SQLException {
        try {
            return ChangedRows.open(this.context, this.replication.name(), mostIds());
        }
        catch (SQLException ex) {
            throw new ChangedRows.LostException(ex);
        }
    }

    private Duration rounds(Round round) throws SQLException {
        long before = Long.MAX_VALUE;
        for (int number = 1;; number++) {
            long began = this.context.time().nanoTime();
            round.run();
            long took = this.context.millisSince(began);
            boolean shrinks = took < before / 4 * 3 && took > SHORT_ROUND_MILLIS;
            if (number > 1 && (!shrinks || number == MOST_ROUNDS)) {
                return Duration.ofMillis(took);
            }
            before = took;
        }
    }

    TableDigest digest(Session session, FencedTable table, List<Long> bounds) {
        return new TableDigest(session, table, this.context.shards(), bounds);
    }

    /** All rows are the same in both databases, where nobody writes them any more. */
    void compare() throws SQLException {
        ChangedRows open = this.changes;
        this.context.enter(MoveStep.COMPARE,
                (open != null) ? "The rows are compared that were written lately" : "All rows are compared");
        try {
            if (open != null) {
                open.await(this.replication.lastMark(), rest());
                addSuspects();
                comparePairs(false);
            }
            else {
                this.context.source().transaction(() -> {
                    this.context.source().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
                    comparePairs(true);
                    return true;
                });
            }
        }
        catch (ChangedRows.LostException ex) {
            throw lost(ex);
        }
    }

    private MoveContext.PauseSpent lost(ChangedRows.LostException failure) {
        giveUpChanges(failure);
        return new MoveContext.PauseSpent(this.context.shards(), "the changes are not known");
    }

    private void comparePairs(boolean all) throws SQLException {
        Set<String> reshaped = all ? Set.of() : reshaped();
        for (Pair pair : this.pairs) {
            if (all || reshaped.contains(pair.name)) {
                compareAll(pair);
            }
            else {
                compareUnderFence(pair);
            }
        }
        long horizon = horizon();
        this.compared = new ComparedRows(horizon, transactions(horizon));
    }

    /** Looks whether anybody has written the shards since they were compared. */
    void requireSilence() throws SQLException {
        ChangedRows open = this.changes;
        if (open == null) {
            return;
        }
        try {
            open.await(this.replication.lastMark(), rest());
            addSuspects();
        }
        catch (ChangedRows.LostException ex) {
            throw lost(ex);
        }
        for (Pair pair : this.pairs) {
            if (!pair.suspects.isEmpty()) {
                throw MoveException.stopped(
                        "Rows were written past the fence: table=%s, shards=%s, ids=%s (nobody writes these shards while they are compared); the source is open again; end what writes with session_replication_role = replica or without triggers, and resume"
                            .formatted(pair.name, this.context.shards(), pair.named()));
            }
        }
    }

    private Duration rest() {
        return this.context.restOfPause("the comparison takes too long");
    }

    /**
     * The tables that are others than those that were hashed, in one of the databases.
     */
    Set<String> reshaped() throws SQLException {
        Map<String, String> here = shapes(this.context.source());
        Map<String, String> there = shapes(this.context.target());
        return this.pairs.stream()
            .filter((pair) -> pair.here.reshaped(here) || pair.there.reshaped(there))
            .map(Pair::name)
            .collect(Collectors.toSet());
    }

    private Map<String, String> shapes(Session session) throws SQLException {
        return this.context.longRunning(session, rest(),
                () -> TableDigest.shapes(session, this.context.tables().stream().map(FencedTable::sql).toList()));
    }

    private void compareAll(Pair pair) throws SQLException {
        refreshUnderFence(pair, rest());
        if (!pair.here.sameAs(pair.there)) {
            throw MoveException.stopped(
                    "Rows differ: table=%s, shards=%s, source=%s, target=%s (both have to be the same); the source is open again; abort the move and find out who wrote to the target"
                        .formatted(pair.name, this.context.shards(), pair.here, pair.there));
        }
        pair.suspects.clear();
    }

    void refreshUnderFence(Pair pair, Duration limit) throws SQLException {
        refresh(pair, limit);
    }

    private void compareUnderFence(Pair pair) throws SQLException {
        compareSuspects(pair, rest());
        if (!pair.suspects.isEmpty()) {
            throw MoveException.stopped(
                    "Rows differ: table=%s, shards=%s, rows=%s, ids=%s (both databases have to have the same); the source is open again; abort the move and find out who wrote to the target"
                        .formatted(pair.name, this.context.shards(), pair.suspects.size(), pair.named()));
        }
    }

    /** Adds what was written since the last look. */
    void addSuspects() throws SQLException {
        Map<String, Set<Long>> written = Objects.requireNonNull(this.changes).take();
        this.pairs.forEach((pair) -> pair.suspects.addAll(written.getOrDefault(pair.name, Set.of())));
    }

    /** The rows that differ now, some of which are on their way. */
    private void findSuspects(Pair pair) throws SQLException {
        Set<Integer> parts = new TreeSet<>();
        long rows = 0;
        for (int part : pair.here.differences(pair.there)) {
            parts.add(part);
            rows += Math.max(pair.here.rows(part), pair.there.rows(part));
            if (rows >= CHUNK) {
                addDifferences(pair, parts);
                parts.clear();
                rows = 0;
            }
        }
        if (!parts.isEmpty()) {
            addDifferences(pair, parts);
        }
    }

    private void addDifferences(Pair pair, Set<Integer> parts) throws SQLException {
        pair.suspects.addAll(differences(pair, this.context.limits().copy(), (digest) -> digest.rowsOf(parts)));
        if (pair.suspects.size() > mostIds()) {
            throw new ChangedRows.LostException(
                    new IllegalStateException("More than %s rows differ: table=%s".formatted(mostIds(), pair.name)));
        }
    }

    /** Compares the rows that may differ, and keeps those that do. */
    private void compareSuspects(Pair pair, Duration limit) throws SQLException {
        List<Long> suspects = List.copyOf(pair.suspects);
        pair.suspects.clear();
        for (int from = 0; from < suspects.size(); from += CHUNK) {
            List<Long> some = suspects.subList(from, Math.min(suspects.size(), from + CHUNK));
            pair.suspects.addAll(differences(pair, limit, (digest) -> digest.rowsWith(some)));
        }
    }

    private Set<Long> differences(Pair pair, Duration limit, Look<Map<Long, String>> look) throws SQLException {
        List<Map<Long, String>> found = inBoth(pair, limit, look);
        Map<Long, String> here = found.get(0);
        Map<Long, String> there = found.get(1);
        return Stream.concat(here.keySet().stream(), there.keySet().stream())
            .filter((id) -> !Objects.equals(here.get(id), there.get(id)))
            .collect(Collectors.toSet());
    }

    private void refresh(Pair pair, Duration limit) throws SQLException {
        inBoth(pair, limit, TableDigest::refresh);
    }

    /** Looks at both databases at the same time. */
    private <T> List<T> inBoth(Pair pair, Duration limit, Look<T> look) throws SQLException {
        FutureTask<T> there = new FutureTask<>(
                () -> this.context.longRunning(this.context.target(), limit, () -> look.at(pair.there)));
        Thread thread = new Thread(there, "shardedid-move-compare");
        thread.setDaemon(true);
        thread.start();
        T here;
        try {
            here = this.context.longRunning(this.context.source(), limit, () -> look.at(pair.here));
        }
        finally {
            joined(there);
        }
        return List.of(here, joined(there));
    }

    private static <T> T joined(FutureTask<T> task) throws SQLException {
        try {
            return task.get();
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new SQLException("The mover was interrupted", ex);
        }
        catch (ExecutionException ex) {
            if (ex.getCause() instanceof SQLException failure) {
                throw failure;
            }
            if (ex.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (ex.getCause() instanceof Error failure) {
                throw failure;
            }
            throw new IllegalStateException(ex.getCause());
        }
    }

    /** Counts the rows where nobody waits, and nobody writes them any more. */
    void count() throws SQLException {
        close();
        long rows = 0;
        for (FencedTable table : this.context.tables()) {
            rows += this.context.longRunning(this.context.source(), this.context.limits().copy(),
                    () -> table.rows(this.context.source(), this.context.shards()));
        }
        this.rows = rows;
    }

    /** The slot of the changes ends. */
    @Override
    public void close() {
        if (this.changes != null) {
            this.changes.close();
            this.changes = null;
        }
    }

    /**
     * A table in both databases.
     *
     * @param name its name
     * @param here its rows at the source
     * @param there its rows at the target
     * @param suspects the ids of rows that may differ
     */
    record Pair(String name, TableDigest here, TableDigest there, Set<Long> suspects) {

        Pair(String name, TableDigest here, TableDigest there) {
            this(name, here, there, new HashSet<>());
        }

        List<Long> named() {
            return this.suspects.stream().sorted().limit(NAMED_IDS).toList();
        }

    }

    /** A comparison of what has changed since the one before it. */
    @FunctionalInterface
    private interface Round {

        void run() throws SQLException;

    }

    /**
     * A look at the rows of one database.
     *
     * @param <T> what it finds
     */
    @FunctionalInterface
    private interface Look<T> {

        T at(TableDigest digest) throws SQLException;

    }

}
