package io.shardedid.move;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;

import io.shardedid.TimeSource;
import io.shardedid.shards.ShardRange;
import org.jspecify.annotations.Nullable;

/**
 * One mover of one range of shards, from its fencing token to its end. A mover may be
 * killed before each statement: whoever comes next takes a higher token and goes on by
 * what the databases say.
 */
class Move implements AutoCloseable {

    /*
     * Three places say how far a move is. The map's rows have a stage: 'copy' until the
     * comparison has succeeded, 'open' while the target opens and the map changes,
     * 'clean' and 'empty' afterwards. The home rows of both databases say who takes
     * writes. The map's database decides who moves: a token is given there, under the
     * lock of row -1, and together with it the stage is read. Only then the token goes
     * into the home rows of both databases. Every later change checks it in its own
     * transaction, so a mover that was stopped for an hour changes nothing any more:
     * neither the stage, which has its successor's token, nor a database that its
     * successor has reached. What it does in a database before that, its successor finds.
     *
     * The order that loses nothing: the source is closed before the mark, the mark
     * arrives before the comparison, the stage says 'open' before the target opens, the
     * target is open before the map says so, and all routers go by the new map before a
     * row is deleted at the source.
     */

    /** The first number of the advisory locks that the fence takes. */
    static final int FENCE_LOCK = 0x53484944;

    /** The first number of the advisory lock of whoever moves a range. */
    private static final int MOVER_LOCK = FENCE_LOCK + 1;

    /** The lock around the counter of ids that a database makes. */
    private static final long COUNTER_LOCK = 0x7368617264656469L;

    private static final String COUNTER = "shardedid_cell";

    private static final int CHUNK = 10_000;

    private static final long NAP_MILLIS = 20;

    private static final int ATTEMPTS = 5;

    private static final String LOCK_TIMEOUT = "55P03";

    private static final String CANCELLED = "57014";

    private static final String DEADLOCK = "40P01";

    static final String SLOTS = "shardedid\\_%";

    final MoveDatabases databases;

    final MoveLimits limits;

    final ShardRange shards;

    final TimeSource time;

    private static final System.Logger LOG = System.getLogger(Move.class.getName());

    private final MoveProgress.Listener listener;

    private final Session.Probe probe;

    private final String shardTable;

    private final Map<String, Session> sessions = new TreeMap<>();

    private @Nullable Session fence;

    /** What the map says; known after {@link #takeOver}. */
    private MapState state = new MapState(0, "", "", "", "", 0);

    private List<FencedTable> tables = List.of();

    private @Nullable String name;

    private MoveStep step = MoveStep.PLAN;

    private long copied;

    private long total;

    private @Nullable Duration expectedPause;

    private Duration pause = Duration.ZERO;

    private long compared;

    Move(MoveDatabases databases, MoveLimits limits, ShardRange shards, MoveProgress.Listener listener,
            Session.Probe probe) {
        this.databases = databases;
        this.limits = limits;
        this.shards = shards;
        this.listener = listener;
        this.probe = probe;
        this.time = TimeSource.system();
        this.shardTable = databases.mapTable("shardedid_shard");
    }

    Session on(String database) throws SQLException {
        Session session = this.sessions.get(database);
        if (session == null) {
            session = Session.open(this.databases, database, this.limits.statement(), this.probe);
            this.sessions.put(database, session);
        }
        return session;
    }

    private Session map() throws SQLException {
        return on(this.databases.home());
    }

    Session source() throws SQLException {
        return on(this.state.source);
    }

    Session target() throws SQLException {
        return on(this.state.target);
    }

    MoveStep step() {
        return this.step;
    }

    /** Moves the shards, or goes on with a move; a null target takes that of the map. */
    MoveResult move(@Nullable String target) throws SQLException {
        if (!takeOver(target, false)) {
            return result(MoveResult.Outcome.ALREADY_THERE);
        }
        if (this.state.stage.equals("copy")) {
            copyAndFence();
        }
        if (this.state.stage.equals("open")) {
            enter(MoveStep.SWITCH, "The target opens, then the map changes");
            openAndSwitch();
        }
        unlock();
        if (this.state.stage.equals("clean")) {
            clean();
        }
        empty();
        return result(MoveResult.Outcome.MOVED);
    }

    private MoveResult result(MoveResult.Outcome outcome) {
        return new MoveResult(this.shards, this.state.source, this.state.target, outcome, this.compared, this.pause,
                this.state.version);
    }

    /** Takes a move back. */
    MoveResult abort() throws SQLException {
        takeOver(null, true);
        if (!this.state.stage.equals("copy")) {
            throw MoveException.refused(
                    "Could not abort the move: shards=%s, stage=%s (the target may have taken writes); resume it, and then move the shards back"
                        .formatted(this.shards, this.state.stage));
        }
        enter(MoveStep.ABORT, "The source is opened, and the target is emptied");
        reopenSource();
        dropReplication();
        if (homes(target(), "arriving") > 0) {
            deleteRows(target(), "arriving");
            patiently("the target to close", target(), () -> guarded(target(), "arriving", () -> {
                return setHomes(target(), "moved");
            }));
        }
        finish();
        return result(MoveResult.Outcome.ABORTED);
    }

