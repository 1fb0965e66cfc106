package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.internal.MessageText;
import io.shardedid.move.MoveResult.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * One command of a mover: its sessions, and what it does with a shard. S is the source, T
 * the target, t the token of this mover, which is above all tokens of the shard. Each
 * durable step is one transaction:
 *
 * <ol>
 * <li>The map's row gets t, and says from where to where, step {@code copy}.</li>
 * <li>S: the exclusive lock of the shard, for which writers that are in it are waited
 * for; the home row becomes {@code moved} with t. From here on writers get SI001.</li>
 * <li>T: what an earlier copy has left is deleted; the rows come from one snapshot of S,
 * parents first; sequences are raised; the digests of both are compared; the home row
 * becomes {@code arriving} with t and the digests.</li>
 * <li>S: the home row says {@code left}: from here on the map may have changed.</li>
 * <li>Map: home T, version t + 1, step {@code open}, if row, version, step and token are
 * those of step 1.</li>
 * <li>T: the home row becomes {@code here}, if it is {@code arriving} with the token of
 * the version.</li>
 * <li>Map: step {@code clean}, with the time from which a day counts.</li>
 * <li>S, a day later: the rows are deleted if they have the digests of step 3 and nothing
 * that stays refers to them.</li>
 * <li>The map's row rests.</li>
 * </ol>
 *
 * To abort, which is possible before step 5 alone: the map's row gets a new token, so
 * that no copy with an older one is switched to; S is opened; T is emptied and stays
 * {@code arriving}, which never counts as the home of rows; the map's row rests.
 */
final class Move implements AutoCloseable {

    /** The lock under which ids of a database move the counter up. */
    private static final long COUNTER_LOCK = 0x7368617264656469L;

    /** Returns what the session has kept of the locks of shards. */
    private static final String UNLOCK = "SELECT pg_advisory_unlock_all()";

    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Who is in a shard. */
    private static final String INSIDE = """
            SELECT string_agg(coalesce('pid ' || pid, 'a prepared transaction'), ', ') FROM pg_locks
             WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND objid = ? AND classid = 'shardedid_home'::regclass
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""";

    /** How long rows of a shard may be looked at or deleted while nobody waits for it. */
    private static final Duration ROWS = Duration.ofHours(1);

    private final MoveDatabases databases;

    private final Limits limits;

    private final MapTable map;

    private final Map<String, Session> sessions = new TreeMap<>();

    /** The databases that cannot be used, and why. */
    private final Map<String, String> silent = new TreeMap<>();

    private Move(MoveDatabases databases, Limits limits, MapTable map) {
        this.databases = databases;
        this.limits = limits;
        this.map = map;
    }

    /**
     * Connects to all databases that answer.
     * @param changes whether this is the one mover at a time that changes something
     * @param deletes whether it may delete many rows
     */
    static Move open(MoveDatabases databases, Limits limits, boolean changes, boolean deletes, Session.Probe probe)
            throws SQLException {
        // a session is silent while others copy, compare, delete or wait for transactions
        Duration idle = limits.pause()
            .multipliedBy(2)
            .plus(limits.patience())
            .plus(deletes ? ROWS.multipliedBy(2) : Duration.ofSeconds(30));
        Move move = new Move(databases, limits, MapTable.open(databases, idle, probe));
        try {
            if (changes) {
                move.map.lock();
            }
            Map<String, String> noted = move.map.identities();
            Map<String, String> names = new TreeMap<>();
            for (String name : databases.databases().keySet()) {
                try {
                    Session session = Session.open(databases, name, idle, probe);
                    move.sessions.put(name, session);
                    requireIdentity(session, noted.get(name), names);
                }
                catch (SQLException ex) {
                    move.silence(name, ex);
                }
                catch (MoveException ex) {
                    move.silent.put(name, String.valueOf(ex.getMessage()));
                }
            }
            if (changes && move.silent.isEmpty()) {
                // where ShardingSphere routes, no router has done so
                for (Map.Entry<String, String> each : names.entrySet()) {
                    move.map.note(each.getValue(), each.getKey());
                }
            }
            return move;
        }
        catch (SQLException | RuntimeException ex) {
            move.close();
            throw ex;
        }
    }

