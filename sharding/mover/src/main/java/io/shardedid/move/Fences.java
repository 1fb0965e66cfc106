package io.shardedid.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * What a database has with triggers of a fence. A mover reads and changes the tables that
 * it has recognized, and no others: their fence is whole, enters the homes that this
 * mover closes, and their owner may enter shards. Only the catalogue is asked for that.
 *
 * @param tables the tables that it has recognized
 * @param problems what keeps others from being recognized, by their names
 * @param foreign those whose fence nobody can pass, or has homes in another schema, with
 * the reason, by their names
 * @param known the numbers of all of these
 */
record Fences(List<FencedTable> tables, Map<String, String> problems, Map<String, String> foreign, Set<Long> known) {

    /*
     * A view runs functions of its owner when it is read, and so do policies, and indexes
     * on expressions as soon as a statement is planned: so a relation of a stranger is
     * not even planned with. The text of a trigger locks its relation, which a stranger
     * may have locked forever, so only those of recognized owners are read. A fence that
     * its owner cannot enter lets nobody write, so nothing is left behind with it.
     */

    private static final List<String> OPERATIONS = List.of("insert", "update", "delete");

    private static final Pattern BITS = Pattern.compile("(\\d{1,2})\\\\000(\\d{1,18})\\\\000");

    private static final String FENCED = "t.tgname LIKE 'zz\\_shardedid\\_fence\\_%' AND NOT t.tgisinternal AND t.tgparentid = 0";

    /** The triggers, and after them the columns of their tables. */
    private static final String TRIGGERS = """
            SELECT c.oid, n.nspname::text, c.relname::text, c.relkind = 'r' AND c.relpersistence = 'p',
                   has_function_privilege(c.relowner, e.enter, 'EXECUTE'), pg_get_userbyid(c.relowner)::text,
                   t.tgname::text AS trigger, t.tgenabled::text, a.attname::text,
                   encode(substr(t.tgargs, octet_length(a.argument) + 1), 'escape'),
                   CASE WHEN h.home = e.home AND (has_function_privilege(c.relowner, e.enter, 'EXECUTE') OR f.prosecdef AND starts_with(f.proname::text, 'shardedid_fence_') AND has_function_privilege(f.proowner, e.enter, 'EXECUTE')) THEN pg_get_triggerdef(t.oid) END,
                   h.home,
                   f.prosecdef AND starts_with(f.proname::text, 'shardedid_fence_') AND has_function_privilege(f.proowner, e.enter, 'EXECUTE'),
                   fn.nspname || '.' || f.proname, f.prosrc, 0 AS at
              FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
              JOIN pg_proc f ON f.oid = t.tgfoid JOIN pg_namespace fn ON fn.oid = f.pronamespace
              CROSS JOIN (SELECT to_regprocedure(?)::oid AS enter, ? AS home) e
              LEFT JOIN LATERAL (
                SELECT min(quote_ident(hn.nspname)) AS home FROM pg_depend d JOIN pg_proc o ON o.oid = d.refobjid JOIN pg_namespace hn ON hn.oid = o.pronamespace
                 WHERE d.classid = 'pg_trigger'::regclass AND d.objid = t.oid AND d.refclassid = 'pg_proc'::regclass
                   AND o.proname = 'shardedid_outside') h ON true
              LEFT JOIN LATERAL (
                SELECT b.attname, x.argument FROM pg_attribute b,
                       LATERAL (SELECT convert_to(b.attname::text, getdatabaseencoding()) || '\\x00'::bytea AS argument) x
                 WHERE b.attrelid = c.oid AND b.attnum > 0 AND NOT b.attisdropped AND b.atttypid = 'bigint'::regtype
                   AND substr(t.tgargs, 1, octet_length(x.argument)) = x.argument) a ON true
             WHERE %1$s AND c.relpersistence <> 't'
            UNION ALL
            SELECT a.attrelid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, a.attname::text,
                   format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attgenerated <> '' THEN ' generated' ELSE '' END,
                   NULL, NULL, NULL, NULL, NULL, a.attnum
              FROM pg_attribute a WHERE a.attrelid IN (SELECT t.tgrelid FROM pg_trigger t WHERE %1$s) AND a.attnum > 0 AND NOT a.attisdropped
             ORDER BY at, 2, 3, 7"""
        .formatted(FENCED);

