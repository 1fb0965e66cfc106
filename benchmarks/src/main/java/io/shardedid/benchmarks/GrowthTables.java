package io.shardedid.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The tables of what grows, each under the name of its plot. A row is a size, and a
 * column is what has it.
 */
final class GrowthTables {

    /** Tables that say more as lines. */
    static final Set<String> PLOTTED = Set.of("rows-insert", "rows-index-bytes", "rows-wal", "rows-point-time",
            "rows-window", "rows-window-time", "hours-at-once", "hours-later", "hours-later-time", "entities-memory",
            "entities-time", "storm-inserted", "storm-free");

    private final Measurements measured;

    private final Map<String, Table> tables = new LinkedHashMap<>();

    private GrowthTables(Measurements measured) {
        this.measured = measured;
    }

    static Map<String, Table> of(Measurements measured) {
        GrowthTables tables = new GrowthTables(measured);
        tables.ofRows();
        tables.ofHours();
        tables.ofProcesses();
        tables.ofEntities();
        tables.ofThreads();
        tables.tables.values().removeIf(Table::isEmpty);
        return tables.tables;
    }

    private void ofRows() {
        row("insert", "Rows: insert in batches of 50, µs a row", "insert (µs a row)");
        row("index-bytes", "Rows: bytes of the primary key's index, a row", "index bytes a row");
        row("levels", "Rows: levels of the primary key's index", "levels of the index");
        row("table-bytes", "Rows: bytes of the table without its index, a row", "table bytes a row");
        row("wal", "Rows: bytes of write-ahead log in the five minutes after a checkpoint, a row", "WAL bytes a row");
        row("point", "Rows: point read by the id, pages", "point read (buffers)");
        row("point-time", "Rows: point read by the id, µs", "point read (µs)");
        row("window", "Rows: window read, 1,000 rows in the order of ids, pages", "window read (buffers)");
        row("window-time", "Rows: window read, 1,000 rows in the order of ids, µs", "window read (µs)");
    }

    private void row(String name, String title, String what) {
        add("rows-" + name, title, RowGrowth.sizes(), Stream.of(RowGrowth.Key.values()).map(Enum::name).toList(),
                "rows %2$s, " + what + ", %1$s");
    }

    private void ofHours() {
        for (HourGrowth.Delay delay : HourGrowth.Delay.values()) {
            String what = "An hour's rows, inserted %s, by rows a second: ".formatted(delay.title());
            hour(delay, "", what + "pages for 1,000 rows", "buffers for 1,000 rows");
            hour(delay, "-time", what + "µs a row", "µs a row");
            hour(delay, "-rows", what + "rows found", "rows found");
            hour(delay, "-plan", what + "1 if the planner chose an index scan", "by an index scan");
            hour(delay, "-bytes", what + "bytes of the index, a row", "index bytes a row");
        }
    }

    private void hour(HourGrowth.Delay delay, String name, String title, String what) {
        add("hours-" + delay.externalName() + name, title, HourGrowth.rates(),
                List.of("standard layout", "dense", "created-at index"),
                "hour, " + delay.externalName() + ", %2$s, " + what + ", %1$s");
    }

    private void ofProcesses() {
        for (String rows : List.of("rows are inserted", "rows are free")) {
            add("storm-" + rows.substring(rows.lastIndexOf(' ') + 1), "Processes that start at once, " + rows,
                    ProcessGrowth.storms(),
                    List.of("statements for a lease", "most statements for a lease", "lost races for a lease",
                            "connections for a lease", "time until all have one (ms)"),
                    "storm, %2$s, " + rows + ", %1$s");
        }
        add("rest", "Processes at rest", ProcessGrowth.workers(),
                List.of("statements a second", "statements a second and worker"), "at rest, %2$s, %1$s");
        add("day", "The lease table after a simulated day of renewals, bytes", ProcessGrowth.workers(),
                List.of("table before", "table after a day", "index after a day",
                        "table after an hour of a transaction", "index after an hour of a transaction"),
                "renewals, %2$s, %1$s");
    }

    private void ofEntities() {
        add("entities-memory", "Entities: heap that a session factory keeps, kB", EntityGrowth.sizes(),
                List.of("assigned", "sharded"), "entities, %2$s, kB kept, %1$s");
        add("entities-allocated", "Entities: what starting a session factory allocates, kB", EntityGrowth.sizes(),
                List.of("assigned", "sharded"), "entities, %2$s, kB allocated, %1$s");
        add("entities-time", "Entities: start of a session factory, ms", EntityGrowth.sizes(),
                List.of("assigned", "sharded"), "entities, %2$s, start (ms), %1$s");
    }

    private void ofThreads() {
        add("threads-memory", "Threads that wait on one exhausted shard: heap, bytes a thread", ThreadGrowth.sizes(),
                List.of("platform threads", "virtual threads"), "threads, %2$s, heap of one that waits (bytes), %1$s");
        add("threads-wait", "Threads that wait on one exhausted shard: longest wait, ms", ThreadGrowth.sizes(),
                List.of("platform threads", "virtual threads"), "threads, %2$s, longest wait (ms), %1$s");
        add("threads-fairness", "Threads that wait on one exhausted shard: ids of the poorest over those of the mean",
                ThreadGrowth.sizes(), List.of("platform threads", "virtual threads"),
                "threads, %2$s, ids of the poorest over the mean, %1$s");
    }

    /** The form takes the size and the name of the column. */
    private void add(String name, String title, List<String> sizes, List<String> columns, String form) {
        Table table = Table.of(this.measured, title, sizes, columns, form::formatted);
        List<String> rows = new ArrayList<>();
        table.rows().forEach((size) -> rows.add(String.format(Locale.ROOT, "%,d", Long.parseLong(size))));
        this.tables.put(name, new Table(title, rows, table.columns(), table.cells()));
    }

}
