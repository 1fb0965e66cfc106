package io.shardedid.move;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.shardedid.TimeSource;
import io.shardedid.shards.ShardFence;
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
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Each guard of a move is needed: the same happens to a mover that has it, and to one
 * that lacks it, and the latter is found. Those that lack it are proofs.
 * {@code ShardFenceIT} has the variants of the fence itself.
 */
@Tag("database")
@Tag("proof")
class MoveVariantsIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    private static final String LATE = "INSERT INTO photo VALUES (%s, 5, 'late')".formatted(TwoDatabases.id(5, 9_000));

    private static final String ROWS_OF_LATE = "SELECT count(*) FROM photo WHERE caption = 'late'";

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private TwoDatabases databases;

    /** Parts of the statements before which a test still does something. */
    private final List<String> undone = new CopyOnWriteArrayList<>();

    @BeforeEach
    void makeDatabases() {
        this.databases = new TwoDatabases(servers);
        this.databases.fill("a", 5, 3);
    }

    /** The workers of the target are few, and a move that failed keeps one. */
    @AfterEach
    void abortWhatFailed() {
        for (MoveStatus.OpenMove open : this.databases.mover().status().moves()) {
            if (open.stage().equals("copy")) {
                this.databases.mover().abort(open.shards());
            }
        }
    }

    /** A statement that a move does not execute any more would make its test empty. */
    @AfterEach
    void checkThatAllWasDone() {
        assertThat(this.undone).isEmpty();
    }

    /** Does something once, before the first statement with a text. */
    private Session.Probe before(String text, Action action) {
        this.undone.add(text);
        return (database, sql) -> {
            if (sql.contains(text) && this.undone.remove(text)) {
                try {
                    action.run();
                }
                catch (SQLException ex) {
                    throw new AssertionError(ex);
                }
            }
        };
    }

    private static Session.Probe both(Session.Probe one, Session.Probe other) {
        return (database, sql) -> {
            one.before(database, sql);
            other.before(database, sql);
        };
    }

    /** Writes late at the source, if the fence lets it. */
    private void writeLate() throws SQLException {
        try (Connection writer = this.databases.a.connect(this.databases.name());
                Statement statement = writer.createStatement()) {
            statement.execute("SET lock_timeout = '200ms'");
            statement.execute(LATE);
        }
        catch (SQLException ex) {
            assertThat(ex.getSQLState()).isIn("55P03", ShardFence.MOVED);
        }
    }

    // ------------------------------------------------------------ fence

    @Test
    void nobodyWritesByAnOlderMap() throws SQLException {
        try (Move move = this.databases.move(FIVE, before("version_seen <", this::writeLate))) {
            move.move("b");
        }
        assertThat(this.databases.query("a", ROWS_OF_LATE)).isEqualTo("0");
    }

    @Test
    void withoutAFenceAnAcknowledgedRowIsNotInItsHome() throws SQLException {
        MoveContext context = context(before("version_seen <", this::writeLate));
        HomeRows homes = new HomeRows(context) {

            @Override
            long fence() {
                // no lock, and the source stays open
                return context.time().nanoTime();
            }

            @Override
            void writeOpening(String move) {
                // it would refuse, because the source is open
            }

        };
        try (Move move = new Variant(context, new MapRows(context), homes)) {
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b"))
                .withMessageContaining("written after this move has compared them");
        }
        assertThat(this.databases.query("a", ROWS_OF_LATE)).isEqualTo("1");
        assertThat(this.databases.query("b", ROWS_OF_LATE)).as("an acknowledged row in its home").isEqualTo("0");
    }

    // ------------------------------------------------------------ lock

    /** A transaction has written before the fence, and commits at a later statement. */
    private Session.Probe openTransaction(String commitBefore) throws SQLException {
        AtomicReference<Connection> writer = new AtomicReference<>();
        return both(before("SET idle_session_timeout", () -> {
            Connection connection = this.databases.a.connect(this.databases.name());
            connection.setAutoCommit(false);
            connection.createStatement().execute(LATE);
            writer.set(connection);
        }), (database, sql) -> {
            Connection connection = sql.contains(commitBefore) ? writer.getAndSet(null) : null;
            if (connection != null) {
                try (connection) {
                    connection.commit();
                }
                catch (SQLException ex) {
                    throw new AssertionError(ex);
                }
            }
        });
    }

    @Test
    void theFenceWaitsForAnOpenTransaction() throws SQLException {
        // the look at the holders of the lock comes after the first attempt
        try (Move move = this.databases.move(FIVE, openTransaction("pg_locks"))) {
            move.move("b");
        }
        assertThat(this.databases.query("b", ROWS_OF_LATE)).isEqualTo("1");
    }

    @Test
    void theStatementsOfOthersAreNotShown() throws SQLException {
        try (MoveContext context = context(Session.Probe.NONE);
                Connection writer = this.databases.a.connect(this.databases.name())) {
            writer.setAutoCommit(false);
            writer.createStatement().execute("SELECT 'ALICE +49 170 555'");
            assertThat(Transactions.all(context.map())).asString()
                .contains(", user=postgres, application=PostgreSQL JDBC Driver, state=idle in transaction, age=00:00:0")
                .doesNotContain("ALICE");
        }
    }

    @Test
    void withoutTheLockTheRowOfAnOpenTransactionIsNotInItsHome() throws SQLException {
        MoveContext context = context(openTransaction("SET LOCAL session_replication_role"));
        HomeRows homes = new HomeRows(context) {

            @Override
            void lockShards(Session session, String function) {
                // no lock
            }

        };
        try (Move move = new Variant(context, new MapRows(context), homes) {

            @Override
            void awaitRouters() {
                // not before the row is looked for
            }

        }) {
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b"))
                .withMessageContaining("written after this move has compared them");
        }
        assertThat(this.databases.query("b", ROWS_OF_LATE)).as("an acknowledged row in its home").isEqualTo("0");
    }

    // ------------------------------------------------------------ busy servers

    /** Begins a transaction that writes, in another database of the source's server. */
    private Connection writeElsewhere() throws SQLException {
        Connection writer = servers.a.connect("postgres");
        writer.setAutoCommit(false);
        writer.createStatement().execute("SET application_name = 'billing'; SELECT pg_current_xact_id()");
        return writer;
    }

    private Move impatient(Session.Probe probe) {
        MoveContext context = new MoveContext(this.databases.databases(),
                TwoDatabases.LIMITS.withPatience(Duration.ofMillis(500)), FIVE, (progress) -> {
                }, probe, TimeSource.system());
        return new Variant(context, new MapRows(context), new HomeRows(context));
    }

    /** A slot waits by a lock, and other waits for locks end after two seconds. */
    @Test
    void aSlotWaitsForATransactionLongerThanForALock() throws Exception {
        AtomicReference<FutureTask<Void>> ends = new AtomicReference<>();
        try (Move move = this.databases.move(FIVE, before("pg_create_logical_replication_slot", () -> {
            Connection writer = writeElsewhere();
            ends.set(new FutureTask<>(() -> {
                Thread.sleep(Session.LOCK.plusMillis(500).toMillis());
                writer.close();
                return null;
            }));
            new Thread(ends.get(), "writer").start();
        }))) {
            assertThat(move.move("b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
        ends.get().get(30, TimeUnit.SECONDS);
    }

    @Test
    void aSlotThatWaitsTooLongNamesTheTransactions() throws SQLException {
        try (Connection writer = writeElsewhere(); Move move = impatient(Session.Probe.NONE)) {
            String pid = servers.a.query("postgres",
                    "SELECT pid FROM pg_stat_activity WHERE application_name = 'billing'");
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b"))
                .withMessageMatching(
                        "\\QWaited too long for a slot: database=a, limit=500ms (transactions that have written, in any database of its server: [pid=%s, user=postgres, application=billing, state=idle in transaction, age=00:00:0\\E\\d\\Q]); resume when they have ended\\E"
                            .formatted(pid));
            writer.rollback();
        }
    }

    /** Prepares a transaction, which keeps its locks when its session has ended. */
    private void prepare(String statement) {
        this.databases.execute("a", "BEGIN", statement, "PREPARE TRANSACTION 'order 17'");
    }

    private void rollBackPrepared() {
        this.databases.execute("a", "ROLLBACK PREPARED 'order 17'");
    }

    @Test
    void aSlotNamesATransactionThatWasPrepared() {
        prepare("SELECT pg_current_xact_id()");
        try (Move move = impatient(Session.Probe.NONE)) {
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b"))
                .withMessageStartingWith("Waited too long for a slot: database=a, limit=500ms (")
                .withMessageContaining("[prepared='order 17', user=postgres, database=%s, age=00:00:0"
                    .formatted(this.databases.name()));
        }
        finally {
            rollBackPrepared();
        }
    }

    @Test
    void theFenceNamesATransactionThatWasPrepared() {
        try (Move move = impatient(before("pg_locks", () -> prepare(LATE)))) {
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b"))
                .withMessageStartingWith("Waited too long for ")
                .withMessageContaining("[prepared='order 17', user=postgres, database=");
        }
        finally {
            rollBackPrepared();
        }
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
    }

    /** Its locks would keep rows from being deleted. */
    @Test
    void rowsAreNotDeletedBeforeATransactionThatWasPreparedHasEnded() throws SQLException {
        List<String> heard = new CopyOnWriteArrayList<>();
        AtomicInteger looks = new AtomicInteger();
        MoveContext context = new MoveContext(this.databases.databases(), TwoDatabases.LIMITS, FIVE,
                (progress) -> heard.add(progress.message()),
                both(before("version_seen <", () -> prepare("SELECT FROM photo FOR UPDATE")), (database, sql) -> {
                    if (sql.contains("p.prepared < ?") && looks.incrementAndGet() == 100) {
                        rollBackPrepared();
                    }
                }), TimeSource.system());
        try (Move move = new Variant(context, new MapRows(context), new HomeRows(context))) {
            move.move("b");
        }
        assertThat(heard).anyMatch((message) -> message.startsWith(
                "The mover waits for transactions that began by the older map to end ([prepared='order 17', user=postgres"));
    }

    // ------------------------------------------------------------ mark

    /** The target is behind by a row until its table is free again. */
    private Session.Probe slowTarget(String lockBefore, String freeBefore) {
        AtomicReference<Connection> lock = new AtomicReference<>();
        return both(before(lockBefore, () -> {
            Connection connection = this.databases.b.connect(this.databases.name());
            connection.setAutoCommit(false);
            connection.createStatement().execute("LOCK TABLE photo IN EXCLUSIVE MODE");
            lock.set(connection);
            this.databases.execute("a", LATE);
        }), (database, sql) -> {
            Connection connection = sql.contains(freeBefore) ? lock.getAndSet(null) : null;
            if (connection != null) {
                try (connection) {
                    connection.rollback();
                }
                catch (SQLException ex) {
                    throw new AssertionError(ex);
                }
            }
        });
    }

    @Test
    void theMarkWaitsForATargetThatIsBehind() throws SQLException {
        try (Move move = this.databases.move(FIVE, slowTarget("SET idle_session_timeout",
                "FROM public.shardedid_mark WHERE move = ? AND mover = ? AND"))) {
            move.move("b");
        }
        assertThat(this.databases.query("b", ROWS_OF_LATE)).isEqualTo("1");
    }

    @Test
    void withoutAMarkTheComparisonFindsATargetThatIsBehind() {
        MoveContext context = context(
                slowTarget("SET idle_session_timeout", "SELECT count(*) FROM public.shardedid_home"))
            .comparingAll();
        Replication replication = new Replication(context, new HomeRows(context)) {

            @Override
            void mark(Duration limit) {
                // no mark
            }

        };
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move move = new Variant(context, replication)) {
                move.move("b");
            }
        })
            .withMessageStartingWith("Rows differ: table=public.photo, shards=5, source=4 rows")
            .withMessageContaining("target=3 rows");
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
        assertThat(this.databases.home(5)).isEqualTo("a");
    }

    // ------------------------------------------------------------ order of the deletion

    private Session.Probe rowBetweenDeletionAndDrop(String text) {
        return before(text, () -> {
            this.databases.execute("a", LATE);
            if (this.databases
                .query("b",
                        "SELECT count(*) FROM pg_subscription WHERE subenabled AND subdbid = "
                                + "(SELECT oid FROM pg_database WHERE datname = current_database())")
                .equals("1")) {
                while (this.databases.query("b", ROWS_OF_LATE).equals("0")) {
                    Thread.onSpinWait();
                }
            }
        });
    }

    private void leaveASubscription() throws SQLException {
        SQLException end = new SQLException("ends here");
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
            try (Move move = this.databases.move(FIVE, before("SET idle_session_timeout", () -> {
                throw end;
            }))) {
                move.move("b");
            }
        }).withCause(end);
        assertThat(this.databases.state("b", 5)).isEqualTo("arriving");
    }

    private static Replication copyingAnew(MoveContext context) {
        return new Replication(context, new HomeRows(context)) {

            @Override
            boolean replicates() {
                return false;
            }

        };
    }

    @Test
    void nothingArrivesAfterTheDeletion() throws SQLException {
        leaveASubscription();
        MoveContext context = context(rowBetweenDeletionAndDrop("DELETE FROM ONLY \"public\""));
        try (Move move = new Variant(context, copyingAnew(context))) {
            move.move("b");
        }
        assertThat(this.databases.query("b", ROWS_OF_LATE)).isEqualTo("1");
    }

    @Test
    void withTheDeletionBeforeTheSubscriptionIsDroppedARowArrivesInBetween() throws SQLException {
        leaveASubscription();
        MoveContext context = context(rowBetweenDeletionAndDrop("ALTER SUBSCRIPTION"));
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move move = new Variant(context, copyingAnew(context)) {

                @Override
                void startAnew() throws SQLException {
                    deleteRows(context.target(), "arriving", arrived(), (table, rows) -> {
                    });
                    this.replication.dropSubscription();
                    this.replication.dropPublication();
                }

            }) {
                move.move("b");
            }
        }).withMessageStartingWith("The target does not take the rows: database=b, subscription=shardedid_");
    }

    // ------------------------------------------------------------ token

    @Test
    void aMoverThatWasOvertakenLeavesTheMapAlone() {
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> stoppedAtTheSwitch(true))
            .withMessageStartingWith("Another mover has taken over: shards=5, database=a, token=1 (");
        assertThat(this.databases.home(5)).isEqualTo("a");
    }

    @Test
    void withoutATokenAMoverThatWasOvertakenChangesTheMap() throws SQLException {
        // it lets nobody write the stage of no move
        this.databases.execute("a", "ALTER TABLE shardedid_shard DROP CONSTRAINT shardedid_shard_check1");
        stoppedAtTheSwitch(false);
        assertThat(this.databases.home(5)).as("the map").isEqualTo("b");
        assertThat(this.databases.rows("b", 5)).as("the rows in their home").isEmpty();
        assertThat(this.databases.rows("a", 5)).isNotEmpty();
    }

    /**
     * A mover whose lock in the map is gone stops before it changes the map. Meanwhile a
     * successor finishes the move, and another one moves the shard back.
     */
    private void stoppedAtTheSwitch(boolean guarded) throws SQLException {
        AtomicBoolean open = new AtomicBoolean();
        AtomicBoolean done = new AtomicBoolean();
        MoveContext context = context((database, sql) -> {
            if (open.get() && done.compareAndSet(false, true)) {
                this.databases.mover().move(FIVE, "b");
                this.databases.mover().move(FIVE, "a");
            }
        });
        MapRows mapRows = new MapRows(context) {

            @Override
            void awaitMover() {
                // its session ended, for example
            }

            @Override
            boolean checksToken() {
                return guarded;
            }

        };
        HomeRows homes = new HomeRows(context) {

            @Override
            boolean checksToken() {
                return guarded;
            }

        };
        try (Move stopped = new Variant(context, mapRows, homes) {

            @Override
            void openAndSwitch() throws SQLException {
                openTarget();
                open.set(true);
                this.mapRows.changeMap();
            }

            @Override
            void deleteRows(Session session, String state, List<FencedTable> tables, Look look) throws SQLException {
                if (state.equals("arriving")) {
                    super.deleteRows(session, state, tables, look);
                }
            }

            @Override
            void requireEmpty(Session session) {
                // they remain
            }

        }) {
            stopped.move("b");
        }
    }

    // ------------------------------------------------------------ state

    /** Ends before the source is emptied; then somebody opens the source by hand. */
    private void openTheSourceByHand() {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
            try (Move move = this.databases.move(FIVE, (database, sql) -> {
                if (database.equals("a") && sql.startsWith("DELETE FROM ONLY \"public\"")) {
                    throw new AssertionError("ends here");
                }
            })) {
                move.move("b");
            }
        });
        this.databases.execute("a", "UPDATE shardedid_home SET state = 'here' WHERE shard = 5");
    }

    @Test
    void aHomeThatIsOpenIsNotEmptied() {
        openTheSourceByHand();
        String rows = this.databases.rows("a", 5);
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().resume(FIVE))
            .withMessage("Could not change database a: shards=5, shards in state moved=0 (all of them have to be); "
                    + "look who changed shardedid_home");
        assertThat(rows).isNotEmpty();
        assertThat(this.databases.rows("a", 5)).isEqualTo(rows);
    }

    @Test
    void withoutALookAtTheStateAHomeThatIsOpenIsEmptied() throws SQLException {
        openTheSourceByHand();
        MoveContext context = context(Session.Probe.NONE);
        HomeRows homes = new HomeRows(context) {

            @Override
            boolean checksState() {
                return false;
            }

        };
        try (Move move = new Variant(context, new MapRows(context), homes)) {
            move.move(null);
        }
        assertThat(this.databases.rows("a", 5)).as("rows of a home that is open").isEmpty();
    }

    // ------------------------------------------------------------ comparison

    /** Past the fence of the target. */
    private Session.Probe changeTheTarget(String before, String change) {
        return before(before, () -> this.databases.execute("b", "SET session_replication_role = replica", change));
    }

    private void assertThatRowsDiffer(MoveContext context) {
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move move = new Move(context)) {
                move.move("b");
            }
        }).withMessageStartingWith("Rows differ: table=public.");
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
        assertThat(this.databases.home(5)).isEqualTo("a");
    }

    @ParameterizedTest
    @ValueSource(strings = { "UPDATE photo SET caption = 'changed' WHERE id = %s", "DELETE FROM comment",
            "DELETE FROM photo WHERE id = %1$s; INSERT INTO photo VALUES (%1$s, 5, 'risen again')" })
    void whatDiffersBeforeAllRowsAreHashedIsFound(String change) {
        assertThatRowsDiffer(context(changeTheTarget("row_number()", change.formatted(TwoDatabases.id(5, 1_000)))));
    }

    @ParameterizedTest
    @ValueSource(strings = { "UPDATE photo SET caption = 'changed' WHERE id = %s", "DELETE FROM comment",
            "DELETE FROM photo WHERE id = %1$s; INSERT INTO photo VALUES (%1$s, 5, 'risen again')" })
    void whatChangedAtTheTargetAloneIsFoundWhenAllRowsAreCompared(String change) {
        assertThatRowsDiffer(
                context(changeTheTarget("SET idle_session_timeout", change.formatted(TwoDatabases.id(5, 1_000))))
                    .comparingAll());
    }

    @Test
    void withoutASecondComparisonAChangeIsMissed() throws SQLException {
        String rows = this.databases.rows("a", 5);
        MoveContext context = context(
                changeTheTarget("SET idle_session_timeout", "UPDATE photo SET caption = 'changed'"))
            .comparingAll();
        HomeRows homes = new HomeRows(context);
        Replication replication = new Replication(context, homes);
        Comparison comparison = new Comparison(context, replication) {

            @Override
            void refreshUnderFence(Pair pair, Duration limit) {
                // as it was before the fence
            }

        };
        try (Move move = new Variant(context, homes, replication, comparison)) {
            move.move("b");
        }
        assertThat(this.databases.rows("b", 5)).as("rows in their home").isNotEqualTo(rows).contains("changed");
    }

    // ------------------------------------------------------------ written rows

    private static final String BROKEN_TARGET = """
            CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
            CREATE TRIGGER forget BEFORE INSERT OR UPDATE OR DELETE ON photo FOR EACH ROW EXECUTE FUNCTION forget();
            ALTER TABLE photo ENABLE ALWAYS TRIGGER forget""";

    /** After all rows were hashed, the target forgets what comes from the source. */
    private Session.Probe forgotten(String change) {
        return before("SET idle_session_timeout", () -> {
            this.databases.execute("b", BROKEN_TARGET);
            this.databases.execute("a", change.formatted(TwoDatabases.id(5, 1_020), TwoDatabases.id(5, 1_021)));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = { "INSERT INTO photo VALUES (%2$s, 5, 'late')",
            "UPDATE photo SET caption = 'late' WHERE id = %1$s",
            "DELETE FROM comment WHERE photo_id = %1$s; DELETE FROM photo WHERE id = %1$s",
            "DELETE FROM comment WHERE photo_id = %1$s; UPDATE photo SET id = %2$s WHERE id = %1$s" })
    void whatWasWrittenAfterAllRowsWereHashedIsComparedUnderTheFence(String change) {
        try {
            assertThatRowsDiffer(context(forgotten(change)));
        }
        finally {
            this.databases.execute("b", "DROP FUNCTION forget CASCADE");
        }
    }

    @Test
    void withoutTheSlotOfTheChangesAWrittenRowIsLost() throws SQLException {
        MoveContext context = context(forgotten("INSERT INTO photo VALUES (%2$s, 5, 'late')"));
        HomeRows homes = new HomeRows(context);
        Replication replication = new Replication(context, homes);
        Comparison comparison = new Comparison(context, replication) {

            @Override
            void addSuspects() {
                // as if nobody had written
            }

        };
        try (Move move = new Variant(context, homes, replication, comparison)) {
            move.move("b");
        }
        assertThat(this.databases.query("b", ROWS_OF_LATE)).as("an acknowledged row in its home").isEqualTo("0");
    }

    /**
     * The thread that reads the slot stands still from the fence on until the comparison
     * waits for it.
     */
    private static final class SlowSlot extends JumpingTime {

        private final AtomicReference<MoveStep> step = new AtomicReference<>(MoveStep.PLAN);

        private final AtomicBoolean held = new AtomicBoolean();

        void at(MoveStep next) {
            this.step.set(next);
            if (next == MoveStep.FENCE) {
                this.held.set(true);
            }
        }

        @Override
        public void park(long nanos) {
            if (Thread.currentThread().getName().equals("shardedid-move-changes")) {
                while (this.held.get()) {
                    Thread.onSpinWait();
                }
            }
            else if (this.step.get() != MoveStep.FENCE) {
                this.held.set(false);
            }
            TimeSource.system().park(nanos);
        }

    }

    @Test
    void theComparisonWaitsForTheSlotOfTheChanges() {
        SlowSlot time = new SlowSlot();
        try {
            assertThatRowsDiffer(new MoveContext(this.databases.databases(), TwoDatabases.LIMITS, FIVE,
                    (progress) -> time.at(progress.step()), forgotten("INSERT INTO photo VALUES (%2$s, 5, 'late')"),
                    time));
        }
        finally {
            time.held.set(false);
            this.databases.execute("b", "DROP FUNCTION forget CASCADE");
        }
    }

    /** The row is at the source when all rows are hashed, and not yet at the target. */
    @Test
    void aRowOnItsWayIsLookedForAgain() throws SQLException {
        try (Move move = this.databases.move(FIVE,
                slowTarget("hashtextextended", "INSERT INTO public.shardedid_mark"))) {
            assertThat(move.move("b").rows()).isEqualTo(10);
        }
        assertThat(this.databases.query("b", ROWS_OF_LATE)).isEqualTo("1");
    }

    /** The first attempt takes too long, and the second one begins with a new copy. */
    @Test
    void whatIsCopiedAnewIsHashedAnew() {
        JumpingTime time = new JumpingTime();
        AtomicInteger copies = new AtomicInteger();
        MoveContext context = new MoveContext(this.databases.databases(), TwoDatabases.LIMITS, FIVE, (progress) -> {
            if (progress.message().startsWith("The target has copied") && copies.incrementAndGet() == 2) {
                this.databases.execute("b", "SET session_replication_role = replica",
                        "UPDATE photo SET caption = 'changed' WHERE id = " + TwoDatabases.id(5, 1_000));
            }
            // between two statements, so that both sessions stay
            if (progress.step() == MoveStep.COMPARE && copies.get() == 1) {
                time.jump(TwoDatabases.LIMITS.pause());
            }
        }, Session.Probe.NONE, time);
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move move = new Variant(context, copyingAnew(context))) {
                move.move("b");
            }
        }).withMessageStartingWith("Rows differ: table=public.photo, shards=5, rows=1, ids=[");
        assertThat(copies).hasValue(2);
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
    }

    /** Ends the connection that tells of the changes. */
    private void endTheChanges() {
        this.databases.query("a",
                "SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE slot_name LIKE 'changes%' AND database = current_database()");
    }

    @ParameterizedTest
    @ValueSource(strings = { "INSERT INTO public.shardedid_mark", "SET idle_session_timeout" })
    void withoutTheChangesAllRowsAreComparedUnderTheFence(String before) throws SQLException {
        assertThatAllRowsAreCompared(before, Integer.MAX_VALUE, this::endTheChanges);
    }

    @Test
    void afterTooManyChangesAllRowsAreComparedUnderTheFence() throws SQLException {
        assertThatAllRowsAreCompared("SET idle_session_timeout", 1, () -> this.databases.execute("a", LATE,
                "UPDATE photo SET caption = 'changed' WHERE id = " + TwoDatabases.id(5, 1_000)));
    }

    @Test
    void whereTooManyRowsDifferAllRowsAreComparedUnderTheFence() {
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> assertThatAllRowsAreCompared("row_number()", 1,
                    () -> this.databases.execute("b", "SET session_replication_role = replica", "DELETE FROM photo")))
            .withMessageStartingWith("Rows differ: table=public.photo, shards=5, source=3 rows");
    }

    private void assertThatAllRowsAreCompared(String before, int most, Action action) throws SQLException {
        List<String> heard = new CopyOnWriteArrayList<>();
        MoveContext context = new MoveContext(this.databases.databases(), TwoDatabases.LIMITS, FIVE,
                (progress) -> heard.add(progress.message()), before(before, action), TimeSource.system());
        HomeRows homes = new HomeRows(context);
        Replication replication = new Replication(context, homes);
        Comparison comparison = new Comparison(context, replication) {

            @Override
            int mostIds() {
                return most;
            }

        };
        try (Move move = new Variant(context, homes, replication, comparison)) {
            assertThat(move.move("b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
        assertThat(heard)
            .anyMatch((message) -> message.startsWith("All rows are going to be compared while writers wait"));
    }

    // ------------------------------------------------------------ truncate

    private Session.Probe truncate() {
        return before("SET idle_session_timeout", () -> this.databases.execute("a", "TRUNCATE photo, comment"));
    }

    @Test
    void truncateLeavesTheOtherShardsOfTheTargetAlone() {
        this.databases.fill("b", 9, 2);
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move move = this.databases.move(FIVE, truncate())) {
                move.move("b");
            }
        }).withMessageStartingWith("Rows differ: table=public.comment, shards=5, source=0 rows");
        assertThat(this.databases.rows("b", 9)).isNotEmpty();
    }

    @Test
    void withTruncatePublishedTheOtherShardsOfTheTargetAreLost() throws SQLException {
        this.databases.fill("b", 9, 2);
        MoveContext context = context(truncate());
        Replication replication = new Replication(context, new HomeRows(context)) {

            @Override
            String publishedOperations() {
                return "insert, update, delete, truncate";
            }

        };
        try (Move move = new Variant(context, replication)) {
            move.move("b");
        }
        assertThat(this.databases.rows("b", 9)).as("rows of another shard").isEmpty();
    }

    // ------------------------------------------------------------ names

    /** Another database of the target's server has a subscription of the same name. */
    private void subscribeElsewhere(String name) {
        servers.b.execute("postgres",
                "CREATE SUBSCRIPTION %s CONNECTION 'dbname=none' PUBLICATION none WITH (connect = false, slot_name = NONE, enabled = false, create_slot = false)"
                    .formatted(name));
    }

    private String nameOfTheMove() throws SQLException {
        AtomicReference<String> name = new AtomicReference<>();
        MoveContext context = context(Session.Probe.NONE);
        try (Move move = new Variant(context, new MapRows(context), new HomeRows(context)) {

            @Override
            void startAnew() throws SQLException {
                name.set(this.replication.name());
                super.startAnew();
            }

        }) {
            move.move("b");
        }
        this.databases.mover().move(FIVE, "a");
        return name.get();
    }

    @Test
    void aSubscriptionOfAnotherDatabaseIsLeftAlone() throws SQLException {
        String name = nameOfTheMove();
        subscribeElsewhere(name);
        try {
            this.databases.mover().move(FIVE, "b");
            assertThat(servers.b.query("postgres",
                    "SELECT count(*) FROM pg_subscription WHERE subname = '%s'".formatted(name)))
                .isEqualTo("1");
        }
        finally {
            servers.b.execute("postgres", "DROP SUBSCRIPTION " + name);
        }
    }

    @Test
    void withoutTheNameOfTheDatabaseAnotherSubscriptionIsTaken() throws SQLException {
        String name = nameOfTheMove();
        subscribeElsewhere(name);
        MoveContext context = context(Session.Probe.NONE);
        Replication replication = new Replication(context, new HomeRows(context)) {

            @Override
            String subscriptionQuery() {
                return "SELECT oid, subenabled, coalesce(subslotname, '') FROM pg_subscription WHERE subname = ?";
            }

        };
        try (Move move = new Variant(context, replication)) {
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> move.move("b"))
                .withMessageContaining("subscription \"%s\" does not exist".formatted(name));
        }
        finally {
            servers.b.execute("postgres", "DROP SUBSCRIPTION " + name);
        }
    }

    // ------------------------------------------------------------ order of the switch

    /** Writes where the map says, at the first commit after the map has changed. */
    private Session.Probe followTheMap(AtomicReference<String> answer) {
        AtomicBoolean changes = new AtomicBoolean();
        AtomicBoolean written = new AtomicBoolean();
        return (database, sql) -> {
            // each look at the map takes of the pause
            changes.compareAndSet(false, sql.contains("SET version = version + 1"));
            if (changes.get() && answer.get() == null && this.databases.home(5).equals("b")
                    && written.compareAndSet(false, true)) {
                try (Connection writer = this.databases.b.connect(this.databases.name());
                        Statement statement = writer.createStatement()) {
                    statement.execute(LATE);
                    answer.set("written");
                }
                catch (SQLException ex) {
                    answer.set(ex.getSQLState());
                }
            }
        };
    }

    @Test
    void whoFollowsTheMapMayWrite() throws SQLException {
        AtomicReference<String> answer = new AtomicReference<>();
        try (Move move = this.databases.move(FIVE, followTheMap(answer))) {
            move.move("b");
        }
        assertThat(answer).hasValue("written");
    }

    @Test
    void withTheMapBeforeTheOpeningWhoFollowsTheMapIsRefused() throws SQLException {
        AtomicReference<String> answer = new AtomicReference<>();
        MoveContext context = context(followTheMap(answer));
        try (Move move = new Variant(context, new MapRows(context), new HomeRows(context)) {

            @Override
            void openAndSwitch() throws SQLException {
                this.mapRows.changeMap();
                openTarget();
            }

        }) {
            move.move("b");
        }
        assertThat(answer).hasValue(ShardFence.MOVED);
    }

    // ------------------------------------------------------------ pause

    @Test
    void writersWaitFromTheRequestForTheLock() throws SQLException {
        AtomicLong requested = new AtomicLong();
        AtomicLong began = new AtomicLong();
        MoveContext context = context(Session.Probe.NONE);
        HomeRows homes = new HomeRows(context) {

            @Override
            void lockShards(Session session, String function) throws SQLException {
                requested.set(context.time().nanoTime());
                super.lockShards(session, function);
            }

            @Override
            long fence() throws SQLException {
                began.set(super.fence());
                return began.get();
            }

        };
        try (Move move = new Variant(context, new MapRows(context), homes)) {
            move.move("b");
        }
        assertThat(began.get() - requested.get()).as("nanoseconds after the request").isNotPositive();
    }

    // ------------------------------------------------------------ crash of the target

    /** Tells when the stage of the map becomes open. */
    private static boolean opens(String sql) {
        return sql.startsWith("UPDATE") && sql.contains(" SET step = ?");
    }

    @Test
    void whatWasComparedSurvivesACrashOfTheTarget() throws SQLException {
        // the target writes its log when somebody asks for it, or after a long time; and
        // the mover is back before the subscription is
        servers.b.execute("postgres", "ALTER SYSTEM SET wal_writer_delay = '10s'",
                "ALTER SYSTEM SET max_logical_replication_workers = 0", "SELECT pg_reload_conf()");
        AtomicBoolean opens = new AtomicBoolean();
        AtomicBoolean crashed = new AtomicBoolean();
        Session.Probe late = before("SET idle_session_timeout", () -> this.databases.execute("a", LATE));
        try {
            try (Move move = this.databases.move(FIVE, both(late, (database, sql) -> {
                opens.compareAndSet(false, opens(sql));
                if (opens.get() && database.equals("b") && crashed.compareAndSet(false, true)) {
                    crash();
                }
            }))) {
                assertThatExceptionOfType(SQLException.class).isThrownBy(() -> move.move("b"));
            }
            assertThat(crashed).isTrue();
            this.databases.mover().resume(FIVE);
        }
        finally {
            servers.b.execute("postgres", "ALTER SYSTEM RESET wal_writer_delay",
                    "ALTER SYSTEM RESET max_logical_replication_workers");
            crash();
        }
        assertThat(this.databases.query("b", ROWS_OF_LATE)).as("an acknowledged row in its home").isEqualTo("1");
    }

    private static void crash() {
        try {
            servers.b.crash();
        }
        catch (Exception ex) {
            throw new AssertionError(ex);
        }
    }

    // ------------------------------------------------------------ older transactions

    /** A reader that chose its database by the older map has not read yet. */
    @Test
    void rowsAreNotDeletedWhileATransactionOfTheOlderMapIsOpen() throws SQLException {
        AtomicReference<Connection> reader = new AtomicReference<>();
        AtomicInteger looks = new AtomicInteger();
        AtomicBoolean deleted = new AtomicBoolean();
        try (Move move = this.databases.move(FIVE, both(before("version_seen <", () -> {
            Connection connection = this.databases.a.connect(this.databases.name());
            connection.setAutoCommit(false);
            connection.createStatement().execute("SELECT 1");
            reader.set(connection);
        }), (database, sql) -> {
            if (sql.contains("xact_start < ?") && looks.incrementAndGet() == 3) {
                close(reader.getAndSet(null));
            }
            if (database.equals("a") && sql.startsWith("DELETE FROM ONLY \"public\"") && reader.get() != null) {
                deleted.set(true);
                close(reader.getAndSet(null));
            }
        }))) {
            move.move("b");
        }
        assertThat(deleted).as("rows are deleted before the reader has ended").isFalse();
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        }
        catch (SQLException ex) {
            throw new AssertionError(ex);
        }
    }

    // ------------------------------------------------------------ counter

    @ParameterizedTest
    @CsvSource({ "100, 5000", "5000, 100" })
    void theCounterOfTheTargetNeverGoesBack(long here, long there) {
        this.databases.execute("a", "CREATE SEQUENCE shardedid_cell",
                "SELECT setval('shardedid_cell', %s)".formatted(here));
        this.databases.execute("b", "CREATE SEQUENCE shardedid_cell",
                "SELECT setval('shardedid_cell', %s)".formatted(there));
        this.databases.mover().move(FIVE, "b");
        assertThat(this.databases.query("b", "SELECT last_value FROM shardedid_cell")).isEqualTo("5000");
    }

    // ------------------------------------------------------------ time

    /** A clock that runs, and jumps when it is told to. */
    private static class JumpingTime extends TimeSource {

        private final AtomicLong ahead = new AtomicLong();

        void jump(Duration by) {
            this.ahead.addAndGet(by.toNanos());
        }

        @Override
        public long nanoTime() {
            return TimeSource.system().nanoTime() + this.ahead.get();
        }

        @Override
        public long epochNanos() {
            return TimeSource.system().epochNanos() + this.ahead.get();
        }

        @Override
        public void park(long nanos) {
            TimeSource.system().park(nanos);
        }

    }

    private Move move(TimeSource time, Session.Probe probe) {
        MoveContext context = new MoveContext(this.databases.databases(), TwoDatabases.LIMITS, FIVE, (progress) -> {
        }, probe, time);
        return new Variant(context, new MapRows(context), new HomeRows(context));
    }

    @Test
    void theSourceOpensWhenWritersHaveWaitedAsLongAsTheyMay() {
        JumpingTime time = new JumpingTime();
        AtomicBoolean fenced = new AtomicBoolean();
        try (Move move = move(time, (database, sql) -> {
            if (sql.contains("SET idle_session_timeout")) {
                fenced.set(true);
            }
            if (sql.contains("pg_relation_filenode") && fenced.getAndSet(false)) {
                time.jump(TwoDatabases.LIMITS.pause());
            }
        })) {
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b"))
                .withMessageStartingWith("Writers would wait too long: shards=5, attempts=5, pause=3s (")
                .matches((ex) -> !ex.retryable(), "no mover repeats it by itself");
        }
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
        assertThat(this.databases.home(5)).isEqualTo("a");
    }

    /**
     * The pause ends between the last statement of a comparison and the limit of the next
     * ones, none of which may run with that of the pause.
     */
    @Test
    void theSourceOpensWhenThePauseEndsJustAfterAStatement() {
        JumpingTime time = new JumpingTime();
        AtomicBoolean fenced = new AtomicBoolean();
        AtomicBoolean compared = new AtomicBoolean();
        AtomicBoolean over = new AtomicBoolean();
        List<String> next = new CopyOnWriteArrayList<>();
        try (Move move = move(time, (database, sql) -> {
            if (database.equals("b") && over.getAndSet(false)) {
                next.add(sql);
            }
            if (sql.contains("SET idle_session_timeout")) {
                fenced.set(true);
            }
            if (database.equals("b") && sql.contains("pg_relation_filenode") && fenced.getAndSet(false)) {
                compared.set(true);
            }
            if (database.equals("b") && sql.startsWith("SET statement_timeout") && compared.getAndSet(false)) {
                time.jump(TwoDatabases.LIMITS.pause());
                over.set(true);
            }
        })) {
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b"))
                .withMessageStartingWith("Writers would wait too long: shards=5, attempts=5, pause=3s (");
        }
        assertThat(compared).isFalse();
        assertThat(next).isNotEmpty().allMatch((sql) -> sql.startsWith("SET statement_timeout"));
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
    }

    @Test
    void rowsThatAreCountedWhenTheTargetIsOpenAreNoPause() throws SQLException {
        Duration counting = TwoDatabases.LIMITS.pause().multipliedBy(10);
        JumpingTime time = new JumpingTime();
        AtomicBoolean fenced = new AtomicBoolean();
        try (Move move = move(time, (database, sql) -> {
            if (sql.contains("SET idle_session_timeout")) {
                fenced.set(true);
            }
            if (sql.startsWith("SELECT count(*) FROM ") && fenced.get() && this.databases.home(5).equals("b")) {
                fenced.set(false);
                time.jump(counting);
            }
        })) {
            assertThat(move.move("b").pause()).isLessThan(counting);
        }
        assertThat(fenced).as("the rows are yet to be counted").isFalse();
    }

    @Test
    void nobodyWaitsForATargetThatIsTooFarBehind() {
        JumpingTime time = new JumpingTime();
        AtomicBoolean fenced = new AtomicBoolean();
        try (Move move = move(time, (database, sql) -> {
            if (sql.startsWith("INSERT INTO public.shardedid_mark")) {
                time.jump(TwoDatabases.LIMITS.pause());
            }
            if (sql.contains("SET idle_session_timeout")) {
                fenced.set(true);
            }
        })) {
            // one mark, and twice as long as a round with its mark
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b"))
                .withMessageStartingWith("Writers would wait too long: shards=5, expected pause=9")
                .withMessageEndingWith(
                        "pause=3s (nobody has waited yet); move fewer shards at once, or permit a longer pause");
        }
        assertThat(fenced).isFalse();
    }

    /** The publication is the last thing that goes, and would refuse each deletion. */
    @Test
    void aKeyThatBecomesDeferrableBehindTheFenceKeepsNoRow() throws SQLException {
        AtomicBoolean changed = new AtomicBoolean();
        try (Move move = this.databases.move(FIVE, (database, sql) -> {
            if (sql.contains("SET idle_session_timeout") && changed.compareAndSet(false, true)) {
                this.databases.execute("a",
                        "ALTER TABLE comment DROP CONSTRAINT comment_pkey, ADD PRIMARY KEY (id) DEFERRABLE");
            }
        })) {
            assertThat(move.move("b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
    }

    /** Each statement takes 50 ms longer, and there are many tables. */
    @Test
    void theAnnouncedPauseIsTheRealOneWhateverTheTablesAndTheDistance() throws SQLException {
        for (String database : new String[] { "a", "b" }) {
            this.databases.execute(database,
                    "DO $$ BEGIN FOR i IN 1..25 LOOP EXECUTE format('CREATE TABLE t%s (id bigint PRIMARY KEY)', i); PERFORM shardedid_fence(format('t%s', i)::regclass, 'id', 12, 2047); END LOOP; END $$");
        }
        JumpingTime time = new JumpingTime();
        AtomicReference<Duration> announced = new AtomicReference<>();
        AtomicBoolean fenced = new AtomicBoolean();
        AtomicInteger statements = new AtomicInteger();
        Duration minutes = Duration.ofMinutes(10);
        MoveContext context = new MoveContext(this.databases.databases(),
                new MoveLimits(Duration.ofSeconds(5), Duration.ofMillis(200), minutes, minutes, minutes, minutes), FIVE,
                (progress) -> {
                    if (progress.expectedPause() != null) {
                        announced.set(progress.expectedPause());
                    }
                }, (database, sql) -> {
                    fenced.compareAndSet(false, sql.contains("SET idle_session_timeout"));
                    // how often the mover looks for the mark is no distance
                    if (!sql.contains("AND attempt = ?") && !sql.startsWith("SELECT oid, subenabled")) {
                        time.jump(Duration.ofMillis(50));
                        statements.addAndGet(fenced.get() && !sql.contains("DELETE") ? 1 : 0);
                    }
                    fenced.compareAndSet(true, !sql.contains("SET version = version + 1"));
                }, time);
        try (Move move = new Variant(context, new MapRows(context), new HomeRows(context))) {
            Duration real = move.move("b").pause();
            assertThat(statements).as("whatever the tables").hasValueLessThan(60);
            assertThat(real).isBetween(announced.get().multipliedBy(2).dividedBy(3),
                    announced.get().multipliedBy(3).dividedBy(2));
        }
    }

    // ------------------------------------------------------------ silence of a server

    /** The packets are lost from a statement on that is sent behind the fence. */
    @ParameterizedTest
    @ValueSource(strings = { "FROM public.shardedid_mark WHERE move", "pg_relation_filenode", "FOR SHARE" })
    void theSourceOpensBeforeThePauseIsOverWhenTheTargetFallsSilent(String text) throws Exception {
        AtomicBoolean fenced = new AtomicBoolean();
        AtomicBoolean frozen = new AtomicBoolean();
        AtomicLong closed = new AtomicLong();
        try {
            assertTimeoutPreemptively(Duration.ofSeconds(45),
                    () -> assertThatExceptionOfType(SQLException.class).isThrownBy(() -> {
                        try (Move move = this.databases.move(FIVE, (database, sql) -> {
                            if (sql.contains("SET idle_session_timeout")) {
                                fenced.set(true);
                                closed.set(-System.nanoTime());
                            }
                            if (frozen.get() && sql.startsWith("UPDATE public.shardedid_home SET state = ?")) {
                                closed.addAndGet(System.nanoTime());
                            }
                            if (fenced.get() && database.equals("b") && sql.contains(text)
                                    && frozen.compareAndSet(false, true)) {
                                freeze(servers.b);
                            }
                        })) {
                            move.move("b");
                        }
                    }));
            assertThat(frozen).isTrue();
            assertThat(this.databases.state("a", 5)).isEqualTo("here");
            // twice the limit is time enough for a slow machine
            assertThat(closed.get()).isPositive().isLessThan(2 * TwoDatabases.LIMITS.pause().toNanos());
        }
        finally {
            servers.b.thaw();
        }
    }

    @Test
    void theSourceOpensByANewConnectionWhenTheOldOnesBreak() {
        AtomicBoolean fenced = new AtomicBoolean();
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> {
            try (Move move = this.databases.move(FIVE, both((database, sql) -> {
                if (sql.contains("SET idle_session_timeout")) {
                    fenced.set(true);
                }
            }, (database, sql) -> {
                if (sql.contains("FROM public.shardedid_mark WHERE move") && fenced.getAndSet(false)) {
                    this.databases.execute("a",
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'shardedid-move'");
                }
            }))) {
                move.move("b");
            }
        });
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
    }

    /** The map is in the database where the shard goes. */
    @Test
    void theSourceOpensBeforeThePauseIsOverWhenTheMapFallsSilent() throws Exception {
        ShardRanges nine = ShardRanges.parse("9");
        this.databases.fill("b", 9, 3);
        AtomicBoolean fenced = new AtomicBoolean();
        AtomicBoolean frozen = new AtomicBoolean();
        AtomicLong closed = new AtomicLong();
        try {
            assertTimeoutPreemptively(Duration.ofSeconds(45),
                    () -> assertThatExceptionOfType(SQLException.class).isThrownBy(() -> {
                        try (Move move = this.databases.move(nine, (database, sql) -> {
                            if (sql.contains("SET idle_session_timeout")) {
                                fenced.set(true);
                                closed.set(-System.nanoTime());
                            }
                            if (frozen.get() && sql.startsWith("UPDATE public.shardedid_home SET state = ?")) {
                                closed.addAndGet(System.nanoTime());
                            }
                            if (fenced.get() && opens(sql) && frozen.compareAndSet(false, true)) {
                                freeze(servers.a);
                            }
                        })) {
                            move.move("a");
                        }
                    }));
            assertThat(frozen).isTrue();
            assertThat(this.databases.state("b", 9)).isEqualTo("here");
            assertThat(closed.get()).isPositive().isLessThan(2 * TwoDatabases.LIMITS.pause().toNanos());
        }
        finally {
            servers.a.thaw();
        }
    }

    /** Nobody reaches the source meanwhile; who does afterwards finds it open soon. */
    @Test
    void theSourceOpensWhenItSpeaksAgain() throws Exception {
        AtomicBoolean fenced = new AtomicBoolean();
        AtomicBoolean frozen = new AtomicBoolean();
        AtomicLong spoke = new AtomicLong();
        AtomicLong opened = new AtomicLong();
        Thread thaws = new Thread(() -> {
            TimeSource.system().park(2 * TwoDatabases.LIMITS.pause().toNanos());
            spoke.set(System.nanoTime());
            thaw(servers.a);
        });
        try (Move move = this.databases.move(FIVE, (database, sql) -> {
            fenced.compareAndSet(false, sql.contains("SET idle_session_timeout"));
            if (frozen.get() && sql.startsWith("UPDATE public.shardedid_home SET state = ?")) {
                opened.set(System.nanoTime());
            }
            if (fenced.get() && sql.startsWith("INSERT INTO public.shardedid_mark")
                    && frozen.compareAndSet(false, true)) {
                freeze(servers.a);
                thaws.start();
            }
        })) {
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> move.move("b"));
        }
        finally {
            thaws.join();
        }
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
        assertThat(opened.get() - spoke.get()).isPositive().isLessThan(TwoDatabases.LIMITS.pause().toNanos());
    }

    private static void freeze(MovingServer server) {
        try {
            server.freeze();
        }
        catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    private static void thaw(MovingServer server) {
        try {
            server.thaw();
        }
        catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    @Test
    void aServerDoesNotEndSessionsThatWait() throws SQLException {
        this.databases.execute("a",
                "ALTER DATABASE %s SET idle_session_timeout = '1h'".formatted(this.databases.name()));
        try (MoveContext context = context(Session.Probe.NONE)) {
            assertThat(context.map().text("SHOW idle_session_timeout")).isEqualTo("0");
        }
    }

    // ------------------------------------------------------------ inheritance

    /** A child of photo has rows of another shard, in the same places. */
    private void inherit() {
        this.databases.execute("a", "CREATE TABLE photo_old () INHERITS (photo)",
                "INSERT INTO photo_old SELECT %s + i * 8388608::bigint, 6, 'old' FROM generate_series(1, 100) i"
                    .formatted(TwoDatabases.id(6, 1)));
    }

    private String oldPhotos() {
        return this.databases.query("a", "SELECT count(*) FROM photo_old");
    }

    @Test
    void rowsOfATableThatInheritsAreLeftAlone() throws SQLException {
        try (Move move = this.databases.move(FIVE, before("version_seen <", this::inherit))) {
            move.move("b");
        }
        assertThat(oldPhotos()).isEqualTo("100");
        assertThat(this.databases.query("a", "SELECT count(*) FROM ONLY photo")).isEqualTo("0");
    }

    @Test
    void withoutTheFilterInTheDeletionRowsOfATableThatInheritsAreLost() throws SQLException {
        MoveContext context = context(before("version_seen <", this::inherit));
        try (Move move = new Variant(context, new MapRows(context), new HomeRows(context)) {

            @Override
            String deletion(FencedTable table) {
                return "DELETE FROM %s WHERE ctid = ANY (?::tid[])".formatted(table.sql());
            }

        }) {
            move.move("b");
        }
        assertThat(oldPhotos()).as("rows of a shard that stays").isNotEqualTo("100");
    }

    // ------------------------------------------------------------ migrations

    private void makeBookmarks() {
        for (String database : new String[] { "a", "b" }) {
            this.databases.execute(database, "CREATE TABLE bookmark (id bigint PRIMARY KEY)",
                    "SELECT shardedid_fence('bookmark', 'id', 12, 2047)");
        }
        this.databases.execute("a", "INSERT INTO bookmark SELECT %s + i * 8388608::bigint FROM generate_series(1, 50) i"
            .formatted(TwoDatabases.id(5, 1)));
    }

    private String bookmarks() {
        String count = "SELECT count(*) FROM bookmark";
        return this.databases.query("a", count) + " and " + this.databases.query("b", count);
    }

    @Test
    void aTableThatAMigrationAddsOpensTheSourceAgain() {
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move move = this.databases.move(FIVE, before("SET idle_session_timeout", this::makeBookmarks))) {
                move.move("b");
            }
        })
            .withMessage(
                    "Tables have changed during the move: shards=5, table=public.bookmark, a=[id bigint] fenced by ((\"id\" >> 12) & 2047), when the move began=none (by a migration, perhaps); the source is open again; let both databases have the same tables with the same fence, and resume");
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
        assertThat(bookmarks()).isEqualTo("50 and 0");

        assertThat(this.databases.mover().resume(FIVE).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        assertThat(bookmarks()).isEqualTo("0 and 50");
        assertThat(this.databases.leftovers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "ab", "b" })
    void aColumnThatAMigrationAddsOpensTheSourceAgain(String where) {
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move move = this.databases.move(FIVE, before("SET idle_session_timeout", () -> {
                for (String database : where.split("")) {
                    this.databases.execute(database,
                            "ALTER TABLE photo ADD COLUMN seen timestamptz DEFAULT clock_timestamp()");
                }
            }))) {
                move.move("b");
            }
        }).withMessageStartingWith("Tables have changed during the move: shards=5, table=public.photo, a=[");
        assertThat(this.databases.state("a", 5)).isEqualTo("here");

        // each database has filled it in its own way
        this.databases.execute("a", "ALTER TABLE photo ADD COLUMN IF NOT EXISTS seen timestamptz");
        String rows = this.databases.rows("a", 5);
        assertThat(this.databases.mover().resume(FIVE).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        assertThat(this.databases.rows("b", 5)).isEqualTo(rows);
    }

    /** A mover that does not look at the tables ends when the target has opened. */
    private void moveWithoutALookAtTheTables() {
        MoveContext context = context(both(before("SET idle_session_timeout", this::makeBookmarks), (database, sql) -> {
            if (sql.contains("version_seen <")) {
                throw new AssertionError("ends here");
            }
        }));
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
            try (Move move = new Variant(context, new MapRows(context), new HomeRows(context)) {

                @Override
                void requireSameTables() {
                    // no look
                }

            }) {
                move.move("b");
            }
        });
        assertThat(this.databases.home(5)).isEqualTo("b");
        assertThat(bookmarks()).isEqualTo("50 and 0");
    }

    @Test
    void aTableThatWasNotComparedIsNotEmptied() {
        moveWithoutALookAtTheTables();
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().resume(FIVE))
            .withMessage(
                    "Rows of these shards remain in database a: shards=5, table=public.bookmark, rows=50, not deleted because this move has not compared them; save or delete these rows, and resume");
        assertThat(bookmarks()).isEqualTo("50 and 0");

        this.databases.execute("a", "SET session_replication_role = replica", "DELETE FROM bookmark");
        this.databases.mover().resume(FIVE);
        assertThat(this.databases.leftovers()).isEmpty();
    }

    @Test
    void withoutThePublicationATableThatWasNotComparedIsEmptied() throws SQLException {
        moveWithoutALookAtTheTables();
        MoveContext context = context(Session.Probe.NONE);
        try (Move move = new Variant(context, new MapRows(context), new HomeRows(context)) {

            @Override
            List<FencedTable> compared() {
                return context.tables();
            }

        }) {
            move.move(null);
        }
        assertThat(bookmarks()).as("rows of a table that was never copied").isEqualTo("0 and 0");
    }

    @Test
    void aTableWithoutAFenceIsFoundBeforeRowsAreDeleted() {
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move move = this.databases.move(FIVE, before("version_seen <", () -> this.databases.execute("a",
                    "CREATE TABLE liked (photo_id bigint)", "INSERT INTO liked SELECT id FROM photo")))) {
                move.move("b");
            }
        })
            .withMessageStartingWith(
                    "Rows of these shards remain in database a: shards=5, Table public.liked has no fence, and rows of these shards by column photo_id: ");
        assertThat(this.databases.rows("a", 5)).isNotEmpty();
        this.databases.execute("a", "DROP TABLE liked");
        this.databases.mover().resume(FIVE);
        assertThat(this.databases.rows("a", 5)).isEmpty();
    }

    // ------------------------------------------------------------ triggers that keep
    // rows

    private void keepComments() {
        this.databases.execute("a",
                "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
                "CREATE TRIGGER comment_keep BEFORE DELETE ON comment FOR EACH ROW EXECUTE FUNCTION keep()",
                "ALTER TABLE comment ENABLE ALWAYS TRIGGER comment_keep");
    }

    @Test
    void aTriggerThatKeepsRowsStopsTheMove() {
        keepComments();
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().move(FIVE, "b"))
            .withMessage(
                    "Rows of these shards remain in database a: shards=5, table=public.comment, rows=6, kept by=trigger comment_keep; save or delete these rows, and resume");
        this.databases.execute("a", "DROP TRIGGER comment_keep ON comment");
        this.databases.mover().resume(FIVE);
        assertThat(this.databases.rows("a", 5)).isEmpty();
        assertThat(this.databases.leftovers()).isEmpty();
    }

    @Test
    void withoutACountRowsThatATriggerKeepsRemain() throws SQLException {
        keepComments();
        MoveContext context = context(Session.Probe.NONE);
        try (Move move = new Variant(context, new MapRows(context), new HomeRows(context)) {

            @Override
            void requireEmpty(Session session) {
                // nobody counts
            }

        }) {
            assertThat(move.move("b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
        assertThat(this.databases.rows("a", 5)).as("rows at the source").isNotEmpty();
    }

    // ------------------------------------------------------------ a target that is gone

    /** Ends before a statement, the first one behind the fence. */
    private void endBehindTheFence(String text) {
        AtomicBoolean fenced = new AtomicBoolean();
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
            try (Move move = this.databases.move(FIVE, (database, sql) -> {
                fenced.compareAndSet(false, sql.contains("SET idle_session_timeout"));
                if (fenced.get() && sql.contains(text)) {
                    throw new AssertionError("ends here");
                }
            })) {
                move.move("b");
            }
        });
        assertThat(this.databases.state("a", 5)).isEqualTo("moved");
    }

    private MoveDatabases withoutTarget() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return new MoveDatabases(
                    Map.of("a", this.databases.databases().get("a"), "b", new MoveDatabases.Database(
                            "jdbc:postgresql://127.0.0.1:%s/none".formatted(free.getLocalPort()), "none", "", null)),
                    "a", "default", null);
        }
    }

    private ShardMover moverWithoutTarget() throws IOException {
        return new ShardMover(withoutTarget(), TwoDatabases.LIMITS, (progress) -> {
        });
    }

    @Test
    void abortOpensTheSourceOfATargetThatIsGone() throws Exception {
        String rows = this.databases.rows("a", 5);
        endBehindTheFence("FROM public.shardedid_mark WHERE move = ? AND mover = ? AND");
        MoveStatus status = moverWithoutTarget().status();
        assertThat(status.refused()).singleElement()
            .satisfies((refused) -> assertThat(refused.shards() + refused.database() + refused.state())
                .isEqualTo("5amoved"));
        assertThat(status.unknown()).singleElement().asString().startsWith("b: ");

        assertThat(moverWithoutTarget().abort(FIVE).outcome()).isEqualTo(MoveResult.Outcome.ABORTED);
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
        assertThat(this.databases.rows("a", 5)).isEqualTo(rows);
        this.databases.execute("a", LATE);

        assertThat(this.databases.mover().move(FIVE, "b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        assertThat(this.databases.rows("b", 5)).contains(rows.split(";")).contains("late");
        assertThat(this.databases.leftovers()).isEmpty();
        assertThat(this.databases.mover().status().well()).isTrue();
    }

    @Test
    void resumeOpensTheSourceOfATargetThatIsGone() throws Exception {
        endBehindTheFence("FROM public.shardedid_mark WHERE move = ? AND mover = ? AND");
        ShardMover mover = moverWithoutTarget();
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.resume(FIVE))
            .withMessageStartingWith("Could not resume: shards=5, step=take over (Connection to ");
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
    }

    @Test
    void abortLeavesASourceClosedWhoseTargetHasOpened() throws Exception {
        endBehindTheFence("SET version = version + 1");
        ShardMover mover = moverWithoutTarget();
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.abort(FIVE))
            .withMessage(
                    "Could not abort the move: shards=5, stage=open, target=b (the target may have taken writes); resume it, and then move the shards back");

        this.databases.execute("a", "UPDATE shardedid_shard SET step = 'copy' WHERE shard = 5");
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.abort(FIVE))
            .withMessageStartingWith(
                    "Could not open the source without the target: shards=5, source=a, target=b (a mover was about to open the target, which may have taken writes); ");
        assertThat(this.databases.state("a", 5)).isEqualTo("moved");

        this.databases.execute("a", "UPDATE shardedid_shard SET step = 'open' WHERE shard = 5");
        assertThat(this.databases.mover().resume(FIVE).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
    }

    @Test
    void withoutTheMarkOfTheOpeningTwoDatabasesTakeWritesAfterTheMapWasRestored() throws Exception {
        endBehindTheFence("SET version = version + 1");
        this.databases.execute("a", "UPDATE shardedid_shard SET step = 'copy' WHERE shard = 5");
        MoveContext context = new MoveContext(withoutTarget(), TwoDatabases.LIMITS, FIVE, (progress) -> {
        }, Session.Probe.NONE, TimeSource.system());
        HomeRows homes = new HomeRows(context) {

            @Override
            boolean opening(String move) {
                return false;
            }

        };
        try (Move move = new Variant(context, new MapRows(context), homes)) {
            move.abort();
        }
        assertThat(this.databases.mover().status().twice()).singleElement()
            .hasToString("Twice[shards=5, databases=[a, b]]");
    }

    // ------------------------------------------------------------ passwords

    /** The server of the target cannot connect, and says so in its log. */
    private void subscribeInVain(boolean silent, String password) throws IOException {
        MoveDatabases databases;
        try (ServerSocket free = new ServerSocket(0)) {
            databases = new MoveDatabases(
                    Map.of("a",
                            new MoveDatabases.Database(servers.a.url(this.databases.name()), "postgres", "",
                                    "host=127.0.0.1 port=%s dbname=photos user=mover password=%s"
                                        .formatted(free.getLocalPort(), password)),
                            "b", this.databases.databases().get("b")),
                    "a", "default", null);
        }
        MoveContext context = new MoveContext(databases, TwoDatabases.LIMITS, FIVE, (progress) -> {
        }, Session.Probe.NONE, TimeSource.system());
        Replication replication = new Replication(context, new HomeRows(context)) {

            @Override
            void keepOutOfLogs(Session session) throws SQLException {
                if (silent) {
                    super.keepOutOfLogs(session);
                }
            }

        };
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> {
            try (Move move = new Variant(context, replication)) {
                move.move("b");
            }
        }).withMessageContaining("could not connect to the publisher").withMessageNotContaining(password);
        assertThat(servers.b.log()).contains("could not connect to the publisher");
    }

    @Test
    void aPasswordIsNotInTheLogOfTheTarget() throws IOException {
        this.databases.execute("b", "CREATE EXTENSION pg_stat_statements");
        // each of these shows all statements, however short they are
        for (String loud : List.of("log_statement = 'all'", "log_min_error_statement = 'error'",
                "log_min_duration_statement = 0", "log_transaction_sample_rate = 1")) {
            this.databases.execute("b", "ALTER DATABASE %s SET %s".formatted(this.databases.name(), loud));
        }
        subscribeInVain(true, "TopSecret14");
        assertThat(servers.b.log()).doesNotContain("TopSecret14");
        this.databases.mover().resume(FIVE);
        assertThat(this.databases.query("b",
                "SELECT count(*) FROM pg_stat_statements WHERE query ILIKE 'create subscription%' AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())"))
            .isEqualTo("0");
    }

    @Test
    void withoutSilenceAPasswordIsInTheLogOfTheTarget() throws IOException {
        subscribeInVain(false, "TopSecret15");
        assertThat(servers.b.log()).contains("TopSecret15");
    }

    @Test
    void aConnectionThatCannotBeReadIsNotQuoted() {
        MoveDatabases databases = new MoveDatabases(
                Map.of("a",
                        new MoveDatabases.Database(servers.a.url(this.databases.name()), "postgres", "",
                                "dbname=photos password=Top Secret16"),
                        "b", this.databases.databases().get("b")),
                "a", "default", null);
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> new ShardMover(databases, TwoDatabases.LIMITS, (progress) -> {
            }).move(FIVE, "b"))
            .withMessage(
                    "The server of database b cannot read how to connect to database a: shardedid.move.a.conninfo (keywords and values, as libpq reads them); correct it, and resume")
            .withNoCause();
    }

    // ------------------------------------------------------------ rows of the target

    @Test
    void rowsThatAWrongMapBringsToTheTargetAreNotDeleted() throws SQLException {
        this.databases.execute("b", "UPDATE shardedid_home SET state = 'here' WHERE shard = 5");
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> {
            try (Move move = this.databases.move(FIVE,
                    before("pg_advisory_xact_lock", () -> this.databases.execute("b", LATE)))) {
                move.move("b");
            }
        })
            .withMessage(
                    "Database b has rows of these shards in table public.photo, though the map says a: find out where they come from, and delete them");
        assertThat(this.databases.query("b", ROWS_OF_LATE)).isEqualTo("1");
        assertThat(this.databases.state("a", 5)).isEqualTo("here");

        this.databases.execute("b", "DELETE FROM photo WHERE caption = 'late'");
        assertThat(this.databases.mover().resume(FIVE).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
    }

    @Test
    void aMapThatWasRestoredDoesNotEmptyAnOpenTarget() {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
            try (Move move = this.databases.move(FIVE, (database, sql) -> {
                if (sql.contains("SET version = version + 1")) {
                    throw new AssertionError("ends here");
                }
            })) {
                move.move("b");
            }
        });
        this.databases.execute("b", LATE);
        this.databases.execute("a", "UPDATE shardedid_shard SET step = 'copy' WHERE shard = 5");
        String message = "Databases are further than the map: shards=5, stage=copy, state in a=moved, state in b=here (";

        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().resume(FIVE))
            .withMessageStartingWith(message);
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().abort(FIVE))
            .withMessageStartingWith(message);
        assertThat(this.databases.mover().plan(FIVE, "b").problems()).containsExactly(
                "Database a says that shards have left, though the map says they are there: shards=1 (state in shardedid_home); resume a move that is open, or find out which of them is right");

        this.databases.execute("a",
                "UPDATE shardedid_shard SET step = 'open' WHERE namespace = 'default' AND shard BETWEEN 5 AND 5");
        this.databases.mover().resume(FIVE);
        assertThat(this.databases.home(5)).isEqualTo("b");
        assertThat(this.databases.query("b", ROWS_OF_LATE)).isEqualTo("1");
    }

    @Test
    void aMapThatIsOlderThanTheHomesIsMendedByWhatThePlanSays() {
        this.databases.fill("a", 6, 2);
        this.databases.keepMap();
        this.databases.mover().move(FIVE, "b");
        this.databases.execute("a",
                "INSERT INTO shardedid_router (namespace, process, version_seen, identity_seen, seen_at, lease_until) SELECT 'default', 'photos-17', 2, identity, 0, 0 FROM shardedid_shard WHERE shard = -1");
        this.databases.loseChanges();
        String rows = this.databases.rows("b", 5);
        String mend = "UPDATE public.shardedid_shard SET mover = 2, source = CASE WHEN shard >= 0 THEN 'a' END, target = CASE WHEN shard >= 0 THEN 'b' END, step = CASE WHEN shard >= 0 THEN 'open' END WHERE namespace = 'default' AND mover < 2 AND (shard = -1 OR shard = 5)";
        String older = "Shard map is older than shardedid_home: shards=5, from=a, to=b (the map was restored, or has lost its last commits); if b has their rows, run in database a, and resume 5: "
                + mend;
        String ahead = "Routers go by another map than that of the table: routers=[photos-17 (version 2)] (the map was restored, or has lost its last commits); mend what else is named here, resume open moves, restart those that still do, and name dead those that have ended";

        assertThat(this.databases.mover().plan(ShardRanges.parse("6"), "b").problems()).containsExactly(older, ahead);
        assertThatExceptionOfType(MoveException.class)
            .isThrownBy(() -> this.databases.mover().move(ShardRanges.parse("6"), "b"))
            .withMessageContaining(older);
        assertThat(this.databases.mover().status().problems()).containsExactly(older, ahead);
        assertThat(this.databases.mover().status().well()).isFalse();

        this.databases.execute("a", mend);
        this.databases.mover().nameDead("photos-17");
        assertThat(this.databases.mover().resume(FIVE).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        assertThat(this.databases.mover().status().well()).isTrue();
        assertThat(this.databases.mover().move(ShardRanges.parse("6"), "b").version()).isEqualTo(3);
        assertThat(this.databases.rows("b", 5)).isEqualTo(rows);
        assertThat(this.databases.leftovers()).isEmpty();
    }

    private void mendAndResume(String older) {
        String problem = this.databases.mover()
            .status()
            .problems()
            .stream()
            .filter((each) -> each.startsWith(older))
            .findFirst()
            .orElseThrow();
        this.databases.mendMap(problem);
        this.databases.mover().resume(FIVE);
        assertThat(this.databases.mover().status().well()).isTrue();
        assertThat(this.databases.leftovers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "SET version = version + 1", "CLEAN", "SET source = NULL" })
    void aMapThatHasLostTheMoveBackIsMendedByWhatStatusSays(String lost) throws SQLException {
        String rows = this.databases.rows("a", 5);
        try (Move move = this.databases.move(FIVE,
                before(lost.equals("CLEAN") ? "ALTER SUBSCRIPTION" : lost, this.databases::keepMap))) {
            move.move("b");
        }
        this.databases.mover().move(FIVE, "a");
        this.databases.loseChanges();

        mendAndResume("Shard map is older than shardedid_home: shards=5, from=b, to=a (");
        assertThat(this.databases.home(5)).isEqualTo("a");
        assertThat(this.databases.rows("a", 5)).isEqualTo(rows);
        assertThat(this.databases.rows("b", 5)).isEmpty();
    }

    /**
     * The map has lost a move, or its end, and a move back that ends before a statement.
     */
    @ParameterizedTest
    @CsvSource({ "false, pg_advisory_lock(, b", "true, pg_advisory_lock(, b",
            "false, FROM public.shardedid_mark WHERE move, b", "true, FROM public.shardedid_mark WHERE move, b",
            "false, SET version = version + 1, a", "true, SET version = version + 1, a", "false, ALTER SUBSCRIPTION, a",
            "true, ALTER SUBSCRIPTION, a", "false, SET source = NULL, a", "true, SET source = NULL, a" })
    void aMapThatHasLostTwoMovesIsMendedByWhatStatusSays(boolean copies, String end, String home) throws SQLException {
        if (!copies) {
            this.databases.keepMap();
        }
        try (Move move = this.databases.move(FIVE, before("pg_advisory_lock(", () -> {
            if (copies) {
                this.databases.keepMap();
            }
        }))) {
            move.move("b");
        }
        AtomicBoolean fenced = new AtomicBoolean();
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
            try (Move move = this.databases.move(FIVE, (database, sql) -> {
                fenced.compareAndSet(false, sql.contains("pg_advisory_lock("));
                if (fenced.get() && sql.contains(end)) {
                    throw new AssertionError("ends here");
                }
            })) {
                move.move("a");
            }
        });
        this.databases.loseChanges();
        if (this.databases.state(home, 5).equals("here")) {
            this.databases.execute(home, LATE);
        }
        String rows = this.databases.rows(home, 5);

        mendAndResume("Shard map is older than shardedid_home: shards=5, from=%s, to=%s ("
            .formatted(home.equals("a") ? "b" : "a", home));
        assertThat(this.databases.home(5)).isEqualTo(home);
        assertThat(this.databases.state(home, 5)).isEqualTo("here");
        assertThat(this.databases.rows(home, 5)).isEqualTo(rows);
        assertThat(this.databases.rows(home.equals("a") ? "b" : "a", 5)).isEmpty();
    }

    @Test
    void aMoverDoesNotGoOnWhereTheSourceAwaitsRows() {
        this.databases.execute("a", "UPDATE shardedid_home SET state = 'arriving' WHERE shard = 5");
        String message = "Databases are further than the map: shards=5, stage=copy, state in a=arriving, state in b=moved (";
        try (Move move = this.databases.move(FIVE, (database, sql) -> {
        })) {
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> move.move("b"))
                .withMessageStartingWith(message);
        }
        this.databases.execute("a", "UPDATE shardedid_home SET state = 'here' WHERE shard = 5");
    }

    /** Nothing shows that a move back has brought the rows of the source. */
    @ParameterizedTest
    @ValueSource(strings = { "moved", "arriving" })
    void rowsOfASourceThatAwaitsRowsAreKeptWithoutAMoveBack(String target) throws SQLException {
        String rows = this.databases.rows("a", 5);
        try (Move move = this.databases.move(FIVE, before("SET version = version + 1", () -> {
            throw new AssertionError("ends here");
        }))) {
            assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> move.move("b"));
        }
        this.databases.execute("a", "UPDATE shardedid_home SET state = 'arriving' WHERE shard = 5");
        this.databases.execute("b", "UPDATE shardedid_home SET state = '%s' WHERE shard = 5".formatted(target));
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().resume(FIVE))
            .withMessageStartingWith("Could not change database ")
            .withMessageEndingWith("(all of them have to be); look who changed shardedid_home");
        assertThat(this.databases.rows("a", 5)).isEqualTo(rows);
        assertThat(this.databases.state("a", 5)).isEqualTo("arriving");

        this.databases.execute("a", "UPDATE shardedid_home SET state = 'moved' WHERE shard = 5");
        this.databases.execute("b", "UPDATE shardedid_home SET state = 'arriving' WHERE shard = 5 AND state = 'moved'");
        assertThat(this.databases.mover().resume(FIVE).outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        assertThat(this.databases.rows("b", 5)).isEqualTo(rows);
    }

    @Test
    void aRouterByAnotherIdentityOfTheVersionIsNamed() {
        this.databases.execute("a",
                "INSERT INTO shardedid_router (namespace, process, version_seen, identity_seen, seen_at, lease_until) VALUES ('default', 'lost', 1, 72, 0, 0), ('default', 'right', 1, 71, 0, 0)");
        assertThat(this.databases.mover().plan(FIVE, "b").problems()).singleElement()
            .asString()
            .startsWith("Routers go by another map than that of the table: routers=[lost (version 1)] (");
    }

    @Test
    void tokensThatTheMapHasLostAreNamed() {
        this.databases.execute("a", "UPDATE shardedid_home SET mover = 2 WHERE shard = 5");
        String mend = "UPDATE public.shardedid_shard SET mover = greatest(mover, 2) WHERE namespace = 'default' AND shard = -1";
        assertThat(this.databases.mover().plan(FIVE, "b").problems()).containsExactly(
                "Shard map has lost tokens of movers: mover in row -1=0, highest mover in shardedid_home=2 (the map was restored, or has lost its last commits); run in database a: "
                        + mend);
        this.databases.execute("a", mend);
        assertThat(this.databases.mover().move(FIVE, "b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
    }

    // ------------------------------------------------------------ slots of others

    @Test
    void slotsOfAnotherServerWithTheSameOidAreLeftAlone() throws SQLException {
        AtomicReference<String> slot = new AtomicReference<>();
        try (Move move = this.databases.move(FIVE, before("ALTER SUBSCRIPTION", () -> {
            slot.set("pg_%s_sync_16384_7000000000000000000".formatted(this.databases.query("b",
                    "SELECT oid FROM pg_subscription WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())")));
            this.databases.execute("a",
                    "SELECT pg_create_logical_replication_slot('%s', 'pgoutput')".formatted(slot.get()));
        }))) {
            move.move("b");
        }
        this.databases.execute("a", "SELECT pg_drop_replication_slot('%s')".formatted(slot.get()));
    }

    @Test
    void slotsOfALaterMoverAreLeftAlone() throws SQLException {
        AtomicReference<String> slot = new AtomicReference<>();
        try (Move move = this.databases.move(FIVE, before("ALTER SUBSCRIPTION", () -> {
            slot.set(this.databases.query("b",
                    "SELECT subname FROM pg_subscription WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())")
                    + "_99");
            this.databases.execute("a",
                    "SELECT pg_create_logical_replication_slot('%s', 'pgoutput')".formatted(slot.get()));
        }))) {
            move.move("b");
        }
        this.databases.execute("a", "SELECT pg_drop_replication_slot('%s')".formatted(slot.get()));
    }

    // ------------------------------------------------------------ locks in the map

    /** Holds the lock of a row of the map. */
    private Connection holdInMap(int shard) throws SQLException {
        Connection other = this.databases.a.connect(this.databases.name());
        other.setAutoCommit(false);
        lockInMap(other, shard);
        return other;
    }

    private static void lockInMap(Connection connection, int shard) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT FROM shardedid_shard WHERE shard = %s FOR UPDATE".formatted(shard));
        }
    }

    @Test
    void aLockInTheMapDelaysTheSwitchOnly() throws SQLException {
        AtomicReference<Connection> lock = new AtomicReference<>();
        AtomicInteger looks = new AtomicInteger();
        try (Move move = this.databases.move(FIVE,
                both(before("SET idle_session_timeout", () -> lock.set(holdInMap(5))), (database, sql) -> {
                    if (lock.get() != null && sql.contains("FOR UPDATE) m") && looks.incrementAndGet() == 2) {
                        try {
                            lock.get().close();
                        }
                        catch (SQLException ex) {
                            throw new AssertionError(ex);
                        }
                    }
                }))) {
            assertThat(move.move("b").outcome()).isEqualTo(MoveResult.Outcome.MOVED);
        }
        assertThat(looks).hasValueGreaterThan(1);
    }

    /** Somebody who takes a token locks the counter of tokens before the shards. */
    @Test
    void theSwitchLocksTheCounterBeforeTheShards() throws Exception {
        AtomicBoolean open = new AtomicBoolean();
        AtomicInteger looks = new AtomicInteger();
        AtomicReference<FutureTask<Void>> other = new AtomicReference<>();
        try (Move move = this.databases.move(FIVE, (database, sql) -> {
            if (open.get() && database.equals("a") && sql.contains("FOR UPDATE) m") && looks.incrementAndGet() == 1) {
                other.set(lockCounterThenShard());
            }
            if (opens(sql)) {
                // it becomes open once, and then 'empty'
                open.set(other.get() == null);
            }
            if (sql.startsWith("SELECT version FROM")) {
                open.set(false);
            }
        })) {
            move.move("b");
        }
        other.get().get(30, TimeUnit.SECONDS);
        assertThat(looks).as("attempts to change the map").hasValue(1);
    }

    private FutureTask<Void> lockCounterThenShard() {
        try {
            Connection connection = holdInMap(-1);
            FutureTask<Void> rest = new FutureTask<>(() -> {
                try (connection) {
                    while (this.databases.query("a",
                            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'shardedid-move' AND wait_event_type = 'Lock'")
                        .equals("0")) {
                        Thread.onSpinWait();
                    }
                    lockInMap(connection, 5);
                    connection.commit();
                }
                return null;
            });
            new Thread(rest, "other-mover").start();
            return rest;
        }
        catch (SQLException ex) {
            throw new AssertionError(ex);
        }
    }

    // ------------------------------------------------------------ other databases

    @Test
    void aShardThatIsHereInAThirdDatabaseIsAProblem() {
        String third = this.databases.name() + "_c";
        servers.b.execute("postgres", "CREATE DATABASE " + third);
        servers.b.execute(third, "CREATE TABLE photo (id bigint PRIMARY KEY)",
                ShardFence.script(TwoDatabases.LAYOUT, TwoDatabases.SHARDS, "photo"));
        MovePlan plan = moverWith(servers.b.url(third), "postgres").plan(FIVE, "b");
        assertThat(plan.problems()).containsExactly(
                "Shards take writes in two databases: shards=5, databases=[a, c] (each shard is 'here' in the database that the map names, and nowhere else); run in c: UPDATE public.shardedid_home SET state = 'moved', changed_at = clock_timestamp() WHERE shard IN (5) AND state = 'here'");
        servers.b.execute(third, "UPDATE shardedid_home SET state = 'moved'");
        assertThat(moverWith(servers.b.url(third), "postgres").plan(FIVE, "b").possible()).isTrue();
    }

    /** All shards of c would be those of a, and a move would delete them as strays. */
    @Test
    void twoNamesOfOneDatabaseAreRefused() {
        ShardMover mover = moverWith(servers.a.url(this.databases.name()), "postgres");
        String refused = "Names of databases must lead to different ones: databases=[a, c] (both find the same public.shardedid_home, and the server refuses one the lock of the other); correct shardedid.databases.a.url or shardedid.databases.c.url";
        for (String target : List.of("b", "c")) {
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.plan(FIVE, target))
                .withMessage(refused);
            assertThatExceptionOfType(MoveException.class).isThrownBy(() -> mover.move(FIVE, target))
                .withMessage(refused);
        }
        MoveStatus status = mover.status();
        assertThat(status.twice()).isEmpty();
        assertThat(status.unknown()).containsExactly("c: " + refused);

        this.databases.execute("a",
                "UPDATE shardedid_shard SET source = 'a', target = 'c', step = 'copy' WHERE shard = 5");
        for (Runnable command : List.<Runnable>of(() -> mover.resume(FIVE), () -> mover.abort(FIVE))) {
            assertThatExceptionOfType(MoveException.class).isThrownBy(command::run).withMessage(refused);
        }
        assertThat(this.databases.state("a", 5)).isEqualTo("here");
        this.databases.execute("a",
                "UPDATE shardedid_shard SET source = NULL, target = NULL, step = NULL WHERE shard = 5");
    }

    /**
     * It has the system identifier of the original, and its tables have the same oids.
     */
    @Test
    void aCopyOfADatabaseIsAnotherOne() throws Exception {
        String copy = this.databases.name() + "_copy";
        servers.a.execute("postgres", "CREATE DATABASE %s TEMPLATE %s".formatted(copy, this.databases.name()));
        ShardMover mover = moverWith(servers.a.url(copy), "postgres");
        assertThat(mover.plan(FIVE, "b").problems()).singleElement()
            .asString()
            .startsWith("Shards take writes in two databases: shards=5, databases=[a, c] ");
        assertThat(mover.status().unknown()).isEmpty();

        // probes of processes that start at the same time
        List<FutureTask<Boolean>> probes = new CopyOnWriteArrayList<>();
        for (int process = 0; process < 8; process++) {
            FutureTask<Boolean> probe = new FutureTask<>(() -> {
                try (Connection one = servers.a.connect(this.databases.name());
                        Connection other = servers.a.connect(copy);
                        Connection again = servers.a.connect(copy)) {
                    return !ShardFence.sameHomes(one, "shardedid_home", other, "shardedid_home")
                            && ShardFence.sameHomes(other, "shardedid_home", again, "public.shardedid_home");
                }
            });
            probes.add(probe);
            new Thread(probe, "probe " + process).start();
        }
        for (FutureTask<Boolean> probe : probes) {
            assertThat(probe.get()).isTrue();
        }
    }

    private ShardMover moverWith(String third, String username) {
        Map<String, MoveDatabases.Database> all = new HashMap<>(this.databases.databases().databases());
        all.put("c", new MoveDatabases.Database(third, username, "", null));
        return new ShardMover(new MoveDatabases(all, "a", "default", null), TwoDatabases.LIMITS, (progress) -> {
        });
    }

    @Test
    void aMoveNeedsNoAnswerOfOtherDatabases() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (ServerSocket other = new ServerSocket(0)) {
            Thread thread = new Thread(() -> {
                while (!other.isClosed()) {
                    try (Socket client = other.accept()) {
                        asked.incrementAndGet();
                    }
                    catch (IOException ex) {
                        // the test is over
                    }
                }
            }, "other-server");
            thread.setDaemon(true);
            thread.start();
            ShardMover mover = moverWith(
                    "jdbc:postgresql://127.0.0.1:%s/none?sslmode=disable".formatted(other.getLocalPort()), "none");
            assertThat(mover.plan(FIVE, "b").warnings()).anyMatch((warning) -> warning
                .startsWith("Could not ask database c whether it takes writes of these shards, too: "));
            int byThePlan = asked.getAndSet(0);
            mover.move(FIVE, "b");
            assertThat(asked).as("connections of a move with its plan").hasValue(byThePlan);
        }
        assertThat(this.databases.home(5)).isEqualTo("b");
    }

    private MoveContext context(Session.Probe probe) {
        return new MoveContext(this.databases.databases(), TwoDatabases.LIMITS, FIVE, (progress) -> {
        }, probe, TimeSource.system());
    }

    /** A mover one of whose parts lacks a guard. */
    private static class Variant extends Move {

        Variant(MoveContext context, MapRows mapRows, HomeRows homes) {
            this(context, mapRows, homes, new Replication(context, homes));
        }

        Variant(MoveContext context, Replication replication) {
            this(context, new MapRows(context), new HomeRows(context), replication);
        }

        private Variant(MoveContext context, MapRows mapRows, HomeRows homes, Replication replication) {
            super(context, mapRows, homes, replication, new Comparison(context, replication));
        }

        Variant(MoveContext context, HomeRows homes, Replication replication, Comparison comparison) {
            super(context, new MapRows(context), homes, replication, comparison);
        }

    }

    /** Something that happens meanwhile. */
    @FunctionalInterface
    private interface Action {

        void run() throws SQLException;

    }

}
