package io.shardedid.move;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.shardedid.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * What carries the rows to the target and the changes after them: publication, slot and
 * subscription, the copy, and the mark.
 */
class Replication {

    /** The slots of moves, as a pattern. */
    static final String SLOTS = "shardedid\\_%";

    /** What the server reads only when a transaction begins. */
    private static final String SAMPLES = "log_transaction_sample_rate";

    /** What shows statements with their texts, and the value that stops it. */
    private static final Map<String, String> SILENCE = new TreeMap<>(Map.of("log_statement", "none",
            "log_min_error_statement", "panic", "log_min_duration_statement", "-1", "log_min_duration_sample", "-1",
            SAMPLES, "0", "auto_explain.log_min_duration", "-1", "pg_stat_statements.track_utility", "off"));

    /** Tables that are not copied yet, and those that are being copied. */
    private static final Set<String> COPYING = Set.of("i", "d");

    private static final String SYNTAX_ERROR = "42601";

    /** No setting of the source ends a copy; options of the conninfo take precedence. */
    private static final String WITHOUT_LIMITS = "options='-c statement_timeout=0 -c lock_timeout=0 -c idle_session_timeout=0 -c idle_in_transaction_session_timeout=0%s' ";

    /** What gives the mover's own writes an origin, by which others know them. */
    static final String ORIGIN_FUNCTIONS = "pg_replication_origin_create(text), pg_replication_origin_drop(text), pg_replication_origin_session_setup(text), pg_replication_origin_session_reset()";

    static final String MAY_HAVE_ORIGIN = "SELECT bool_and(has_function_privilege(f::regprocedure, 'EXECUTE')) FROM unnest(string_to_array('%s', ', ')) f"
        .formatted(ORIGIN_FUNCTIONS);

    private final MoveContext context;

    private final HomeRows homes;

    private @Nullable String name;

    private int lastMark;

    Replication(MoveContext context, HomeRows homes) {
        this.context = context;
        this.homes = homes;
    }

    private Session source() throws SQLException {
        return this.context.source();
    }

    private Session target() throws SQLException {
        return this.context.target();
    }

    /**
     * Names the publication, the subscription, and the beginning of each slot. The target
     * is not asked for it.
     */
    String name() throws SQLException {
        String known = this.name;
        if (known == null) {
            known = name(this.context.databases().namespace(), this.context.state().source(),
                    this.context.state().target(), this.context.shards(), at(source()));
            this.name = known;
        }
        return known;
    }

