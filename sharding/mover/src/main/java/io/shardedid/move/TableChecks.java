package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** Looks whether the tables of two databases let their rows move. Changes nothing. */
final class TableChecks {

    /** A comment on a table that has no fence, although its rows name rows that move. */
    static final String STAYS = "shardedid: stays";

    private static final int MOST_NAMED = 10;

    private static final int SAMPLE = 1_000;

    /** Of version 7; null if it is another one. */
    private static final String SHARD_OF_UUID = """
            CASE WHEN get_byte(uuid_send(%1$s), 6) >> 4 = 7 AND get_byte(uuid_send(%1$s), 8) >> 6 = 2
                 THEN ((get_byte(uuid_send(%1$s), 8) & 63) << 7) | (get_byte(uuid_send(%1$s), 9) >> 1) END""";

    /** Of 19 digits; null if it is another text. */
    private static final String SHARD_OF_TEXT = """
            CASE WHEN %1$s::text ~ '^[0-9]{19}$' AND %1$s::text COLLATE "C" <= '9223372036854775807' THEN (%1$s::text::bigint >> %2$s) & %3$s END""";

    /*
     * The text of an index locks its table: the case keeps the server from reading all.
     */

    /** Whether a filter by the id may be published, and the table changed meanwhile. */
    private static final String IDENTIFIED = """
            c.relreplident = 'f' OR EXISTS (
                     SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
                      WHERE i.indrelid = c.oid AND a.attname = ?
                        AND i.indisvalid AND i.indimmediate AND (c.relreplident = 'd' AND i.indisprimary OR c.relreplident = 'i' AND i.indisreplident))""";

    private static final String FACTS = "SELECT " + IDENTIFIED
            + """
                    ,
                           EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisvalid
                              AND CASE WHEN i.indrelid = c.oid THEN pg_get_indexdef(i.indexrelid) LIKE '%((' || quote_ident(?) || ' >> ' || ? || ') & %' END),
                           (SELECT string_agg(t.tgname, ', ') FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal
                              AND t.tgtype & 3 = 3 AND t.tgname > 'zz_shardedid_fence_update'),
                           (SELECT string_agg(i.indexrelid::regclass::text, ', ') FROM pg_index i WHERE i.indrelid = c.oid
                              AND i.indisunique AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid
                                 AND a.attnum = ANY (i.indkey) AND a.attname = ?))
                      FROM pg_class c WHERE c.oid = ?""";

    private static final String INHERITANCE = """
            SELECT t.name, string_agg(DISTINCT CASE WHEN inhrelid = t.oid THEN inhparent ELSE inhrelid END::regclass::text, ', ')
              FROM (SELECT n.name, c.oid FROM unnest(?::text[]) AS n (name)
                      JOIN pg_class c ON c.oid = to_regclass(n.name) AND relkind = 'r' AND NOT relispartition) t
              JOIN pg_inherits ON inhrelid = t.oid OR inhparent = t.oid GROUP BY 1""";

    /** The publications of others with one of some tables; none of them is read. */
    private static final String PUBLICATIONS = """
            SELECT p.pubname FROM pg_publication p
             WHERE p.pubname !~ ? AND (p.puballtables
                OR EXISTS (SELECT FROM pg_publication_rel r WHERE r.prpubid = p.oid AND r.prrelid = ANY (?::oid[]))
                OR EXISTS (SELECT FROM pg_publication_namespace n JOIN pg_class c ON c.relnamespace = n.pnnspid
                            WHERE n.pnpubid = p.oid AND c.oid = ANY (?::oid[])))
             ORDER BY 1""";

    /** The slots of others that read changes of all tables. */
    private static final String SLOTS = """
            SELECT slot_name || ' (' || plugin || ')' FROM pg_replication_slots
             WHERE slot_type = 'logical' AND plugin <> 'pgoutput' AND database = current_database() AND slot_name !~ ? ORDER BY 1""";

    private static final String SUBSCRIPTIONS = """
            SELECT s.subname FROM pg_subscription s
             WHERE s.subdbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND s.subname !~ ?
               AND EXISTS (SELECT FROM pg_subscription_rel r WHERE r.srsubid = s.oid AND r.srrelid = ANY (?::oid[]))
             ORDER BY 1""";

