package io.shardedid.move;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What {@link Writer}s know of their rows, compared with both databases.
 *
 * @param rows the photos in both databases
 * @param doubtful the transactions without an answer
 * @param faults what is not right
 */
record WrittenRows(int rows, int doubtful, List<String> faults) {

    /** The user of photos that no writer has written. */
    static final int NOBODY = 1_000;

    /** Compares all rows but those that nobody has written. */
    static WrittenRows compare(TwoDatabases databases, List<Writer> writers) throws SQLException {
        Map<Long, String> found = new HashMap<>();
        List<String> faults = new ArrayList<>();
        List<String> homes = IntStream.range(0, TwoDatabases.SHARDS).mapToObj(databases::home).toList();
        for (String database : new String[] { "a", "b" }) {
            try (Connection connection = ((database.equals("a")) ? databases.a : databases.b).connect(databases.name());
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(
                            "SELECT p.id, p.caption, c.words, p.id IS NULL OR c.id IS NULL FROM photo p FULL JOIN comment c ON c.photo_id = p.id WHERE p.user_id IS DISTINCT FROM "
                                    + NOBODY)) {
                while (rows.next()) {
                    long id = rows.getLong(1);
                    if (rows.getBoolean(4) || !rows.getString(2).equals(rows.getString(3))) {
                        faults.add("photo and comment differ: id=%s, %s, %s".formatted(id, rows.getString(2),
                                rows.getString(3)));
                    }
                    if (!homes.get(TwoDatabases.LAYOUT.shardOf(id)).equals(database)) {
                        faults.add("wrong home: id=%s, database=%s".formatted(id, database));
                    }
                    if (found.put(id, rows.getString(2)) != null) {
                        faults.add("doubled: id=%s".formatted(id));
                    }
                }
            }
        }
        int rows = found.size();
        int doubtful = 0;
        for (Writer writer : writers) {
            for (Map.Entry<Long, String> row : writer.known().entrySet()) {
                String now = found.remove(row.getKey());
                if (row.getValue() == null && now != null) {
                    faults.add("risen again: id=%s".formatted(row.getKey()));
                }
                else if (row.getValue() != null && !row.getValue().equals(now)) {
                    faults.add("%s: id=%s, known=%s, found=%s".formatted((now == null) ? "lost" : "wrong", row.getKey(),
                            row.getValue(), now));
                }
            }
            for (Map.Entry<Long, List<String>> row : writer.doubtful().entrySet()) {
                doubtful++;
                String now = found.remove(row.getKey());
                if (!row.getValue().contains(now)) {
                    faults.add("wrong after no answer: id=%s, known=%s, found=%s".formatted(row.getKey(),
                            row.getValue(), now));
                }
            }
        }
        found.forEach((id, caption) -> faults.add("nobody's: id=%s, %s".formatted(id, caption)));
        return new WrittenRows(rows, doubtful, faults);
    }

}
