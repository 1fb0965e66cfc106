package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

import io.shardedid.shards.ShardRange;
import org.jspecify.annotations.Nullable;

/** Looks for everything that would make a move fail, without changing anything. */
final class MovePlanner {

    /** Rows that two servers compare in a second, at about. */
    private static final long COMPARED_ROWS_PER_SECOND = 500_000;

    private static final long LEAST_PAUSE_MILLIS = 200;

    /** The share of the lock table that one fence may take. */
    private static final int SHARE_OF_LOCKS = 2;

    /** Without it the transactions of other accounts have no beginning. */
    static final String SEES_TRANSACTIONS = "SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')";

    private final Session source;

    private final Session target;

    private final ShardRange shards;

    private final List<String> problems = new ArrayList<>();

    private final List<String> warnings = new ArrayList<>();

    MovePlanner(Session source, Session target, ShardRange shards) {
        this.source = source;
        this.target = target;
        this.shards = shards;
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
        List<MovePlan.Table> sizes = new ArrayList<>();
        long rows = 0;
        for (FencedTable table : tables) {
            boolean there = columns(table);
            source(table);
            if (there && !left) {
                target(table);
            }
            MovePlan.Table size = size(table);
            sizes.add(size);
            rows += size.rows();
        }
        foreignKeys(tables);
        long millis = LEAST_PAUSE_MILLIS + rows * 1000 / COMPARED_ROWS_PER_SECOND;
        return new MovePlan(this.shards, this.source.database(), this.target.database(), List.copyOf(sizes),
                List.copyOf(this.problems), List.copyOf(this.warnings), Duration.ofMillis(millis));
    }

    private void server(Session session) throws SQLException {
        long version = session.number("SELECT current_setting('server_version_num')::integer / 10000");
        if (version < 15) {
            this.problems.add("Server of database %s is PostgreSQL %d: row filters need 15 or later"
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
                    "Shards are too many for the lock table of database %s: shards=%d, locks=%d (half of them at most); move fewer at once, or raise max_locks_per_transaction"
                        .formatted(session.database(), this.shards.size(), locks));
        }
    }

    static String blind(Session session) {
        return "Account of the mover in database %s cannot see the transactions of others, for which it has to wait: GRANT pg_read_all_stats to it"
            .formatted(session.database());
    }

    static String unexpectedRows(Session target, FencedTable table, Session source) {
        return "Database %s has rows of these shards in table %s, though the map says %s: find out where they come from, and delete them"
            .formatted(target.database(), table.name(), source.database());
    }

    private void homes(Session session) throws SQLException {
        if (!fenced(session)) {
            this.problems.add(
                    "Database %s has no fence: run 'io/shardedid/shards/shard-fence-postgresql.sql' of the generator's jar"
                        .formatted(session.database()));
            return;
        }
        long rows = session.number("SELECT count(*) FROM shardedid_home WHERE shard BETWEEN ? AND ?",
                this.shards.first(), this.shards.last());
        if (rows != this.shards.size()) {
            this.problems.add("Database %s has %d home rows for %d shards: call shardedid_homes(shards)"
                .formatted(session.database(), rows, this.shards.size()));
        }
    }

    /** Whoever has rows at the target is not to delete them when the map is wrong. */
    private boolean hasLeft() throws SQLException {
        long left = !fenced(this.source) ? 0
                : this.source.number(
                        "SELECT count(*) FROM shardedid_home WHERE shard BETWEEN ? AND ? AND state <> 'here'",
                        this.shards.first(), this.shards.last());
        if (left > 0) {
            this.problems.add(
                    "Database %s says that shards have left, though the map says they are there: shards=%d (state in shardedid_home); resume a move that is open, or find out which of them is right"
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
                this.problems.add("Server of database %s has %d free of %s: raise the setting, or drop what is not used"
                    .formatted(this.source.database(), free, setting));
            }
            else if (free < wanted) {
                this.warnings.add("Server of database %s has %d free of %s: the copy of %d tables at a time wants %d"
                    .formatted(this.source.database(), free, setting, wanted - 1, wanted));
            }
        }
        long workers = this.target.number(
                "SELECT current_setting('max_logical_replication_workers')::bigint - count(*) FROM pg_stat_subscription WHERE pid IS NOT NULL");
        if (workers < 2) {
            this.problems.add("Server of database %s has %d free of max_logical_replication_workers: raise the setting"
                .formatted(this.target.database(), workers));
        }
        if (this.source.text("SELECT current_setting('max_slot_wal_keep_size')").equals("-1")) {
            this.warnings.add(
                    "Server of database %s keeps any amount of log for a slot that nobody reads: set max_slot_wal_keep_size"
                        .formatted(this.source.database()));
        }
        for (String open : this.source.texts("""
                SELECT 'pid=' || pid || ', since=' || xact_start || ', query=' || left(query, 60) FROM pg_stat_activity
                 WHERE xact_start < clock_timestamp() - interval '1 minute' AND backend_type = 'client backend'""")) {
            this.warnings
                .add("Transaction on the server of database %s is older than a minute, and a slot waits for it: %s"
                    .formatted(this.source.database(), open));
        }
    }