    /** The names of publications, subscriptions and slots of moves. */
    private static final String OWN = "^shardedid_[0-9a-f]{20}(_.*)?$";

    /** A table of more pages takes some time. */
    private static final long LARGE_PAGES = 10_000;

    private static final String LARGE_OBJECTS = """
            SELECT string_agg(a.attname, ', ' ORDER BY a.attnum) FROM pg_attribute a
             WHERE a.attrelid = ? AND a.attnum > 0 AND NOT a.attisdropped AND EXISTS (
               WITH RECURSIVE base (type) AS (
                 SELECT a.atttypid UNION
                 SELECT CASE WHEN t.typbasetype <> 0 THEN t.typbasetype ELSE t.typelem END FROM base JOIN pg_type t ON t.oid = base.type
                  WHERE t.typbasetype <> 0 OR t.typcategory = 'A')
               SELECT FROM base WHERE type = 'oid'::regtype)""";

    private static final String SEQUENCES = """
            SELECT DISTINCT a.attname, s.oid::regclass::text, coalesce(pg_sequence_last_value(s.oid::regclass), 0)
              FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
              JOIN pg_depend p ON p.refclassid = 'pg_class'::regclass AND p.refobjid = a.attrelid AND p.refobjsubid = a.attnum
                               AND p.classid = 'pg_class'::regclass AND p.deptype IN ('a', 'i')
                            OR p.classid = 'pg_attrdef'::regclass AND p.objid = d.oid AND p.refclassid = 'pg_class'::regclass
              JOIN pg_class s ON s.relkind = 'S' AND s.oid IN (p.objid, p.refobjid)
             WHERE a.attrelid = ? AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2""";

    private static final String OWNER = """
            SELECT quote_ident(r.rolname), pg_has_role(r.oid, 'SET'), c.relrowsecurity AND c.relforcerowsecurity AND NOT (r.rolsuper OR r.rolbypassrls),
                   quote_ident(current_user)
              FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner WHERE c.oid = to_regclass(?)""";

    private static final String LOUD_TRIGGERS = """
            SELECT tgname || CASE tgenabled WHEN 'A' THEN ' (ENABLE ALWAYS)' ELSE ' (ENABLE REPLICA)' END FROM pg_trigger
             WHERE tgrelid = to_regclass(?) AND tgenabled IN ('A', 'R') AND NOT tgisinternal ORDER BY 1""";

    /** What a table has beside the names and types of its columns, without names. */
    private static final String DETAILS = """
            SELECT 'column ' || a.attname || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
                   || CASE a.attidentity WHEN '' THEN '' ELSE ' IDENTITY' END
                   || CASE WHEN d.oid IS NULL THEN '' WHEN a.attgenerated = '' THEN ' DEFAULT ' ELSE ' GENERATED AS ' END
                   || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
              FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
             WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped
            UNION ALL SELECT 'constraint ' || pg_get_constraintdef(oid) FROM pg_constraint
             WHERE conrelid = to_regclass(?) AND contype IN ('c', 'f', 'x')
            UNION ALL SELECT CASE WHEN indisunique THEN 'unique index' ELSE 'index' END || substring(pg_get_indexdef(indexrelid) FROM ' USING .*$')
              FROM pg_index WHERE indrelid = to_regclass(?)
            UNION ALL SELECT regexp_replace(pg_get_triggerdef(oid), '^CREATE ', '') || CASE tgenabled WHEN 'O' THEN '' ELSE ' enabled=' || tgenabled::text END
              FROM pg_trigger WHERE tgrelid = to_regclass(?) AND NOT tgisinternal AND tgname NOT LIKE 'zz\\_shardedid\\_fence\\_%'""";

    /** Ordinary tables beside the fenced ones that may have sharded ids, by column. */
    private static final String UNFENCED = """
            SELECT format('%I.%I', n.nspname, c.relname), n.nspname || '.' || c.relname, a.attname,
                   EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum),
                   has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AND NOT row_security_active(c.oid),
                   has_function_privilege(c.relowner, to_regprocedure(?)::oid, 'EXECUTE'), pg_get_userbyid(c.relowner), t.typname,
                   c.relpages, greatest(c.reltuples, 0)::bigint
              FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
              JOIN pg_type t ON t.oid = a.atttypid AND t.typnamespace = 'pg_catalog'::regnamespace AND (t.typname = 'int8' OR t.typname IN ('uuid', 'text', 'varchar', 'bpchar')
                AND EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum))
             WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't' AND c.relname NOT LIKE 'shardedid\\_%'
               AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' AND NOT c.oid = ANY (string_to_array(?, ',')::oid[])
               AND coalesce(obj_description(c.oid, 'pg_class'), '') NOT LIKE ?
             ORDER BY 2, a.attnum""";

