package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** Looks for everything that would make a move fail, without changing anything. */
final class MovePlanner {

    /** Rows that two servers compare in a second, at about. */
    private static final long COMPARED_ROWS_PER_SECOND = 500_000;

    private static final long LEAST_PAUSE_MILLIS = 200;

    private static final Pattern PASSWORD = Pattern.compile("(?i)\\bpassword\\s*=");

    private static final String HERE = "SELECT shard FROM shardedid_home WHERE %s AND state = 'here' ORDER BY 1";

    /** The share of the lock table that one fence may take. */
    private static final int SHARE_OF_LOCKS = 2;

    /** Without it the transactions of other accounts have no beginning. */
    static final String SEES_TRANSACTIONS = "SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')";

    private final Session source;

    private final Session target;

    private final ShardRanges shards;

    /** How the server of the target connects to the source. */
    private final String connectionInfo;

    /** How long writers may wait. */
    private final Duration limit;

    /** Whether all rows are compared while writers wait. */
    private final boolean comparesAll;

    private final List<String> problems = new ArrayList<>();

    private final List<String> warnings = new ArrayList<>();

    MovePlanner(Session source, Session target, ShardRanges shards, String connectionInfo, Duration limit,
            boolean comparesAll) {
        this.source = source;
        this.target = target;
        this.shards = shards;
        this.connectionInfo = connectionInfo;
        this.limit = limit;
        this.comparesAll = comparesAll;
    }

