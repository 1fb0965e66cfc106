package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.shardedid.MessageText;
import org.jspecify.annotations.Nullable;

/** Looks for everything that would make a move fail, without changing anything. */
final class MovePlanner {

    /** Rows that two servers compare in a second, at about. */
    private static final long COMPARED_ROWS_PER_SECOND = 500_000;

    private static final long LEAST_PAUSE_MILLIS = 200;

    private static final Pattern OPTIONS = Pattern.compile("(?i)\\boptions\\s*=");

    private static final Pattern PASSWORD = Pattern.compile("(?i)\\bpassword\\s*=");

    /** A comment on the homes that says whose shards they have. */
    private static final String NAMESPACE = "shardedid: namespace ";

    private static final String HERE = "SELECT shard FROM %s WHERE %s AND state = 'here' ORDER BY 1";

    /** How much of a lease's owner the name of a router begins with. */
    private static final int LONGEST_OWNER = 246;

    /** The share of the lock table that one fence may take. */
    private static final int SHARE_OF_LOCKS = 2;

    /** Without it the transactions of other accounts have no beginning. */
    static final String SEES_TRANSACTIONS = "SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')";

    private final MoveDatabases databases;

    private final Session source;

    private final Session target;

    private final ShardRanges shards;

    /** How the server of the target connects to the source. */
    private final String connectionInfo;

    /** How long writers may wait. */
    private final Duration limit;

    /** How long a look at tables may take. */
    private final Duration patience;

    /** Whether all rows are compared while writers wait. */
    private final boolean comparesAll;

    /** Hears what takes long. */
    private final Consumer<String> listener;

    private final List<String> problems = new ArrayList<>();

    private final List<String> warnings = new ArrayList<>();

    MovePlanner(MoveDatabases databases, Session source, Session target, ShardRanges shards, String connectionInfo,
            MoveLimits limits, boolean comparesAll, Consumer<String> listener) {
        this.databases = databases;
        this.source = source;
        this.target = target;
        this.shards = shards;
        this.connectionInfo = connectionInfo;
        this.limit = limits.pause();
        this.patience = limits.patience();
        this.listener = listener;
        this.comparesAll = comparesAll;
    }

    MovePlan plan() throws SQLException {
        for (Session session : List.of(this.source, this.target)) {
            server(session);
            homes(session);
        }
        boolean left = hasLeft();
        Fences fences = Fences.of(this.source);
        List<FencedTable> tables = fences.tables();
        settings(tables.size());
        limits();
        encodings();
        if (tables.isEmpty() && fences.problems().isEmpty()) {
            this.problems.add("Database %s has no fenced table: call shardedid_fence for each table with sharded ids"
                .formatted(this.source.database()));
        }
        TableChecks checks = new TableChecks(this.source, this.target, this.shards);
        checks.tables(tables);
        List<FencedTable> readable = checks.readable(tables);
        checks.unfenced(readable, checks.foreignKeys(tables), this.patience, this.listener);
        List<MovePlan.Table> sizes = new ArrayList<>();
        for (FencedTable table : readable) {
            sizes.addAll(checks.reading(this.source, table.name(), TableChecks.index(table), List.of(),
                    () -> List.of(table.size(this.source, this.shards))));
        }
        long rows = sizes.stream().mapToLong(MovePlan.Table::rows).sum();
        if (!left && this.target.isFenced()) {
            target(checks, checks.readable(Fences.of(this.target).tables()));
        }
        this.problems.addAll(checks.problems());
        this.warnings.addAll(checks.warnings());
        passwords();
        long millis = LEAST_PAUSE_MILLIS + (this.comparesAll ? rows * 1000 / COMPARED_ROWS_PER_SECOND : 0);
        if (millis > this.limit.toMillis()) {
            this.warnings.add(
                    "Writers would wait for about %s ms, and the limit of the pause is %s ms: move fewer shards at once, or permit a longer pause"
                        .formatted(millis, this.limit.toMillis()));
        }
        return new MovePlan(this.shards, this.source.database(), this.target.database(), List.copyOf(sizes),
                List.copyOf(this.problems), List.copyOf(this.warnings), Duration.ofMillis(millis));
    }