    private final Session source;

    private final Session target;

    private final ShardRanges shards;

    private final List<String> problems = new ArrayList<>();

    private final List<String> warnings = new ArrayList<>();

    /** The tables that could not be read in time, with what to do. */
    private final List<String> unread = new ArrayList<>();

    /** The tables some of whose rows the account does not see. */
    private final Set<String> hidden = new TreeSet<>();

    TableChecks(Session source, Session target, ShardRanges shards) {
        this.source = source;
        this.target = target;
        this.shards = shards;
    }

    List<String> problems() {
        return Stream.concat(this.problems.stream(), this.unread.stream()).toList();
    }

    List<String> unread() {
        return this.unread;
    }

    List<String> warnings() {
        return this.warnings;
    }

    /** Returns whether a publication by the id lets the rows of a table be changed. */
    static boolean identifies(Session session, FencedTable table) throws SQLException {
        return session.holds("SELECT %s FROM pg_class c WHERE c.oid = ?".formatted(IDENTIFIED), table.id(),
                table.oid());
    }

    /** The tables whose rows may be read. */
    List<FencedTable> readable(List<FencedTable> tables) {
        return tables.stream().filter((table) -> !this.hidden.contains(table.name())).toList();
    }

    static String unexpectedRows(Session target, FencedTable table, Session source) {
        return "Database %s has rows of these shards in table %s, though the map says %s: find out where they come from, and delete them"
            .formatted(target.database(), table.name(), source.database());
    }

    /** Looks at the fenced tables of the source, and at the same ones of the target. */
    void tables(List<FencedTable> tables) throws SQLException {
        Fences fences = Fences.of(this.target);
        List<FencedTable> there = fences.tables();
        Map<String, String> unknownHere = Fences.of(this.source).problems();
        Set<String> unknown = new LinkedHashSet<>(unknownHere.values());
        unknown.addAll(fences.problems().values());
        this.problems.addAll(unknown);
        for (FencedTable table : tables) {
            boolean exists = columns(table, fences);
            source(table);
            if (exists) {
                details(table);
            }
            hidden(table, exists);
        }
        for (FencedTable other : there) {
            if (!unknownHere.containsKey(other.name())
                    && tables.stream().noneMatch((table) -> table.name().equals(other.name()))) {
                this.problems.add("Table %s has a fence in database %s only: let both databases have the same tables"
                    .formatted(other.name(), this.target.database()));
            }
        }
        inheritance(tables);
        others(this.source, tables);
        others(this.target, there.stream().filter((table) -> tables.stream().anyMatch(table::fencedLike)).toList());
    }

    /** Who else follows the tables, or writes them. */
    private void others(Session session, List<FencedTable> tables) throws SQLException {
        String oids = tables.stream()
            .map((table) -> String.valueOf(table.oid()))
            .collect(Collectors.joining(",", "{", "}"));
        List<String> subscriptions = session.texts(SUBSCRIPTIONS, OWN, oids);
        if (!subscriptions.isEmpty()) {
            this.problems.add(
                    "Subscriptions of others write tables that move in database %s: subscriptions=%s (what they bring does not stop at the fence); drop them, or take the tables out of what they subscribe to"
                        .formatted(session.database(), subscriptions));
        }
        List<String> followers = new ArrayList<>(session.texts(PUBLICATIONS, OWN, oids, oids));
        followers.addAll(session.texts(SLOTS, OWN));
        if (!followers.isEmpty()) {
            this.warnings
                .add("Others follow tables that move in database %s: publications and slots=%s (they see the copy as inserts in %s, and the deletion as deletes in %s); let them leave out changes with a replication origin, as origin = none does%s"
                    .formatted(session.database(), followers, this.target.database(), this.source.database(), session
                        .holds(Replication.MAY_HAVE_ORIGIN) ? ""
                                : "; the account of the mover may not give its deletion one: GRANT EXECUTE ON FUNCTION %s TO it"
                                    .formatted(Replication.ORIGIN_FUNCTIONS)));
        }
    }

