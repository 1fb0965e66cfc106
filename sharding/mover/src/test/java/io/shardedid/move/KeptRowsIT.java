package io.shardedid.move;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

import io.shardedid.TimeSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A mover deletes no row that it has not compared, and none that another one needs. */
@Tag("proof")
@Tag("database")
class KeptRowsIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    private static final String REPLICA = "SET session_replication_role = replica";

    private static final long NEW = TwoDatabases.id(5, 9_000);

    private static final long OLD = TwoDatabases.id(5, 1_000);

    private static final long OTHER = TwoDatabases.id(5, 1_010);

    /** The comment of another photo. */
    private static final long COMMENT = TwoDatabases.id(6, 9_000);

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private TwoDatabases databases;

    @BeforeEach
    void makeDatabases() {
        this.databases = new TwoDatabases(servers);
        this.databases.fill("a", 5, 3);
        this.databases.fill("a", 6, 1);
    }

    @AfterEach
    void abortWhatFailed() {
        for (MoveStatus.OpenMove open : this.databases.mover().status().moves()) {
            if (open.stage().equals("copy")) {
                this.databases.mover().abort(open.shards());
            }
        }
    }

    private void move(String moment, Runnable action) {
        AtomicBoolean done = new AtomicBoolean();
        try (Move move = this.databases.move(FIVE, (database, sql) -> {
            if (database.equals("a") && sql.contains(moment) && done.compareAndSet(false, true)) {
                action.run();
            }
        })) {
            move.move("b");
        }
        catch (SQLException ex) {
            throw new AssertionError(ex);
        }
    }

    private void pastTheFence(String change) {
        this.databases.execute("a", REPLICA, change);
    }

    private static String remain(String what) {
        return "Rows of these shards remain in database a: shards=5, %s; save or delete these rows, and resume"
            .formatted(what);
    }

    private static String written(long id) {
        return remain("table=public.photo, rows=1, ids=[%s], written after this move has compared them".formatted(id));
    }

    private String captions(String database) {
        return this.databases.query(database,
                "SELECT coalesce(string_agg(caption, ',' ORDER BY id), '') FROM photo WHERE (id >> 12) & 2047 = 5");
    }

    // ------------------------------------------------------------ past the fence

    @ParameterizedTest
    @CsvSource({ "version_seen <, false", "FOR UPDATE) r, false", "version_seen <, true", "FOR UPDATE) r, true" })
    void whatIsWrittenAfterTheComparisonIsKept(String moment, boolean update) {
        String change = update ? "UPDATE photo SET caption = 'late' WHERE id = " + OLD
                : "INSERT INTO photo VALUES (%s, 5, 'late')".formatted(NEW);
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move(moment, () -> pastTheFence(change)))
            .withMessage(written(update ? OLD : NEW));
        assertThat(captions("a")).isEqualTo(update ? "late,photo 1,photo 2" : "photo 0,photo 1,photo 2,late");
        assertThat(captions("b")).isEqualTo("photo 0,photo 1,photo 2");

        this.databases.execute("b", change, "UPDATE photo SET caption = 'newer' WHERE id = " + OTHER);
        this.databases.mover().resume(FIVE);
        assertThat(captions("a")).isEmpty();
        assertThat(captions("b")).isEqualTo(update ? "late,newer,photo 2" : "photo 0,newer,photo 2,late");
        assertThat(this.databases.leftovers()).isEmpty();
    }

    /**
     * The numbers of open transactions do not say which versions are theirs, and those of
     * committed ones may be higher.
     */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void aTransactionThatWasOpenAtTheComparisonIsToldFromOneThatHadCommitted(boolean all) throws SQLException {
        MoveContext context = new MoveContext(this.databases.databases(), TwoDatabases.LIMITS, FIVE, (progress) -> {
        }, new OpenTransaction(), TimeSource.system());
        try (Move move = new Move(all ? context.comparingAll() : context)) {
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b")).withMessage(written(OLD));
        }
        assertThat(captions("a")).isEqualTo("open,photo 1,photo 2,committed");
        this.databases.execute("a", REPLICA, "DELETE FROM photo WHERE id = " + OLD);
        this.databases.mover().resume(FIVE);
        assertThat(captions("a")).isEmpty();
        assertThat(captions("b")).isEqualTo("photo 0,photo 1,photo 2,newer");
    }

    /**
     * It writes in a savepoint before the source closes, and commits after the switch.
     */
    private final class OpenTransaction implements Session.Probe {

        private Connection open;

        private boolean ended;

        @Override
        public void before(String database, String sql) {
            try {
                if (this.open == null && sql.contains("SET idle_session_timeout")) {
                    this.open = KeptRowsIT.this.databases.a.connect(KeptRowsIT.this.databases.name());
                    this.open.setAutoCommit(false);
                    try (Statement statement = this.open.createStatement()) {
                        statement.execute("SET LOCAL session_replication_role = replica");
                        statement.execute("SELECT pg_current_xact_id(); SAVEPOINT s");
                        statement.execute("UPDATE photo SET caption = 'open' WHERE id = " + OLD);
                        statement.execute("RELEASE s");
                    }
                    KeptRowsIT.this.databases.execute("a",
                            "INSERT INTO photo VALUES (%s, 5, 'committed')".formatted(NEW));
                }
                else if (!this.ended && sql.contains("version_seen <")) {
                    this.ended = true;
                    this.open.commit();
                    this.open.close();
                    KeptRowsIT.this.databases.execute("b", "UPDATE photo SET caption = 'newer' WHERE id = " + NEW);
                }
            }
            catch (SQLException ex) {
                throw new AssertionError(ex);
            }
        }

    }

    @Test
    void aLaterMoverKnowsWhatWasCompared() {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> move("version_seen <", () -> {
            throw new AssertionError("ends here");
        })).withMessage("ends here");
        pastTheFence("UPDATE photo SET caption = 'late' WHERE id = " + OLD);
        this.databases.execute("b", "UPDATE photo SET caption = 'newer' WHERE id = " + OTHER,
                "DELETE FROM comment WHERE photo_id = " + OLD);
        String rows = this.databases.rows("a", 5);
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().resume(FIVE))
            .withMessage(written(OLD));
        assertThat(this.databases.rows("a", 5)).isEqualTo(rows);
        this.databases.execute("b", "UPDATE photo SET caption = 'late' WHERE id = " + OLD);
        this.databases.mover().resume(FIVE);
        assertThat(this.databases.rows("a", 5)).isEmpty();
        assertThat(captions("b")).isEqualTo("late,newer,photo 2");
    }

    @Test
    void whatIsWrittenWhileTheSourceIsClosedOpensItAgain() {
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> move("COMMENT ON PUBLICATION", () -> pastTheFence("DELETE FROM photo WHERE id = " + OLD)))
            .withMessage(
                    "Rows were written past the fence: table=public.photo, shards=5, ids=[%s] (nobody writes these shards while they are compared); the source is open again; end what writes with session_replication_role = replica or without triggers, and resume"
                        .formatted(OLD));
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
        assertThat(this.databases.home(5)).isEqualTo("a");
    }

    /** Each of them has to be listed, as long as an older one is open. */
    @Test
    void theListOfTransactionsIsShort() throws SQLException {
        MoveContext context = new MoveContext(this.databases.databases(),
                TwoDatabases.LIMITS.withPatience(Duration.ofSeconds(1)), FIVE, (progress) -> {
                }, Session.Probe.NONE, TimeSource.system());
        HomeRows homes = new HomeRows(context);
        Replication replication = new Replication(context, homes);
        try (Connection old = servers.a.connect("postgres");
                Move move = new Move(context, new MapRows(context), homes, replication,
                        new Comparison(context, replication) {

                            @Override
                            Duration prepare() throws SQLException {
                                old.setAutoCommit(false);
                                try (Statement statement = old.createStatement()) {
                                    statement.execute("SELECT pg_current_xact_id()");
                                }
                                KeptRowsIT.this.databases.execute("a",
                                        "INSERT INTO photo VALUES (%s, 5, 'later')".formatted(NEW));
                                return super.prepare();
                            }

                            @Override
                            int mostTransactions() {
                                return 0;
                            }

                        })) {
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b"))
                .withMessageStartingWith(
                        "Waited too long for old transactions to end (more than 0 later ones have written these shards): shards=5, limit=1s ([pid=");
        }
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
    }

    /** A loader writes past the fence from the copy on, whatever the mover does. */
    @Test
    void noAcknowledgedWriteIsInNoDatabase() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        List<String> acknowledged = new ArrayList<>();
        FutureTask<Void> loader = new FutureTask<>(() -> {
            try (Connection connection = this.databases.a.connect(this.databases.name());
                    Statement statement = connection.createStatement()) {
                statement.execute(REPLICA);
                for (int row = 0; !ended.get(); row++) {
                    long id = TwoDatabases.id(5, 20_000 + row);
                    statement.execute("INSERT INTO photo VALUES (%s, 5, 'loaded')".formatted(id));
                    acknowledged.add(String.valueOf(id));
                    Thread.sleep(40);
                }
            }
            return null;
        });
        new Thread(loader, "loader").start();
        for (int attempt = 0; attempt < 8 && this.databases.home(5).equals("a"); attempt++) {
            try {
                this.databases.mover().move(FIVE, "b");
            }
            catch (MoveException ex) {
                assertThat(ex.getMessage()).containsAnyOf("Rows differ: ", "Rows were written past the fence: ",
                        "Rows of these shards remain in database a: ");
            }
        }
        ended.set(true);
        loader.get();
        Set<String> found = new HashSet<>();
        for (String database : List.of("a", "b")) {
            found.addAll(
                    List.of(this.databases.query(database, "SELECT coalesce(string_agg(id::text, ','), '') FROM photo")
                        .split(",")));
        }
        assertThat(acknowledged).isNotEmpty().allMatch(found::contains);
    }

    // ------------------------------------------------------------ foreign keys

    private void commentOn(long comment, long photo) {
        this.databases.execute("a", "INSERT INTO comment VALUES (%s, %s, 'late')".formatted(comment, photo));
    }

    /** A comment of a shard that stays, and one of the shard that moves. */
    private void comment(boolean stays) {
        if (stays) {
            commentOn(COMMENT, OLD);
        }
        else {
            commentOn(NEW, TwoDatabases.id(6, 1_000));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void aRowThatLeadsOutOfTheShardsWhileTheyAreCopiedOpensTheSource(boolean stays) {
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> move("pg_publication_tables", () -> comment(stays)))
            .withMessage(
                    "Could not move: shards=5 (1 problems); solve them, and resume or abort: Foreign key comment_photo_id_fkey leaves the shards: 1 rows of public.comment and their rows of public.photo would be in two databases; delete these rows, or let them refer to others: ids of public.comment=[%s]"
                        .formatted(stays ? COMMENT : NEW));
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
        this.databases.execute("a", "DELETE FROM comment WHERE words = 'late'");
        this.databases.mover().resume(FIVE);
        assertThat(this.databases.rows("a", 5)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({ "SET idle_session_timeout, true", "SET idle_session_timeout, false", "FOR UPDATE) r, true" })
    void aRowThatLeadsOutOfTheShardsIsNotCutOff(String moment, boolean stays) {
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move(moment, () -> comment(stays)))
            .withMessageStartingWith("Rows of these shards remain in database a: shards=5, ")
            .withMessageContaining(
                    "table=public.comment, rows=1, ids=[%s], joined by foreign key comment_photo_id_fkey to public.photo with rows of other shards"
                        .formatted(stays ? COMMENT : NEW));
        assertThat(captions("a")).isEqualTo("photo 0,photo 1,photo 2");
        assertThat(this.databases.home(5)).isEqualTo("b");
        this.databases.execute("a", REPLICA, "DELETE FROM comment WHERE words = 'late'");
        this.databases.mover().resume(FIVE);
        assertThat(this.databases.rows("a", 5)).isEmpty();
        assertThat(this.databases.leftovers()).isEmpty();
    }

    @Test
    void thePlanNamesAForeignKeyWithoutAnIndex() {
        assertThat(this.databases.mover().plan(FIVE, "b").warnings())
            .noneMatch((warning) -> warning.contains("has no index"));
        this.databases.execute("a", "DROP INDEX comment_photo", "CREATE INDEX ON comment (words, photo_id)");
        assertThat(this.databases.mover().plan(FIVE, "b").warnings()).contains(
                "Foreign key comment_photo_id_fkey has no index, so the mover reads the whole table for each part that it deletes: CREATE INDEX CONCURRENTLY ON public.comment (photo_id)");
    }

}
