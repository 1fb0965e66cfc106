package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
 * <li>S: the home row says that the shard may have left. Map: home T, version t + 1, step
 * {@code open}, if row, version, step and token are those of step 1.</li>
 * <li>T: the home row becomes {@code here}, if it is {@code arriving} with the token of
 * the version.</li>
 * <li>Map: step {@code clean}, with the time from which a day counts.</li>
 * <li>S, a day later: the rows are deleted if they have the digests of step 3 and nothing
 * that stays refers to them; then the map's row rests.</li>
 * </ol>
 *
 * To abort, which is possible before step 4 alone: the map's row gets a new token, so
 * that no copy with an older one is switched to; T is emptied and stays {@code arriving},
 * which never counts as the home of rows; S is opened; the map's row rests.
 */
final class Move implements AutoCloseable {

    /** The first number of the lock of a shard, as the fence has it. */
    private static final int FENCE_LOCK = 1397246276;

    /** The lock under which ids of a database move the counter up. */
    private static final long COUNTER_LOCK = 0x7368617264656469L;

    /** How long one attempt to close a shard holds up its writers. */
    private static final String CLOSE_MILLIS = "500";

    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final long LONGEST_NAP_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * Writers wait for a shard that comes back sooner than that; later they are refused
     * at once.
     */
    private static final Duration WAIT = Duration.ofMillis(700);

    /** Who is in a shard. */
    private static final String HOLDERS = """
            SELECT string_agg(coalesce('pid ' || pid, 'a prepared transaction'), ', ') FROM pg_locks
             WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = ? AND objid = ?
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""";

    /** How long rows of a shard may be looked at or deleted while nobody waits for it. */
    private static final Duration ROWS = Duration.ofHours(1);

    /** Numbers that others may take between two looks at a sequence. */
    private static final int SEQUENCE_GAP = 1000;

    private final MoveDatabases databases;

    private final MoveLimits limits;

    private final Duration routers;

    private final MapTable map;

    private final Map<String, Session> sessions = new TreeMap<>();

    /** The databases that do not answer, and why. */
    private final Map<String, String> silent = new TreeMap<>();

    private Move(MoveDatabases databases, MoveLimits limits, Duration routers, MapTable map) {
        this.databases = databases;
        this.limits = limits;
        this.routers = routers;
        this.map = map;
    }