    /**
     * Reads a table that may be large. If that takes too long, it is a problem with a
     * name.
     * @param remedy what to do then
     * @param otherwise what counts then
     */
    <T> T reading(Session session, String table, String remedy, T otherwise, Session.Work<T> work) throws SQLException {
        try {
            return work.run();
        }
        catch (SQLException ex) {
            if (!MoveContext.CANCELLED.equals(ex.getSQLState())) {
                throw ex;
            }
            this.unread.add("Table %s of database %s could not be read in time (%s): %s, or give more --patience"
                .formatted(table, session.database(), String.valueOf(ex.getMessage()).lines().findFirst().orElse(""),
                        remedy));
            return otherwise;
        }
    }

    /** What lets the rows of some shards be found. */
    static String index(FencedTable table) {
        return "CREATE INDEX CONCURRENTLY ON %s (%s, %s)".formatted(table.sql(), table.shard(""),
                FencedTable.quoted(table.id()));
    }

    /** Rows of a child look like rows of its parent. */
    void inheritance(List<FencedTable> tables) throws SQLException {
        String names = Session.array(tables.stream().map(FencedTable::sql).toList());
        for (Session session : List.of(this.source, this.target)) {
            Map<String, String> relatives = session.rows(INHERITANCE, names)
                .stream()
                .collect(Collectors.toMap((row) -> String.valueOf(row.get(0)), (row) -> String.valueOf(row.get(1))));
            for (FencedTable table : tables) {
                if (relatives.containsKey(table.sql())) {
                    this.problems.add(
                            "Table %s inherits in database %s from other tables, or they inherit from it: %s; a move takes ordinary tables, so end the inheritance (ALTER TABLE ... NO INHERIT ...)"
                                .formatted(table.name(), session.database(), relatives.get(table.sql())));
                }
            }
        }
    }

    /** Returns whether the target has the table. */
    private boolean columns(FencedTable table, Fences there) throws SQLException {
        List<FencedTable.Column> columns = FencedTable.columns(this.target, table.sql());
        if (columns.isEmpty()) {
            this.problems.add("Database %s has no table %s: create it".formatted(this.target.database(), table.name()));
            return false;
        }
        if (!Set.copyOf(columns).equals(Set.copyOf(table.columns()))) {
            this.problems.add("Columns of table %s differ: %s=%s, %s=%s; let both have the same".formatted(table.name(),
                    this.source.database(), table.columns(), this.target.database(), columns));
        }
        if (!there.problems().containsKey(table.name()) && there.tables().stream().noneMatch(table::fencedLike)) {
            this.problems.add(
                    "Table %s has no fence, or another one, in database %s: call shardedid_fence there as in database %s"
                        .formatted(table.name(), this.target.database(), this.source.database()));
        }
        return true;
    }

    private void source(FencedTable table) throws SQLException {
        List<@Nullable String> row = table.facts(this.source, FACTS, table.id(), table.id(),
                String.valueOf(table.shift()), table.id(), table.oid());
        String name = table.name();
        if (!"t".equals(row.get(0))) {
            this.problems.add(
                    "Replica identity of table %s lacks column %s: make it the primary key, which is not DEFERRABLE, or set REPLICA IDENTITY FULL; without it every UPDATE of the table fails while the move lasts"
                        .formatted(name, table.id()));
        }
        if (!"t".equals(row.get(1))) {
            this.warnings.add("Table %s has no index on the shard, so every look reads the whole table: %s"
                .formatted(name, index(table)));
        }
        if (row.get(2) != null) {
            this.warnings
                .add("Triggers of table %s fire after the fence: %s (the fence does not see what they change of the id)"
                    .formatted(name, row.get(2)));
        }
        if (row.get(3) != null) {
            this.warnings
                .add("Unique keys of table %s lack column %s: %s (the copy stops if the target has an equal key)"
                    .formatted(name, table.id(), row.get(3)));
        }
        String objects = this.source.text(LARGE_OBJECTS, table.oid());
        if (!objects.isEmpty()) {
            this.problems.add(
                    "Table %s has columns of type oid: %s (a large object does not move with its row, and the target may have another one of the same number); keep the contents in columns of type bytea or text"
                        .formatted(name, objects));
        }
    }