    // ------------------------------------------------------------ 1 take over

    /** Returns false if the shards are in the target already. */
    private boolean takeOver(@Nullable String target, boolean abort) throws SQLException {
        enter(MoveStep.TAKE_OVER, "The mover takes its token");
        awaitMover();
        this.state = map().transaction(() -> token(target, abort));
        if (this.state.stage.isEmpty()) {
            return false;
        }
        for (Session session : List.of(source(), target())) {
            patiently("its token to be written", session, () -> {
                int taken = session.update(
                        "UPDATE shardedid_home SET mover = ? WHERE shard BETWEEN ? AND ? AND mover < ?",
                        this.state.mover, this.shards.first(), this.shards.last(), this.state.mover);
                if (taken != this.shards.size()) {
                    throw superseded(session);
                }
                return taken;
            });
        }
        this.tables = FencedTable.of(source());
        return true;
    }

    /** One mover at a time works on a range; the lock ends with its session. */
    void awaitMover() throws SQLException {
        int key = (this.databases.namespace() + ":" + this.shards).hashCode();
        await("another mover of the same shards to end", this.limits.patience(),
                () -> map().holds("SELECT pg_try_advisory_lock(?, ?)", MOVER_LOCK, key),
                () -> "its session is "
                        + map().texts(
                                """
                                        SELECT 'pid=' || l.pid || ', since=' || a.backend_start FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                                         WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = ?
                                           AND l.objid = (?::bigint & 4294967295)::oid""",
                                MOVER_LOCK, key)
                        + ", and pg_terminate_backend(pid) in database %s ends it".formatted(this.databases.home()));
    }

    private MapState token(@Nullable String target, boolean abort) throws SQLException {
        long last = map().number(
                "SELECT coalesce(max(mover), -1) FROM (SELECT mover FROM %s WHERE namespace = ? AND shard = -1 FOR UPDATE) m"
                    .formatted(this.shardTable),
                this.databases.namespace());
        List<List<@Nullable String>> rows = map().rows("""
                SELECT home, coalesce(source, ''), coalesce(target, ''), coalesce(step, ''), max(version),
                       CASE WHEN step IS NULL THEN 0 ELSE mover END AS mover, count(*)
                  FROM (SELECT * FROM %s WHERE namespace = ? AND shard BETWEEN ? AND ? ORDER BY shard FOR UPDATE) s
                 GROUP BY home, source, target, step, CASE WHEN step IS NULL THEN 0 ELSE mover END"""
            .formatted(this.shardTable), this.databases.namespace(), this.shards.first(), this.shards.last());
        if (last < 0 || rows.isEmpty()) {
            throw MoveException.refused("Shards are not in the map: shards=%s, namespace='%s'; correct the range"
                .formatted(this.shards, this.databases.namespace()));
        }
        if (rows.size() > 1 || Long.parseLong(rows.get(0).get(6)) != this.shards.size()) {
            throw MoveException.refused(
                    "Shards of one move must be in one database and in one move: shards=%s, found=%s; move each part by itself, or resume the move"
                        .formatted(this.shards,
                                rows.stream()
                                    .map((row) -> "%s shards in %s%s".formatted(row.get(6), row.get(0),
                                            String.valueOf(row.get(3)).isEmpty() ? "" : " that move to " + row.get(2)))
                                    .sorted()
                                    .toList()));
        }
        List<@Nullable String> row = rows.get(0);
        MapState found = new MapState(last + 1, String.valueOf(row.get(0)), String.valueOf(row.get(1)),
                String.valueOf(row.get(2)), String.valueOf(row.get(3)), Long.parseLong(row.get(4)));
        if (found.stage.isEmpty()) {
            if (target == null) {
                throw MoveException.refused("There is no move to %s: shards=%s, home=%s; see 'shards status'"
                    .formatted(abort ? "abort" : "resume", this.shards, found.home));
            }
            this.databases.get(target);
            if (found.home.equals(target)) {
                return new MapState(last, target, target, target, "", found.version);
            }
            found = new MapState(found.mover, found.home, found.home, target, "copy", found.version);
        }
        else {
            requireSameRange(row);
            if (target != null && !target.equals(found.target)) {
                throw MoveException.refused(
                        "Shards are in another move: shards=%s, target=%s, target of that move=%s; resume or abort it"
                            .formatted(this.shards, target, found.target));
            }
        }
        map().update("UPDATE %s SET mover = ? WHERE namespace = ? AND shard = -1".formatted(this.shardTable),
                found.mover, this.databases.namespace());
        map().update(
                "UPDATE %s SET mover = ?, source = ?, target = ?, step = ? WHERE namespace = ? AND shard BETWEEN ? AND ?"
                    .formatted(this.shardTable),
                found.mover, found.source, found.target, found.stage, this.databases.namespace(), this.shards.first(),
                this.shards.last());
        return found;
    }

