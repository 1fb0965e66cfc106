package io.shardedid.database;

import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.internal.lease.fleet.CrashingPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * One logical shard moves to a second server, by the steps of
 * {@code extensions/database-ids/README.md#instagrams-way-in-postgresql}.
 */
@Tag("database")
@Tag("proof")
class ShardMoveIT {

    private static final int ROWS = 3_000;

    // the insert waits until the copy ended; on two cores the common pool of JDK 25 has
    // one thread for both
    private static final Executor OWN_THREAD = (task) -> new Thread(task).start();

    private static final String OURS = "shardedid_claim()";

    @TempDir
    private Path folder;

    @Test
    void byCopy() throws Exception {
        try (CrashingPostgres second = new CrashingPostgres(this.folder.resolve("second"))) {
            move(TestServer.POSTGRESQL.freshDatabase(), new TestDatabase(
                    "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(second.port()), "postgres", ""));
        }
    }

    private static void copy(TestDatabase first, TestDatabase second) throws Exception {
        second.execute(InstagramPage.script(Duration.ofMillis(100)));
        second.execute(InstagramPage.sql("ours").replaceFirst("INSERT.*", ""));
        try (Connection from = first.connect();
                Connection to = second.connect();
                PipedOutputStream read = new PipedOutputStream();
                PipedInputStream write = new PipedInputStream(read, 1 << 16)) {
            CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> {
                try (read) {
                    from.unwrap(PGConnection.class).getCopyAPI().copyOut(InstagramPage.sql("2 read rows"), read);
                }
                catch (Exception ex) {
                    throw new IllegalStateException(ex);
                }
            }, OWN_THREAD);
            to.unwrap(PGConnection.class).getCopyAPI().copyIn(InstagramPage.sql("2 write rows"), write);
            reading.get(30, TimeUnit.SECONDS);
        }
    }

    private static void move(TestDatabase first, TestDatabase second) throws Exception {
        first.execute(InstagramPage.script(Duration.ofMillis(100)), InstagramPage.sql("ours"),
                "INSERT INTO insta5.photo (user_id, caption) SELECT 5, n FROM generate_series(2, " + ROWS + ") AS n",
                "INSERT INTO insta5.photo (user_id) VALUES (5)");
        long last = Long.parseLong(first.query("SELECT max(id) FROM insta5.photo"));
        // no row tells of the last id any more
        first.execute("DELETE FROM insta5.photo WHERE caption IS NULL");
        String rows = "SELECT string_agg(photo::text, ' ' ORDER BY id) FROM %s.photo";
        String before = first.query(rows.formatted("insta5"));

        try (Connection session = first.connect();
                Statement step = session.createStatement();
                Connection writer = first.connect();
                Statement late = writer.createStatement()) {
            step.execute(InstagramPage.sql("1 stop writers"));
            CompletableFuture<Void> insert = CompletableFuture.runAsync(() -> {
                try {
                    late.execute("INSERT INTO insta5.photo (user_id) VALUES (5)");
                }
                catch (Exception ex) {
                    throw new IllegalStateException(ex.getMessage(), ex);
                }
            }, OWN_THREAD);
            while (!first.query("SELECT count(*) FROM pg_locks WHERE NOT granted").equals("1")) {
                assertThat(insert).isNotDone();
            }
            copy(first, second);
            step.execute(InstagramPage.sql("3 end it"));
            assertThatThrownBy(() -> insert.get(10, TimeUnit.SECONDS))
                .hasMessageContaining("relation \"insta5.photo\" does not exist");
        }
        assertThatThrownBy(() -> first.execute("SELECT insta5_moved.next_id()")).cause()
            .hasMessageContaining("schema \"insta5\" does not exist");
        String counter = first.query(InstagramPage.sql("4 read the counter"));

        assertThat(first.query(rows.formatted("insta5_moved"))).isEqualTo(before);
        assertThat(second.query(rows.formatted("insta5"))).isEqualTo(before);
        assertThat(second.query("SELECT count(*) FROM insta5.photo WHERE insta5.shardedid_shard(id) = 5"))
            .isEqualTo(String.valueOf(ROWS));
        goOn(second, counter, last);
    }

    /** New ids are above all old ones, whatever the clock of the second server. */
    private static void goOn(TestDatabase second, String counter, long last) throws Exception {
        Instant made = InstagramPage.LAYOUT.instantOf(last);
        String insert = "INSERT INTO insta5.photo (user_id) VALUES (5) RETURNING id";
        InstagramPage.setClock(second, "insta5", made.minusMillis(800), OURS);
        second.execute("SELECT setval('insta5.shardedid_cell', 0)");
        assertThat(Long.parseLong(second.query(insert))).as("without the counter").isLessThan(last);

        second.query(InstagramPage.sql("4 write the counter").replace("0)", counter + ")"));
        assertThat(Long.parseLong(second.query(insert))).isGreaterThan(last);
        InstagramPage.setClock(second, "insta5", made.minusSeconds(3600));
        assertThatThrownBy(() -> second.query(insert)).cause()
            .hasMessageContaining(" ms ahead of the clock of the database (at most 1000 ticks); was it set back?");
        second.execute("ALTER FUNCTION insta5.%s SET search_path = pg_catalog, pg_temp".formatted(OURS));
        assertThat(Long.parseLong(second.query(insert))).isGreaterThan(last);
    }

}