    /**
     * Looks for rows of the shards and others that would be in two databases, though a
     * foreign key joins them.
     * @return the tables without a fence whose keys lead to a fenced table
     */
    Set<String> foreignKeys(List<FencedTable> tables) throws SQLException {
        Set<String> unfenced = new TreeSet<>();
        List<FencedTable> readable = readable(tables);
        for (ForeignKey key : ForeignKey.of(this.source, tables)) {
            if (key.from() != null && key.to() != null) {
                if (!key.indexed()) {
                    this.warnings.add(
                            "Foreign key %s has no index, so the mover reads the whole table for each part that it deletes: CREATE INDEX CONCURRENTLY ON %s (%s)"
                                .formatted(key.name(), key.child(), key.columns()));
                }
                List<String> leaving = readable.containsAll(List.of(key.from(), key.to())) ? reading(this.source,
                        key.child(),
                        "%s; %s; and an index on (%s) of it".formatted(index(key.from()), index(key.to()),
                                key.columns()),
                        List.of(), () -> key.leaving(this.source, this.shards, null, "")) : List.of();
                if (!leaving.isEmpty()) {
                    this.problems.add(
                            "Foreign key %s leaves the shards: %s rows of %s and their rows of %s would be in two databases; delete these rows, or let them refer to others: ids of %3$s=%s"
                                .formatted(key.name(), leaving.size(), key.child(), key.parent(),
                                        leaving.stream().limit(Comparison.NAMED_IDS).toList()));
                }
            }
            else if (key.to() != null) {
                this.problems.add("Table %s has no fence and foreign key %s to %s: fence it, too, or drop the key"
                    .formatted(key.child(), key.name(), key.parent()));
                unfenced.add(key.child());
            }
            else {
                this.warnings
                    .add("Foreign key %s leads to %s, which does not move: database %s has to have the same rows"
                        .formatted(key.name(), key.parent(), this.target.database()));
            }
        }
        return unfenced;
    }

    /** What no row shows, and what is different behind the move. */
    private void details(FencedTable table) throws SQLException {
        for (List<@Nullable String> sequence : this.source.rows(SEQUENCES, table.oid())) {
            this.warnings.add(
                    "Sequence %s of column %s.%s does not move, and database %s may give its numbers again: %s has reached %s; before the move, run in %4$s: SELECT setval('%1$s', n), with an n above all numbers that %5$s gives until then"
                        .formatted(String.valueOf(sequence.get(1)).replace("'", "''"), table.name(), sequence.get(0),
                                this.target.database(), this.source.database(), sequence.get(2)));
        }
        for (Session session : List.of(this.source, this.target)) {
            String triggers = String.join(", ", session.texts(LOUD_TRIGGERS, table.sql()));
            if (!triggers.isEmpty()) {
                this.warnings.add(
                        "Triggers of table %s in database %s fire for rows that a move copies or deletes: %s; a trigger that keeps a row stops the move before its end"
                            .formatted(table.name(), session.database(), triggers));
            }
        }
        Set<String> here = details(this.source, table);
        Set<String> there = details(this.target, table);
        if (!here.equals(there)) {
            this.warnings.add("Table %s differs: only in %s: %s, only in %s: %s".formatted(table.name(),
                    this.source.database(), without(here, there), this.target.database(), without(there, here)));
        }
    }

    private static Set<String> details(Session session, FencedTable table) throws SQLException {
        return new TreeSet<>(session.texts(DETAILS, table.sql(), table.sql(), table.sql(), table.sql()));
    }

    private static List<String> without(Set<String> all, Set<String> others) {
        return all.stream().filter((each) -> !others.contains(each)).toList();
    }

    /** Rows that the account does not see would stay where they are. */
    private void hidden(FencedTable table, boolean exists) throws SQLException {
        for (Session session : exists ? List.of(this.source, this.target) : List.of(this.source)) {
            if (session.holds("SELECT row_security_active(to_regclass(?))", table.sql())) {
                this.hidden.add(table.name());
                this.problems.add(
                        "Row-level security hides rows of table %s in database %s from the account of the mover: give it BYPASSRLS"
                            .formatted(table.name(), session.database()));
            }
        }
        if (exists && this.target.isAtLeast(16)) {
            owner(table);
        }
    }

