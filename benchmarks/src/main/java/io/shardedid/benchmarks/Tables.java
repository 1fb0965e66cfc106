package io.shardedid.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The tables of a report, each under the name of its plot.
 */
final class Tables {

    private static final List<String> PEERS = names(Peer.values());

    private static final List<String> KINDS = names(RowKind.values());

    private static final List<String> DATABASES = names(Database.values());

    private final Measurements measured;

    private final Map<String, Table> tables = new LinkedHashMap<>();

    private Tables(Measurements measured) {
        this.measured = measured;
    }

    static Map<String, Table> of(Measurements measured) {
        Tables tables = new Tables(measured);
        tables.ofNext();
        tables.ofGrowth();
        tables.ofPersist();
        tables.ofReads();
        tables.tables.values().removeIf(Table::isEmpty);
        return tables.tables;
    }

    private void ofNext() {
        add("next-1-thread", "`next` from 1 thread, ns an id: medians of samples of 1,000 ids", PEERS,
                List.of("p50", "p99", "p99.99", "B/op"), "NextBenchmark.thousandCalls %s t1 %s");
        add("next-threads", "`next` from several threads, ns an id and thread", PEERS, List.of("1", "2", "8"),
                "NextBenchmark.next %s t%s");
        add("next-tail-1", "`next` from 1 thread, each call, reading the clock around it: ns", PEERS,
                List.of("p50", "p99", "p99.99"), "NextBenchmark.oneCall %s t1 %s");
        add("next-tail-8", "… from 8 threads", PEERS, List.of("p50", "p99", "p99.99"),
                "NextBenchmark.oneCall %s t8 %s");
        add("uuids", "UUIDs, ns an id and thread", List.of("version4", "version7"), List.of("1", "2", "8"),
                "UuidBenchmark.%s t%s");
        add("forms", "Ids in the forms that they have outside the database, ns a text", List.of("write", "read"),
                List.of("decimal", "crockford", "base62", "sealed", "sealed-by-second-key"), "FormBenchmark.%s %s t1");
        for (String jackson : List.of("3", "2")) {
            add("json-" + jackson, "A record of JSON by Jackson " + jackson + ", ns", List.of("ids", "hashes", "small"),
                    List.of("unchecked", "checked"), "JsonBenchmark.write " + jackson + " %s %s t1");
        }
        add("next-virtual", "`next` from 1,000 virtual threads, ns an id of all together", PEERS, List.of("1000"),
                "VirtualThreadsBenchmark.crowd %s %s t1");
        add("bulk", "1,000 ids in one call, ns an id and thread", List.of("thousand"), List.of("1", "2", "8"),
                "BulkBenchmark.%s t%s");
        add("generate", "`generate`", List.of("scalarKey", "association"), List.of("t1", "t1 B/op"),
                "GenerateBenchmark.%s %s");
        add("default-layouts", "Each at its default layout, ids a second", names(DefaultPeer.values()),
                List.of("t1 ids a second", "t1 share off CPU", "t2 ids a second", "t2 share off CPU",
                        "t16 ids a second", "t16 share off CPU"),
                "default layout %s %s");
    }

    private void ofGrowth() {
        add("spread", "`next` spread over many shards, by draw, mode and number, ns an id and thread",
                List.of("UNIFORM FIXED 2000", "ZIPF FIXED 2000", "UNIFORM LEASE 2000", "ZIPF LEASE 2000",
                        "UNIFORM FIXED 8192", "ZIPF FIXED 8192"),
                List.of("1", "2", "8"), "SpreadBenchmark.next %s t%s");
        add("growth-shards", "`next` by the number of shards, 1 thread, ns an id", shards(), List.of("ns an id"),
                "SpreadBenchmark.next UNIFORM FIXED %s t1");
        add("growth-threads", "`next` over 2,000 shards by the number of threads, ns an id and thread",
                List.of("1", "2", "4", "8", "16", "32", "64"), List.of("ns an id"),
                "SpreadBenchmark.next UNIFORM FIXED 2000 t%s");
        add("growth-virtual", "`next` by the number of virtual threads, ns an id of all together",
                List.of("1", "100", "1000", "10000"), List.of("FIXED", "LIMIT"),
                "VirtualThreadsBenchmark.crowd %2$s %1$s t1");
        add("growth-memory", "What an engine allocates when it opens, by the number of shards", shards(),
                List.of("bytes"), "memory of an engine, %s shards (%s)");
        add("start", "Start of a session factory, ms", List.of("assigned", "sharded"), List.of("1", "10", "200"),
                "start, %2$s %1$s entities (ms)");
        add("acquire", "Leasing a worker id, ms", DATABASES, List.of("first", "later"), "acquire on %s, %s (ms)");
        add("fleet", "A fleet of 127 workers on one simulated clock", List.of("fleet of 127"),
                List.of("duplicates", "ns an id"), "%s, %s");
    }

    private static List<String> shards() {
        return List.of("1", "16", "256", "2000", "8192");
    }

    private void ofPersist() {
        add("persist", "Inserts, µs a row", KINDS, DATABASES, "persist %2$s %1$s");
        add("persist-allocation", "Inserts, bytes allocated a row", KINDS, DATABASES,
                "persist %2$s %1$s bytes allocated a row");
        for (Database database : Database.values()) {
            String name = database.name().toLowerCase(Locale.ROOT);
            add("bytes-" + name, "What a row weighs, bytes: " + database, KINDS,
                    List.of("index bytes a row", "table and index bytes a row", "WAL bytes a row"),
                    "persist " + database + " %s %s");
            add("persist-away-" + name, "Inserts through a network that delays each request, µs a row: " + database,
                    KINDS, List.of("0", "1", "5"), "persist " + database + ", %2$s ms away, %1$s");
        }
    }

    private void ofReads() {
        add("newest-50", "Newest 50, µs", KINDS, DATABASES, "read %2$s %1$s, newest 50 (µs)");
        add("hour", "An hour's rows, of a day that the inserts stand for, µs a row", KINDS, DATABASES,
                "read %2$s %1$s, an hour's rows (µs a row)");
        add("one-shard-by-id", "All rows of one shard by a scan, found by the id, µs", KINDS, DATABASES,
                "read %2$s %1$s, rows of one shard, by the id (µs)");
        add("one-shard-by-key", "… found by the key, µs", KINDS, DATABASES,
                "read %2$s %1$s, rows of one shard, by the key (µs)");
    }

    /** The form takes the row's name and the column's. */
    private void add(String name, String title, List<String> rows, List<String> columns, String form) {
        this.tables.put(name, Table.of(this.measured, title, rows, columns, form::formatted));
    }

    private static List<String> names(Enum<?>[] values) {
        return Stream.of(values).map(Enum::name).toList();
    }

}
