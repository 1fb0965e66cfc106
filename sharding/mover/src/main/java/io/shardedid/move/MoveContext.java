package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.shardedid.MessageText;
import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of a move share: its limits, the sessions in its databases, what the map
 * says, its progress, and its waits.
 */
final class MoveContext implements AutoCloseable {

    private static final long NAP_MILLIS = 20;

    private static final long MOST_RESERVE_MILLIS = 250;

    /** After this time a step that goes on says so. */
    private static final long TELL_MILLIS = 1_000;

    private static final long TELL_AGAIN_MILLIS = 60_000;

    static final String LOCK_TIMEOUT = "55P03";

    static final String CANCELLED = "57014";

    private static final String DEADLOCK = "40P01";

    private static final System.Logger LOG = System.getLogger(Move.class.getName());

    private final MoveDatabases databases;

    private final MoveLimits limits;

    private final ShardRanges shards;

    private final TimeSource time;

    private final MoveProgress.Listener listener;

    private final Session.Probe probe;

    /** Two threads compare rows, each with a session of its own. */
    private final Map<String, Session> sessions = new ConcurrentHashMap<>();

    /** What the map says; known after the mover has its token. */
    private MapState state = new MapState(0, "", "", "", "", 0, 0);

    private List<FencedTable> tables = List.of();

    private MoveStep step = MoveStep.PLAN;

    private long copied;

    private long total;

    /** When rows were copied for the first time, and how many; null before that. */
    private long @Nullable [] copyBegan;

    private long rowsPerSecond;

    private boolean comparesAll;

    private @Nullable Duration expectedPause;

    private long toldNanos;

    /** When writers begin to wait; null while nobody waits. */
    private @Nullable Long closedNanos;

    MoveContext(MoveDatabases databases, MoveLimits limits, ShardRanges shards, MoveProgress.Listener listener,
            Session.Probe probe, TimeSource time) {
        this.databases = databases;
        this.limits = limits;
        this.shards = shards;
        this.listener = listener;
        this.probe = probe;
        this.time = time;
    }

    /** All rows are to be compared while writers wait. */
    MoveContext comparingAll() {
        this.comparesAll = true;
        return this;
    }

    boolean comparesAll() {
        return this.comparesAll;
    }

    MoveDatabases databases() {
        return this.databases;
    }

    MoveLimits limits() {
        return this.limits;
    }

    ShardRanges shards() {
        return this.shards;
    }

    /** Whether a row of the map, or of the homes, is one of a moving shard. */
    String inShards() {
        return this.shards.condition("shard");
    }

    TimeSource time() {
        return this.time;
    }

    MapState state() {
        return this.state;
    }

    void state(MapState now) {
        this.state = now;
    }

    /** The fenced tables of the source; known after the mover has its token. */
    List<FencedTable> tables() {
        return this.tables;
    }

    void tables(List<FencedTable> found) {
        this.tables = found;
    }

    long copied() {
        return this.copied;
    }

    void copied(long rows) {
        this.copied = rows;
    }

    void total(long rows) {
        this.total = rows;
    }

    void expectPause(Duration expected) {
        this.expectedPause = expected;
    }

    /** Enters a step without a word. */
    void at(MoveStep next) {
        this.step = next;
    }

    /** Opens another session, which its caller closes. */
    Session open(String database) throws SQLException {
        return Session.open(this.databases, database, this.limits.statement(), this.probe);
    }

    Session on(String database) throws SQLException {
        Session session = this.sessions.get(database);
        if (session == null) {
            session = open(database);
            this.sessions.put(database, session);
            hurry(session);
        }
        return session;
    }

    /** Connects anew when the database is asked for the next time. */
    void forget(String database) {
        Session session = this.sessions.remove(database);
        if (session != null) {
            session.close();
        }
    }

    /**
     * Writers wait: no statement may take longer than the rest of the pause, less the
     * time in which the source can be opened again.
     */
    void writersWaitSince(long began) {
        this.closedNanos = began;
        this.sessions.values().forEach(this::hurry);
    }

    /** From here the move takes the time that it takes. */
    void nobodyIsToWait() {
        this.closedNanos = null;
        this.sessions.values().forEach(this::hurry);
    }

    private void hurry(Session session) {
        Long began = this.closedNanos;
        session.hurry((began != null) ? () -> answerMillis(began) : null);
    }

    /** The longest time that an answer may take. */
    private long answerMillis(long began) {
        long rest = restMillis(began) - reserveMillis();
        if (rest < 1) {
            throw new PauseSpent(this.shards, "the databases took too long");
        }
        return rest;
    }

    /** The time in which the source opens again. */
    private long reserveMillis() {
        return Math.min(this.limits.pause().toMillis() / 10, MOST_RESERVE_MILLIS);
    }

    private long restMillis(long began) {
        return this.limits.pause().toMillis() - millisSince(began);
    }

    /**
     * How long a statement may run while writers wait. Its server ends it a little before
     * the mover gives the server up.
     */
    Duration restOfPause(String reason) {
        Long began = this.closedNanos;
        long rest = (began != null) ? restMillis(began) - 2 * reserveMillis() : this.limits.patience().toMillis();
        if (rest < 1) {
            throw new PauseSpent(this.shards, reason);
        }
        return Duration.ofMillis(rest);
    }