    /** Returns whether the target has the table. */
    private boolean columns(FencedTable table) throws SQLException {
        List<FencedTable.Column> there = FencedTable.columns(this.target, table.sql());
        if (there.isEmpty()) {
            this.problems.add("Database %s has no table %s: create it".formatted(this.target.database(), table.name()));
            return false;
        }
        if (!new TreeMap<>(byName(there)).equals(new TreeMap<>(byName(table.columns())))) {
            this.problems.add("Columns of table %s differ: %s=%s, %s=%s; let both have the same".formatted(table.name(),
                    this.source.database(), table.columns(), this.target.database(), there));
        }
        if (FencedTable.of(this.target)
            .stream()
            .noneMatch((other) -> other.name().equals(table.name()) && other.shift() == table.shift()
                    && other.mask() == table.mask() && other.id().equals(table.id()))) {
            this.problems.add(
                    "Table %s has no fence, or another one, in database %s: call shardedid_fence there as in database %s"
                        .formatted(table.name(), this.target.database(), this.source.database()));
        }
        return true;
    }

    private static TreeMap<String, String> byName(List<FencedTable.Column> columns) {
        TreeMap<String, String> types = new TreeMap<>();
        columns.forEach((column) -> types.put(column.name(), column.type()));
        return types;
    }

    private void source(FencedTable table) throws SQLException {
        List<List<@Nullable String>> facts = this.source.rows(
                """
                        SELECT c.relkind, c.relpersistence, c.relreplident = 'f' OR EXISTS (
                                 SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
                                  WHERE i.indrelid = c.oid AND a.attname = ?
                                    AND (c.relreplident = 'd' AND i.indisprimary OR c.relreplident = 'i' AND i.indisreplident)),
                               EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisvalid
                                  AND pg_get_indexdef(i.indexrelid) LIKE '%((' || quote_ident(?) || ' >> ' || ? || ') & %'),
                               (SELECT string_agg(t.tgname, ', ') FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal
                                  AND t.tgtype & 3 = 3 AND t.tgname > 'zz_shardedid_fence_update'),
                               (SELECT string_agg(i.indexrelid::regclass::text, ', ') FROM pg_index i WHERE i.indrelid = c.oid
                                  AND i.indisunique AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid
                                     AND a.attnum = ANY (i.indkey) AND a.attname = ?))
                          FROM pg_class c WHERE c.oid = to_regclass(?)""",
                table.id(), table.id(), String.valueOf(table.shift()), table.id(), table.sql());
        List<@Nullable String> row = facts.get(0);
        String name = table.name();
        if (!"r".equals(row.get(0)) || !"p".equals(row.get(1))) {
            this.problems
                .add("Table %s is partitioned, temporary or not logged: a move takes ordinary tables".formatted(name));
        }
        if (!"t".equals(row.get(2))) {
            this.problems.add(
                    "Replica identity of table %s lacks column %s: make it the primary key, or set REPLICA IDENTITY FULL; without it every UPDATE of the table fails while the move lasts"
                        .formatted(name, table.id()));
        }
        if (!"t".equals(row.get(3))) {
            this.warnings.add(
                    "Table %s has no index on the shard, so every look reads the whole table: CREATE INDEX CONCURRENTLY ON %s (%s, %s)"
                        .formatted(name, table.sql(), table.shard(""), FencedTable.quoted(table.id())));
        }
        if (row.get(4) != null) {
            this.warnings
                .add("Triggers of table %s fire after the fence: %s (the fence does not see what they change of the id)"
                    .formatted(name, row.get(4)));
        }
        if (row.get(5) != null) {
            this.warnings
                .add("Unique keys of table %s lack column %s: %s (the copy stops if the target has an equal key)"
                    .formatted(name, table.id(), row.get(5)));
        }
    }

    /** Rows that nobody expects at the target would be deleted. */
    private void target(FencedTable table) throws SQLException {
        if (!fenced(this.target)) {
            return;
        }
        boolean expected = this.target.holds(
                "SELECT bool_and(state <> 'here') FROM shardedid_home WHERE shard BETWEEN ? AND ?", this.shards.first(),
                this.shards.last());
        if (!expected && table.hasRows(this.target, this.shards)) {
            this.problems.add(unexpectedRows(this.target, table, this.source));
        }
    }

    private MovePlan.Table size(FencedTable table) throws SQLException {
        List<@Nullable String> row = this.source
            .rows("""
                    SELECT count(*), (pg_table_size(to_regclass(?)) * count(*) / greatest(1,
                           (SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = to_regclass(?)), count(*)))::bigint
                      FROM %s WHERE %s"""
                .formatted(table.sql(), table.filter(this.shards)), table.sql(), table.sql())
            .get(0);
        return new MovePlan.Table(table.name(), Long.parseLong(row.get(0)), Long.parseLong(row.get(1)));
    }

    private void foreignKeys(List<FencedTable> tables) throws SQLException {
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
                        "SELECT count(*) FROM %s child JOIN %s parent ON %s WHERE (%s) <> (%s)".formatted(child.sql(),
                                parent.sql(), key.get(3), child.filter("child.", this.shards),
                                parent.filter("parent.", this.shards)));
                if (leaving > 0) {
                    this.problems.add(
                            "Foreign key %s leaves the shards: %d rows of %s and their rows of %s would be in two databases"
                                .formatted(key.get(0), leaving, key.get(1), key.get(2)));
                }
            }
            else if (parent != null) {
                this.problems.add("Table %s has no fence and foreign key %s to %s: fence it, too, or drop the key"
                    .formatted(key.get(1), key.get(0), key.get(2)));
            }
            else if (child != null) {
                this.warnings
                    .add("Foreign key %s leads to %s, which does not move: database %s has to have the same rows"
                        .formatted(key.get(0), key.get(2), this.target.database()));
            }
        }
    }

    private static @Nullable FencedTable find(List<FencedTable> tables, @Nullable String name) {
        return tables.stream()
            .filter((table) -> name != null && name.replace("\"", "").equals(table.name()))
            .findFirst()
            .orElse(null);
    }

}