    static Fences of(Session session) throws SQLException {
        Fences found = new Fences(new ArrayList<>(), new TreeMap<>(), new TreeMap<>(), new TreeSet<>());
        if (!session.isFenced()) {
            return found;
        }
        Map<String, List<Trigger>> relations = new LinkedHashMap<>();
        Map<String, List<FencedTable.Column>> columns = new HashMap<>();
        for (List<@Nullable String> row : session.rows(TRIGGERS, session.own("shardedid_enter(integer)"),
                session.home())) {
            String oid = String.valueOf(row.get(0));
            if ("0".equals(row.get(15))) {
                relations.computeIfAbsent(oid, (key) -> new ArrayList<>()).add(Trigger.of(row));
            }
            else {
                columns.computeIfAbsent(oid, (key) -> new ArrayList<>())
                    .add(new FencedTable.Column(String.valueOf(row.get(8)), String.valueOf(row.get(9))));
            }
        }
        relations.forEach(
                (oid, triggers) -> found.add(session, triggers, List.copyOf(columns.getOrDefault(oid, List.of()))));
        return found;
    }

    private void add(Session session, List<Trigger> triggers, List<FencedTable.Column> columns) {
        Trigger first = triggers.get(0);
        String name = first.name();
        String other = triggers.stream()
            .map(Trigger::home)
            .filter((home) -> home != null && !home.equals(session.home()))
            .findFirst()
            .orElse(null);
        if (other != null && triggers.stream().noneMatch((trigger) -> session.home().equals(trigger.home()))) {
            this.foreign.put(name, "its homes are in schema " + other);
        }
        else if (!first.ownerEnters() && triggers.stream().noneMatch(Trigger::enters)) {
            this.foreign.put(name, "its owner %s may not enter shards".formatted(first.owner()));
        }
        else {
            Optional<String> problem = first.isOrdinary() ? problem(session, triggers) : Optional
                .of("Table %s is partitioned, temporary or not logged: a move takes ordinary tables".formatted(name));
            problem.ifPresentOrElse((text) -> this.problems.put(name, text),
                    () -> this.tables.add(first.table(columns)));
        }
        this.known.add(first.oid());
    }

    /** Why the fence of an ordinary table is not whole; empty if it is. */
    private static Optional<String> problem(Session session, List<Trigger> triggers) {
        Map<String, Trigger> byName = triggers.stream().collect(Collectors.toMap(Trigger::trigger, (each) -> each));
        Trigger args = triggers.stream()
            .max(Comparator.comparingLong((one) -> triggers.stream()
                .filter((other) -> one.bits() != null && one.arguments().equals(other.arguments()))
                .count()))
            .orElseThrow();
        for (String operation : OPERATIONS) {
            Trigger trigger = byName.get("zz_shardedid_fence_" + operation);
            String fault = (trigger == null) ? "missing" : trigger.fault(session, operation, args);
            if (fault != null) {
                return Optional
                    .of("Fence of table %s is not whole in database %s: trigger zz_shardedid_fence_%s is %s; run there: SELECT %s(%s)"
                        .formatted(args.name(), session.database(), operation, fault, session.own("shardedid_fence"),
                                args.arguments()));
            }
        }
        if (!args.ownerEnters()) {
            return Optional
                .of("Owner of table %s may not enter the shards of database %s: owner=%s; run there: SELECT %s(%s)"
                    .formatted(args.name(), session.database(), args.owner(), session.own("shardedid_fence"),
                            args.arguments()));
        }
        return Optional.empty();
    }

    /** Texts that differ in blanks, brackets, quotes and casts mean the same here. */
    private static String plain(String sql) {
        return sql.replaceAll("::(bigint|integer)|[\\s()\"']", "");
    }

    /** Which ids a trigger reads the shard from, and where in them it is. */
    private record Bits(String column, int shift, long mask) {