    MovePlan plan() throws SQLException {
        for (Session session : List.of(this.source, this.target)) {
            server(session);
            homes(session);
        }
        boolean left = hasLeft();
        settings();
        List<FencedTable> tables = fenced(this.source) ? FencedTable.of(this.source) : List.of();
        if (tables.isEmpty()) {
            this.problems.add("Database %s has no fenced table: call shardedid_fence for each table with sharded ids"
                .formatted(this.source.database()));
        }
        TableChecks checks = new TableChecks(this.source, this.target, this.shards);
        checks.tables(tables);
        checks.unfenced(tables, foreignKeys(tables));
        this.problems.addAll(checks.problems());
        this.warnings.addAll(checks.warnings());
        List<MovePlan.Table> sizes = new ArrayList<>();
        long rows = 0;
        for (FencedTable table : tables) {
            MovePlan.Table size = table.size(this.source, this.shards);
            sizes.add(size);
            rows += size.rows();
        }
        if (!left && fenced(this.target)) {
            target();
        }
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
        if (!session.holds("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")) {
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
        if (!fenced(session)) {
            this.problems.add(
                    "Database %s has no fence: run 'io/shardedid/shards/shard-fence-postgresql.sql' of the jar of 'shardedid-shards'"
                        .formatted(session.database()));
            return;
        }
        long rows = session.number("SELECT count(*) FROM shardedid_home WHERE " + this.shards.condition("shard"));
        if (rows != this.shards.size()) {
            this.problems.add("Database %s has %s home rows for %s shards: call shardedid_homes(shards)"
                .formatted(session.database(), rows, this.shards.size()));
        }
    }

    /**
     * An operator with rows at the target is not to delete them when the map is wrong.
     */
    private boolean hasLeft() throws SQLException {
        long left = !fenced(this.source) ? 0
                : this.source.number("SELECT count(*) FROM shardedid_home WHERE %s AND state <> 'here'"
                    .formatted(this.shards.condition("shard")));
        if (left > 0) {
            this.problems.add(
                    "Database %s says that shards have left, though the map says they are there: shards=%s (state in shardedid_home); resume a move that is open, or find out which of them is right"
                        .formatted(this.source.database(), left));
        }
        return left > 0;
    }

    private static boolean fenced(Session session) throws SQLException {
        return session.holds("SELECT to_regclass('shardedid_home') IS NOT NULL");
    }

    private void settings() throws SQLException {
        String level = this.source.text("SELECT current_setting('wal_level')");
        if (!level.equals("logical")) {
            this.problems.add("Server of database %s has wal_level=%s: set 'logical', and start the server again"
                .formatted(this.source.database(), level));
        }
        // the slot of the move, and one for each table that is copied at a time
        long wanted = 1 + this.target.number("SELECT current_setting('max_sync_workers_per_subscription')::bigint");
        for (String setting : List.of("max_replication_slots", "max_wal_senders")) {
            String used = setting.equals("max_replication_slots") ? "pg_replication_slots" : "pg_stat_replication";
            long free = this.source
                .number("SELECT current_setting('%s')::bigint - count(*) FROM %s".formatted(setting, used));
            if (free < 2) {
                this.problems.add("Server of database %s has %s free of %s: raise the setting, or drop what is not used"
                    .formatted(this.source.database(), free, setting));
            }
            else if (free < wanted) {
                this.warnings.add("Server of database %s has %s free of %s: the copy of %s tables at a time wants %s"
                    .formatted(this.source.database(), free, setting, wanted - 1, wanted));
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

    /** Rows that nobody expects at the target would be deleted. */
    private void target() throws SQLException {
        for (FencedTable table : FencedTable.of(this.target)) {
            if (table.hasUnexpectedRows(this.target, this.shards)) {
                this.problems.add(TableChecks.unexpectedRows(this.target, table, this.source));
            }
        }
        twice(this.target);
    }

    /** Looks whether another database takes writes of the shards, too. */
    void twice(Session other) throws SQLException {
        if (!fenced(this.source) || !fenced(other)) {
            return;
        }
        String here = HERE.formatted(this.shards.condition("shard"));
        List<String> twice = new ArrayList<>(other.texts(here));
        twice.retainAll(this.source.texts(here));
        if (!twice.isEmpty()) {
            this.problems.add(
                    "Shards take writes in two databases: shards=%s, databases=[%s, %s] (each shard is 'here' in the database that the map names, and nowhere else); run in %3$s: UPDATE shardedid_home SET state = 'moved', changed_at = clock_timestamp() WHERE shard IN (%1$s) AND state = 'here'"
                        .formatted(String.join(", ", twice), this.source.database(), other.database()));
        }
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

    /** Returns the tables without a fence whose keys lead to a fenced table. */
    private Set<String> foreignKeys(List<FencedTable> tables) throws SQLException {
        Set<String> unfenced = new TreeSet<>();
        for (List<@Nullable String> key : this.source
            .rows("""
                    SELECT k.conname, format('%I.%I', cn.nspname, c.relname), format('%I.%I', pn.nspname, p.relname),
                           (SELECT string_agg(format('child.%I = parent.%I', ca.attname, pa.attname), ' AND ')
                              FROM unnest(k.conkey, k.confkey) AS u(child, parent)
                              JOIN pg_attribute ca ON ca.attrelid = k.conrelid AND ca.attnum = u.child
                              JOIN pg_attribute pa ON pa.attrelid = k.confrelid AND pa.attnum = u.parent)
                      FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace cn ON cn.oid = c.relnamespace
                      JOIN pg_class p ON p.oid = k.confrelid JOIN pg_namespace pn ON pn.oid = p.relnamespace
                     WHERE k.contype = 'f' AND k.conparentid = 0""")) {
            @Nullable FencedTable child = find(tables, key.get(1));
            @Nullable FencedTable parent = find(tables, key.get(2));
            if (child != null && parent != null) {
                long leaving = this.source.number(
                        "SELECT count(*) FROM %s child JOIN %s parent ON %s WHERE (%s) <> (%s)".formatted(child.only(),
                                parent.only(), key.get(3), child.filter("child.", this.shards),
                                parent.filter("parent.", this.shards)));
                if (leaving > 0) {
                    this.problems.add(
                            "Foreign key %s leaves the shards: %s rows of %s and their rows of %s would be in two databases"
                                .formatted(key.get(0), leaving, key.get(1), key.get(2)));
                }
            }
            else if (parent != null) {
                this.problems.add("Table %s has no fence and foreign key %s to %s: fence it, too, or drop the key"
                    .formatted(key.get(1), key.get(0), key.get(2)));
                unfenced.add(String.valueOf(key.get(1)));
            }
            else if (child != null) {
                this.warnings
                    .add("Foreign key %s leads to %s, which does not move: database %s has to have the same rows"
                        .formatted(key.get(0), key.get(2), this.target.database()));
            }
        }
        return unfenced;
    }

    private static @Nullable FencedTable find(List<FencedTable> tables, @Nullable String name) {
        return tables.stream()
            .filter((table) -> name != null && name.replace("\"", "").equals(table.name()))
            .findFirst()
            .orElse(null);
    }

}