    /** Another application may have its homes in another schema of the same database. */
    static String name(String namespace, String source, String target, ShardRanges shards, String at) {
        String all = String.join("|", namespace, source, target, shards.toString(), at);
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
            return "shardedid_" + HexFormat.of().formatHex(hash, 0, 10);
        }
        catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException("SHA-256 must be there", ex);
        }
    }

    /** Where the homes are that a source closes. */
    static String at(Session source) throws SQLException {
        return source.text("SELECT current_database()") + "|" + source.home();
    }

    String subscriptionQuery() {
        return "SELECT oid, subenabled, coalesce(subslotname, '') FROM pg_subscription WHERE subname = ? "
                + "AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())";
    }

    /** Returns whether an earlier mover has left a copy that goes on by itself. */
    boolean replicates() throws SQLException {
        this.context.enter(MoveStep.ARRIVE, "The mover looks for what an earlier one has left");
        if (this.homes.count(target(), "arriving") != this.context.shards().size()) {
            return false;
        }
        List<List<@Nullable String>> found = target().rows(subscriptionQuery(), name());
        return !found.isEmpty() && "t".equals(found.get(0).get(1))
                && published().equals(this.context.tables().stream().map(FencedTable::oid).collect(Collectors.toSet()))
                && source().number(
                        "SELECT count(*) FROM pg_replication_slots WHERE slot_name = ? AND database = current_database() AND wal_status <> 'lost'",
                        found.get(0).get(2)) == 1;
    }

    /**
     * The tables whose rows this move has published, by their oids; empty if there is no
     * publication. It says so until the move has ended, also to a later mover.
     */
    Set<Long> published() throws SQLException {
        return source().texts(
                "SELECT prrelid FROM pg_publication_rel JOIN pg_publication p ON p.oid = prpubid WHERE pubname = ? AND prrelid <> to_regclass(?)",
                name(), source().own("shardedid_mark"))
            .stream()
            .map(Long::valueOf)
            .collect(Collectors.toSet());
    }

    String publishedOperations() {
        return "insert, update, delete";
    }

    void publish() throws SQLException {
        this.context.enter(MoveStep.PUBLISH,
                "The source publishes the rows; a slot waits for all open transactions of its server");
        String name = name();
        String published = this.context.tables()
            .stream()
            .map((table) -> "%s WHERE (%s)".formatted(table.only(), table.filter(this.context.shards())))
            .collect(Collectors.joining(", "));
        this.context.patiently("the publication", source(), () -> this.homes.guarded(source(), "here", () -> {
            source().execute("CREATE PUBLICATION %s FOR TABLE %s, %s WHERE (move = '%s') WITH (publish = '%s')"
                .formatted(name, published, source().own("shardedid_mark"), name, publishedOperations()));
            return name;
        }));
        List<String> writing = Transactions.thatWrite(source(), 0);
        if (!writing.isEmpty()) {
            this.context.tell("The slot waits for transactions that have written: " + writing);
        }
        source().limit(this.context.limits().patience());
        try {
            // the slot waits by a lock for each of these transactions
            source().limitLock(this.context.limits().patience());
            source().execute("SELECT pg_create_logical_replication_slot(?, 'pgoutput')", slot());
        }
        catch (SQLException ex) {
            if (!MoveContext.waitedTooLong(ex)) {
                throw ex;
            }
            throw MoveException.later(
                    "Waited too long for a slot: database=%s, limit=%s (transactions that have written, in any database of its server: %s); resume when they have ended"
                        .formatted(this.context.state().source(),
                                MessageText.duration(this.context.limits().patience()),
                                Transactions.thatWrite(source(), 0)),
                    ex);
        }
        finally {
            source().limit(this.context.limits().statement());
            source().limitLock(Session.LOCK);
        }
    }

    private String slot() throws SQLException {
        return name() + "_" + this.context.state().mover();
    }

    void subscribe() throws SQLException {
        String info = (WITHOUT_LIMITS.formatted(source().isAtLeast(17) ? " -c transaction_timeout=0" : "")
                + this.context.databases().get(this.context.state().source()).connectionInfo())
            .replace("'", "''");
        try {
            target().execute("SELECT set_config('%1$s', '0', false) WHERE has_parameter_privilege('%1$s', 'SET')"
                .formatted(SAMPLES));
            this.context.patiently("the subscription", target(), () -> this.homes.guarded(target(), "arriving", () -> {
                keepOutOfLogs(target());
                target().execute(
                        "CREATE SUBSCRIPTION %s CONNECTION '%s' PUBLICATION %1$s WITH (create_slot = false, slot_name = '%s', copy_data = true, disable_on_error = true)"
                            .formatted(name(), info, slot()));
                return true;
            }));
        }
        catch (MoveException ex) {
            dropOwnSlot();
            throw ex;
        }
        catch (SQLException ex) {
            if (!SYNTAX_ERROR.equals(ex.getSQLState())) {
                throw ex;
            }
            // the server quotes what it cannot read, which may be a part of a password
            dropOwnSlot();
            throw MoveException.stopped(
                    "The server of database %s cannot read how to connect to database %s: shardedid.move.%2$s.conninfo (keywords and values, as libpq reads them); correct it, and resume"
                        .formatted(this.context.state().target(), this.context.state().source()));
        }
    }

    /** Nobody else knows this slot: its name has the token of this mover. */
    private void dropOwnSlot() throws SQLException {
        source().execute(
                "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ? AND NOT active",
                slot());
    }

    /**
     * Until the end of the transaction, its statements are in no log of the server and in
     * no statistics, as far as the account may say so. A setting that the server does not
     * have is left alone.
     */
    void keepOutOfLogs(Session session) throws SQLException {
        session.execute("""
                SELECT set_config(name, value, true) FROM (VALUES %s) AS wanted (name, value)
                 WHERE name IN (SELECT name FROM pg_settings) AND has_parameter_privilege(name, 'SET')"""
            .formatted(SILENCE.entrySet()
                .stream()
                .map((setting) -> "('%s', '%s')".formatted(setting.getKey(), setting.getValue()))
                .collect(Collectors.joining(", "))));
    }

    /** Returns the settings that the account may not change, which show statements. */
    static List<String> loud(Session session) throws SQLException {
        return session.texts(
                "SELECT name FROM pg_settings WHERE name = ANY (string_to_array(?, ' ')) AND setting <> ALL (string_to_array(?, ' ')) AND NOT has_parameter_privilege(name, 'SET') ORDER BY 1",
                String.join(" ", SILENCE.keySet()), String.join(" ", SILENCE.values()));
    }

    void awaitCopy() throws SQLException {
        this.context.enter(MoveStep.COPY, "The target copies the rows");
        Map<String, Long> here = new HashMap<>();
        for (FencedTable table : this.context.tables()) {
            here.put(table.name(), this.context.longRunning(source(), this.context.limits().copy(),
                    () -> table.rows(source(), this.context.shards())));
        }
        long rows = here.values().stream().mapToLong(Long::longValue).sum();
        this.context.total(rows);
        long published = source().number("SELECT count(*) FROM pg_publication_tables WHERE pubname = ?", name());
        this.context.await("the target to copy the rows", this.context.limits().copy(), () -> {
            requireEnabled();
            long copied = 0;
            int ready = 0;
            for (List<@Nullable String> table : target()
                .rows("""
                        SELECT n.nspname || '.' || c.relname, r.srsubstate::text, coalesce(p.tuples_processed, 0)
                          FROM pg_subscription_rel r JOIN pg_subscription s ON s.oid = r.srsubid
                          JOIN pg_class c ON c.oid = r.srrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                          LEFT JOIN pg_stat_progress_copy p ON p.relid = r.srrelid AND p.datname = current_database()
                         WHERE s.subname = ? AND s.subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())""",
                        name())) {
                String state = String.valueOf(table.get(1));
                ready += state.equals("r") ? 1 : 0;
                copied += COPYING.contains(state) ? Long.parseLong(table.get(2))
                        : here.getOrDefault(String.valueOf(table.get(0)), 0L);
            }
            this.context.tellCopied(copied, "The target copies the rows");
            return ready == published;
        }, () -> "see the log of the target's server");
        this.context.copied(rows);
        this.context.tell("The target has copied the rows and follows the changes");
    }

    private void requireEnabled() throws SQLException {
        List<List<@Nullable String>> found = target().rows(subscriptionQuery(), name());
        if (found.isEmpty() || !"t".equals(found.get(0).get(1))) {
            throw MoveException.stopped(
                    "The target does not take the rows: database=%s, subscription=%s (it was %s); read the log of that server, mend what it says, and resume"
                        .formatted(this.context.state().target(), name(),
                                found.isEmpty() ? "dropped" : "disabled by an error"));
        }
    }

    /**
     * What was committed at the source before the mark is at the target when it arrives.
     */
    void mark(Duration limit) throws SQLException {
        this.context.at(MoveStep.MARK);
        long began = this.context.time().nanoTime();
        int number = writeMark(() -> true);
        this.context.longRunning(target(), limit, () -> {
            while (target().number("SELECT count(*) FROM %s WHERE move = ? AND mover = ? AND attempt = ?"
                .formatted(target().own("shardedid_mark")), name(), this.context.state().mover(), number) == 0) {
                if (this.context.time().nanoTime() - began > limit.toNanos()) {
                    throw new MoveContext.PauseSpent(this.context.shards(),
                            "the target is behind by more than " + MessageText.duration(limit));
                }
                requireEnabled();
                this.context.time().park(2_000_000);
            }
            return number;
        });
    }

    private int writeMark(Session.Work<?> also) throws SQLException {
        int number = 1 + (int) source().number("SELECT coalesce(max(attempt), 0) FROM %s WHERE move = ? AND mover = ?"
            .formatted(source().own("shardedid_mark")), name(), this.context.state().mover());
        this.homes.guarded(source(), "here|moved", () -> {
            also.run();
            return source().update(
                    "INSERT INTO %s (move, mover, attempt) VALUES (?, ?, ?)".formatted(source().own("shardedid_mark")),
                    name(), this.context.state().mover(), number);
        });
        this.lastMark = number;
        return number;
    }

    /** The number of the last mark; 0 if there is none. */
    int lastMark() {
        return this.lastMark;
    }

    /**
     * Notes at the source which rows were compared, for a mover that deletes them later.
     * What is committed at the source until then, a slot tells before the mark.
     */
    void note(ComparedRows compared) throws SQLException {
        String name = name();
        writeMark(() -> {
            source().execute("COMMENT ON PUBLICATION %s IS '%s'".formatted(name, compared));
            return true;
        });
    }

    /** The rows that this move has compared. */
    ComparedRows compared() throws SQLException {
        return ComparedRows.parse(source()
            .text("SELECT obj_description(oid, 'pg_publication') FROM pg_publication WHERE pubname = ?", name()));
    }

    /**
     * Drops what replicates, in an order in which nothing is forgotten. The publication
     * stays, because it says which tables the move has.
     */
    void dropSubscription() throws SQLException {
        String name = name();
        List<List<@Nullable String>> found = target().rows(subscriptionQuery(), name);
        if (!found.isEmpty()) {
            long oid = Long.parseLong(found.get(0).get(0));
            this.context.patiently("the subscription to be disabled", target(),
                    () -> this.homes.guarded(target(), "here|arriving", () -> {
                        target().execute("ALTER SUBSCRIPTION %s DISABLE".formatted(name));
                        return true;
                    }));
            this.context.await("the workers of the subscription to end", this.context.limits().patience(),
                    () -> target().number(
                            "SELECT count(*) FROM pg_stat_subscription WHERE subid = ? AND pid IS NOT NULL", oid) == 0,
                    () -> "subscription=" + name);
            // those that copied a table, which the subscription would drop by itself
            // an oid is unique in one server only, and others may follow this source, too
            dropSlots("pg\\_%s\\_sync\\_%%\\_%s".formatted(oid,
                    target().text("SELECT system_identifier FROM pg_control_system()")));
            this.context.patiently("the subscription to be dropped", target(),
                    () -> this.homes.guarded(target(), "here|arriving", () -> {
                        target().execute("ALTER SUBSCRIPTION %s SET (slot_name = NONE)".formatted(name));
                        target().execute("DROP SUBSCRIPTION " + name);
                        return true;
                    }));
        }
        dropSlots(name.replace("_", "\\_") + "\\_%");
        endChanges();
        this.homes.guarded(target(), "here|arriving|moved",
                () -> target().update("DELETE FROM %s WHERE move = ?".formatted(target().own("shardedid_mark")), name));
    }

    /**
     * The publication stays without operations, so the replica identity of a table keeps
     * nobody from changing its rows.
     */
    void publishNothing() throws SQLException {
        String name = name();
        this.context.patiently("the publication to end", source(),
                () -> this.homes.guarded(source(), "here|moved", () -> {
                    if (!published().isEmpty()) {
                        source().execute("ALTER PUBLICATION %s SET (publish = '')".formatted(name));
                    }
                    return name;
                }));
    }

    /**
     * Does something whose changes have a replication origin, like those that the
     * subscription brings, so that others who follow the tables can leave both out.
     */
    <T> T withOrigin(Session session, Session.Work<T> work) throws SQLException {
        boolean named = session.holds(MAY_HAVE_ORIGIN) && beginOrigin(session);
        try {
            return work.run();
        }
        finally {
            if (named) {
                endOrigin(session);
            }
        }
    }

    private boolean beginOrigin(Session session) throws SQLException {
        dropOrigins(session);
        try {
            session.execute("SELECT pg_replication_origin_create(?)", slot());
            session.execute("SELECT pg_replication_origin_session_setup(?)", slot());
            return true;
        }
        catch (SQLException ex) {
            this.context
                .tell("The deletion in database %s has no replication origin, so those who follow the tables see it: %s"
                    .formatted(session.database(), ex.getMessage()));
            dropOrigins(session);
            return false;
        }
    }

    /** A session that is gone has ended its origin, which a later mover drops. */
    private void endOrigin(Session session) {
        try {
            session.execute("SELECT pg_replication_origin_session_reset()");
            dropOrigins(session);
        }
        catch (SQLException ex) {
            this.context.tell("Could not drop replication origin %s in database %s (SQLSTATE %s)".formatted(origins(),
                    session.database(), ex.getSQLState()));
        }
    }

    private String origins() {
        return String.valueOf(this.name) + "_*";
    }

    /** Those of earlier movers of this move, too, unless one of them still deletes. */
    private void dropOrigins(Session session) throws SQLException {
        for (String origin : session.texts(
                "SELECT roname FROM pg_replication_origin o WHERE roname LIKE ? AND split_part(roname, '_', 3)::bigint <= ?",
                name().replace("_", "\\_") + "\\_%", this.context.state().mover())) {
            try {
                session.execute("SELECT pg_replication_origin_drop(?)", origin);
            }
            catch (SQLException ex) {
                // in use, or dropped meanwhile
                if (!"55006".equals(ex.getSQLState()) && !"42704".equals(ex.getSQLState())) {
                    throw ex;
                }
            }
        }
    }

    /** Drops the publication, when no row of the move is left to be deleted. */
    void dropPublication() throws SQLException {
        String name = name();
        this.context.patiently("the publication to be dropped", source(),
                () -> this.homes.guarded(source(), "here|moved", () -> {
                    source().execute("DROP PUBLICATION IF EXISTS " + name);
                    return source().update("DELETE FROM %s WHERE move = ?".formatted(source().own("shardedid_mark")),
                            name);
                }));
    }

    /** Drops what the source has of a move whose target does not answer. */
    void dropAtSource() throws SQLException {
        dropPublication();
        String slots = name().replace("_", "\\_") + "\\_%";
        // the target may still be connected with the source
        source().execute(
                "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name LIKE ? AND active AND database = current_database()",
                slots);
        dropSlots(slots);
        endChanges();
    }

    /**
     * Ends the connections by which earlier movers read changes, and with them their
     * slots. A mover that stands still would keep them, and the log behind them.
     */
    private void endChanges() throws SQLException {
        source().execute(
                "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name LIKE ? AND database = current_database() AND split_part(slot_name, '_', 4)::bigint < ?",
                ChangedRows.slots(name()).replace("_", "\\_") + "%", this.context.state().mover());
    }

    /** Slots with the token of a later mover are left alone. */
    private void dropSlots(String pattern) throws SQLException {
        String mine = "FROM pg_replication_slots WHERE slot_name LIKE ? AND database = current_database() "
                + "AND CASE WHEN slot_name LIKE 'shardedid%' THEN split_part(slot_name, '_', 3)::bigint ELSE 0 END <= ?";
        this.context.await("slots of the source to be free", this.context.limits().patience(), () -> {
            this.homes.check(source(), "here|moved");
            for (String slot : source().texts("SELECT slot_name %s AND NOT active".formatted(mine), pattern,
                    this.context.state().mover())) {
                dropSlot(slot);
            }
            return source().number("SELECT count(*) " + mine, pattern, this.context.state().mover()) == 0;
        }, () -> "slots like " + pattern);
    }

    private void dropSlot(String slot) throws SQLException {
        try {
            source().execute("SELECT pg_drop_replication_slot(?)", slot);
        }
        catch (SQLException ex) {
            // in use again, or dropped meanwhile; the next look shows it
            if (!"55006".equals(ex.getSQLState()) && !"42704".equals(ex.getSQLState())) {
                throw ex;
            }
        }
    }

}
