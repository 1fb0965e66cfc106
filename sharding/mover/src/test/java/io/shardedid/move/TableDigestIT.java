package io.shardedid.move;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.shardedid.tools.ProofLength;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A digest that is refreshed is that of all rows, and few rows are read for it. What it
 * relies on is needed: the number of rows, and a horizon below all transactions that were
 * open.
 */
@Tag("database")
class TableDigestIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    private static final int ROWS = 1_000;

    private static final int SEEDS = ProofLength.of(5, 500);

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private TwoDatabases databases;

    private Session session;

    @BeforeEach
    void fill() throws SQLException {
        this.databases = new TwoDatabases(servers);
        this.databases.execute("a",
                "INSERT INTO photo SELECT %s + i * 8388608::bigint, i, 'photo' FROM generate_series(0, %s) i"
                    .formatted(id(0), ROWS - 1));
        this.session = Session.open(this.databases.databases(), "a", Duration.ofSeconds(20), Session.Probe.NONE);
    }

    @AfterEach
    void close() {
        this.session.close();
    }

    private static long id(int row) {
        return TwoDatabases.id(5, 1_000L + row);
    }

    private FencedTable photo() throws SQLException {
        return Fences.of(this.session)
            .tables()
            .stream()
            .filter((table) -> table.table().equals("photo"))
            .findFirst()
            .orElseThrow();
    }

    private TableDigest digest() throws SQLException {
        return new TableDigest(this.session, photo(), FIVE, TableDigest.bounds(this.session, photo(), FIVE));
    }

    /** Returns the digest of all rows as they are now. */
    private String anew(TableDigest digest) throws SQLException {
        TableDigest all = new TableDigest(this.session, photo(), FIVE, List.of());
        all.refresh();
        assertThat(all.rows()).isEqualTo(digest.rows());
        return all.toString();
    }

    private void execute(String sql) {
        this.databases.execute("a", sql);
    }

    private static String update(int row) {
        return "UPDATE photo SET caption = caption || '.' WHERE id = " + id(row);
    }

    private static String delete(int row) {
        return "DELETE FROM photo WHERE id = " + id(row);
    }

    private static String insert(int row, String caption) {
        return "INSERT INTO photo VALUES (%s, 5, '%s')".formatted(id(row), caption);
    }

    /** Between two looks at a catalogue another session may change it. */
    @ParameterizedTest
    @ValueSource(strings = { "DROP TABLE photo CASCADE", "ALTER TABLE photo RENAME TO picture" })
    void namesATableThatIsGone(String change) throws SQLException {
        TableDigest digest = digest();
        execute(change);

        assertThatExceptionOfType(MoveException.class).isThrownBy(digest::refresh)
            .withMessage(
                    "Table public.photo is not in database a any more (it was dropped or renamed while the mover looked at it); let it be as it was, and run the command again");
    }

    @Test
    void readsOnlyPartsThatHaveChanged() throws SQLException {
        TableDigest digest = digest();
        assertThat(digest.refresh()).isEqualTo(ROWS);
        assertThat(digest.refresh()).isZero();
        assertThat(digest).hasToString(anew(digest));

        execute(update(500));
        assertThat(digest.refresh()).isEqualTo(100);
        assertThat(digest).hasToString(anew(digest));

        execute(delete(700));
        assertThat(digest.refresh()).isEqualTo(99);
        assertThat(digest).hasToString(anew(digest));

        execute(delete(20) + ";" + insert(20, "risen again"));
        execute(insert(ROWS, "new"));
        assertThat(digest.refresh()).as("the first and the last part").isEqualTo(100 + 1);
        assertThat(digest).hasToString(anew(digest));

        // all rows of a part are gone
        execute("DELETE FROM photo WHERE id >= %s AND id < %s".formatted(id(300), id(400)));
        digest.refresh();
        assertThat(digest).hasToString(anew(digest));
    }

    @Test
    void rowsThatWereFrozenAreReadWhenTheyChange() throws SQLException {
        TableDigest digest = digest();
        digest.refresh();
        execute("VACUUM (FREEZE) photo");
        assertThat(digest.refresh()).isZero();
        execute(update(1));
        execute("VACUUM (FREEZE) photo");
        assertThat(digest.refresh()).isEqualTo(99);
        assertThat(digest).hasToString(anew(digest));
    }

    @Test
    void aTableWithOtherColumnsIsReadAnew() throws SQLException {
        execute("ALTER TABLE photo ADD COLUMN other text DEFAULT 'other'");
        TableDigest digest = digest();
        digest.refresh();
        // no row is written for that, and each has another caption
        execute("ALTER TABLE photo RENAME COLUMN caption TO third");
        execute("ALTER TABLE photo RENAME COLUMN other TO caption");
        execute("ALTER TABLE photo RENAME COLUMN third TO other");
        assertThat(digest.refresh()).isEqualTo(ROWS);
    }

    /** A transaction that was open when the rows were hashed, and has committed since. */
    private TableDigest hashedBeforeACommit(TableDigest digest, String... statements) throws SQLException {
        try (Connection writer = this.databases.a.connect(this.databases.name())) {
            writer.setAutoCommit(false);
            for (String sql : statements) {
                writer.createStatement().execute(sql);
            }
            // the newest transaction that has ended is younger than the open one
            execute(update(900));
            digest.refresh();
            writer.commit();
        }
        digest.refresh();
        return digest;
    }

    @Test
    void findsATransactionThatWasOpen() throws SQLException {
        TableDigest digest = hashedBeforeACommit(digest(), update(500));
        assertThat(digest).hasToString(anew(digest));
        digest = hashedBeforeACommit(digest(), update(400), "SAVEPOINT s", update(600));
        assertThat(digest).hasToString(anew(digest));
    }

    @Test
    void withTheNewestTransactionAsHorizonOneThatWasOpenIsMissed() throws SQLException {
        TableDigest digest = hashedBeforeACommit(
                new TableDigest(this.session, photo(), FIVE, TableDigest.bounds(this.session, photo(), FIVE)) {

                    @Override
                    String horizon() {
                        return "pg_snapshot_xmax(pg_current_snapshot())::xid";
                    }

                }, update(500));
        assertThat(digest.toString()).as("an update is missed").isNotEqualTo(anew(digest));
    }

    @Test
    void withoutTheNumberOfRowsADeletedRowIsMissed() throws SQLException {
        TableDigest digest = new TableDigest(this.session, photo(), FIVE, List.of()) {

            @Override
            boolean sameRows(long known, @Nullable Long now) {
                return true;
            }

        };
        digest.refresh();
        execute(delete(500));
        digest.refresh();
        assertThat(digest.rows()).as("the deleted row is still counted").isEqualTo(ROWS);
        assertThat(this.databases.query("a", "SELECT count(*) FROM photo")).isEqualTo("999");
    }

    /**
     * Three writers under all isolation levels, with savepoints that they roll back or
     * not.
     */
    @Test
    void isThatOfAllRowsWhateverHappens() throws SQLException {
        for (int seed = 0; seed < SEEDS; seed++) {
            TableDigest digest = digest();
            Random random = new Random(seed);
            List<Connection> writers = new ArrayList<>();
            try {
                for (int isolation : new int[] { Connection.TRANSACTION_READ_COMMITTED,
                        Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE }) {
                    Connection writer = this.databases.a.connect(this.databases.name());
                    writer.setTransactionIsolation(isolation);
                    writer.setAutoCommit(false);
                    writer.createStatement().execute("SET lock_timeout = '1ms'");
                    writer.commit();
                    writers.add(writer);
                }
                for (int step = 0; step < 40; step++) {
                    act(writers.get(random.nextInt(writers.size())), random);
                    if (random.nextInt(4) == 0) {
                        digest.refresh();
                        assertThat(digest).as("seed %s, step %s", seed, step).hasToString(anew(digest));
                    }
                }
            }
            finally {
                for (Connection writer : writers) {
                    writer.close();
                }
            }
        }
    }

    private static void act(Connection writer, Random random) throws SQLException {
        int row = random.nextInt(ROWS + 50);
        try {
            switch (random.nextInt(8)) {
                case 0, 1 -> writer.createStatement().execute(update(row));
                case 2 -> writer.createStatement().execute(delete(row));
                case 3 ->
                    writer.createStatement().execute(insert(row, "by " + random.nextInt()) + " ON CONFLICT DO NOTHING");
                case 4 -> writer.createStatement().execute("SAVEPOINT s");
                case 5 -> writer.createStatement().execute("SAVEPOINT t; " + update(row) + "; ROLLBACK TO SAVEPOINT t");
                case 6 -> writer.rollback();
                default -> writer.commit();
            }
        }
        catch (SQLException ex) {
            // it met another writer
            writer.rollback();
        }
    }

}