    private void server(Session session) throws SQLException {
        long version = session.number("SELECT current_setting('server_version_num')::integer / 10000");
        if (version < 15) {
            this.problems.add("Server of database %s is PostgreSQL %s: row filters need 15 or later"
                .formatted(session.database(), version));
        }
        if (session.holds("SELECT pg_is_in_recovery()")) {
            this.problems
                .add("Server of database %s is a standby: connect to its primary".formatted(session.database()));
        }
        if (session.holds("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")) {
            if (session.isAtLeast(16)) {
                this.warnings.add(
                        "Account of the mover in database %s is a superuser, so it goes by a shardedid_home of any role: take an account with the rights that %s names"
                            .formatted(session.database(), MessageText.page("docs/moving.md#what-you-need-once")));
            }
        }
        else {
            this.warnings.add(
                    "Account of the mover in database %s is no superuser: it needs REPLICATION and a password, pg_create_subscription, pg_read_all_stats, CREATE on the database, the tables, and SET on session_replication_role"
                        .formatted(session.database()));
        }
        if (!session.holds(SEES_TRANSACTIONS)) {
            this.problems.add(blind(session));
        }
        long locks = session.number(
                "SELECT current_setting('max_locks_per_transaction')::bigint * (current_setting('max_connections')::bigint + current_setting('max_prepared_transactions')::bigint)");
        if ((long) this.shards.size() * SHARE_OF_LOCKS > locks) {
            this.problems.add(
                    "Shards are too many for the lock table of database %s: shards=%s, locks=%s (half of them at most); move fewer at once, or raise max_locks_per_transaction"
                        .formatted(session.database(), this.shards.size(), locks));
        }
    }

    static String blind(Session session) {
        return "Account of the mover in database %s cannot see the transactions of others, for which it has to wait: GRANT pg_read_all_stats to it"
            .formatted(session.database());
    }

    private void homes(Session session) throws SQLException {
        if (!session.isFenced()) {
            this.problems.add(withoutFence(session));
            return;
        }
        long rows = session.number("SELECT count(*) FROM %s WHERE %s".formatted(session.own("shardedid_home"),
                this.shards.condition("shard")));
        if (rows != this.shards.size()) {
            this.problems.add(withoutHomes(session, rows, this.shards));
        }
    }

    static String withoutHomes(Session session, long rows, ShardRanges shards) {
        return "Database %s has %s home rows for %s shards: call shardedid_homes(shards)".formatted(session.database(),
                rows, shards.size());
    }

    private static String withoutFence(Session session) throws SQLException {
        String elsewhere = session.text(Session.HOMES);
        if (!elsewhere.isEmpty()) {
            return "Database %s has its fence in a schema where the mover does not look: schemas=%s, those of the mover=%s; set shardedid.databases.%1$s.url=...?currentSchema=%2$s"
                .formatted(session.database(), elsewhere, session.schemas());
        }
        String owners = session.text(
                "SELECT string_agg(DISTINCT pg_get_userbyid(relowner), ', ') FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE relname = 'shardedid_home' AND n.nspname = ANY (?::name[])",
                session.schemas());
        return owners.isEmpty()
                ? "Database %s has no fence: run 'io/shardedid/shards/shard-fence-postgresql.sql' of the jar of 'shardedid-shards'"
                    .formatted(session.database())
                : "Fence of database %s belongs to another role: owner of shardedid_home=%s (the account of the mover is no member of it); if the shards are those of %2$s: GRANT %2$s to the account of the mover"
                    .formatted(session.database(), owners);
    }

    /**
     * Two namespaces that share homes would close each other's shards. The map does not
     * say in which schema a namespace has its homes, so the homes have to.
     */
    void namespaces(Session map) throws SQLException {
        String own = this.databases.namespace();
        String others = String.join(", ", map.texts("SELECT DISTINCT namespace FROM %s WHERE namespace <> ? ORDER BY 1"
            .formatted(map.mapTable(this.databases, "shardedid_shard")), own));
        for (Session session : List.of(this.source, this.target)) {
            if (!session.isFenced()) {
                continue;
            }
            String home = session.own("shardedid_home");
            String comment = session.text("SELECT obj_description(to_regclass(?), 'pg_class')", home);
            if (comment.contains(NAMESPACE) && !comment.endsWith(NAMESPACE + own)) {
                this.problems.add(
                        "Homes of database %s are those of another namespace: namespace='%s', comment of %s='%s'; give each namespace a schema with its own fence and tables"
                            .formatted(session.database(), own, home, comment));
            }
            else if (!comment.contains(NAMESPACE) && !others.isEmpty()) {
                this.problems.add(
                        "Shard map has other namespaces, too: namespace='%s', others=[%s] (a move closes its shards for all that share the homes of database %s); give each a schema with its own fence and tables, and run there: COMMENT ON TABLE %s IS '%s%s'"
                            .formatted(own, others, session.database(), home, NAMESPACE, own.replace("'", "''")));
            }
        }
    }