    Session map() throws SQLException {
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

    MoveException superseded(Session session) {
        return MoveException.refused(
                "Another mover has taken over: shards=%s, database=%s, token=%s (each shard has a row with it in shardedid_home); leave the move to that mover"
                    .formatted(this.shards, session.database(), this.state.mover));
    }

    MoveException lost() {
        return MoveException.stopped(
                "Shard map has lost the change of this move: shards=%s, database=%s, version=%s (the map was restored, or has lost its last commits, so routers may go by another one); continue as 'A failover of the map' in %s says"
                    .formatted(this.shards, this.databases.home(), this.state.version,
                            MessageText.page("docs/moving-trouble.md#a-failover-of-the-map")));
    }

    long millisSince(long began) {
        return (this.time.nanoTime() - began) / 1_000_000;
    }

    /** Runs statements that may take longer than others, or have to be quicker. */
    <T> T longRunning(Session session, Duration limit, Session.Work<T> work) throws SQLException {
        try {
            session.limit(limit);
            T result = work.run();
            session.limit(this.limits.statement());
            return result;
        }
        catch (PauseSpent ex) {
            restoreLimit(session);
            throw ex;
        }
        catch (SQLException ex) {
            if (!CANCELLED.equals(ex.getSQLState())) {
                throw ex;
            }
            restoreLimit(session);
            throw new PauseSpent(this.shards, "a statement takes longer than " + MessageText.duration(limit));
        }
    }

    private void restoreLimit(Session session) {
        try {
            session.limit(this.limits.statement());
        }
        catch (SQLException | PauseSpent ex) {
            // it would keep the limit of those who cannot wait
            forget(session.database());
        }
    }

    void await(String what, Duration limit, Condition condition, Reason reason) throws SQLException {
        long began = this.time.nanoTime();
        long told = began - (TELL_AGAIN_MILLIS - TELL_MILLIS) * 1_000_000;
        while (!condition.holds()) {
            if (this.time.nanoTime() - began > limit.toNanos()) {
                throw MoveException
                    .later("Waited too long for %s: shards=%s, limit=%s (%s); resume when the reason is gone"
                        .formatted(what, this.shards, MessageText.duration(limit), reason.text()), null);
            }
            if (millisSince(told) >= TELL_AGAIN_MILLIS) {
                told = this.time.nanoTime();
                tell("The mover waits for %s (%s)".formatted(what, reason.text()));
            }
            this.time.park(NAP_MILLIS * 1_000_000);
        }
    }

    /** Repeats a transaction that met the lock of another one. */
    <T> T patiently(String what, Session session, Session.Work<T> work) throws SQLException {
        long began = this.time.nanoTime();
        for (long nap = NAP_MILLIS;; nap = Math.min(2 * nap, 1_000)) {
            try {
                return work.run();
            }
            catch (SQLException ex) {
                if (!waitedTooLong(ex)) {
                    throw ex;
                }
                restOfPause("waiting for " + what);
                if (this.time.nanoTime() - began > this.limits.patience().toNanos()) {
                    throw MoveException.later(
                            "Waited too long for %s: shards=%s, database=%s, limit=%s (open transactions: %s); resume when they have ended"
                                .formatted(what, this.shards, session.database(),
                                        MessageText.duration(this.limits.patience()), Transactions.all(session)),
                            ex);
                }
                this.time.park(nap * 1_000_000);
            }
        }
    }

    static boolean waitedTooLong(SQLException ex) {
        return LOCK_TIMEOUT.equals(ex.getSQLState()) || CANCELLED.equals(ex.getSQLState())
                || DEADLOCK.equals(ex.getSQLState());
    }

    void enter(MoveStep next, String message) {
        this.step = next;
        tell(message);
    }

    /** Reports rows that are being copied, at most once a second. */
    void tellCopied(long rows, String message) {
        long now = this.time.nanoTime();
        long[] began = this.copyBegan;
        if (began == null) {
            this.copyBegan = new long[] { now, rows };
        }
        else if (now > began[0]) {
            this.rowsPerSecond = Math.round((rows - began[1]) * 1e9 / (now - began[0]));
        }
        if (rows == this.copied) {
            return;
        }
        this.copied = rows;
        if (millisSince(this.toldNanos) >= TELL_MILLIS) {
            tell(message);
        }
    }

    void tell(String message) {
        this.toldNanos = this.time.nanoTime();
        try {
            boolean copies = this.step == MoveStep.COPY && this.rowsPerSecond > 0 && this.copied < this.total;
            this.listener
                .progress(new MoveProgress(this.step, message, this.copied, this.total, copies ? this.rowsPerSecond : 0,
                        copies ? Duration.ofSeconds((this.total - this.copied) / this.rowsPerSecond) : null,
                        this.expectedPause));
        }
        catch (RuntimeException ex) {
            LOG.log(System.Logger.Level.WARNING, "A listener of the move failed; the move goes on", ex);
        }
    }

    @Override
    public void close() {
        this.sessions.values().forEach(Session::close);
        this.sessions.clear();
    }

    /** Looks whether a wait is over. */
    @FunctionalInterface
    interface Condition {

        boolean holds() throws SQLException;

    }

    /** Says what a wait waits for. */
    @FunctionalInterface
    interface Reason {

        String text() throws SQLException;

    }

    /** Writers have waited as long as they may. */
    static final class PauseSpent extends MoveException {

        private static final long serialVersionUID = 1L;

        PauseSpent(ShardRanges shards, String reason) {
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
     * @param identity the identity of that version, if the map has changed for this move
     */
    record MapState(long mover, String home, String source, String target, String stage, long version, long identity) {

        /** The move of the same shards back, as far as databases are concerned. */
        MapState back() {
            return between(this.target, this.source);
        }

        /** The same token for other databases. */
        MapState between(String from, String to) {
            return new MapState(this.mover, this.home, from, to, this.stage, this.version, this.identity);
        }

        MapState at(String next) {
            return new MapState(this.mover, this.home, this.source, this.target, next, this.version, this.identity);
        }

        MapState switched(long next, long nextIdentity) {
            return new MapState(this.mover, this.target, this.source, this.target, "clean", next, nextIdentity);
        }

    }

}