        /** Returns null if the arguments of a trigger are not those of a fence. */
        static @Nullable Bits of(@Nullable String column, @Nullable String arguments) {
            Matcher bits = BITS.matcher(String.valueOf(arguments));
            return (column != null && bits.matches())
                    ? new Bits(column, Integer.parseInt(bits.group(1)), Long.parseLong(bits.group(2))) : null;
        }

    }

    /**
     * A trigger of a fence, as the catalogue has it.
     *
     * @param enabled when it fires, as pg_trigger says it
     * @param home the schema of the homes that it enters; null if it names none
     * @param enters whether its function may enter shards, whichever account writes
     * @param function its function, with the schema
     * @param body the source of that function
     */
    private record Trigger(long oid, String schema, String relation, boolean isOrdinary, boolean ownerEnters,
            String owner, String trigger, String enabled, @Nullable Bits bits, String definition, @Nullable String home,
            boolean enters, String function, String body) {

        static Trigger of(List<@Nullable String> row) {
            return new Trigger(Long.parseLong(text(row, 0)), text(row, 1), text(row, 2), holds(row, 3), holds(row, 4),
                    text(row, 5), text(row, 6), text(row, 7), Bits.of(row.get(8), row.get(9)), text(row, 10),
                    row.get(11), holds(row, 12), text(row, 13), text(row, 14));
        }

        private static String text(List<@Nullable String> row, int column) {
            return String.valueOf(row.get(column));
        }

        private static boolean holds(List<@Nullable String> row, int column) {
            return "t".equals(row.get(column));
        }

        String name() {
            return this.schema + "." + this.relation;
        }

        FencedTable table(List<FencedTable.Column> columns) {
            Bits of = Objects.requireNonNull(this.bits);
            return new FencedTable(this.oid, this.schema, this.relation, of.column(), of.shift(), of.mask(), columns);
        }

        /** What shardedid_fence takes, as far as the trigger says so. */
        String arguments() {
            String table = new FencedTable(0, this.schema, this.relation, "", 0, 0, List.of()).sql().replace("'", "''");
            Bits of = this.bits;
            return (of == null) ? "'%s', id column, shift, mask".formatted(table)
                    : "'%s', '%s', %s, %s".formatted(table, of.column().replace("'", "''"), of.shift(), of.mask());
        }

        /** Why it fences nothing, or something else; null if it is as it has to be. */
        @Nullable String fault(Session session, String operation, Trigger args) {
            Bits of = this.bits;
            if (of == null) {
                return "without the column and the bits of the id";
            }
            if (!of.equals(args.bits())) {
                return "one of another column or of other bits";
            }
            if (!this.enabled.equals("O")) {
                return this.enabled.equals("A") ? "one that fires for rows that a move copies or deletes, too"
                        : "disabled";
            }
            String home = session.home();
            String shard = ".%s>>%s&%s".formatted(of.column(), of.shift(), of.mask());
            String outside = home + ".shardedid_outside";
            String when = switch (operation) {
                case "insert" -> outside + "new" + shard;
                case "update" -> "%sold%s OR old.%s IS DISTINCT FROM new.%3$s AND %1$snew%2$s".formatted(outside, shard,
                        of.column());
                default -> outside + "old" + shard;
            };
            String made = "CREATE TRIGGER %s BEFORE %s ON %s FOR EACH ROW WHEN %s EXECUTE FUNCTION %s%s,%s,%s"
                .formatted(this.trigger, operation.toUpperCase(Locale.ROOT), name(), when, this.function, of.column(),
                        of.shift(), of.mask());
            if (!plain(made).equals(plain(this.definition))) {
                return "another one than shardedid_fence makes";
            }
            String entering = plain(this.body);
            if (!this.enters || !entering.contains(plain("PERFORM %s.shardedid_enter OLD%s".formatted(home, shard)))
                    || !entering.contains(plain("PERFORM %s.shardedid_enter NEW%s".formatted(home, shard)))) {
                return "one whose function does not enter the shards of schema " + home;
            }
            return null;
        }

    }

}