    /**
     * A process that makes ids and goes by no map looks for all rows in one database. No
     * mover waits for it.
     */
    void withoutRouter(Session map) throws SQLException {
        String leases = map.mapTable(this.databases, FencedTable.quoted(this.databases.leases()));
        if (!map.holds("SELECT coalesce(has_table_privilege(to_regclass(?), 'SELECT'), false)", leases)) {
            this.warnings.add(
                    "Could not look for processes that make ids and do not route: table=%s (there is none, or the account of the mover may not read it); let shardedid.worker.lease.table name it"
                        .formatted(leases));
            return;
        }
        String routers = map.mapTable(this.databases, "shardedid_router");
        String routes = map.holds("SELECT to_regclass(?) IS NOT NULL", routers)
                ? " AND NOT EXISTS (SELECT FROM %s r WHERE r.namespace = w.namespace AND starts_with(r.process, left(w.owner, %s) || ' '))"
                    .formatted(routers, LONGEST_OWNER)
                : "";
        List<String> found = map.texts(
                "SELECT coalesce(w.owner, 'worker id ' || w.worker_id) FROM %s w WHERE w.namespace = ? AND w.worker_id >= 0 AND w.lease_until > %s%s ORDER BY 1 LIMIT 10"
                    .formatted(leases, MapRows.NOW, routes),
                this.databases.namespace());
        if (!found.isEmpty()) {
            this.warnings.add(
                    "Processes make ids and do not route, so no move waits for them, and they find no row of a shard that has moved: processes=%s; restart them with shardedid.databases.*, unless they use no table that moves"
                        .formatted(found));
        }
    }

    /** Notes where the map is older than what the homes and the routers know. */
    void older(List<String> found) {
        this.problems.addAll(found);
    }

    /**
     * An operator with rows at the target is not to delete them when the map is wrong.
     */
    private boolean hasLeft() throws SQLException {
        long left = !this.source.isFenced() ? 0
                : this.source.number("SELECT count(*) FROM %s WHERE %s AND state <> 'here'"
                    .formatted(this.source.own("shardedid_home"), this.shards.condition("shard")));
        if (left > 0) {
            this.problems.add(
                    "Database %s says that shards have left, though the map says they are there: shards=%s (state in shardedid_home); resume a move that is open, or find out which of them is right"
                        .formatted(this.source.database(), left));
        }
        return left > 0;
    }

    private void settings(int tables) throws SQLException {
        String level = this.source.text("SELECT current_setting('wal_level')");
        if (!level.equals("logical")) {
            this.problems.add("Server of database %s has wal_level=%s: set 'logical', and start the server again"
                .formatted(this.source.database(), level));
        }
        // those of the changes and of the copy, and one for each table that is copied at
        // a time; the first one that finds no slot ends the copy
        long wanted = 2 + Math.min(tables + 1,
                this.target.number("SELECT current_setting('max_sync_workers_per_subscription')::bigint"));
        for (String setting : List.of("max_replication_slots", "max_wal_senders")) {
            String used = setting.equals("max_replication_slots") ? "pg_replication_slots" : "pg_stat_replication";
            long free = this.source
                .number("SELECT current_setting('%s')::bigint - count(*) FROM %s".formatted(setting, used));
            if (free < wanted) {
                this.problems.add(
                        "Server of database %s has %s free of %s: the move wants %s; raise the setting, or drop what is not used"
                            .formatted(this.source.database(), free, setting, wanted));
            }
        }
        long workers = this.target.number(
                "SELECT current_setting('max_logical_replication_workers')::bigint - count(*) FROM pg_stat_subscription WHERE pid IS NOT NULL");
        if (workers < 2) {
            this.problems.add("Server of database %s has %s free of max_logical_replication_workers: raise the setting"
                .formatted(this.target.database(), workers));
        }
        if (this.source.text("SELECT current_setting('max_slot_wal_keep_size')").equals("-1")) {
            this.warnings.add(
                    "Server of database %s keeps any amount of log for a slot that nobody reads: set max_slot_wal_keep_size"
                        .formatted(this.source.database()));
        }
        for (String open : Transactions.thatWrite(this.source, 60)) {
            this.warnings
                .add("Transaction on the server of database %s is older than a minute, and a slot waits for it: %s"
                    .formatted(this.source.database(), open));
        }
    }

