package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import io.shardedid.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * The home rows of both databases, which say who takes writes, the token in them, which
 * guards every change, and the locks that close the source.
 */
class HomeRows {

    /** The first number of the advisory locks that the fence takes. */
    static final int FENCE_LOCK = 0x53484944;

    /** The number of the mark that says so. Others begin at 1. */
    private static final int OPENING = 0;

    private final MoveContext context;

    /** Keeps the locks of the shards from the fence to the new map. */
    private @Nullable Session closing;

    HomeRows(MoveContext context) {
        this.context = context;
    }

    private Session source() throws SQLException {
        return this.context.source();
    }

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
                          FROM (SELECT * FROM %s WHERE %s ORDER BY shard FOR SHARE) h"""
                    .formatted(session.own("shardedid_home"), this.context.inShards()),
                this.context.state().mover(), state);
        long all = Long.parseLong(rows.get(0).get(0));
        if (checksToken() && Long.parseLong(rows.get(0).get(1)) != all) {
            throw this.context.superseded(session);
        }
        if (checksState() && Long.parseLong(rows.get(0).get(2)) != all) {
            throw MoveException.stopped(
                    "Could not change database %s: shards=%s, shards in state %s=%s (all of them have to be); look who changed shardedid_home"
                        .formatted(session.database(), this.context.shards(), state, rows.get(0).get(2)));
        }
    }

    boolean checksToken() {
        return true;
    }

    boolean checksState() {
        return true;
    }

    /** Returns how many of the shards are in a state. */
    long count(Session session, String state) throws SQLException {
        return session.number("SELECT count(*) FROM %s WHERE %s AND state = ?".formatted(session.own("shardedid_home"),
                this.context.inShards()), state);
    }

    /** Returns the states of the shards, in their order, with bars between them. */
    String states(Session session) throws SQLException {
        return session.text("SELECT coalesce(string_agg(DISTINCT state, '|' ORDER BY state), '') FROM %s WHERE %s"
            .formatted(session.own("shardedid_home"), this.context.inShards()));
    }

    int setHomes(Session session, String state) throws SQLException {
        return session.update("UPDATE %s SET state = ?, changed_at = clock_timestamp() WHERE %s AND state <> ?"
            .formatted(session.own("shardedid_home"), this.context.inShards()), state, state);
    }

    /** Takes the lock of each shard, which no writer shares then. */
    void lockShards(Session session, String function) throws SQLException {
        session.execute(
                "SELECT %s(%s, shard) FROM generate_series(?::integer, ?::integer) AS shard WHERE %s"
                    .formatted(function, FENCE_LOCK, this.context.inShards()),
                this.context.shards().first(), this.context.shards().last());
    }

    /**
     * Opens the source, unless it is open.
     * @param move the name of the move, whose target is not to be opened any more
     */
    void reopenSource(String move) throws SQLException {
        if (count(source(), "moved") > 0) {
            this.context.patiently("the source to open", source(), () -> guarded(source(), "moved", () -> {
                source().update("DELETE FROM %s WHERE move = ? AND attempt = %s"
                    .formatted(source().own("shardedid_mark"), OPENING), move);
                return setHomes(source(), "here");
            }));
        }
    }

    /** Opens what was closed in the source, where no move has closed it. */
    void open() throws SQLException {
        this.context.patiently("the shards to open", source(),
                () -> guarded(source(), "here|moved", () -> setHomes(source(), "here")));
    }

    /** Closes what is open in a database, and leaves what has arrived there as it is. */
    void close(Session session) throws SQLException {
        this.context.patiently("the shards to close", session, () -> guarded(session, "here|arriving|moved", () -> {
            lockShards(session, "pg_advisory_xact_lock");
            return session
                .update("UPDATE %s SET state = 'moved', changed_at = clock_timestamp() WHERE %s AND state = 'here'"
                    .formatted(session.own("shardedid_home"), this.context.inShards()));
        }));
    }

    /** Returns the shards that are in a state. */
    List<String> in(Session session, String state) throws SQLException {
        return session.texts("SELECT shard FROM %s WHERE %s AND state = ? ORDER BY 1"
            .formatted(session.own("shardedid_home"), this.context.inShards()), state);
    }

    /** Writes down at the source that the target is going to take writes. */
    void writeOpening(String move) throws SQLException {
        guarded(source(), "moved",
                () -> source().update("INSERT INTO %s (move, mover, attempt) VALUES (?, ?, %s) ON CONFLICT DO NOTHING"
                    .formatted(source().own("shardedid_mark"), OPENING), move, this.context.state().mover()));
    }

    /** Returns whether the target may have taken writes, whatever the map says. */
    boolean opening(String move) throws SQLException {
        return source().holds("SELECT EXISTS (SELECT FROM %s WHERE move = ? AND attempt = %s)"
            .formatted(source().own("shardedid_mark"), OPENING), move);
    }

    /**
     * Closes the source, when the writes that were open have ended.
     * @return since when new writers wait, in nanoseconds of the mover's clock
     */
    long fence() throws SQLException {
        this.context.enter(MoveStep.FENCE, "The mover waits for open transactions of these shards");
        long end = this.context.time().nanoTime() + this.context.limits().patience().toNanos();
        long most = Math.max(1,
                Math.min(8 * this.context.limits().lock().toMillis(), this.context.limits().pause().toMillis() / 2));
        for (long wait = Math.min(most, this.context.limits().lock().toMillis());; wait = Math.min(2 * wait, most)) {
            this.context.await("transactions of these shards that are older than a second to end",
                    this.context.limits().patience(), () -> holders(1).isEmpty(), () -> String.valueOf(holders(1)));
            Session session = this.context.open(this.context.state().source());
            this.closing = session;
            // the server ends this session, and with it the lock, if the mover falls
            // silent
            session.execute(
                    "SET idle_session_timeout = %1$s; SET idle_in_transaction_session_timeout = %1$s; SET lock_timeout = %2$s"
                        .formatted(this.context.limits().pause().toMillis(), wait));
            session.limit(Duration.ofMillis(wait));
            try {
                return guarded(session, "here", () -> {
                    // who comes after this request for the lock waits behind it
                    long began = this.context.time().nanoTime();
                    lockShards(session, "pg_advisory_lock");
                    setHomes(session, "moved");
                    return began;
                });
            }
            catch (SQLException ex) {
                unlock();
                if (!MoveContext.waitedTooLong(ex)) {
                    throw ex;
                }
                if (this.context.time().nanoTime() - end > 0) {
                    throw MoveException.later(
                            "Waited too long for open transactions: shards=%s, limit=%s, transactions=%s; resume when they have ended"
                                .formatted(this.context.shards(),
                                        MessageText.duration(this.context.limits().patience()), holders(0)),
                            ex);
                }
                this.context.tell("Open transactions keep the shards: " + holders(0));
                this.context.time().park(wait * 1_000_000);
            }
        }
    }

    private List<String> holders(int seconds) throws SQLException {
        return Transactions.thatKeep(source(), this.context.shards(), seconds);
    }

    void unlock() {
        if (this.closing != null) {
            this.closing.close();
            this.closing = null;
        }
    }

}
