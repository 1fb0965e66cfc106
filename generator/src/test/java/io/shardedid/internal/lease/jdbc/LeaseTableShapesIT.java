package io.shardedid.internal.lease.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdException;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.ProofLength;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tables of other shapes than the script's, on each server: refused, or two racing
 * writers never both hear that they wrote a row. The start leaves no row in any.
 */
@Tag("database")
class LeaseTableShapesIT {

    private static final int ROUNDS = ProofLength.of(30, 1000);

    private static final String SECOND_ROW = "INSERT of a second row";

    private static final String UPDATED = "SELECT of the row that was updated: other values";

    /** The columns of the script, and what follows them. */
    private static final String TABLE = "CREATE TABLE %s (namespace VARCHAR(64) NOT NULL, worker_id INTEGER NOT NULL, "
            + "token VARCHAR(36) NOT NULL, fence BIGINT NOT NULL, lease_until BIGINT NOT NULL, hwm_tick BIGINT NOT NULL, "
            + "owner VARCHAR(255), layout VARCHAR(255)%s)";

    private static final String KEY = ", PRIMARY KEY (namespace, worker_id)";

    private static final String KEYED = table(KEY);

    private static final String KEYLESS = table("");

    private static String table(String rest) {
        return TABLE.formatted("shardedid_worker", rest);
    }

    private static String called(String name, String rest) {
        return TABLE.formatted(name, rest);
    }

    static Stream<Shape> shapes() {
        return Stream.of(everywhere(), postgresql(), mySqlAndMariaDb(), h2AndHsqldb())
            .flatMap((each) -> each)
            .filter((shape) -> shape.server != Server.MYSQL || TestServer.MYSQL.isThere());
    }

    private static Stream<Shape> everywhere() {
        return Stream.of(Server.values())
            .flatMap((server) -> Stream.of(taken(server, "as the script makes it", KEYED),
                    taken(server, "a unique key in the other order", table(", UNIQUE (worker_id, namespace)")),
                    taken(server, "SMALLINT", KEYED.replace("worker_id INTEGER", "worker_id SMALLINT")),
                    taken(server, "a check", table(KEY + ", CHECK (worker_id >= -1)")),
                    taken(server, "a check of a range", table(KEY + ", CHECK (worker_id BETWEEN -1 AND 1023)")),
                    taken(server, "a column more", table(", note VARCHAR(9) DEFAULT 'x'" + KEY)),
                    refused(server, "a NOT NULL column more", null, table(", note INTEGER NOT NULL" + KEY)),
                    refused(server, "no key", SECOND_ROW, KEYLESS),
                    refused(server, "a wider key", SECOND_ROW, table(", PRIMARY KEY (namespace, worker_id, token)")),
                    refused(server, "a row that stands twice", "holds worker id 5 of namespace 'default' twice",
                            KEYLESS, "INSERT INTO shardedid_worker VALUES ('default', 5, 'a', 0, 0, 7, NULL, NULL)",
                            "INSERT INTO shardedid_worker VALUES ('default', 5, 'b', 0, 0, 9, NULL, NULL)"),
                    refused(server, "a mark as REAL", "SELECT of the row that was inserted: other values",
                            KEYED.replace("hwm_tick BIGINT", "hwm_tick REAL")),
                    refused(server, "a short token", "INSERT of a row: ",
                            KEYED.replace("token VARCHAR(36)", "token VARCHAR(20)")),
                    refused(server, "a view of a table without key", (server == Server.POSTGRESQL) ? "relkind=v" : null,
                            called("leases", ""), "CREATE VIEW shardedid_worker AS SELECT * FROM leases")));
    }