    /**
     * A name leads to the database that the first router has noted, and to one that no
     * other name has.
     * @param names the names by the identities of their databases
     */
    private static void requireIdentity(Session session, @Nullable String noted, Map<String, String> names)
            throws SQLException {
        String identity = session.text("SELECT identity FROM shardedid_identity");
        String other = names.put(identity, session.database());
        if (other != null) {
            throw MoveException.refused(
                    "Names of databases must lead to different ones: databases=[%s, %s], identity=%s; correct shardedid.databases.%2$s.url, or give a copy that is to be another database a new identity"
                        .formatted(other, session.database(), identity));
        }
        if (noted != null && !noted.equals(identity)) {
            throw MoveException.refused(
                    "Database behind the name '%s' must be the one that the map means: identity=%s, identity in the map=%s (the right one may have the only rows of its shards); correct shardedid.databases.%1$s.url"
                        .formatted(session.database(), identity, noted));
        }
    }

    private void silence(String database, SQLException ex) {
        this.silent.put(database,
                "Database %s cannot be asked (%s); make it reachable".formatted(database, MoveException.why(ex)));
    }

    Map<String, String> silent() {
        return this.silent;
    }

    String mover() throws SQLException {
        return this.map.mover();
    }

    private ShardState state(int shard) throws SQLException {
        return states(shard).get(0);
    }

    /**
     * Reads the state of shards.
     * @param shard the shard; null for all
     */
    List<ShardState> states(@Nullable Integer shard) throws SQLException {
        Map<Integer, ShardState.MapRow> rows = this.map.rows(shard);
        Map<Integer, Map<String, ShardState.HomeRow>> homes = new HashMap<>();
        for (Session session : this.sessions.values()) {
            for (List<@Nullable String> row : homes(session, shard)) {
                homes.computeIfAbsent(Integer.valueOf(row.get(0)), (any) -> new TreeMap<>())
                    .put(session.database(), new ShardState.HomeRow(String.valueOf(row.get(1)),
                            Long.parseLong(row.get(2)), String.valueOf(row.get(3))));
            }
        }
        List<ShardState> states = new ArrayList<>();
        rows.forEach(
                (each, row) -> states.add(new ShardState(each, row, homes.getOrDefault(each, Map.of()), this.silent)));
        return states;
    }

    /** The home rows of a database; none if it is silent. */
    private List<List<@Nullable String>> homes(Session session, @Nullable Integer shard) throws SQLException {
        if (this.silent.containsKey(session.database())) {
            return List.of();
        }
        try {
            return session.rows(
                    "SELECT shard, state, mover, coalesce(copied, '') FROM shardedid_home WHERE shard = coalesce(?, shard)",
                    shard);
        }
        catch (SQLException ex) {
            if (session.answers()) {
                throw ex;
            }
            silence(session.database(), ex);
            return List.of();
        }
    }

    private Session session(String database) {
        if (this.silent.containsKey(database)) {
            throw MoveException.refused(String.valueOf(this.silent.get(database)));
        }
        return Objects.requireNonNull(this.sessions.get(database));
    }