    /**
     * Connects to all databases that answer.
     * @param use what the command does
     */
    static Move open(MoveDatabases databases, MoveLimits limits, Duration routers, Use use, Session.Probe probe)
            throws SQLException {
        // a session is silent while others copy, compare, delete or wait for transactions
        Duration idle = limits.pause().multipliedBy(2).plus(limits.patience()).plusSeconds(30);
        MapTable map = MapTable.open(databases, idle, probe);
        Move move = new Move(databases, limits, routers, map);
        try {
            if (use == Use.CHANGES) {
                map.lock();
            }
            Map<String, String> identities = map.identities();
            Map<String, String> names = new HashMap<>();
            for (String name : new TreeMap<>(databases.databases()).keySet()) {
                try {
                    Session session = Session.open(databases, name, idle, probe);
                    move.sessions.put(name, session);
                    String identity = requireIdentity(session, identities.get(name), names);
                    if (use == Use.CHANGES) {
                        // where ShardingSphere routes, no router has done so
                        map.note(name, identity);
                    }
                }
                catch (SQLException ex) {
                    move.silent.put(name, "Database %s does not answer (%s)".formatted(name, MoveException.why(ex)));
                }
                catch (MoveException ex) {
                    if (use != Use.LOOKS) {
                        throw ex;
                    }
                    move.silent.put(name, String.valueOf(ex.getMessage()));
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
     */
    private static String requireIdentity(Session session, @Nullable String noted, Map<String, String> names)
            throws SQLException {
        String identity = session.text("SELECT identity FROM " + session.own("shardedid_identity"));
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
        return identity;
    }

    Map<String, String> silent() {
        return this.silent;
    }

    String mover() throws SQLException {
        return this.map.mover();
    }

    /** Reads the state of all shards. */
    List<ShardState> states() throws SQLException {
        return states(this.map.rows());
    }

    private ShardState state(int shard) throws SQLException {
        return states(Map.of(shard, this.map.row(shard))).get(0);
    }

    private List<ShardState> states(Map<Integer, ShardState.MapRow> rows) throws SQLException {
        Map<Integer, Map<String, ShardState.HomeRow>> homes = new HashMap<>();
        for (Session session : this.sessions.values()) {
            if (this.silent.containsKey(session.database())) {
                continue;
            }
            for (List<@Nullable String> row : homes(session,
                    (rows.size() > 1) ? null : rows.keySet().iterator().next())) {
                homes.computeIfAbsent(Integer.valueOf(row.get(0)), (shard) -> new TreeMap<>())
                    .put(session.database(), new ShardState.HomeRow(String.valueOf(row.get(1)),
                            Long.parseLong(row.get(2)), (row.get(3) != null) ? row.get(3) : ""));
            }
        }
        List<ShardState> states = new ArrayList<>();
        rows.forEach((shard, row) -> states.add(new ShardState(shard, row, homes.getOrDefault(shard, Map.of()),
                this.silent.keySet(), this.databases.databases().keySet())));
        return states;
    }

    /** The home rows of a database; none if it is silent. */
    private List<List<@Nullable String>> homes(Session session, @Nullable Integer shard) throws SQLException {
        try {
            return session.rows("SELECT shard, state, mover, copied FROM %s WHERE shard = coalesce(?, shard)"
                .formatted(session.own("shardedid_home")), shard);
        }
        catch (SQLException ex) {
            if (session.answers()) {
                throw ex;
            }
            this.silent.put(session.database(),
                    "Database %s does not answer (%s)".formatted(session.database(), MoveException.why(ex)));
            return List.of();
        }
    }

    private Session session(String database) {
        Session session = this.sessions.get(database);
        if (session == null || this.silent.containsKey(database)) {
            throw MoveException.refused("%s; make it reachable"
                .formatted(this.silent.getOrDefault(database, "Database %s is not configured".formatted(database))));
        }
        return session;
    }

    /** Tries what a move would do. */
    MoveResult plan(int shard, String target) throws SQLException {
        ShardState state = state(shard);
        String holder = state.holder();
        if (holder.equals(target) && state.need(holder) == null) {
            return MoveResult.of(shard, Outcome.THERE, holder, target, 0, Duration.ZERO);
        }
        requireMovable(state, holder, target);
        Session from = session(holder);
        Session to = session(target);
        MovedTables source = tables(from);
        MovedTables there = tables(to);
        List<String> problems = new ArrayList<>();
        add(problems, source.problems());
        add(problems, there.problems());
        add(problems, MovedTables.differences(source, there));
        if (problems.isEmpty()) {
            from.limit(ROWS);
            add(problems, from.tried(() -> source.referring(shard)));
            from.limit();
            source.tryFence(shard);
            there.tryFence(shard);
            add(problems, source.problems());
            add(problems, there.problems());
        }
        long began = System.nanoTime();
        long rows = 0;
        if (problems.isEmpty()) {
            try {
                rows = copy(shard, from, to, null);
            }
            catch (SQLException ex) {
                problems
                    .add("The copy fails in database %s or %s (%s)".formatted(holder, target, MoveException.why(ex)));
            }
            catch (MoveException ex) {
                problems.add(String.valueOf(ex.getMessage()));
            }
        }
        Duration pause = since(began);
        if (pause.compareTo(this.limits.pause()) > 0) {
            problems.add("Writers would be refused for %s; the limit is --pause-limit=%s"
                .formatted(MessageText.duration(pause), MessageText.duration(this.limits.pause())));
        }
        return new MoveResult(shard, problems.isEmpty() ? Outcome.POSSIBLE : Outcome.PREVENTED, holder, target, rows,
                pause, List.copyOf(problems), List.copyOf(source.warnings()));
    }

    private static void add(List<String> problems, List<String> more) {
        more.stream().filter((problem) -> !problems.contains(problem)).forEach(problems::add);
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    /** A shard begins to move if it rests, or its copy to that target was begun. */
    private static void requireMovable(ShardState state, String holder, String target) {
        ShardState.Need need = state.need(holder);
        if (need != null && !need.verb().equals("abort") && !(state.isOpen("copy") && target.equals(need.to()))) {
            throw MoveException.refused("Could not move shard %s to %s: shards %1$s %s; run %s first"
                .formatted(state.shard(), target, need.what(), need.commands(ShardRanges.of(List.of(state.shard())))));
        }
    }

    private MovedTables tables(Session session) throws SQLException {
        return MovedTables.of(session, Objects.requireNonNullElse(this.databases.leaseTable(), "shardedid_worker"));
    }

    /** Moves a shard, goes on with its move, or says in the map where its rows are. */
    MoveResult move(int shard, String target) throws SQLException {
        ShardState state = state(shard);
        String holder = state.holder();
        ShardState.Need need = state.need(holder);
        if (holder.equals(target) && (need == null || !need.verb().equals("move"))) {
            return MoveResult.of(shard, Outcome.THERE, holder, target, 0, Duration.ZERO);
        }
        if (holder.equals(target) && need != null && holder.equals(need.to())) {
            settle(state, holder);
            return MoveResult.of(shard, Outcome.MOVED, holder, target, 0, Duration.ZERO);
        }
        requireMovable(state, holder, target);
        // who goes on with a closed shard does not try the copy before, because writers
        // are refused
        boolean closed = !state.home(holder).state().equals("here");
        boolean waits = !closed && tried(shard, target).compareTo(WAIT) < 0;
        Session from = session(holder);
        Session to = session(target);
        long token = this.map.take(state, holder, target, "copy");
        long rows;
        long began;
        try {
            try {
                began = shut(shard, from, token, waits);
                rows = copy(shard, from, to, token);
                leave(shard, from);
                this.map.change(state, token, holder, target, "copy");
            }
            catch (SQLException | MoveException ex) {
                throw takenBack(shard, token, ex);
            }
            open(shard, to, token);
        }
        finally {
            if (waits) {
                from.executeQuietly("SELECT pg_advisory_unlock(%s, %s)".formatted(FENCE_LOCK, shard));
            }
        }
        Duration pause = since(began);
        this.map.reached(shard, token, "clean");
        return MoveResult.of(shard, Outcome.MOVED, holder, target, rows, pause);
    }

    private Duration tried(int shard, String target) throws SQLException {
        MoveResult plan = plan(shard, target);
        if (plan.outcome() == Outcome.PREVENTED) {
            throw MoveException.refused("Could not move shard %s to %s (%s problems); solve them: %s".formatted(shard,
                    target, plan.problems().size(), String.join("; ", plan.problems())));
        }
        return plan.pause();
    }

    /** Lets writers go on after a failure, if that can be done at once. */
    private MoveException takenBack(int shard, long token, Exception failure) {
        try {
            ShardState now = state(shard);
            if (now.isOpen("copy") && now.map().mover() == token) {
                abort(shard);
                return MoveException
                    .refused("Could not move shard %s (%s); the move is taken back, move again when the cause is gone"
                        .formatted(shard, MoveException.why(failure)));
            }
        }
        catch (SQLException | MoveException ex) {
            failure.addSuppressed(ex);
        }
        return MoveException.failed("Could not move shard " + shard, failure);
    }

    /**
     * Closes the source when the transactions that are in the shard have ended. Writers
     * queue behind an attempt, so each is short.
     * @param keeps whether the lock is kept until the target is open, so that writers
     * wait
     * @return when it was closed
     */
    private long shut(int shard, Session source, long token, boolean keeps) throws SQLException {
        long end = System.nanoTime() + this.limits.patience().toNanos();
        for (long nap = NAP_NANOS;; nap = Math.min(2 * nap, LONGEST_NAP_NANOS)) {
            try {
                return source.transaction(() -> {
                    source.execute("SELECT set_config('lock_timeout', ?, true)", CLOSE_MILLIS);
                    source.execute("SELECT pg_advisory_xact_lock(?, ?)", FENCE_LOCK, shard);
                    if (keeps) {
                        source.execute("SELECT pg_advisory_lock(?, ?)", FENCE_LOCK, shard);
                    }
                    long began = System.nanoTime();
                    setHome(source, shard, "moved", token, "state <> 'arriving'");
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
                                        source.text(HOLDERS, FENCE_LOCK, shard)));
                }
                LockSupport.parkNanos(nap);
            }
        }
    }

    /** Changes a home row that no later mover has changed, and whose state is right. */
    private static void setHome(Session session, int shard, String state, long token, String condition)
            throws SQLException {
        int changed = session.update("""
                UPDATE %s SET state = ?, mover = ?, changed_at = clock_timestamp(),
                       copied = CASE WHEN ? = 'here' AND state <> 'moved' THEN copied END
                 WHERE shard = ? AND mover <= ? AND %s""".formatted(session.own("shardedid_home"), condition), state,
                token, state, shard, token);
        if (changed != 1) {
            throw MoveException.unfinished("Another mover has changed shard %s in database %s; look at 'shards status'"
                .formatted(shard, session.database()), null);
        }
    }

    /**
     * Says that the shard may have another home from here on. Where this is not said, and
     * a mover has closed the shard, its rows are here, whatever a silent database would
     * say.
     */
    private static void leave(int shard, Session session) throws SQLException {
        session.update("UPDATE %s SET copied = 'left' WHERE shard = ? AND state = 'moved'"
            .formatted(session.own("shardedid_home")), shard);
    }

    /**
     * Copies the rows, and compares them.
     * @param token of the mover; null to try it, and roll it back
     * @return how many rows these are
     */
    private long copy(int shard, Session source, Session target, @Nullable Long token) throws SQLException {
        long deadline = System.nanoTime() + this.limits.pause().toNanos();
        source.limit(this.limits.pause());
        target.limit(this.limits.pause());
        Session.Work<Long> work = () -> {
            target.execute("SELECT pg_advisory_xact_lock(?, ?)", FENCE_LOCK, shard);
            enter(target, shard);
            target.execute("SET CONSTRAINTS ALL DEFERRED");
            String state = target
                .text("SELECT state FROM %s WHERE shard = ? FOR UPDATE".formatted(target.own("shardedid_home")), shard);
            return source.snapshot(false, () -> {
                MovedTables from = tables(source);
                MovedTables to = tables(target);
                requireSame(from, to);
                makeRoom(shard, target, to, state.equals("arriving"));
                if (token != null) {
                    setHome(target, shard, "arriving", token, "true");
                }
                long rows = 0;
                for (MovedTable table : from.tables()) {
                    rows += source.copy(
                            "SELECT %s FROM %s WHERE %s".formatted(table.copied(), table.rows(), table.in("", shard)),
                            target, "%s (%s)".formatted(table.sql(), table.copied()), () -> requireTime(deadline));
                }
                target.execute("SET CONSTRAINTS ALL IMMEDIATE");
                String copied = compared(shard, source, target, from.tables());
                requireTime(deadline);
                if (token != null) {
                    raiseSequences(source, target, from.tables(), to.tables());
                    target.execute("UPDATE %s SET copied = ? WHERE shard = ?".formatted(target.own("shardedid_home")),
                            copied, shard);
                }
                return rows;
            });
        };
        long rows = (token != null) ? target.transaction(work) : target.tried(work);
        source.limit();
        target.limit();
        return rows;
    }

    private static void requireSame(MovedTables from, MovedTables to) {
        List<String> problems = new ArrayList<>();
        add(problems, from.problems());
        add(problems, to.problems());
        add(problems, MovedTables.differences(from, to));
        if (!problems.isEmpty()) {
            throw MoveException.refused(String.join("; ", problems));
        }
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

    private static void makeRoom(int shard, Session target, MovedTables tables, boolean deletes) throws SQLException {
        if (deletes) {
            deleteRows(shard, target, tables.tables());
            return;
        }
        for (MovedTable table : tables.tables()) {
            if (target.holds("SELECT EXISTS (SELECT FROM %s WHERE %s)".formatted(table.rows(), table.in("", shard)))) {
                throw MoveException.refused(
                        "Database %s must have no rows of shard %s, which no move has copied: table=%s (a wrong map may have led writes there); find out where they come from"
                            .formatted(target.database(), shard, table.shown()));
            }
        }
    }

    private static long deleteRows(int shard, Session session, List<MovedTable> tables) throws SQLException {
        List<MovedTable> children = new ArrayList<>(tables);
        Collections.reverse(children);
        long rows = 0;
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
        CompletableFuture<Map<String, String>> there = CompletableFuture.supplyAsync(
                () -> unchecked(() -> digests(shard, target, tables)),
                (task) -> new Thread(task, "shardedid-move").start());
        Map<String, String> here = unchecked(() -> digests(shard, source, tables), there);
        Map<String, String> copied;
        try {
            copied = there.join();
        }
        catch (CompletionException ex) {
            if (ex.getCause() instanceof UncheckedSql failure) {
                throw failure.sql();
            }
            throw ex;
        }
        for (MovedTable table : tables) {
            String key = key(table);
            if (!Objects.equals(here.get(key), copied.get(key))) {
                throw MoveException.refused(
                        "Rows differ after the copy: table=%s, %s=%s, %s=%s (count, two sums of hashes; a trigger may have changed them); let both databases compute the same"
                            .formatted(table.shown(), source.database(), here.get(key), target.database(),
                                    copied.get(key)));
            }
        }
        StringBuilder text = new StringBuilder();
        here.forEach((key, digest) -> text.append(digest.startsWith("0 ") ? "" : key + " = " + digest + "\n"));
        return text.toString();
    }

    private static String key(MovedTable table) {
        return "%s (%s)".formatted(table.sql(), table.all());
    }

    private static Map<String, String> digests(int shard, Session session, List<MovedTable> tables)
            throws SQLException {
        Map<String, String> digests = new LinkedHashMap<>();
        for (MovedTable table : tables) {
            digests.put(key(table), session.text(table.digest(shard, table.all())));
        }
        return digests;
    }

    /**
     * Numbers that the target gives from now on are above those of the rows that came.
     */
    private static void raiseSequences(Session source, Session target, List<MovedTable> from, List<MovedTable> to)
            throws SQLException {
        for (MovedTable table : from) {
            MovedTable there = to.stream().filter((each) -> each.sql().equals(table.sql())).findFirst().orElseThrow();
            for (MovedTable.Column column : table.columns()) {
                String raised = there.columns()
                    .stream()
                    .filter((each) -> each.name().equals(column.name()))
                    .map(MovedTable.Column::sequence)
                    .findFirst()
                    .orElse("");
                if (!column.sequence().isEmpty() && !raised.isEmpty()) {
                    raise(source, target, column.sequence(), raised);
                }
            }
        }
        String counter = source.schemaOf("shardedid_cell", "S");
        String raised = target.schemaOf("shardedid_cell", "S");
        if (!counter.isEmpty() && !raised.isEmpty()) {
            target.execute("SELECT pg_advisory_xact_lock(?)", COUNTER_LOCK);
            target.execute(
                    "SELECT setval(?::regclass, greatest(last_value, ?)) FROM %s.shardedid_cell".formatted(raised),
                    raised + ".shardedid_cell",
                    source.number("SELECT last_value FROM %s.shardedid_cell".formatted(counter)));
        }
    }

    private static void raise(Session source, Session target, String sequence, String raised) throws SQLException {
        String value = source.text("SELECT last_value FROM %s WHERE is_called".formatted(sequence));
        if (!value.isEmpty()) {
            target.execute("""
                    SELECT setval(s.seqrelid, greatest(s.seqmin, least(s.seqmax, ? + sign(s.seqincrement)::bigint * ?)))
                      FROM %s v JOIN pg_sequence s ON s.seqrelid = ?::regclass
                     WHERE sign(s.seqincrement) * (? - v.last_value) > 0 OR NOT v.is_called""".formatted(raised),
                    Long.valueOf(value), SEQUENCE_GAP, raised, Long.valueOf(value));
        }
    }

    /** The target takes writes, if it has the copy that the map means. */
    private static void open(int shard, Session target, long token) throws SQLException {
        target.transaction(() -> {
            setHome(target, shard, "here", token, "state IN ('arriving', 'here')");
            return true;
        });
    }

    /**
     * Lets the database that has the rows take writes, and no other one, and the map say
     * so.
     */
    private void settle(ShardState state, String holder) throws SQLException {
        int shard = state.shard();
        Session home = session(holder);
        boolean known = holder.equals(state.map().home());
        List<String> beside = state.openBeside(holder);
        String left = Objects.requireNonNullElse(state.leftLast(holder), beside.isEmpty() ? holder : beside.get(0));
        String source = Objects.requireNonNullElse(state.map().source(), left);
        long token = this.map.take(state, source, Objects.requireNonNullElse(state.map().target(), holder),
                Objects.requireNonNullElse(state.map().step(), "open"));
        for (String other : beside) {
            Session wrong = session(other);
            wrong.transaction(() -> {
                wrong.execute("SELECT pg_advisory_xact_lock(?, ?)", FENCE_LOCK, shard);
                setHome(wrong, shard, "moved", state.home(other).mover(), "state = 'here'");
                leave(shard, wrong);
                return true;
            });
        }
        if (!known) {
            home.transaction(() -> {
                setHome(home, shard, state.home(holder).state(), token, "true");
                return true;
            });
            this.map.change(state, token, left, holder, Objects.requireNonNullElse(state.map().step(), "open"));
        }
        home.transaction(() -> {
            setHome(home, shard, "here", token, "true");
            return true;
        });
        this.map.reached(shard, token, "clean");
    }

    /** Takes a move back, or deletes a copy that an aborted move has left. */
    MoveResult abort(int shard) throws SQLException {
        ShardState state = state(shard);
        String holder = state.holder();
        String step = state.map().step();
        if (step != null && !step.equals("copy") || !holder.equals(state.map().home())) {
            ShardState.Need need = Objects.requireNonNull(state.need(holder));
            throw MoveException
                .refused("Could not abort: shard=%s, step=%s (the map has changed already: shards %1$s %s); run %s"
                    .formatted(shard, step, need.what(), need.commands(ShardRanges.of(List.of(shard)))));
        }
        if (step == null && state.copied(holder) == null) {
            return MoveResult.of(shard, Outcome.THERE, holder, holder, 0, Duration.ZERO);
        }
        String target = Objects.requireNonNullElse((step != null) ? state.map().target() : state.copied(holder),
                holder);
        Session source = session(holder);
        long token = this.map.take(state, holder, target, "copy");
        Session to = this.sessions.get(target);
        long rows = 0;
        if (to != null && !this.silent.containsKey(target)) {
            try {
                rows = emptied(shard, to, token);
            }
            catch (SQLException ex) {
                if (to.answers()) {
                    throw ex;
                }
                // its copy stays, and no map will name it
            }
        }
        source.transaction(() -> {
            setHome(source, shard, "here", token, "state <> 'arriving'");
            return true;
        });
        this.map.reached(shard, token, null);
        return MoveResult.of(shard, Outcome.ABORTED, holder, target, rows, Duration.ZERO);
    }

    /**
     * Empties a target, which stays {@code arriving}: so it never counts as the last that
     * was closed.
     */
    private long emptied(int shard, Session target, long token) throws SQLException {
        target.limit(ROWS);
        long rows = target.transaction(() -> {
            String state = target.text("SELECT state FROM %s WHERE shard = ? AND mover < ? FOR UPDATE"
                .formatted(target.own("shardedid_home")), shard, token);
            if (!state.equals("arriving")) {
                return 0L;
            }
            enter(target, shard);
            target.execute("SET CONSTRAINTS ALL DEFERRED");
            long deleted = deleteRows(shard, target, tables(target).tables());
            target.update(
                    "UPDATE %s SET mover = ?, copied = NULL WHERE shard = ?".formatted(target.own("shardedid_home")),
                    token, shard);
            return deleted;
        });
        target.limit();
        return rows;
    }

    /** Deletes the old rows, if they are those that were copied. */
    MoveResult clean(int shard) throws SQLException {
        ShardState state = state(shard);
        String holder = state.holder();
        ShardState.Need need = state.need(holder);
        if (need == null || need.verb().equals("abort")) {
            return MoveResult.of(shard, Outcome.THERE, holder, holder, 0, Duration.ZERO);
        }
        ShardState.MapRow row = state.map();
        if (!need.verb().equals("clean")) {
            throw MoveException.refused("Could not clean: shards %s %s; run %s first".formatted(shard, need.what(),
                    need.commands(ShardRanges.of(List.of(shard)))));
        }
        String left = String.valueOf(row.source());
        long rows = 0;
        Session source = session(left);
        if (!left.equals(holder)) {
            requireTime(state, source);
        }
        long token = this.map.take(state, left, holder, "clean");
        if (!left.equals(holder)) {
            source.limit(ROWS);
            rows = source.snapshot(true, () -> deleted(state, source, token, state.home(holder).copied()));
            source.limit();
        }
        this.map.reached(shard, token, null);
        return MoveResult.of(shard, Outcome.CLEANED, left, holder, rows, Duration.ZERO);
    }

    /** No router goes by the older map any more, and no transaction began by it. */
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
                          SELECT 'pid ' || pid AS who, xact_start AS began FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                          UNION ALL SELECT 'prepared ' || gid, prepared FROM pg_prepared_xacts WHERE database = current_database()) t
                         WHERE began < clock_timestamp() - ? * interval '1 ms'""",
                age - this.routers.toMillis());
        if (!older.isEmpty()) {
            throw MoveException.refused(
                    "Transactions in database %s must have begun after the move of shard %s: %s (they may read its old rows); end them"
                        .formatted(source.database(), state.shard(), older));
        }
    }

    /** On one snapshot, so that a row which is written meanwhile ends the transaction. */
    private long deleted(ShardState state, Session source, long token, String copied) throws SQLException {
        int shard = state.shard();
        if (source.update("UPDATE %s SET mover = ? WHERE shard = ? AND mover <= ? AND state = 'moved'"
            .formatted(source.own("shardedid_home")), token, shard, token) != 1) {
            throw MoveException.unfinished("Another mover has changed shard %s in database %s; look at 'shards status'"
                .formatted(shard, source.database()), null);
        }
        MovedTables tables = tables(source);
        long rows = 0;
        StringBuilder found = new StringBuilder();
        for (MovedTable table : tables.tables()) {
            String columns = copied.lines()
                .filter((line) -> line.startsWith(table.sql() + " ("))
                .map((line) -> line.substring(table.sql().length() + 2, line.lastIndexOf(") = ")))
                .findFirst()
                .orElse(table.all());
            String digest = source.text(table.digest(shard, columns));
            found.append(digest.startsWith("0 ") ? "" : "%s (%s) = %s\n".formatted(table.sql(), columns, digest));
            rows += Long.parseLong(digest.substring(0, digest.indexOf(' ')));
        }
        if (rows == 0) {
            return 0;
        }
        if (!copied.lines().sorted().toList().equals(found.toString().lines().sorted().toList())) {
            throw MoveException.refused(
                    "Old rows of shard %s in database %s are not those that were copied: copied=%s, found=%s (count, two sums of hashes; somebody has written past the fence); compare them with database %s, and delete them by hand"
                        .formatted(shard, source.database(), copied.strip(), found.toString().strip(),
                                state.map().home()));
        }
        List<String> referring = tables.referring(shard);
        if (!referring.isEmpty()) {
            throw MoveException.refused(String.join("; ", referring));
        }
        enter(source, shard);
        source.execute("SET CONSTRAINTS ALL DEFERRED");
        long deleted = deleteRows(shard, source, tables.tables());
        if (deleted != rows) {
            throw MoveException.refused(
                    "Deleted rows of shard %s in database %s must be all: deleted=%s, rows=%s; let no trigger or rule keep them"
                        .formatted(shard, source.database(), deleted, rows));
        }
        return rows;
    }

    private static <T> T unchecked(Session.Work<T> work) {
        try {
            return work.run();
        }
        catch (SQLException ex) {
            throw new UncheckedSql(ex);
        }
    }

    /** Runs statements, and waits for others before their failure is told. */
    private static <T> T unchecked(Session.Work<T> work, CompletableFuture<?> beside) throws SQLException {
        boolean done = false;
        try {
            T result = work.run();
            done = true;
            return result;
        }
        finally {
            if (!done) {
                beside.exceptionally((ex) -> null).join();
            }
        }
    }

    @Override
    public void close() {
        this.sessions.values().forEach(Session::close);
        this.map.close();
    }

    /** What a command does. */
    enum Use {

        /** It shows what it finds. */
        LOOKS,

        /** It tries, and rolls back. */
        TRIES,

        /** It changes: there is one at a time. */
        CHANGES

    }

    /** A failure of another thread. */
    private static final class UncheckedSql extends RuntimeException {

        private static final long serialVersionUID = 1L;

        UncheckedSql(SQLException cause) {
            super(cause);
        }

        SQLException sql() {
            return (SQLException) Objects.requireNonNull(getCause());
        }

    }

}