    private static Stream<Shape> postgresql() {
        Server server = Server.POSTGRESQL;
        String view = "CREATE VIEW shardedid_worker AS TABLE leases";
        String secured = "ALTER TABLE shardedid_worker ENABLE ROW LEVEL SECURITY; "
                + "ALTER TABLE shardedid_worker FORCE ROW LEVEL SECURITY; CREATE ROLE IF_ABSENT; "
                + "GRANT SELECT, INSERT, UPDATE ON shardedid_worker TO PUBLIC; "
                + "CREATE POLICY b ON shardedid_worker FOR INSERT WITH CHECK (true); ";
        String hashed = called("shardedid_worker", "") + " PARTITION BY HASH (%s)";
        String[] halves = { "CREATE TABLE even PARTITION OF shardedid_worker FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
                "CREATE TABLE odd PARTITION OF shardedid_worker FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
                "ALTER TABLE even ADD PRIMARY KEY (namespace, worker_id)",
                "ALTER TABLE odd ADD PRIMARY KEY (namespace, worker_id)" };
        return Stream.of(
                refused(server, "a partial key", SECOND_ROW, KEYLESS,
                        "CREATE UNIQUE INDEX k ON shardedid_worker (namespace, worker_id) WHERE worker_id < 9"),
                taken(server, "a key with more columns beside it", KEYLESS,
                        "CREATE UNIQUE INDEX k ON shardedid_worker (namespace, worker_id) INCLUDE (token)"),
                either(server, "a key of expressions", KEYLESS,
                        "CREATE UNIQUE INDEX k ON shardedid_worker (lower(namespace), (worker_id + 0))"),
                refused(server, "a key of an expression of the token", SECOND_ROW, KEYLESS,
                        "CREATE UNIQUE INDEX k ON shardedid_worker (namespace, worker_id, left(token, 1))"),
                either(server, "a deferrable key", table(KEY + " DEFERRABLE")),
                either(server, "a deferred key", table(KEY + " DEFERRABLE INITIALLY DEFERRED")),
                either(server, "an invalid key", KEYLESS,
                        "CREATE UNIQUE INDEX k ON shardedid_worker (namespace, worker_id)",
                        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'k'::regclass"),
                // whose index may show no row
                refused(server, "a key that is not ready", null, KEYLESS,
                        "CREATE UNIQUE INDEX k ON shardedid_worker (namespace, worker_id)",
                        "UPDATE pg_index SET indisready = false WHERE indexrelid = 'k'::regclass"),
                refused(server, "a view", "relkind=v", called("leases", KEY), view),
                refused(server, "a view with a rule", "relkind=v", called("leases", KEY), view,
                        "CREATE RULE mine AS ON INSERT TO shardedid_worker DO INSTEAD INSERT INTO leases VALUES (NEW.*)"),
                refused(server, "a view with INSTEAD OF", "relkind=v", called("leases", KEY), view,
                        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
                        "CREATE TRIGGER mine INSTEAD OF INSERT OR UPDATE ON shardedid_worker FOR EACH ROW EXECUTE "
                                + "FUNCTION f()"),
                refused(server, "a rule", "has a rule", KEYED,
                        "CREATE RULE log AS ON UPDATE TO shardedid_worker DO ALSO NOTIFY changed"),
                refused(server, "a materialized view", "relkind=m", called("leases", KEY),
                        "CREATE MATERIALIZED VIEW shardedid_worker AS TABLE leases"),
                refused(server, "a foreign table", "relkind=f", "CREATE EXTENSION postgres_fdw",
                        "CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw",
                        called("x", "").replace("TABLE x", "FOREIGN TABLE shardedid_worker") + " SERVER far")
                    .leavingARow(),
                either(server, "a table that another one inherits from", KEYED,
                        "CREATE TABLE child () INHERITS (shardedid_worker)"),
                taken(server, "partitions by namespace, and none for others",
                        table(KEY) + " PARTITION BY LIST (namespace)",
                        "CREATE TABLE one PARTITION OF shardedid_worker FOR VALUES IN ('default')"),
                either(server, "partitions by worker id with keys of their own",
                        Stream.concat(Stream.of(hashed.formatted("worker_id")), Stream.of(halves))
                            .toArray(String[]::new)),
                refused(server, "partitions by token with keys of their own", "partitioned by other columns",
                        Stream.concat(Stream.of(hashed.formatted("token")), Stream.of(halves)).toArray(String[]::new)),
                refused(server, "unlogged", "relpersistence=u", KEYED, "ALTER TABLE shardedid_worker SET UNLOGGED"),
                refused(server, "an unlogged partition", "relpersistence=u",
                        table(KEY) + " PARTITION BY LIST (namespace)",
                        "CREATE UNLOGGED TABLE one PARTITION OF shardedid_worker DEFAULT"),
                refused(server, "temporary", "relpersistence=t", KEYED).inEachSession(
                        "CREATE TEMPORARY TABLE shardedid_worker (LIKE public.shardedid_worker INCLUDING ALL)"),
                refused(server, "a trigger that returns OLD", UPDATED, KEYED, trigger("UPDATE", "RETURN OLD;"), FIRES),
                refused(server, "a trigger that keeps the token", UPDATED, KEYED,
                        trigger("UPDATE", "NEW.token = OLD.token; RETURN NEW;"), FIRES),
                refused(server, "a trigger that keeps the mark", UPDATED, KEYED,
                        trigger("UPDATE", "NEW.hwm_tick = OLD.hwm_tick; RETURN NEW;"), FIRES),
                refused(server, "a trigger that swallows", "UPDATE with the right token: rows=0", KEYED,
                        trigger("UPDATE", "RETURN NULL;"), FIRES),
                refused(server, "row security that hides", null, KEYED,
                        secured + "CREATE POLICY a ON shardedid_worker FOR SELECT USING (worker_id < 0)")
                    .as("secured"),
                refused(server, "row security that keeps from inserting", "with row security a policy", KEYED,
                        secured.replaceFirst("CREATE POLICY b.*", "")
                                + "CREATE POLICY a ON shardedid_worker FOR SELECT USING (true)")
                    .as("secured"),
                refused(server, "row security that keeps from updating", "UPDATE with the right token: rows=0", KEYED,
                        secured + "CREATE POLICY a ON shardedid_worker FOR SELECT USING (true)")
                    .as("secured"),
                refused(server, "row security that keeps from updating workers", "UPDATE with the right token: rows=0",
                        KEYED,
                        secured + "CREATE POLICY a ON shardedid_worker FOR SELECT USING (true); "
                                + "CREATE POLICY c ON shardedid_worker FOR UPDATE USING (worker_id < 0)")
                    .as("secured"),
                taken(server, "row security that lets all pass", KEYED,
                        secured + "CREATE POLICY a ON shardedid_worker USING (true) WITH CHECK (true)")
                    .as("secured"));
    }

    private static final String FIRES = "CREATE TRIGGER mine BEFORE UPDATE ON shardedid_worker FOR EACH ROW EXECUTE FUNCTION f()";

    private static String trigger(String on, String body) {
        return "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN " + body + " END'";
    }

    private static Stream<Shape> mySqlAndMariaDb() {
        return Stream.of(Server.MARIADB, Server.MYSQL).flatMap((server) -> {
            String view = "CREATE VIEW shardedid_worker AS SELECT * FROM leases";
            List<Shape> shapes = new ArrayList<>(List.of(either(server, "a view", called("leases", KEY), view),
                    refused(server, "a view that cannot be updated", "", called("leases", KEY),
                            view.replace("VIEW", "ALGORITHM = TEMPTABLE VIEW")),
                    refused(server, "a view of an engine without transactions", "ROLLBACK: the row is still there",
                            called("leases", KEY) + " ENGINE = MyISAM", view)
                        .leavingARow(),
                    refused(server, "MyISAM", "its engine is MyISAM", KEYED + " ENGINE = MyISAM"),
                    refused(server, "MEMORY", "its engine is MEMORY", KEYED + " ENGINE = MEMORY"),
                    taken(server, "partitions by namespace", KEYED + " PARTITION BY KEY (namespace) PARTITIONS 3"),
                    refused(server, "temporary", "", "SET @x = 1").inEachSession(
                            called("shardedid_worker", KEY).replace("CREATE TABLE", "CREATE TEMPORARY TABLE")),
                    refused(server, "a trigger that keeps the token", UPDATED, KEYED,
                            "CREATE TRIGGER mine BEFORE UPDATE ON shardedid_worker FOR EACH ROW SET NEW.token = OLD.token"),
                    refused(server, "a trigger that keeps the mark", UPDATED, KEYED,
                            "CREATE TRIGGER mine BEFORE UPDATE ON shardedid_worker FOR EACH ROW SET NEW.hwm_tick = "
                                    + "OLD.hwm_tick")));
            if (server == Server.MARIADB) {
                shapes.add(refused(server, "Aria", "its engine is Aria", KEYED + " ENGINE = Aria"));
                shapes.add(taken(server, "system versioning", KEYED + " WITH SYSTEM VERSIONING"));
            }
            else {
                shapes.add(refused(server, "a generated invisible key", SECOND_ROW,
                        "SET SESSION sql_generate_invisible_primary_key = 1; " + KEYLESS));
            }
            return shapes.stream();
        });
    }

    private static Stream<Shape> h2AndHsqldb() {
        return Stream.of(
                either(Server.H2, "a synonym", called("leases", KEY), "CREATE SYNONYM shardedid_worker FOR leases"),
                refused(Server.H2, "a synonym of a table without key", SECOND_ROW, called("leases", ""),
                        "CREATE SYNONYM shardedid_worker FOR leases"),
                either(Server.H2, "temporary", KEYED.replace("CREATE TABLE", "CREATE GLOBAL TEMPORARY TABLE")),
                either(Server.HSQLDB, "a view", called("leases", KEY),
                        "CREATE VIEW shardedid_worker AS SELECT * FROM leases"),
                refused(Server.HSQLDB, "temporary", "temporary",
                        KEYED.replace("CREATE TABLE", "CREATE GLOBAL TEMPORARY TABLE") + " ON COMMIT PRESERVE ROWS"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("shapes")
    void isRefusedOrNoTwoWritersWriteOneRow(Shape shape) throws Exception {
        TestDatabase database = shape.server.fresh();
        for (String statement : shape.statements) {
            for (String each : statement.split(statement.contains("FUNCTION") ? ";;" : "; ")) {
                database.execute(each.replace("CREATE ROLE IF_ABSENT",
                        "DO 'BEGIN CREATE ROLE secured LOGIN PASSWORD ''secret''; EXCEPTION WHEN duplicate_object THEN NULL; END'"));
            }
        }
        TestDatabase user = (shape.account != null) ? database.as(shape.account, "secret") : database;
        ShardedIdException refused = null;
        try (LeaseStore table = open(user, shape)) {
            table.ensure();
        }
        catch (ShardedIdException ex) {
            refused = ex;
        }
        if (refused == null) {
            assertThat(shape.refusal).as("is taken").isNull();
            race(user, shape);
        }
        else {
            assertThat(shape.expected).as(refused.getMessage()).isNotEqualTo(Expected.TAKEN);
            assertThat(refused.getMessage()).contains((shape.refusal != null) ? shape.refusal : "");
            assertThat(refused).matches((ex) -> ex instanceof ShardedIdConfigurationException || !ex.retryable());
        }
        if (!shape.leavesARow && !shape.name.startsWith("a row") && shape.session == null) {
            assertThat(database.query("SELECT COUNT(*) FROM shardedid_worker WHERE worker_id > 10000")).isEqualTo("0");
        }
    }

    private static LeaseStore open(TestDatabase database, Shape shape) {
        TestConnections connections = TestConnections.to(database);
        return new SqlLeaseTable((shape.session != null) ? connections.with(shape.session) : connections,
                LeaseTableName.DEFAULT, "default", SchemaInitialization.NEVER, LeaseTableContract.PATIENT);
    }

    /** The truth: of two that send the same write at once, at most one is told so. */
    private static void race(TestDatabase database, Shape shape) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (LeaseStore one = open(database, shape); LeaseStore other = open(database, shape)) {
            CyclicBarrier gate = new CyclicBarrier(2);
            int first = (shape.name.startsWith("a check of a range") ? 900 : 2000);
            for (int round = 0; round < ROUNDS && round < first; round++) {
                int worker = round;
                LeaseStatement insert = new LeaseStatement.Insert(new LeaseRow(worker, "a", 0, 0, 0, null, null), null);
                assertThat(winners(threads, gate, List.of(one, other), insert, insert)).as("inserts").isOne();
                assertThat(winners(threads, gate, List.of(one, other), update(worker, "b"), update(worker, "c")))
                    .as("updates")
                    .isOne();
            }
        }
        finally {
            threads.shutdownNow();
        }
    }

    private static LeaseStatement update(int worker, String token) {
        return new LeaseStatement.Update(worker, "a", 10, token, 1, 5, 10, "me", null, null);
    }

    private static int winners(ExecutorService threads, CyclicBarrier gate, List<LeaseStore> stores,
            LeaseStatement... statements) throws Exception {
        List<Future<LeaseReply>> replies = new ArrayList<>();
        for (int i = 0; i < stores.size(); i++) {
            int mine = i;
            replies.add(threads.submit(() -> {
                gate.await();
                return stores.get(mine).execute(statements[mine]);
            }));
        }
        int winners = 0;
        for (Future<LeaseReply> each : replies) {
            LeaseReply reply = each.get();
            assertThat(reply).isNotInstanceOf(LeaseReply.Unknown.class);
            winners += (reply instanceof LeaseReply.Written written) ? written.rows() : 0;
        }
        return winners;
    }

    private static Shape taken(Server server, String name, String... statements) {
        return new Shape(server, name, Expected.TAKEN, null, List.of(statements), null, null, false);
    }

    private static Shape either(Server server, String name, String... statements) {
        return new Shape(server, name, Expected.EITHER, null, List.of(statements), null, null, false);
    }

    private static Shape refused(Server server, String name, @Nullable String refusal, String... statements) {
        return new Shape(server, name, Expected.REFUSED, (refusal != null) ? refusal : "", List.of(statements), null,
                null, false);
    }

    private enum Expected {

        TAKEN, REFUSED, EITHER

    }

    private enum Server {

        POSTGRESQL, MARIADB, MYSQL, H2, HSQLDB;

        TestDatabase fresh() {
            return (this != HSQLDB) ? TestServer.valueOf(name()).freshDatabase()
                    : new TestDatabase("jdbc:hsqldb:mem:" + UUID.randomUUID(), "SA", "");
        }

    }

    /**
     * What stands where the table of the script would be.
     *
     * @param refusal a part of the refusal, or null if the table may be taken
     * @param session what each session does first, or null
     * @param account who leases, or null for the owner
     * @param leavesARow whether nothing of the server takes the row of the start back
     */
    private record Shape(Server server, String name, Expected expected, @Nullable String refusal,
            List<String> statements, @Nullable String session, @Nullable String account, boolean leavesARow) {

        Shape inEachSession(String statement) {
            return new Shape(this.server, this.name, this.expected, this.refusal, this.statements, statement,
                    this.account, this.leavesARow);
        }

        Shape as(String user) {
            return new Shape(this.server, this.name, this.expected, this.refusal, this.statements, this.session, user,
                    this.leavesARow);
        }

        Shape leavingARow() {
            return new Shape(this.server, this.name, this.expected, this.refusal, this.statements, this.session,
                    this.account, true);
        }

        @Override
        public String toString() {
            return this.server + ": " + this.name;
        }

    }

}