    /** Tries what a move would do. */
    MoveResult plan(int shard, String target) throws SQLException {
        ShardState state = state(shard);
        String holder = state.holder();
        ShardState.Need need = state.need(holder);
        if (holder.equals(target) && (need == null || !need.verb().equals("move"))) {
            return MoveResult.of(shard, Outcome.THERE, holder, holder, 0, 0);
        }
        requireMovable(state, need, holder, target);
        Session from = session(holder);
        Session to = session(target);
        Set<String> problems = new LinkedHashSet<>();
        MovedTables source = tables(from, problems);
        tables(to, problems);
        if (problems.isEmpty()) {
            problems.addAll(from.within(ROWS, () -> from.tried(() -> source.referring(shard))));
            source.tryFence(shard);
        }
        long began = System.nanoTime();
        long rows = 0;
        if (problems.isEmpty()) {
            try {
                rows = copy(shard, from, to, null);
            }
            catch (SQLException | MoveException ex) {
                problems.add("The copy from %s to %s fails (%s)".formatted(holder, target, MoveException.why(ex)));
            }
        }
        return new MoveResult(shard, problems.isEmpty() ? Outcome.POSSIBLE : Outcome.PREVENTED, holder, target, rows,
                millisSince(began), List.copyOf(problems));
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    /** A shard begins to move if it rests, or its copy to that target was begun. */
    private static void requireMovable(ShardState state, ShardState.@Nullable Need need, String holder, String target) {
        state.home(target);
        if (need != null && !need.verb().equals("abort")
                && (holder.equals(target) || !state.map().isAt("copy") || !target.equals(need.to()))) {
            throw refused("move", state, need);
        }
    }

    private static MoveException refused(String verb, ShardState state, ShardState.Need need) {
        return MoveException.refused("Could not %s shard %s: shards %2$s %s; run %s first".formatted(verb,
                state.shard(), need.what(), need.commands(String.valueOf(state.shard()))));
    }

    private MovedTables tables(Session session, Set<String> problems) throws SQLException {
        return MovedTables.of(session, this.databases.leaseTable(), problems);
    }

    /** The tables, if nothing keeps them from being moved. */
    private MovedTables tables(Session session) throws SQLException {
        Set<String> problems = new LinkedHashSet<>();
        MovedTables tables = tables(session, problems);
        if (!problems.isEmpty()) {
            throw MoveException.refused(String.join("; ", problems));
        }
        return tables;
    }

    /** Moves a shard, goes on with its move, or says in the map where its rows are. */
    MoveResult move(int shard, String target) throws SQLException {
        ShardState state = state(shard);
        String holder = state.holder();
        ShardState.Need need = state.need(holder);
        if (holder.equals(target) && (need == null || !need.verb().equals("move"))) {
            return MoveResult.of(shard, Outcome.THERE, holder, holder, 0, 0);
        }
        if (holder.equals(target) && need != null && holder.equals(need.to())) {
            settle(state, holder, false);
            return MoveResult.of(shard, Outcome.MOVED, state.left(holder), target, 0, 0);
        }
        requireMovable(state, need, holder, target);
        // who goes on with a closed shard does not try the copy before, because writers
        // are refused
        if (state.home(holder).is("here")) {
            requirePossible(plan(shard, target));
        }
        Session from = session(holder);
        Session to = session(target);
        long token = this.map.take(state, holder, target, "copy");
        long rows;
        long began;
        try {
            began = shut(shard, from, token);
            rows = copy(shard, from, to, token);
            leave(shard, from, token);
            this.map.change(state, token, holder, target, "copy");
        }
        catch (SQLException | MoveException ex) {
            throw takenBack(shard, ex);
        }
        setHome(to, shard, "here", token, "state IN ('arriving', 'here')");
        from.execute(UNLOCK);
        long pause = millisSince(began);
        this.map.moved(shard, token);
        return MoveResult.of(shard, Outcome.MOVED, holder, target, rows, pause);
    }

    private static void requirePossible(MoveResult plan) {
        if (plan.outcome() == Outcome.PREVENTED) {
            throw MoveException.refused("Could not move shard %s to %s (%s problems); solve them: %s"
                .formatted(plan.shard(), plan.target(), plan.problems().size(), String.join("; ", plan.problems())));
        }
    }

    /** Lets writers go on after a failure, if that can be done at once. */
    private MoveException takenBack(int shard, Exception failure) {
        try {
            abort(shard);
            return MoveException
                .refused("Could not move shard %s (%s); the move is taken back, move again when the cause is gone"
                    .formatted(shard, MoveException.why(failure)));
        }
        catch (SQLException | MoveException ex) {
            failure.addSuppressed(ex);
        }
        return MoveException.failed("Could not move shard " + shard, failure);
    }

    /**
     * Closes the source when the transactions that are in the shard have ended. Writers
     * queue behind an attempt, so each is short. Then the session keeps the lock, so that
     * the first writers wait for a second.
     * @return when it was closed
     */
    private long shut(int shard, Session source, long token) throws SQLException {
        long end = System.nanoTime() + this.limits.patience().toNanos();
        for (long nap = NAP_NANOS;; nap = Math.min(2 * nap, 25 * NAP_NANOS)) {
            try {
                return source.transaction(() -> {
                    source.execute("SET LOCAL lock_timeout = '500ms'");
                    lock(source, "pg_advisory_xact_lock", shard);
                    long began = System.nanoTime();
                    setHome(source, shard, "moved", token, "state <> 'arriving'");
                    lock(source, "pg_advisory_lock", shard);
                    return began;
                });
            }
            catch (SQLException ex) {
                if (!"55P03".equals(ex.getSQLState())) {
                    throw ex;
                }
                if (System.nanoTime() > end) {
                    throw MoveException.refused(
                            "Transactions in shard %s of database %s must end within --patience=%s: %s; end them, or wait longer"
                                .formatted(shard, source.database(), MessageText.duration(this.limits.patience()),
                                        source.text(INSIDE, shard)));
                }
                LockSupport.parkNanos(nap);
            }
        }
    }

    /** Takes the lock of a shard, as the fence has it. */
    private static void lock(Session session, String function, int shard) throws SQLException {
        session.execute("SELECT %s('shardedid_home'::regclass::oid::integer, ?)".formatted(function), shard);
    }

    /** Changes a home row that no later mover has changed, and whose state is right. */
    private static void setHome(Session session, int shard, String state, long token, String condition)
            throws SQLException {
        int changed = session.update("""
                UPDATE shardedid_home SET state = ?, mover = ?, changed_at = clock_timestamp(),
                       copied = CASE WHEN ? = 'here' AND state <> 'moved' THEN copied END
                 WHERE shard = ? AND mover <= ? AND %s""".formatted(condition), state, token, state, shard, token);
        if (changed != 1) {
            throw MoveException.overtaken(shard, session.database());
        }
    }

    /**
     * Says that the shard may have another home from here on. Where this is not said, and
     * a mover has closed the shard, its rows are here, whatever a silent database would
     * say.
     */
    private static void leave(int shard, Session session, long token) throws SQLException {
        if (session.update(
                "UPDATE shardedid_home SET copied = 'left' WHERE shard = ? AND state = 'moved' AND mover = ?", shard,
                token) != 1) {
            throw MoveException.overtaken(shard, session.database());
        }
    }

    /**
     * Copies the rows, and compares them.
     * @param token of the mover; null to try it, and roll it back
     * @return how many rows these are
     */
    private long copy(int shard, Session source, Session target, @Nullable Long token) throws SQLException {
        Duration pause = this.limits.pause();
        long deadline = System.nanoTime() + pause.toNanos();
        Session.Work<Long> work = () -> source.within(pause,
                () -> source.snapshot(false, () -> copied(shard, source, target, token, deadline)));
        return target.within(pause, () -> (token != null) ? target.transaction(work) : target.tried(work));
    }

    private long copied(int shard, Session source, Session target, @Nullable Long token, long deadline)
            throws SQLException {
        lock(target, "pg_advisory_xact_lock", shard);
        enter(target, shard);
        target.execute("SET CONSTRAINTS ALL DEFERRED");
        String state = target.text("SELECT state FROM shardedid_home WHERE shard = ? FOR UPDATE", shard);
        List<MovedTable> tables = tables(source).tables();
        List<MovedTable> there = tables(target).tables();
        MovedTable.requireSame(tables, there);
        makeRoom(shard, target, there, state.equals("arriving"));
        if (token != null) {
            setHome(target, shard, "arriving", token, "true");
        }
        long rows = 0;
        for (MovedTable table : tables) {
            rows += source.copy(
                    "SELECT %s FROM %s WHERE %s".formatted(table.copied(), table.rows(), table.in("", shard)), target,
                    "%s (%s)".formatted(table.sql(), table.copied()), () -> requireTime(deadline));
        }
        target.execute("SET CONSTRAINTS ALL IMMEDIATE");
        String digests = compared(shard, source, target, tables);
        requireTime(deadline);
        if (token != null) {
            raiseSequences(source, target, tables);
            target.execute("UPDATE shardedid_home SET copied = ? WHERE shard = ?", digests, shard);
        }
        return rows;
    }

    private void requireTime(long deadline) {
        if (System.nanoTime() > deadline) {
            throw MoveException.refused("The copy takes longer than --pause-limit=%s; permit a longer pause"
                .formatted(MessageText.duration(this.limits.pause())));
        }
    }

    /**
     * Lets this transaction past the fence of a shard whose home row it has locked, or
     * whose lock it has.
     */
    private static void enter(Session session, int shard) throws SQLException {
        session.execute(
                "SELECT set_config('shardedid.entered_' || ?, overlay(repeat('0', 32) PLACING '1' FROM ?) || ':' || pg_current_xact_id(), true)",
                String.valueOf(shard >> 5), 1 + (shard & 31));
    }

    private static void makeRoom(int shard, Session target, List<MovedTable> tables, boolean deletes)
            throws SQLException {
        if (deletes) {
            deleteRows(shard, target, tables);
            return;
        }
        for (MovedTable table : tables) {
            if (target.holds("SELECT EXISTS (SELECT FROM %s WHERE %s)".formatted(table.rows(), table.in("", shard)))) {
                throw MoveException.refused(
                        "Database %s must have no rows of shard %s, which no move has copied: table=%s (a wrong map may have led writes there); find out where they come from"
                            .formatted(target.database(), shard, table.shown()));
            }
        }
    }

    /** Deletes the rows of a shard that this transaction has entered, children first. */
    private static long deleteRows(int shard, Session session, List<MovedTable> tables) throws SQLException {
        List<MovedTable> children = new ArrayList<>(tables);
        Collections.reverse(children);
        long rows = 0;
        session.execute("SET CONSTRAINTS ALL DEFERRED");
        for (MovedTable table : children) {
            rows += session.update("DELETE FROM %s WHERE %s".formatted(table.rows(), table.in("", shard)));
        }
        return rows;
    }

    /**
     * Compares all rows of both databases, side by side, and returns what they have in
     * common.
     */
    private static String compared(int shard, Session source, Session target, List<MovedTable> tables)
            throws SQLException {
        FutureTask<List<String>> beside = new FutureTask<>(() -> MovedTable.digests(shard, target, tables, ""));
        new Thread(beside, "shardedid-move").start();
        List<String> here;
        List<String> there;
        try {
            here = MovedTable.digests(shard, source, tables, "");
        }
        finally {
            there = result(beside);
        }
        if (!here.equals(there)) {
            List<String> more = new ArrayList<>(there);
            more.removeAll(here);
            here.removeAll(there);
            throw MoveException.refused(
                    "Rows differ after the copy: %s=%s, %s=%s (tables with their columns, count and two sums of hashes; a trigger may have changed them); let both databases compute the same"
                        .formatted(source.database(), here, target.database(), more));
        }
        return String.join("\n", here);
    }

    private static List<String> result(FutureTask<List<String>> task) throws SQLException {
        try {
            return task.get();
        }
        catch (ExecutionException ex) {
            throw (ex.getCause() instanceof SQLException sql) ? sql : new SQLException(ex.getCause());
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new SQLException(ex);
        }
    }

    /**
     * Numbers that the target gives from now on are above those of the rows that came,
     * and by some more, which others may take at the source meanwhile.
     */
    private static void raiseSequences(Session source, Session target, List<MovedTable> tables) throws SQLException {
        for (MovedTable table : tables) {
            for (MovedTable.Column column : table.columns()) {
                String value = column.sequence().isEmpty() ? ""
                        : source.text("SELECT last_value FROM %s WHERE is_called".formatted(column.sequence()));
                String raised = target.text("SELECT pg_get_serial_sequence(?, ?)", table.sql(), column.name());
                if (!value.isEmpty() && !raised.isEmpty()) {
                    target.execute(
                            """
                                    SELECT setval(s.seqrelid, greatest(s.seqmin, least(s.seqmax, ? + sign(s.seqincrement)::bigint * 1000)))
                                      FROM %s v JOIN pg_sequence s ON s.seqrelid = ?::regclass
                                     WHERE sign(s.seqincrement) * (? - v.last_value) > 0 OR NOT v.is_called"""
                                .formatted(raised),
                            Long.valueOf(value), raised, Long.valueOf(value));
                }
            }
        }
        String counter = source.text("SELECT to_regclass('shardedid_cell')");
        String raised = target.text("SELECT to_regclass('shardedid_cell')");
        if (!counter.isEmpty() && !raised.isEmpty()) {
            target.execute("SELECT pg_advisory_xact_lock(?)", COUNTER_LOCK);
            target.execute("SELECT setval('shardedid_cell', greatest(last_value, ?::bigint)) FROM shardedid_cell",
                    source.text("SELECT last_value FROM shardedid_cell"));
        }
    }

    /**
     * Lets the database that has the rows take writes, and no other one, and the map say
     * so, under a new token. Copies that no map has named are emptied.
     * @param aborts whether the move ends here; otherwise old rows are left to be deleted
     * @return how many rows were deleted
     */
    private long settle(ShardState state, String holder, boolean aborts) throws SQLException {
        int shard = state.shard();
        Session home = session(holder);
        List<String> beside = state.openBeside(holder);
        String left = state.left(holder);
        String step = Objects.requireNonNullElse(state.map().step(), aborts ? "copy" : "open");
        long token = this.map.take(state, Objects.requireNonNullElse(state.map().source(), left),
                Objects.requireNonNullElse(state.map().target(), holder), step);
        for (String other : beside) {
            Session wrong = session(other);
            wrong.transaction(() -> {
                lock(wrong, "pg_advisory_xact_lock", shard);
                // a lower token than that of the holder, which has the rows
                setHome(wrong, shard, "moved", state.home(other).mover(), "state = 'here'");
                leave(shard, wrong, state.home(other).mover());
                return true;
            });
        }
        if (!holder.equals(state.map().home())) {
            setHome(home, shard, state.home(holder).state(), token, "true");
            this.map.change(state, token, left, holder, step);
        }
        setHome(home, shard, "here", token, "true");
        home.execute(UNLOCK);
        long rows = 0;
        for (String copy : state.copies(holder)) {
            rows += emptied(shard, session(copy), token);
        }
        if (aborts || left.equals(holder)) {
            this.map.rests(shard, token);
        }
        else {
            this.map.moved(shard, token);
        }
        return rows;
    }

    /** Takes a move back, or deletes a copy that an aborted move has left. */
    MoveResult abort(int shard) throws SQLException {
        ShardState state = state(shard);
        String holder = state.holder();
        String step = state.map().step();
        if (step != null && !step.equals("copy") || !holder.equals(state.map().home())) {
            throw refused("abort", state, Objects.requireNonNull(state.need(holder)));
        }
        if (step == null && state.copies(holder).isEmpty()) {
            return MoveResult.of(shard, Outcome.THERE, holder, holder, 0, 0);
        }
        return MoveResult.of(shard, Outcome.ABORTED, holder, holder, settle(state, holder, true), 0);
    }

    /**
     * Empties a copy, which stays {@code arriving}: so it never counts as the last that
     * was closed. If its database is gone, the copy stays, and no map names it.
     */
    private long emptied(int shard, Session target, long token) throws SQLException {
        try {
            return target.within(ROWS, () -> target.transaction(() -> {
                if (target.update(
                        "UPDATE shardedid_home SET mover = ?, copied = NULL WHERE shard = ? AND mover < ? AND state = 'arriving'",
                        token, shard, token) == 0) {
                    return 0L;
                }
                enter(target, shard);
                return deleteRows(shard, target, tables(target).tables());
            }));
        }
        catch (SQLException ex) {
            if (target.answers()) {
                throw ex;
            }
            return 0;
        }
    }

    /** Deletes the old rows, if they are those that were copied. */
    MoveResult clean(int shard) throws SQLException {
        ShardState state = state(shard);
        String holder = state.holder();
        ShardState.Need need = state.need(holder);
        if (need == null || need.verb().equals("abort")) {
            return MoveResult.of(shard, Outcome.THERE, holder, holder, 0, 0);
        }
        if (!need.verb().equals("clean")) {
            throw refused("clean", state, need);
        }
        String left = String.valueOf(state.map().source());
        Session source = session(left);
        requireTime(state, source);
        long token = this.map.take(state, left, holder, "clean");
        long rows = source.within(ROWS,
                () -> source.snapshot(true, () -> deleted(state, source, token, state.home(holder).copied())));
        this.map.rests(shard, token);
        return MoveResult.of(shard, Outcome.CLEANED, left, holder, rows, 0);
    }

    /**
     * No router goes by the older map any more, and no transaction began by it. When one
     * of another account has begun is not seen, so it counts as old.
     */
    private void requireTime(ShardState state, Session source) throws SQLException {
        long age = state.map().age();
        if (age < this.limits.after().toMillis()) {
            throw MoveException.refused(
                    "Old rows of shard %s stay for %s after its move, which was %s ago; clean later, or set --after"
                        .formatted(state.shard(), MessageText.duration(this.limits.after()),
                                MessageText.duration(Duration.ofMillis(Math.max(0, age)))));
        }
        String older = source.text(
                """
                        SELECT string_agg(who, ', ') FROM (
                          SELECT 'pid ' || pid AS who, xact_start AS began FROM pg_locks JOIN pg_stat_activity USING (pid)
                           WHERE locktype = 'virtualxid' AND datname = current_database() AND usename IS NOT NULL AND pid <> pg_backend_pid()
                          UNION ALL SELECT 'prepared ' || gid, prepared FROM pg_prepared_xacts WHERE database = current_database()) t
                         WHERE (began < clock_timestamp() - ? * interval '1 ms') IS NOT FALSE""",
                age - this.limits.routers().toMillis());
        if (!older.isEmpty()) {
            throw MoveException.refused(
                    "Transactions in database %s must have begun after the move of shard %s: %s (they may read its old rows); end them"
                        .formatted(source.database(), state.shard(), older));
        }
    }

    /** On one snapshot, so that a row which is written meanwhile ends the transaction. */
    private long deleted(ShardState state, Session source, long token, String copied) throws SQLException {
        int shard = state.shard();
        if (source.update(
                "UPDATE shardedid_home SET mover = ?, copied = 'cleaned' WHERE shard = ? AND mover <= ? AND state = 'moved'",
                token, shard, token) != 1) {
            throw MoveException.overtaken(shard, source.database());
        }
        MovedTables tables = tables(source);
        List<String> found = MovedTable.digests(shard, source, tables.tables(), copied);
        if (found.isEmpty()) {
            return 0;
        }
        if (!copied.lines().toList().equals(found)) {
            throw MoveException.refused(
                    "Old rows of shard %s in database %s are not those that were copied: copied=%s, found=%s (count, two sums of hashes; somebody has written past the fence); compare them with database %s, and delete them by hand"
                        .formatted(shard, source.database(), copied.lines().toList(), found, state.map().home()));
        }
        List<String> referring = tables.referring(shard);
        if (!referring.isEmpty()) {
            throw MoveException.refused(String.join("; ", referring));
        }
        enter(source, shard);
        long rows = deleteRows(shard, source, tables.tables());
        List<String> kept = MovedTable.digests(shard, source, tables.tables(), copied);
        if (!kept.isEmpty()) {
            throw MoveException.refused(
                    "Old rows of shard %s in database %s must all be deleted: kept=%s; let no trigger or rule keep them"
                        .formatted(shard, source.database(), kept));
        }
        return rows;
    }

    @Override
    public void close() {
        this.sessions.values().forEach(Session::close);
        this.map.close();
    }

    /**
     * How long a mover waits for what.
     *
     * @param pause how long writers of one shard may be refused while it is copied
     * @param patience how long to wait for open transactions of a shard before its source
     * closes
     * @param after how long after a move its old rows stay
     * @param routers for how long a router may go by an older map
     */
    record Limits(Duration pause, Duration patience, Duration after, Duration routers) {

        Limits {
            check("pause-limit", pause, Duration.ofSeconds(1), Duration.ofHours(1));
            check("patience", patience, Duration.ZERO, Duration.ofHours(1));
            check("after", after, routers, Duration.ofDays(3650));
        }

        private static void check(String name, Duration value, Duration least, Duration most) {
            if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
                throw MoveException.refused("%s must be in [%s, %s]: %1$s=%4$s; correct it".formatted(name,
                        MessageText.duration(least), MessageText.duration(most), MessageText.duration(value)));
            }
        }

    }

}
