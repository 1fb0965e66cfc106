package io.shardedid.internal.lease.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Engines that start at the same moment, again and again, on tables of other shapes than
 * the script's. All ids of all are compared.
 */
@Tag("proof")
@Tag("nightly")
class LeaseTableShapesIT {

    private static final int MEMBERS = 4;

    private static final int ROUNDS = ProofLength.of(7, 40);

    private static final int SHARDS = 4;

    private static final int IDS = 5000;

    @ParameterizedTest
    @EnumSource
    void makesNoDuplicateIds(Shape shape) throws Exception {
        TestDatabase database = TestServer.POSTGRESQL.freshDatabase();
        open(database).close();
        TestDatabase far = TestServer.POSTGRESQL.freshDatabase();
        for (String statement : shape.statements) {
            database.execute(statement.replace("FAR", far.query("SELECT current_database()"))
                .replace("PORT", database.url().replaceFirst(".*:(\\d+)/.*", "$1")));
        }
        List<long[]> made = new ArrayList<>();
        List<String> refusals = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(MEMBERS);
        try {
            CyclicBarrier gate = new CyclicBarrier(MEMBERS);
            List<Callable<List<long[]>>> members = new ArrayList<>();
            for (int i = 0; i < MEMBERS; i++) {
                members.add(() -> member(database, gate, refusals));
            }
            for (Future<List<long[]>> each : threads.invokeAll(members)) {
                made.addAll(each.get());
            }
        }
        finally {
            threads.shutdownNow();
        }
        long[] ids = made.stream().flatMapToLong(LongStream::of).sorted().toArray();
        long equal = ids.length - Arrays.stream(ids).distinct().count();
        System.out.printf("lease table, %s: ids=%,d, equal=%,d, refused starts=%d%n", shape, ids.length, equal,
                refusals.size());
        assertThat(equal).isZero();
        if (shape.refusal.isEmpty()) {
            assertThat(refusals).isEmpty();
            assertThat(ids).isNotEmpty();
        }
        else {
            assertThat(refusals).hasSize(MEMBERS * ROUNDS).allMatch((message) -> message.contains(shape.refusal));
        }
    }

    private static List<long[]> member(TestDatabase database, CyclicBarrier gate, List<String> refusals)
            throws Exception {
        List<long[]> made = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            gate.await();
            try (ShardedIdEngine ids = open(database)) {
                // all of them hold a lease, or none does
                gate.await();
                for (int shard = 0; shard < SHARDS; shard++) {
                    long[] into = new long[IDS];
                    ids.next(shard, into);
                    made.add(into);
                }
            }
            catch (ShardedIdConfigurationException ex) {
                synchronized (refusals) {
                    refusals.add(ex.getMessage());
                }
                gate.await();
            }
        }
        return made;
    }

    private static ShardedIdEngine open(TestDatabase database) {
        LeaseSettings settings = LeaseSettings.builder()
            .window(Duration.ofSeconds(10))
            .startupTimeout(Duration.ofSeconds(90))
            .build();
        return SeparateProcess.open(ShardedIds.builder()
            .shards(SHARDS)
            .maxWait(Duration.ofSeconds(20))
            .workers(JdbcLeases.leased(settings,
                    LeaseConnections.url(database.url(), database.user(), database.password()), "shardedid_worker",
                    SchemaInitialization.ALWAYS, List.of())));
    }

    /** What stands where the table of the script would be. */
    private enum Shape {

        /** A unique index that was made beside the processes, and failed. */
        WITH_AN_INVALID_KEY("it holds worker id 0 of namespace 'default' twice",
                "CREATE TABLE moved AS TABLE shardedid_worker", "DROP TABLE shardedid_worker",
                "ALTER TABLE moved RENAME TO shardedid_worker",
                "INSERT INTO shardedid_worker SELECT 'default', w, 'copy ' || n, 0, 0, 0, NULL, NULL "
                        + "FROM generate_series(0, 31) w, generate_series(1, 2) n WHERE w > 0 OR n = 1",
                "CREATE UNIQUE INDEX later ON shardedid_worker (namespace, worker_id) WHERE worker_id < 0",
                "UPDATE pg_index SET indisvalid = false, indpred = NULL WHERE indexrelid = 'later'::regclass"),

        BEHIND_A_RULE("rule 'mine' of 'public.shardedid_worker' writes in its place",
                "ALTER TABLE shardedid_worker RENAME TO leases", "CREATE VIEW shardedid_worker AS TABLE leases",
                "CREATE RULE mine AS ON UPDATE TO shardedid_worker DO INSTEAD UPDATE leases SET token = NEW.token, "
                        + "fence = NEW.fence, lease_until = NEW.lease_until, hwm_tick = NEW.hwm_tick, owner = NEW.owner, "
                        + "layout = NEW.layout WHERE namespace = OLD.namespace AND worker_id = OLD.worker_id"),

        BEHIND_A_TRIGGER("INSTEAD OF trigger 'mine' of 'public.shardedid_worker' writes in its place",
                "ALTER TABLE shardedid_worker RENAME TO leases", "CREATE VIEW shardedid_worker AS TABLE leases", """
                        CREATE FUNCTION put() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                        UPDATE leases SET token = NEW.token, fence = NEW.fence, lease_until = NEW.lease_until,
                        hwm_tick = NEW.hwm_tick, owner = NEW.owner, layout = NEW.layout
                        WHERE namespace = OLD.namespace AND worker_id = OLD.worker_id; RETURN NEW; END $$""",
                "CREATE TRIGGER mine INSTEAD OF UPDATE ON shardedid_worker FOR EACH ROW EXECUTE FUNCTION put()"),

        ON_ANOTHER_SERVER("'public.shardedid_worker' is a foreign table", "CREATE EXTENSION postgres_fdw",
                "CREATE EXTENSION dblink",
                "SELECT dblink_exec('host=127.0.0.1 port=PORT dbname=FAR user=postgres', 'CREATE TABLE leases (namespace "
                        + "VARCHAR(64), worker_id INTEGER, token VARCHAR(36), fence BIGINT, lease_until BIGINT, hwm_tick "
                        + "BIGINT, owner VARCHAR(255), layout VARCHAR(255), PRIMARY KEY (namespace, worker_id))')",
                "CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port 'PORT', dbname 'FAR')",
                "CREATE USER MAPPING FOR postgres SERVER far OPTIONS (user 'postgres')", "DROP TABLE shardedid_worker",
                "CREATE FOREIGN TABLE shardedid_worker (namespace VARCHAR(64), worker_id INTEGER, token VARCHAR(36), "
                        + "fence BIGINT, lease_until BIGINT, hwm_tick BIGINT, owner VARCHAR(255), layout VARCHAR(255)) "
                        + "SERVER far OPTIONS (table_name 'leases')"),

        BEHIND_A_SIMPLE_VIEW("", "ALTER TABLE shardedid_worker RENAME TO leases",
                "CREATE VIEW shardedid_worker AS TABLE leases"),

        IN_PARTITIONS("", "ALTER TABLE shardedid_worker RENAME TO leases",
                "CREATE TABLE shardedid_worker (LIKE leases INCLUDING ALL) PARTITION BY HASH (worker_id)",
                "CREATE TABLE even PARTITION OF shardedid_worker FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
                "CREATE TABLE odd PARTITION OF shardedid_worker FOR VALUES WITH (MODULUS 2, REMAINDER 1)");

        private final String refusal;

        private final List<String> statements;

        Shape(String refusal, String... statements) {
            this.refusal = refusal;
            this.statements = List.of(statements);
        }

    }

}
