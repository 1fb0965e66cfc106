package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
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
 *
 * @param sessions those of the databases that answer
 * @param silent the databases that cannot be used, and why
 */
record Move(MoveDatabases databases, Move.Limits limits, MapTable map, Map<String, Session> sessions,
        Map<String, String> silent) implements AutoCloseable {

    /** The lock under which ids of a database move the counter up. */
    private static final long COUNTER_LOCK = 0x7368617264656469L;

    /** Returns what the session has kept of the locks of shards. */
    private static final String UNLOCK = "SELECT pg_advisory_unlock_all()";

    private static final String HOMES = "shardedid_home";

    private static final String SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ";

    /** How long rows of a shard may be looked at or deleted while nobody waits for it. */
    private static final Duration ROWS = Duration.ofHours(1);

    /**
     * Connects to all databases that answer.
     * @param changes whether this is the one mover at a time that changes something
     */
    static Move open(MoveDatabases databases, Limits limits, boolean changes, boolean deletes, Session.Probe probe)
            throws SQLException {
        // a session is silent while others copy, compare, delete or wait for transactions
        Duration idle = limits.pause()
            .multipliedBy(2)
            .plus(limits.patience())
            .plus(deletes ? ROWS.multipliedBy(2) : Duration.ofSeconds(30));
        Move move = new Move(databases, limits, MapTable.open(databases, idle, probe), new TreeMap<>(),
                new TreeMap<>());
        try {
            if (changes) {
                move.map.lock();
            }
            Map<String, String> names = new TreeMap<>();
            for (String name : databases.databases().keySet()) {
                try {
                    Session session = Session.open(databases, name, idle, probe);
                    move.sessions.put(name, session);
                    move.requireIdentity(session, names);
                }
                catch (SQLException | MoveException ex) {
                    move.silence(name, ex);
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
     * A name leads to the database that the first router has noted, and no other name
     * does.
     */
    private void requireIdentity(Session session, Map<String, String> names) throws SQLException {
        String identity = session.text("SELECT identity FROM shardedid_identity");
        String noted = this.map.identity(session.database());
        String other = names.putIfAbsent(identity, session.database());
        if (other != null || !noted.isEmpty() && !noted.equals(identity)) {
            throw MoveException.refused(
                    "Database behind the name '%s' must be the one that the map means, and that of no other name: identity=%s, identity in the map=%s, other name=%s (the right one may have the only rows of its shards); correct shardedid.databases.%1$s.url, or give a copy that is to be another database a new identity"
                        .formatted(session.database(), identity, noted, other));
        }
    }

    private void silence(String database, Exception ex) {
        this.silent.put(database, (ex instanceof MoveException) ? MoveException.why(ex)
                : "Database %s cannot be asked (%s); make it reachable".formatted(database, MoveException.why(ex)));
    }

    /** Reads the state of a shard; null means all. */
    List<ShardState> states(@Nullable Integer shard) throws SQLException {
        Map<Integer, ShardState.MapRow> rows = this.map.rows(shard);
        Map<Integer, Map<String, ShardState.HomeRow>> homes = new HashMap<>();
        for (Session session : this.sessions.values()) {
            if (this.silent.containsKey(session.database())) {
                continue;
            }
            try {
                session.rows(
                        "SELECT shard, state, mover, coalesce(copied, '') FROM shardedid_home WHERE shard = coalesce(?, shard)",
                        shard)
                    .forEach((row) -> homes.computeIfAbsent(Integer.valueOf(row.get(0)), (any) -> new TreeMap<>())
                        .put(session.database(), new ShardState.HomeRow(String.valueOf(row.get(1)),
                                Long.parseLong(row.get(2)), String.valueOf(row.get(3)))));
            }
            catch (SQLException ex) {
                if (session.answers()) {
                    throw ex;
                }
                silence(session.database(), ex);
            }
        }
        List<ShardState> states = new ArrayList<>();
        rows.forEach(
                (each, row) -> states.add(new ShardState(each, row, homes.getOrDefault(each, Map.of()), this.silent)));
        return states;
    }

    private Session session(String database) {
        if (this.silent.containsKey(database)) {
            throw MoveException.refused(String.valueOf(this.silent.get(database)));
        }
        return Objects.requireNonNull(this.sessions.get(database));
    }

    /** Tries what a move would do. */
    MoveResult plan(int shard, String target) throws SQLException {
        ShardState state = states(shard).get(0);
        String holder = state.holder();
        if (isThere(state, holder, target)) {
            return MoveResult.of(shard, Outcome.THERE, holder, holder, 0);
        }
        Session from = session(holder);
        Session to = session(target);
        Set<String> problems = new LinkedHashSet<>();
        MovedTables source = MovedTables.of(from, this.databases.leaseTable(), problems);
        MovedTables.of(to, this.databases.leaseTable(), problems);
        if (problems.isEmpty()) {
            problems.addAll(from.within(ROWS, () -> from.transaction(false, () -> source.referring(shard))));
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
                Duration.ofNanos(System.nanoTime() - began).toMillis(), List.copyOf(problems));
    }

    /**
     * Returns whether nothing is to be done for a move. Otherwise a shard begins to move
     * if it rests, or its copy to that target was begun.
     */
    private boolean isThere(ShardState state, String holder, String target) {
        this.databases.get(target);
        state.home(target);
        ShardState.Need need = state.need(holder);
        if (need == null || need.verb().equals("abort") || holder.equals(target) && need.verb().equals("clean")) {
            return holder.equals(target);
        }
        if (holder.equals(target) || !state.map().isAt("copy") || !target.equals(need.to())) {
            throw refused("move", state, need);
        }
        return false;
    }

    private static MoveException refused(String verb, ShardState state, ShardState.Need need) {
        return MoveException.refused("Could not %s shard %s: shards %2$s %s; run %s first".formatted(verb,
                state.shard(), need.what(), need.commands(String.valueOf(state.shard()))));
    }

    /** The tables, if nothing keeps them from being moved. */
    private MovedTables tables(Session session) throws SQLException {
        Set<String> problems = new LinkedHashSet<>();
        MovedTables tables = MovedTables.of(session, this.databases.leaseTable(), problems);
        if (!problems.isEmpty()) {
            throw MoveException.refused(String.join("; ", problems));
        }
        return tables;
    }

    /** Moves a shard, goes on with its move, or says in the map where its rows are. */
    MoveResult move(int shard, String target) throws SQLException {
        ShardState state = states(shard).get(0);
        String holder = state.holder();
        ShardState.Need need = state.need(holder);
        if (holder.equals(target) && need != null && holder.equals(need.to())) {
            settle(state, holder, false);
            return MoveResult.of(shard, Outcome.MOVED, state.left(holder), target, 0);
        }
        // who goes on with a closed shard does not try the copy before, because writers
        // are refused
        if (isThere(state, holder, target) || state.home(holder).is("here")) {
            MoveResult plan = plan(shard, target);
            if (plan.outcome() == Outcome.THERE) {
                return plan;
            }
            if (plan.outcome() == Outcome.PREVENTED) {
                throw MoveException.refused("Could not move shard %s to %s (%s problems); solve them: %s"
                    .formatted(shard, target, plan.problems().size(), String.join("; ", plan.problems())));
            }
        }
        Session from = session(holder);
        Session to = session(target);
        long token = this.map.take(state, holder, target, "copy");
        long rows;
        long began;
        try {
            began = shut(shard, from, token);
            rows = copy(shard, from, to, token);
            // Where this is not said, and a mover has closed the shard, its rows are
            // here, whatever a silent database would say.
            setHome(from, shard, token, "copied = 'left'", "state = 'moved' AND mover = " + token);
            this.map.change(state, token, holder, target, "copy");
        }
        catch (SQLException | MoveException ex) {
            throw takenBack(shard, ex);
        }
        setHome(to, shard, token, "state = 'here', changed_at = clock_timestamp()", "state IN ('arriving', 'here')");
        from.execute(UNLOCK);
        long pause = Duration.ofNanos(System.nanoTime() - began).toMillis();
        this.map.moved(shard, token, true);
        return new MoveResult(shard, Outcome.MOVED, holder, target, rows, pause, List.of());
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
            return MoveException.failed("Could not move shard " + shard, failure);
        }
    }

    /**
     * Closes the source when the transactions that are in the shard have ended. Writers
     * queue behind an attempt, so each is short. Then the session keeps the lock, so that
     * the first writers wait for a second.
     * @return when it was closed
     */
    private long shut(int shard, Session source, long token) throws SQLException {
        long end = System.nanoTime() + this.limits.patience().toNanos();
        for (long millis = 200;; millis = Math.min(2 * millis, 5_000)) {
            try {
                return source.transaction(true, () -> {
                    source.execute("SET LOCAL lock_timeout = '500ms'");
                    source.lock("pg_advisory_xact_lock", HOMES, "?", shard);
                    long began = System.nanoTime();
                    setHome(source, shard, token, "state = 'moved', copied = NULL, changed_at = clock_timestamp()",
                            "state <> 'arriving'");
                    source.lock("pg_advisory_lock", HOMES, "?", shard);
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
                                        source.inside(HOMES, "?", shard)));
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
            }
        }
    }

    /** Changes a home row that no later mover has changed, and whose state is right. */
    private static void setHome(Session session, int shard, long token, String changes, String condition)
            throws SQLException {
        if (session.update("UPDATE shardedid_home SET %s, mover = ? WHERE shard = ? AND mover <= ? AND %s"
            .formatted(changes, condition), token, shard, token) != 1) {
            throw MoveException.overtaken(shard, session.database());
        }
    }

    /**
     * Copies the rows, and compares them; without a token it tries that, and rolls it
     * back.
     */
    private long copy(int shard, Session source, Session target, @Nullable Long token) throws SQLException {
        Duration pause = this.limits.pause();
        long deadline = System.nanoTime() + pause.toNanos();
        try {
            return target.within(pause, () -> target.transaction(token != null, () -> source.within(pause,
                    () -> source.transaction(false, () -> copied(shard, source, target, token, deadline)))));
        }
        catch (SQLException ex) {
            limit(deadline);
            throw ex;
        }
    }

    private long copied(int shard, Session source, Session target, @Nullable Long token, long deadline)
            throws SQLException {
        source.execute(SNAPSHOT);
        target.lock("pg_advisory_xact_lock", HOMES, "?", shard);
        enter(target, shard);
        target.execute("SET CONSTRAINTS ALL DEFERRED");
        String state = target.text("SELECT state FROM shardedid_home WHERE shard = ? FOR UPDATE", shard);
        MovedTables here = tables(source);
        MovedTables there = tables(target);
        if (!here.fences().equals(there.fences())) {
            throw MoveException
                .refused("Fenced tables must be the same in both: source=%s, target=%s; run the migrations in both"
                    .formatted(here.fences(), there.fences()));
        }
        if (state.equals("arriving")) {
            there.delete(shard);
        }
        if (token != null) {
            setHome(target, shard, token, "state = 'arriving', copied = NULL, changed_at = clock_timestamp()", "true");
        }
        long rows = 0;
        for (MovedTables.Table table : here.tables()) {
            limit(deadline, source, target);
            rows += source.copy("SELECT %s FROM %s".formatted(table.copied(), table.of(shard)), target,
                    "%s (%s)".formatted(table.sql(), table.copied()));
        }
        limit(deadline, source, target);
        target.execute("SET CONSTRAINTS ALL IMMEDIATE");
        String digests = compared(shard, source, target, here);
        limit(deadline, source, target);
        if (token != null) {
            raiseSequences(source, target, here);
            target.execute("UPDATE shardedid_home SET copied = ? WHERE shard = ?", digests, shard);
        }
        return rows;
    }

    /** The next statements end when the time does. */
    private void limit(long deadline, Session... sessions) throws SQLException {
        Duration left = Duration.ofNanos(deadline - System.nanoTime());
        if (left.toMillis() <= 0) {
            throw MoveException.refused("The copy takes longer than --pause-limit=%s; permit a longer pause"
                .formatted(MessageText.duration(this.limits.pause())));
        }
        for (Session session : sessions) {
            session.limit(left);
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

    /** Compares all rows of both databases, side by side, and returns their digests. */
    private static String compared(int shard, Session source, Session target, MovedTables tables) throws SQLException {
        FutureTask<List<String>> beside = new FutureTask<>(() -> tables.digests(shard, target, ""));
        new Thread(beside, "shardedid-move").start();
        List<String> here;
        List<String> there;
        try {
            here = tables.digests(shard, source, "");
            there = beside.get();
        }
        catch (ExecutionException | InterruptedException ex) {
            throw new SQLException(ex);
        }
        if (!here.equals(there)) {
            throw MoveException.refused(
                    "Rows differ after the copy: %s=%s, %s=%s (tables with their columns, count and two sums of hashes; a trigger may have changed them); let both databases compute the same"
                        .formatted(source.database(), without(here, there), target.database(), without(there, here)));
        }
        return String.join("\n", here);
    }

    private static List<String> without(List<String> all, List<String> others) {
        return all.stream().filter((each) -> !others.contains(each)).toList();
    }

    /**
     * Numbers that the target gives from now on are above those of the rows that came,
     * and by some more, which others may take at the source meanwhile.
     */
    private static void raiseSequences(Session source, Session target, MovedTables tables) throws SQLException {
        for (MovedTables.Table table : tables.tables()) {
            for (List<@Nullable String> row : source.rows(
                    """
                            SELECT attname, last FROM pg_attribute, pg_sequence_last_value(pg_get_serial_sequence(?, attname)::regclass) last
                             WHERE attrelid = ?::oid AND attnum > 0 AND NOT attisdropped AND last IS NOT NULL""",
                    table.sql(), table.oid())) {
                Long last = Long.valueOf(row.get(1));
                target.execute(
                        """
                                SELECT setval(seqrelid, greatest(seqmin, least(seqmax, ? + sign(seqincrement)::bigint * 1000))) FROM pg_sequence
                                 WHERE seqrelid = pg_get_serial_sequence(?, ?)::regclass
                                   AND (sign(seqincrement) * (? - pg_sequence_last_value(seqrelid)) > 0) IS NOT FALSE""",
                        last, table.sql(), row.get(0), last);
            }
        }
        String counter = "pg_sequence_last_value(to_regclass('shardedid_cell'))";
        String last = source.text("SELECT " + counter);
        if (!last.isEmpty()) {
            target.execute("SELECT pg_advisory_xact_lock(?)", COUNTER_LOCK);
            target.execute("SELECT setval(to_regclass('shardedid_cell'), greatest(%s, ?))".formatted(counter),
                    Long.valueOf(last));
        }
    }

    /**
     * Lets the database that has the rows take writes, and no other one, and the map say
     * so, under a new token. Copies that no map has named are emptied. If it aborts, the
     * move ends here; otherwise old rows are left to be deleted.
     */
    private long settle(ShardState state, String holder, boolean aborts) throws SQLException {
        int shard = state.shard();
        Session home = session(holder);
        List<String> beside = state.openBeside(holder);
        String left = state.left(holder);
        String step = aborts ? "copy" : "open";
        long token = this.map.take(state, Objects.requireNonNullElse(state.map().source(), left),
                Objects.requireNonNullElse(state.map().target(), holder), step);
        for (String other : beside) {
            Session wrong = session(other);
            wrong.transaction(true, () -> {
                wrong.lock("pg_advisory_xact_lock", HOMES, "?", shard);
                // a lower token than that of the holder, which has the rows
                setHome(wrong, shard, state.home(other).mover(),
                        "state = 'moved', copied = 'left', changed_at = clock_timestamp()", "state = 'here'");
                return true;
            });
        }
        setHome(home, shard, token,
                "state = 'here', copied = CASE WHEN state <> 'moved' THEN copied END, changed_at = clock_timestamp()",
                "true");
        home.execute(UNLOCK);
        if (!holder.equals(state.map().home())) {
            this.map.change(state, token, left, holder, step);
        }
        long rows = 0;
        for (String copy : state.copies(holder)) {
            rows += emptied(shard, session(copy), token);
        }
        this.map.moved(shard, token, !aborts && !left.equals(holder));
        return rows;
    }

    /** Takes a move back, or deletes a copy that an aborted move has left. */
    MoveResult abort(int shard) throws SQLException {
        ShardState state = states(shard).get(0);
        String holder = state.holder();
        String step = state.map().step();
        if (step != null && !step.equals("copy") || !holder.equals(state.map().home())) {
            throw refused("abort", state, Objects.requireNonNull(state.need(holder)));
        }
        if (step == null && state.copies(holder).isEmpty()) {
            return MoveResult.of(shard, Outcome.THERE, holder, holder, 0);
        }
        return MoveResult.of(shard, Outcome.ABORTED, holder, holder, settle(state, holder, true));
    }

    /**
     * Empties a copy, which stays {@code arriving}: so it never counts as the last that
     * was closed. If its database is gone, the copy stays, and no map names it.
     */
    private long emptied(int shard, Session target, long token) throws SQLException {
        try {
            return target.within(ROWS, () -> target.transaction(true, () -> {
                setHome(target, shard, token, "copied = NULL", "state = 'arriving'");
                enter(target, shard);
                return tables(target).delete(shard);
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
        ShardState state = states(shard).get(0);
        String holder = state.holder();
        ShardState.Need need = state.need(holder);
        if (need == null || need.verb().equals("abort")) {
            return MoveResult.of(shard, Outcome.THERE, holder, holder, 0);
        }
        if (!need.verb().equals("clean")) {
            throw refused("clean", state, need);
        }
        String left = String.valueOf(state.map().source());
        Session source = session(left);
        requireAge(state, source);
        long token = this.map.take(state, left, holder, "clean");
        long rows = source.within(ROWS,
                () -> source.transaction(true, () -> deleted(state, source, token, state.home(holder).copied())));
        this.map.moved(shard, token, false);
        return MoveResult.of(shard, Outcome.CLEANED, left, holder, rows);
    }

    /**
     * No router goes by the older map any more, and no transaction began by it. When one
     * of another account has begun is not seen, so it counts as old.
     */
    private void requireAge(ShardState state, Session source) throws SQLException {
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
        source.execute(SNAPSHOT);
        setHome(source, shard, token, "copied = 'cleaned'", "state = 'moved'");
        MovedTables tables = tables(source);
        List<String> found = tables.digests(shard, source, copied);
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
        return tables.delete(shard);
    }

    @Override
    public void close() {
        this.sessions.values().forEach(Session::close);
        this.map.close();
    }

    /**
     * How long the writers of one shard may be refused, how long a mover waits for open
     * transactions in it, how long after a move its old rows stay, and for how long a
     * router may go by an older map.
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