    private void requireSameRange(List<@Nullable String> row) throws SQLException {
        String range = map().text(
                "SELECT min(shard) || '-' || max(shard) FROM %s WHERE namespace = ? AND step IS NOT NULL AND mover = ? AND shard >= 0"
                    .formatted(this.shardTable),
                this.databases.namespace(), Long.valueOf(String.valueOf(row.get(5))));
        if (!range.equals(this.shards.first() + "-" + this.shards.last())) {
            throw MoveException.refused(
                    "Shards are a part of another move: shards=%s, shards of that move=%s; resume or abort that range"
                        .formatted(this.shards, range));
        }
    }

    // ------------------------------------------------------------ the guard

    /**
     * Does something in a transaction of a database that still has the token of this
     * mover and the wanted state. The rows stay locked against a successor until the
     * commit.
     */
    <T> T guarded(Session session, String state, Session.Work<T> work) throws SQLException {
        return session.transaction(() -> {
            check(session, state);
            return work.run();
        });
    }

    void check(Session session, String state) throws SQLException {
        List<List<@Nullable String>> rows = session.rows(
                """
                        SELECT count(*), count(*) FILTER (WHERE mover = ?), count(*) FILTER (WHERE state = ANY (string_to_array(?, '|')))
                          FROM (SELECT * FROM shardedid_home WHERE shard BETWEEN ? AND ? ORDER BY shard FOR SHARE) h""",
                this.state.mover, state, this.shards.first(), this.shards.last());
        long all = Long.parseLong(rows.get(0).get(0));
        if (checksToken() && Long.parseLong(rows.get(0).get(1)) != all) {
            throw superseded(session);
        }
        if (checksState() && Long.parseLong(rows.get(0).get(2)) != all) {
            throw MoveException.refused(
                    "Could not change database %s: shards=%s, shards in state %s=%s (all of them have to be); look who changed shardedid_home"
                        .formatted(session.database(), this.shards, state, rows.get(0).get(2)));
        }
    }

    boolean checksToken() {
        return true;
    }

    boolean checksState() {
        return true;
    }

    private MoveException superseded(Session session) {
        return MoveException.refused(
                "Another mover has taken over: shards=%s, database=%s, token=%d (each shard has a row with it in shardedid_home); leave the move to that mover"
                    .formatted(this.shards, session.database(), this.state.mover));
    }

    /** Changes the map's rows if they still have the token of this mover. */
    private void inMap(Session.Work<?> work) throws SQLException {
        map().transaction(() -> {
            long mine = map().number(
                    "SELECT count(*) FROM (SELECT 1 FROM %s WHERE namespace = ? AND shard BETWEEN ? AND ? AND mover = ? FOR UPDATE) m"
                        .formatted(this.shardTable),
                    this.databases.namespace(), this.shards.first(), this.shards.last(), this.state.mover);
            if (checksToken() && mine != this.shards.size()) {
                throw superseded(map());
            }
            return work.run();
        });
    }

    private void stage(String stage) throws SQLException {
        inMap(() -> map().update(
                "UPDATE %s SET step = ? WHERE namespace = ? AND shard BETWEEN ? AND ?".formatted(this.shardTable),
                stage, this.databases.namespace(), this.shards.first(), this.shards.last()));
        this.state = this.state.at(stage);
    }

    private long homes(Session session, String state) throws SQLException {
        return session.number("SELECT count(*) FROM shardedid_home WHERE shard BETWEEN ? AND ? AND state = ?",
                this.shards.first(), this.shards.last(), state);
    }

    private int setHomes(Session session, String state) throws SQLException {
        return session.update(
                "UPDATE shardedid_home SET state = ?, changed_at = clock_timestamp() WHERE shard BETWEEN ? AND ? AND state <> ?",
                state, this.shards.first(), this.shards.last(), state);
    }

    /** Takes the lock of each shard, which no writer shares then. */
    void lockShards(Session session, String function) throws SQLException {
        session.execute("SELECT %s(%d, shard) FROM generate_series(?::integer, ?::integer) AS shard".formatted(function,
                FENCE_LOCK), this.shards.first(), this.shards.last());
    }

    // ------------------------------------------------------------ 2 to 4

    private void copyAndFence() throws SQLException {
        reopenSource();
        for (int attempt = 1;; attempt++) {
            if (!replicates()) {
                arrive();
                publish();
                subscribe();
            }
            awaitCopy();
            if (fenceAndCompare(attempt)) {
                return;
            }
        }
    }

    private void reopenSource() throws SQLException {
        if (homes(source(), "moved") > 0) {
            patiently("the source to open", source(),
                    () -> guarded(source(), "moved", () -> setHomes(source(), "here")));
        }
    }