    /** From 16 on, a subscription writes as the owner of the table. */
    private void owner(FencedTable table) throws SQLException {
        List<@Nullable String> row = table.facts(this.target, OWNER, table.sql());
        if (!"t".equals(row.get(1))) {
            this.problems.add(
                    "Account of the mover may not act as the owner of table %s in database %s, as whom that server writes what it copies: owner=%s; run there: GRANT %3$s TO %s"
                        .formatted(table.name(), this.target.database(), row.get(0), row.get(3)));
        }
        else if ("t".equals(row.get(2))) {
            this.problems.add(
                    "Row-level security of table %s in database %s binds its owner, as whom that server writes what it copies: owner=%s; run there: ALTER ROLE %3$s BYPASSRLS"
                        .formatted(table.name(), this.target.database(), row.get(0)));
        }
    }

    /**
     * Looks for tables that stay behind with rows of the shards. A number counts as a
     * sharded id if a fenced table has that row, or if it is a primary key as large as
     * the ids of fenced tables. Each table is read once, until the first such row.
     * @param known the tables without a fence that are known already, as SQL names them
     * @param limit how long all of them may take; it stays the limit of a statement
     * @param listener hears which large table is read
     */
    void unfenced(List<FencedTable> tables, Set<String> known, Duration limit, Consumer<String> listener)
            throws SQLException {
        if (tables.isEmpty()) {
            return;
        }
        Fences fences = Fences.of(this.source);
        String fenced = fences.known().stream().map(String::valueOf).collect(Collectors.joining(","));
        Set<String> strangers = new TreeSet<>();
        Map<String, List<List<@Nullable String>>> read = new LinkedHashMap<>();
        for (List<@Nullable String> row : this.source.rows(UNFENCED, this.source.own("shardedid_enter(integer)"),
                fenced, "%" + STAYS + "%")) {
            String sql = String.valueOf(row.get(0));
            if (known.contains(sql)) {
                continue;
            }
            if (!"t".equals(row.get(5))) {
                strangers.add("%s (owner %s)".formatted(row.get(1), row.get(6)));
            }
            else {
                read.computeIfAbsent(sql, (key) -> new ArrayList<>()).add(row);
            }
        }
        Map<FencedTable, Long> first = new LinkedHashMap<>();
        for (FencedTable table : read.isEmpty() ? List.<FencedTable>of() : tables) {
            first.put(table, firstId(table));
        }
        long end = System.nanoTime() + limit.toNanos();
        try {
            for (List<List<@Nullable String>> columns : read.values()) {
                this.source.limit(Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime())));
                stayingRows(first, columns, listener);
            }
        }
        finally {
            this.source.limit(limit);
        }
        leftAlone(fences.foreign(), strangers);
    }

    /** Reads one table without a fence. */
    private void stayingRows(Map<FencedTable, Long> first, List<List<@Nullable String>> columns,
            Consumer<String> listener) throws SQLException {
        List<@Nullable String> any = columns.get(0);
        String name = String.valueOf(any.get(1));
        String sql = String.valueOf(any.get(0));
        if (!"t".equals(any.get(4))) {
            this.warnings.add(
                    "Table %s has no fence, and the account of the mover cannot read it: look whether it has rows of these shards, which would stay in database %s"
                        .formatted(name, this.source.database()));
            return;
        }
        if (Long.parseLong(any.get(8)) > LARGE_PAGES) {
            listener.accept("The mover reads table %s, which has no fence, for rows of these shards (about %s rows)"
                .formatted(name, any.get(9)));
        }
        List<String> conditions = columns.stream().map((column) -> condition(first, column)).toList();
        StringBuilder which = new StringBuilder();
        for (int at = 0; at < conditions.size(); at++) {
            which.append(" WHEN %s THEN %s".formatted(conditions.get(at), at));
        }
        String found = reading(this.source, name,
                "fence it, or, if its rows are to stay there: COMMENT ON TABLE %s IS '%s'".formatted(sql, STAYS), "",
                () -> this.source
                    .text("SELECT at FROM (SELECT CASE%s END AS at FROM %s u OFFSET 0) s WHERE at IS NOT NULL LIMIT 1"
                        .formatted(which, sql)));
        if (found.isEmpty()) {
            return;
        }
        List<@Nullable String> column = columns.get(Integer.parseInt(found));
        this.problems.add("int8".equals(column.get(7))
                ? "Table %s has no fence, and rows of these shards by column %s: fence it, or, if its rows are to stay in database %s: COMMENT ON TABLE %s IS '%s'"
                    .formatted(name, column.get(2), this.source.database(), sql, STAYS)
                : "Table %s has ids of these shards in column %s of type %s, and no fence, which takes columns of type bigint: give its rows such a key, or, if they are to stay in database %s: COMMENT ON TABLE %s IS '%s'"
                    .formatted(name, column.get(2), column.get(7), this.source.database(), sql, STAYS));
    }

    /** What is left alone, so that nothing of a stranger runs. */
    private void leftAlone(Map<String, String> foreign, Set<String> strangers) {
        foreign.forEach((table, reason) -> this.warnings
            .add("Fenced table %s of database %s does not move: %s".formatted(table, this.source.database(), reason)));
        if (!strangers.isEmpty()) {
            this.warnings.add(
                    "Tables of owners that may not enter shards are not read, so look whether they have rows of these shards, which would stay in database %s: %s; fence such a table as its owner with EXECUTE on %s"
                        .formatted(this.source.database(),
                                strangers.stream().limit(MOST_NAMED).collect(Collectors.joining(", "))
                                        + ((strangers.size() > MOST_NAMED)
                                                ? " and %s more".formatted(strangers.size() - MOST_NAMED) : ""),
                                this.source.own("shardedid_enter(integer)")));
        }
    }

    /** The lowest id that has a time, and so is a sharded one. */
    private long firstId(FencedTable table) throws SQLException {
        long least = 1L << (table.shift() + Long.bitCount(table.mask()));
        String first = reading(this.source, table.name(), index(table), "", () -> this.source.text(
                "SELECT min(%1$s) FROM %2$s WHERE %1$s >= ?".formatted(FencedTable.quoted(table.id()), table.only()),
                least));
        return first.isEmpty() ? least : Long.parseLong(first);
    }

    /** Whether a row, {@code u}, belongs to one of the shards by a column. */
    private String condition(Map<FencedTable, Long> first, List<@Nullable String> column) {
        if (!"int8".equals(column.get(7))) {
            return "(" + otherIds(first.keySet(), column) + ")";
        }
        boolean key = "t".equals(column.get(3));
        return first.entrySet().stream().map((each) -> {
            FencedTable table = each.getKey();
            FencedTable like = like(table, column);
            String number = "u." + FencedTable.quoted(like.id());
            return "%s AND (EXISTS (SELECT FROM %s f WHERE f.%s = %s)%s)".formatted(like.filter("u.", this.shards),
                    table.only(), FencedTable.quoted(table.id()), number,
                    key ? " OR %s >= %s".formatted(number, each.getValue()) : "");
        }).collect(Collectors.joining(" OR ", "(", ")"));
    }

    /**
     * Whether keys that are UUIDs or texts look like ids of these shards. Those of
     * another generator have shards that do not exist.
     */
    private String otherIds(Set<FencedTable> tables, List<@Nullable String> column) {
        String key = FencedTable.quoted(String.valueOf(column.get(2)));
        Set<String> shardsOf = "uuid".equals(column.get(7)) ? Set.of(SHARD_OF_UUID.formatted("u." + key))
                : tables.stream()
                    .map((table) -> SHARD_OF_TEXT.formatted("u." + key, table.shift(), table.mask()))
                    .collect(Collectors.toCollection(TreeSet::new));
        return shardsOf.stream()
            .map((shard) -> "%s AND NOT (SELECT EXISTS (SELECT FROM (SELECT * FROM %s LIMIT %s) u WHERE %s >= (SELECT count(*) FROM %s)))"
                .formatted(this.shards.condition(shard), column.get(0), SAMPLE, shard,
                        this.source.own("shardedid_home")))
            .collect(Collectors.joining(" OR "));
    }

    /** The column, as if it were the id of a fenced table. */
    private static FencedTable like(FencedTable table, List<@Nullable String> column) {
        return new FencedTable(0, "", "", String.valueOf(column.get(2)), table.shift(), table.mask(), List.of());
    }

}