    /** The server obeys them while it copies, where a mover cannot change them. */
    private void limits() throws SQLException {
        boolean ownOptions = OPTIONS.matcher(this.connectionInfo).find();
        for (Session session : ownOptions ? List.of(this.source, this.target) : List.of(this.target)) {
            String limits = String.join(", ", session.texts(
                    "SELECT name || '=' || reset_val FROM pg_settings WHERE name = ANY (string_to_array(?, ' ')) AND reset_val <> '0' ORDER BY 1",
                    session == this.source ? "statement_timeout transaction_timeout" : "transaction_timeout"));
            if (!limits.isEmpty()) {
                this.problems
                    .add("Settings of database %s end a copy that takes longer: %s (milliseconds); set each to 0 %s"
                        .formatted(session.database(), limits, session == this.source
                                ? "in the options of shardedid.move.%s.conninfo".formatted(session.database())
                                : session.text(
                                        "SELECT format('for the account of the mover: ALTER ROLE %I IN DATABASE %I SET ...', current_user, current_database())")));
            }
        }
        String lock = this.target
            .text("SELECT reset_val FROM pg_settings WHERE name = 'lock_timeout' AND reset_val <> '0'");
        if (!lock.isEmpty()) {
            this.warnings
                .add("Setting of database %s ends a copy that waits longer for a lock: lock_timeout=%s (milliseconds)"
                    .formatted(this.target.database(), lock));
        }
    }

    /** Rows are compared by their bytes. */
    private void encodings() throws SQLException {
        String here = this.source.text("SELECT current_setting('server_encoding')");
        String there = this.target.text("SELECT current_setting('server_encoding')");
        if (!here.equals(there)) {
            this.problems.add(
                    "Encodings of the databases differ: %s=%s, %s=%s (rows are compared by their bytes); let both have the same, as CREATE DATABASE ... ENCODING '%2$s' TEMPLATE template0 makes one"
                        .formatted(this.source.database(), here, this.target.database(), there));
        }
    }

    /** Rows that nobody expects at the target would be deleted. */
    private void target(TableChecks checks, List<FencedTable> tables) throws SQLException {
        for (FencedTable table : tables) {
            if (checks.reading(this.target, table.name(), TableChecks.index(table), false,
                    () -> table.hasUnexpectedRows(this.target, this.shards))) {
                this.problems.add(TableChecks.unexpectedRows(this.target, table, this.source));
            }
        }
        twice(this.target);
    }

    /** Looks whether another database takes writes of the shards, too. */
    void twice(Session other) throws SQLException {
        if (!this.source.isFenced() || !other.isFenced()) {
            return;
        }
        List<String> twice = new ArrayList<>(here(other));
        twice.retainAll(here(this.source));
        if (!twice.isEmpty()) {
            this.problems.add(
                    "Shards take writes in two databases: shards=%s, databases=[%s, %s] (each shard is 'here' in the database that the map names, and nowhere else); run in %3$s: UPDATE %4$s SET state = 'moved', changed_at = clock_timestamp() WHERE shard IN (%1$s) AND state = 'here'"
                        .formatted(String.join(", ", twice), this.source.database(), other.database(),
                                other.own("shardedid_home")));
        }
    }

    private List<String> here(Session session) throws SQLException {
        return session.texts(HERE.formatted(session.own("shardedid_home"), this.shards.condition("shard")));
    }

    /** Notes that a database that has no part in the move has not answered. */
    void unknown(String database, String why) {
        this.warnings
            .add("Could not ask database %s whether it takes writes of these shards, too: %s".formatted(database, why));
    }

    /** The server of the target hears how to connect to the source, and may write it. */
    private void passwords() throws SQLException {
        if (PASSWORD.matcher(this.connectionInfo).find()) {
            List<String> loud = Replication.loud(this.target);
            if (!loud.isEmpty()) {
                this.warnings.add(
                        "Server of database %s may write the password of database %s into its log or its statistics: GRANT SET ON PARAMETER %s to the account of the mover"
                            .formatted(this.target.database(), this.source.database(), String.join(", ", loud)));
            }
        }
    }

}