    /** Names the publication, the subscription, and the beginning of each slot. */
    String name() throws SQLException {
        String known = this.name;
        if (known != null) {
            return known;
        }
        String all = String.join("|", this.databases.namespace(), this.state.source, this.state.target,
                this.shards.toString(), source().text("SELECT current_database()"),
                target().text("SELECT current_database()"));
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
            String name = "shardedid_" + HexFormat.of().formatHex(hash, 0, 10);
            this.name = name;
            return name;
        }
        catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException("SHA-256 must be there", ex);
        }
    }

    /** Names and slots belong to the whole server, subscriptions to a database. */
    String subscriptionQuery() {
        return "SELECT oid, subenabled, coalesce(subslotname, '') FROM pg_subscription WHERE subname = ? "
                + "AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())";
    }

    /** Returns whether an earlier mover has left a copy that goes on by itself. */
    boolean replicates() throws SQLException {
        enter(MoveStep.ARRIVE, "The mover looks for what an earlier one has left");
        if (homes(target(), "arriving") != this.shards.size()) {
            return false;
        }
        List<List<@Nullable String>> found = target().rows(subscriptionQuery(), name());
        return !found.isEmpty() && "t".equals(found.get(0).get(1)) && source()
            .number("SELECT count(*) FROM pg_publication WHERE pubname = ?", name()) == 1 && source().number(
                    "SELECT count(*) FROM pg_replication_slots WHERE slot_name = ? AND database = current_database() AND wal_status <> 'lost'",
                    found.get(0).get(2)) == 1;
    }

    private void arrive() throws SQLException {
        patiently("the target to close", target(), () -> guarded(target(), "here|arriving|moved", () -> {
            // whoever writes these shards here by mistake has committed, or comes too
            // late
            lockShards(target(), "pg_advisory_xact_lock");
            return setHomes(target(), "arriving");
        }));
        startAnew();
    }

    void startAnew() throws SQLException {
        dropReplication();
        deleteRows(target(), "arriving");
    }

    String publishedOperations() {
        return "insert, update, delete";
    }

    private void publish() throws SQLException {
        enter(MoveStep.PUBLISH, "The source publishes the rows; a slot waits for all open transactions of its server");
        String name = name();
        String published = this.tables.stream()
            .map((table) -> "%s WHERE (%s)".formatted(table.sql(), table.filter(this.shards)))
            .collect(Collectors.joining(", "));
        patiently("the publication", source(), () -> guarded(source(), "here", () -> {
            source()
                .execute("CREATE PUBLICATION %s FOR TABLE %s, shardedid_mark WHERE (move = '%s') WITH (publish = '%s')"
                    .formatted(name, published, name, publishedOperations()));
            return name;
        }));
        source().execute("SET statement_timeout = " + this.limits.patience().toMillis());
        try {
            source().execute("SELECT pg_create_logical_replication_slot(?, 'pgoutput')", slot());
        }
        catch (SQLException ex) {
            if (!CANCELLED.equals(ex.getSQLState())) {
                throw ex;
            }
            throw MoveException.later(
                    "Waited too long for a slot: database=%s, limit=%s (open transactions of the whole server have to end: %s); resume when they have ended"
                        .formatted(this.state.source, this.limits.patience(), openTransactions(source())),
                    ex);
        }
        finally {
            source().execute("SET statement_timeout = " + this.limits.statement().toMillis());
        }
    }

    private String slot() throws SQLException {
        return name() + "_" + this.state.mover;
    }

    private static List<String> openTransactions(Session session) throws SQLException {
        return session
            .texts("""
                    SELECT 'pid=' || pid || ', since=' || xact_start || ', query=' || left(query, 60) FROM pg_stat_activity
                     WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY xact_start LIMIT 3""");
    }

    private void subscribe() throws SQLException {
        String info = this.databases.get(this.state.source).connectionInfo().replace("'", "''");
        try {
            patiently("the subscription", target(), () -> guarded(target(), "arriving", () -> {
                target().execute(
                        "CREATE SUBSCRIPTION %s CONNECTION '%s' PUBLICATION %1$s WITH (create_slot = false, slot_name = '%s', copy_data = true, disable_on_error = true)"
                            .formatted(name(), info, slot()));
                return true;
            }));
        }
        catch (MoveException ex) {
            // nobody else knows this slot: its name has the token of this mover
            source().execute(
                    "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ? AND NOT active",
                    slot());
            throw ex;
        }
    }

    private void awaitCopy() throws SQLException {
        enter(MoveStep.COPY, "The target copies the rows");
        long rows = 0;
        for (FencedTable table : this.tables) {
            rows += longRunning(source(), this.limits.copy(), () -> source()
                .number("SELECT count(*) FROM %s WHERE %s".formatted(table.sql(), table.filter(this.shards))));
        }
        this.total = rows;
        long published = source().number("SELECT count(*) FROM pg_publication_tables WHERE pubname = ?", name());
        await("the target to copy the rows", this.limits.copy(), () -> {
            requireEnabled();
            List<List<@Nullable String>> now = target()
                .rows("""
                        SELECT count(*) FILTER (WHERE r.srsubstate = 'r'), coalesce(sum(p.tuples_processed), 0)
                          FROM pg_subscription_rel r JOIN pg_subscription s ON s.oid = r.srsubid
                          LEFT JOIN pg_stat_progress_copy p ON p.relid = r.srrelid AND p.datname = current_database()
                         WHERE s.subname = ? AND s.subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())""",
                        name());
            long copying = Long.parseLong(now.get(0).get(1));
            if (copying > this.copied) {
                this.copied = copying;
                tell("The target copies the rows");
            }
            return Long.parseLong(now.get(0).get(0)) == published;
        }, () -> "see the log of the target's server");
        this.copied = this.total;
        tell("The target has copied the rows and follows the changes");
    }

    private void requireEnabled() throws SQLException {
        List<List<@Nullable String>> found = target().rows(subscriptionQuery(), name());
        if (found.isEmpty() || !"t".equals(found.get(0).get(1))) {
            throw MoveException.refused(
                    "The target does not take the rows: database=%s, subscription=%s (it was %s); read the log of that server, mend what it says, and resume"
                        .formatted(this.state.target, name(), found.isEmpty() ? "dropped" : "disabled by an error"));
        }
    }

    // ------------------------------------------------------------ 5 to 8

    /** Returns false if writers would have waited too long; the source is open again. */
    private boolean fenceAndCompare(int attempt) throws SQLException {
        rehearse();
        fence();
        long began = this.time.nanoTime();
        boolean opening = false;
        try {
            mark(this.limits.pause());
            compare(began);
            counter();
            opening = true;
            stage("open");
            enter(MoveStep.SWITCH, "The target opens, then the map changes");
            openAndSwitch();
            return true;
        }
        catch (PauseSpent ex) {
            reopenSource();
            unlock();
            tell("Writers waited for %d ms, and the source is open again: %s".formatted(millisSince(began),
                    ex.getMessage()));
            if (attempt == ATTEMPTS) {
                throw MoveException.later(
                        "Writers would wait too long: shards=%s, attempts=%d, pause=%s (%s); resume at a quieter time, or permit a longer pause"
                            .formatted(this.shards, attempt, this.limits.pause(), ex.getMessage()),
                        ex);
            }
            return false;
        }
        catch (SQLException | RuntimeException ex) {
            if (!opening) {
                reopenAfter(ex);
            }
            throw ex;
        }
        finally {
            unlock();
            this.pause = (this.pause.toMillis() > millisSince(began)) ? this.pause
                    : Duration.ofMillis(millisSince(began));
        }
    }

    /** Lets writers go on at once; if that fails, whoever resumes does it. */
    private void reopenAfter(Exception failure) {
        try {
            reopenSource();
        }
        catch (SQLException | RuntimeException ex) {
            failure.addSuppressed(ex);
        }
    }

    private long millisSince(long began) {
        return (this.time.nanoTime() - began) / 1_000_000;
    }

    /** Measures before anybody waits how long writers would wait. */
    private void rehearse() throws SQLException {
        enter(MoveStep.MARK, "The mover measures how far the target is behind");
        long began = this.time.nanoTime();
        mark(this.limits.patience());
        long compares = this.time.nanoTime();
        for (FencedTable table : this.tables) {
            longRunning(source(), this.limits.patience(), () -> source().rows(table.digest(this.shards)));
        }
        this.expectedPause = Duration.ofMillis((compares - began) / 1_000_000 + 2 * millisSince(compares));
        tell("Writers are going to wait for about %d ms".formatted(this.expectedPause.toMillis()));
        if (this.expectedPause.compareTo(this.limits.pause()) > 0) {
            throw MoveException.later(
                    "Writers would wait too long: shards=%s, expected pause=%s, pause=%s (nobody has waited yet); move fewer shards at once, or permit a longer pause"
                        .formatted(this.shards, this.expectedPause, this.limits.pause()),
                    null);
        }
    }

    /** The source takes no writes, and those that were open have ended. */
    void fence() throws SQLException {
        enter(MoveStep.FENCE, "The mover waits for open transactions of these shards");
        long end = this.time.nanoTime() + this.limits.patience().toNanos();
        for (long wait = this.limits.lock().toMillis();; wait = Math.min(2 * wait, 8 * this.limits.lock().toMillis())) {
            await("transactions of these shards that are older than a second to end", this.limits.patience(),
                    () -> holders("1 second").isEmpty(), () -> String.valueOf(holders("1 second")));
            Session session = Session.open(this.databases, this.state.source, this.limits.statement(), this.probe);
            this.fence = session;
            // the server ends this session, and with it the lock, if the mover falls
            // silent
            session.execute(
                    "SET idle_session_timeout = %1$d; SET idle_in_transaction_session_timeout = %1$d; SET statement_timeout = %2$d; SET lock_timeout = %2$d"
                        .formatted(this.limits.pause().toMillis(), wait));
            try {
                guarded(session, "here", () -> {
                    lockShards(session, "pg_advisory_lock");
                    return setHomes(session, "moved");
                });
                return;
            }
            catch (SQLException ex) {
                unlock();
                if (!waitedTooLong(ex)) {
                    throw ex;
                }
                if (this.time.nanoTime() - end > 0) {
                    throw MoveException.later(
                            "Waited too long for open transactions: shards=%s, limit=%s, transactions=%s; resume when they have ended"
                                .formatted(this.shards, this.limits.patience(), holders("0 seconds")),
                            ex);
                }
                tell("Open transactions keep the shards: " + holders("0 seconds"));
                this.time.park(wait * 1_000_000);
            }
        }
    }

    /** The transactions that share the lock of a shard. */
    private List<String> holders(String age) throws SQLException {
        return source().texts(
                """
                        SELECT DISTINCT 'pid=' || a.pid || ', since=' || a.xact_start || ', query=' || left(a.query, 60)
                          FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                         WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = ? AND l.objid::bigint BETWEEN ? AND ?
                           AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                           AND a.xact_start < clock_timestamp() - ?::interval LIMIT 3""",
                FENCE_LOCK, this.shards.first(), this.shards.last(), age);
    }

    private void unlock() {
        if (this.fence != null) {
            this.fence.close();
            this.fence = null;
        }
    }

    /**
     * What was committed at the source before the mark is at the target when it arrives.
     */
    void mark(Duration limit) throws SQLException {
        this.step = MoveStep.MARK;
        long began = this.time.nanoTime();
        int number = 1 + (int) source().number(
                "SELECT coalesce(max(attempt), 0) FROM shardedid_mark WHERE move = ? AND mover = ?", name(),
                this.state.mover);
        guarded(source(), "here|moved",
                () -> source().update("INSERT INTO shardedid_mark (move, mover, attempt) VALUES (?, ?, ?)", name(),
                        this.state.mover, number));
        while (target().number("SELECT count(*) FROM shardedid_mark WHERE move = ? AND mover = ? AND attempt = ?",
                name(), this.state.mover, number) == 0) {
            if (this.time.nanoTime() - began > limit.toNanos()) {
                throw new PauseSpent(this.shards, "the target is behind by more than " + limit);
            }
            requireEnabled();
            this.time.park(2_000_000);
        }
    }

    /** All rows are the same in both databases. */
    private void compare(long began) throws SQLException {
        enter(MoveStep.COMPARE, "All rows are compared");
        long rows = 0;
        for (FencedTable table : this.tables) {
            Duration rest = this.limits.pause().minusMillis(millisSince(began));
            if (rest.toMillis() < 1) {
                throw new PauseSpent(this.shards, "the comparison takes too long");
            }
            FutureTask<List<@Nullable String>> there = new FutureTask<>(
                    () -> longRunning(target(), rest, () -> target().rows(table.digest(this.shards)).get(0)));
            Thread thread = new Thread(there, "shardedid-move-compare");
            thread.setDaemon(true);
            thread.start();
            List<@Nullable String> here;
            List<@Nullable String> arrived;
            try {
                here = longRunning(source(), rest, () -> source().rows(table.digest(this.shards)).get(0));
            }
            finally {
                arrived = joined(there);
            }
            if (!String.valueOf(here.get(0)).equals(arrived.get(0))) {
                throw MoveException.refused(
                        "Rows differ: table=%s, shards=%s, source=%s, target=%s (both have to be the same); the source is open again; abort the move and find out who wrote to the target"
                            .formatted(table.name(), this.shards, here.get(0), arrived.get(0)));
            }
            rows += Long.parseLong(here.get(1));
        }
        this.compared = rows;
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

    private <T> T longRunning(Session session, Duration limit, Session.Work<T> work) throws SQLException {
        session.execute("SET statement_timeout = " + limit.toMillis());
        try {
            T result = work.run();
            session.execute("SET statement_timeout = " + this.limits.statement().toMillis());
            return result;
        }
        catch (SQLException ex) {
            if (!CANCELLED.equals(ex.getSQLState())) {
                throw ex;
            }
            session.execute("SET statement_timeout = " + this.limits.statement().toMillis());
            throw new PauseSpent(this.shards, "reading the rows takes longer than " + limit);
        }
    }

    /** New ids of the target are above those that moved, also if its clock is behind. */
    private void counter() throws SQLException {
        enter(MoveStep.COUNTER, "The counter of ids is carried over");
        String there = "SELECT to_regclass('%s') IS NOT NULL".formatted(COUNTER);
        if (source().holds(there) && target().holds(there)) {
            long value = source().number("SELECT last_value FROM " + COUNTER);
            guarded(target(), "arriving", () -> {
                target().execute("SELECT pg_advisory_xact_lock(?)", COUNTER_LOCK);
                target().execute("SELECT setval('%1$s', greatest(last_value, ?)) FROM %1$s".formatted(COUNTER), value);
                return value;
            });
        }
    }

    // ------------------------------------------------------------ 9 switch

    void openAndSwitch() throws SQLException {
        openTarget();
        changeMap();
    }

    void openTarget() throws SQLException {
        patiently("the target to open", target(),
                () -> guarded(target(), "arriving|here", () -> setHomes(target(), "here")));
    }

    void changeMap() throws SQLException {
        inMap(() -> {
            map().update("UPDATE %s SET version = version + 1, changed_at = %s WHERE namespace = ? AND shard = -1"
                .formatted(this.shardTable, NOW), this.databases.namespace());
            return map().update("""
                    UPDATE %1$s SET home = ?, step = 'clean', changed_at = %2$s,
                           version = (SELECT version FROM %1$s WHERE namespace = ? AND shard = -1)
                     WHERE namespace = ? AND shard BETWEEN ? AND ?""".formatted(this.shardTable, NOW),
                    this.state.target, this.databases.namespace(), this.databases.namespace(), this.shards.first(),
                    this.shards.last());
        });
        long version = map().number(
                "SELECT max(version) FROM %s WHERE namespace = ? AND shard = ?".formatted(this.shardTable),
                this.databases.namespace(), this.shards.first());
        this.state = this.state.switched(version);
        tell("The shards are in %s: version %d of the map".formatted(this.state.target, version));
    }

    private static final String NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

    // ------------------------------------------------------------ 10 and 11

    private void clean() throws SQLException {
        enter(MoveStep.CLEAN, "Subscription, slot and publication are dropped");
        dropReplication();
        stage("empty");
    }

    /** Drops what replicates, in an order in which nothing is forgotten. */
    void dropReplication() throws SQLException {
        String name = name();
        List<List<@Nullable String>> found = target().rows(subscriptionQuery(), name);
        if (!found.isEmpty()) {
            long oid = Long.parseLong(found.get(0).get(0));
            patiently("the subscription to be disabled", target(), () -> guarded(target(), "here|arriving", () -> {
                target().execute("ALTER SUBSCRIPTION %s DISABLE".formatted(name));
                return true;
            }));
            await("the workers of the subscription to end", this.limits.patience(),
                    () -> target().number(
                            "SELECT count(*) FROM pg_stat_subscription WHERE subid = ? AND pid IS NOT NULL", oid) == 0,
                    () -> "subscription=" + name);
            // those that copied a table, which the subscription would drop by itself
            dropSlots("pg\\_%d\\_sync\\_%%".formatted(oid));
            patiently("the subscription to be dropped", target(), () -> guarded(target(), "here|arriving", () -> {
                target().execute("ALTER SUBSCRIPTION %s SET (slot_name = NONE)".formatted(name));
                target().execute("DROP SUBSCRIPTION " + name);
                return true;
            }));
        }
        dropSlots(name.replace("_", "\\_") + "\\_%");
        patiently("the publication to be dropped", source(), () -> guarded(source(), "here|moved", () -> {
            source().execute("DROP PUBLICATION IF EXISTS " + name);
            return source().update("DELETE FROM shardedid_mark WHERE move = ?", name);
        }));
        guarded(target(), "here|arriving|moved",
                () -> target().update("DELETE FROM shardedid_mark WHERE move = ?", name));
    }

    /** Slots with the token of a later mover are left alone. */
    private void dropSlots(String pattern) throws SQLException {
        String mine = "FROM pg_replication_slots WHERE slot_name LIKE ? AND database = current_database() "
                + "AND CASE WHEN slot_name LIKE 'shardedid%' THEN split_part(slot_name, '_', 3)::bigint ELSE 0 END <= ?";
        await("slots of the source to be free", this.limits.patience(), () -> {
            check(source(), "here|moved");
            for (String slot : source().texts("SELECT slot_name %s AND NOT active".formatted(mine), pattern,
                    this.state.mover)) {
                dropSlot(slot);
            }
            return source().number("SELECT count(*) " + mine, pattern, this.state.mover) == 0;
        }, () -> "slots like " + pattern);
    }

    private void dropSlot(String slot) throws SQLException {
        try {
            source().execute("SELECT pg_drop_replication_slot(?)", slot);
        }
        catch (SQLException ex) {
            // in use again, or dropped meanwhile; the next look tells
            if (!"55006".equals(ex.getSQLState()) && !"42704".equals(ex.getSQLState())) {
                throw ex;
            }
        }
    }

    private void empty() throws SQLException {
        enter(MoveStep.EMPTY, "The mover waits for routers that go by the older map");
        awaitRouters();
        enter(MoveStep.EMPTY, "The rows at the source are deleted");
        deleteRows(source(), "moved");
        finish();
    }

    void awaitRouters() throws SQLException {
        String routers = this.databases.mapTable("shardedid_router");
        if (map().holds("SELECT to_regclass('%s') IS NOT NULL".formatted(routers.replace("'", "''")))) {
            String older = "SELECT process FROM %s WHERE namespace = ? AND version_seen < ? AND lease_until >= %s LIMIT 3"
                .formatted(routers, NOW);
            await("routers to go by version %d of the map".formatted(this.state.version), this.limits.routers(),
                    () -> map().texts(older, this.databases.namespace(), this.state.version).isEmpty(),
                    () -> "routers=" + map().texts(older, this.databases.namespace(), this.state.version));
        }
        // a transaction of the older map may still read here
        String now = source().text("SELECT clock_timestamp()");
        String older = """
                SELECT 'pid=' || pid || ', since=' || xact_start FROM pg_stat_activity WHERE datname = current_database()
                   AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND xact_start < ?::timestamptz LIMIT 3""";
        await("transactions that began by the older map to end", this.limits.routers(),
                () -> source().texts(older, now).isEmpty(), () -> String.valueOf(source().texts(older, now)));
    }

    /** Deletes the shards' rows in small transactions; triggers do not fire for that. */
    void deleteRows(Session session, String state) throws SQLException {
        for (FencedTable table : this.tables) {
            String delete = "DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE %2$s LIMIT %3$d))"
                .formatted(table.sql(), table.filter(this.shards), CHUNK);
            int deleted = CHUNK;
            while (deleted > 0) {
                deleted = patiently("rows to be deleted", session, () -> guarded(session, state, () -> {
                    session.execute("SET LOCAL session_replication_role = replica");
                    return session.update(delete);
                }));
            }
        }
    }

    private void finish() throws SQLException {
        inMap(() -> map().update(
                "UPDATE %s SET source = NULL, target = NULL, step = NULL WHERE namespace = ? AND shard BETWEEN ? AND ?"
                    .formatted(this.shardTable),
                this.databases.namespace(), this.shards.first(), this.shards.last()));
    }

    // ------------------------------------------------------------ waiting

    private void await(String what, Duration limit, Condition condition, Reason reason) throws SQLException {
        long began = this.time.nanoTime();
        boolean told = false;
        while (!condition.holds()) {
            if (this.time.nanoTime() - began > limit.toNanos()) {
                throw MoveException
                    .later("Waited too long for %s: shards=%s, limit=%s (%s); resume when the reason is gone"
                        .formatted(what, this.shards, limit, reason.text()), null);
            }
            if (!told && millisSince(began) > 1_000) {
                told = true;
                tell("The mover waits for " + what);
            }
            this.time.park(NAP_MILLIS * 1_000_000);
        }
    }

    /** Repeats a transaction that met the lock of somebody else. */
    private <T> T patiently(String what, Session session, Session.Work<T> work) throws SQLException {
        long began = this.time.nanoTime();
        for (long nap = NAP_MILLIS;; nap = Math.min(2 * nap, 1_000)) {
            try {
                return work.run();
            }
            catch (SQLException ex) {
                if (!waitedTooLong(ex)) {
                    throw ex;
                }
                if (this.time.nanoTime() - began > this.limits.patience().toNanos()) {
                    throw MoveException.later(
                            "Waited too long for %s: shards=%s, database=%s, limit=%s (open transactions: %s); resume when they have ended"
                                .formatted(what, this.shards, session.database(), this.limits.patience(),
                                        openTransactions(session)),
                            ex);
                }
                this.time.park(nap * 1_000_000);
            }
        }
    }

    private static boolean waitedTooLong(SQLException ex) {
        return LOCK_TIMEOUT.equals(ex.getSQLState()) || CANCELLED.equals(ex.getSQLState())
                || DEADLOCK.equals(ex.getSQLState());
    }

    private void enter(MoveStep next, String message) {
        this.step = next;
        tell(message);
    }

    private void tell(String message) {
        try {
            this.listener.progress(new MoveProgress(this.step, message, this.copied, this.total, this.expectedPause));
        }
        catch (RuntimeException ex) {
            LOG.log(System.Logger.Level.WARNING, "A listener of the move failed; the move goes on", ex);
        }
    }

    @Override
    public void close() {
        unlock();
        this.sessions.values().forEach(Session::close);
        this.sessions.clear();
    }

    /** Looks whether a wait is over. */
    @FunctionalInterface
    private interface Condition {

        boolean holds() throws SQLException;

    }

    /** Says what a wait waits for. */
    @FunctionalInterface
    private interface Reason {

        String text() throws SQLException;

    }

    /** Writers have waited as long as they may. */
    private static final class PauseSpent extends MoveException {

        private static final long serialVersionUID = 1L;

        PauseSpent(ShardRange shards, String reason) {
            super("Waited too long: shards=%s (%s); resume at a quieter time, or permit a longer pause"
                .formatted(shards, reason), true, null);
        }

    }

    /**
     * What the map says about the shards.
     *
     * @param mover the token of this mover
     * @param home the database that the map names
     * @param source the database that the shards leave
     * @param target the database where they go
     * @param stage how far the move is; empty if there is none
     * @param version the version that brought the shards home
     */
    private record MapState(long mover, String home, String source, String target, String stage, long version) {

        MapState at(String next) {
            return new MapState(this.mover, this.home, this.source, this.target, next, this.version);
        }

        MapState switched(long next) {
            return new MapState(this.mover, this.target, this.source, this.target, "clean", next);
        }

    }

}
