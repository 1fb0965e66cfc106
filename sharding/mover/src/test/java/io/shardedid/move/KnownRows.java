package io.shardedid.move;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * What the callers of an application know of its rows. A change without an answer may
 * have been made or not, so a row may have more than one value.
 */
final class KnownRows {

    /** What a deleted row has. */
    static final String NONE = "no row";

    private static final String PHOTO = "photo";

    private final Map<Row, Set<String>> values = new ConcurrentHashMap<>();

    /** Texts of rows whose insertion had no answer. */
    private final Set<String> doubtful = ConcurrentHashMap.newKeySet();

    /**
     * Rows that nobody deletes, so that each read finds them by the version of the map in
     * which they were inserted, or by a later one. A router with an older map reads its
     * shard as it was before it moved.
     */
    private final List<Lasting> lasting = new CopyOnWriteArrayList<>();

    private final boolean mapGoesBack;

    private final Queue<String> faults = new ConcurrentLinkedQueue<>();

    private final AtomicLong acknowledged = new AtomicLong();

    /**
     * Knows nothing yet.
     * @param mapGoesBack whether versions do not say which of two maps is newer, so that
     * the rows of a version are read only after {@link #settle}
     */
    KnownRows(boolean mapGoesBack) {
        this.mapGoesBack = mapGoesBack;
    }

    /** Says that a transaction was acknowledged which gave rows a value. */
    void acknowledged(String value, Row... rows) {
        for (Row row : rows) {
            this.values.put(row, Set.of(value));
        }
        this.acknowledged.incrementAndGet();
    }

    /** Says that there was no answer. */
    void doubtful(String value, Row... rows) {
        this.doubtful.add(value);
        for (Row row : rows) {
            this.values.computeIfPresent(row, (same, known) -> {
                Set<String> more = new HashSet<>(known);
                more.add(value);
                return more;
            });
        }
    }

    void lasts(Row row, long version) {
        this.lasting.add(new Lasting(row, this.mapGoesBack ? Long.MAX_VALUE : version));
    }

    /** Says that each router has read the map after all rows were inserted. */
    void settle() {
        this.lasting.replaceAll((any) -> new Lasting(any.row, 0));
    }

    /** A row that a router with a version of the map finds; null if it is too new. */
    Row any(Random random, long version) {
        Lasting any = this.lasting.isEmpty() ? null : this.lasting.get(random.nextInt(this.lasting.size()));
        return (any == null || any.version > version) ? null : any.row;
    }

    void fault(String fault) {
        this.faults.add(fault);
    }

    List<String> faults() {
        return this.faults.stream().limit(10).toList();
    }

    long acknowledged() {
        return this.acknowledged.get();
    }

    /**
     * Compares all rows of both databases with what is known, and returns their number.
     */
    int compare(TwoDatabases databases, List<String> bookmarks) throws SQLException {
        Map<Row, String> found = new HashMap<>();
        List<String> homes = IntStream.range(0, TwoDatabases.SHARDS).mapToObj(databases::home).toList();
        List<String> queries = new ArrayList<>(
                List.of("SELECT 'photo', id, caption FROM photo", "SELECT 'comment', id, words FROM comment"));
        bookmarks.forEach((table) -> queries.add("SELECT '%1$s', id, words FROM %1$s".formatted(table)));
        for (String database : new String[] { "a", "b" }) {
            try (Connection connection = (database.equals("a") ? databases.a : databases.b).connect(databases.name());
                    Statement statement = connection.createStatement()) {
                for (String query : queries) {
                    try (ResultSet rows = statement.executeQuery(query)) {
                        while (rows.next()) {
                            Row row = new Row(rows.getString(1), rows.getLong(2));
                            if (!homes.get(row.shard()).equals(database)) {
                                fault("wrong home: %s, database=%s".formatted(row, database));
                            }
                            if (found.put(row, rows.getString(3)) != null) {
                                fault("doubled: %s".formatted(row));
                            }
                        }
                    }
                }
            }
        }
        int rows = found.size();
        this.values.forEach((row, known) -> {
            String now = found.getOrDefault(row, NONE);
            found.remove(row);
            if (!known.contains(now)) {
                fault("%s: %s, known=%s, found=%s".formatted(now.equals(NONE) ? "lost" : "wrong", row, known, now));
            }
        });
        found.forEach((row, text) -> {
            if (!this.doubtful.contains(text)) {
                fault("nobody's: %s, %s".formatted(row, text));
            }
        });
        return rows;
    }

    /**
     * A row.
     *
     * @param table its table
     * @param id its id
     */
    record Row(String table, long id) {

        static Row photo(long id) {
            return new Row(PHOTO, id);
        }

        static Row comment(long id) {
            return new Row("comment", id);
        }

        boolean isPhoto() {
            return this.table.equals(PHOTO);
        }

        int shard() {
            return TwoDatabases.LAYOUT.shardOf(this.id);
        }

    }

    /**
     * A row that nobody deletes.
     *
     * @param row the row
     * @param version the version of the map by which it was inserted
     */
    private record Lasting(Row row, long version) {
    }

}
