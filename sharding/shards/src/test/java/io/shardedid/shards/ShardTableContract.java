package io.shardedid.shards;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.shardedid.SchemaInitialization;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.jdbc.Isolation;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.LeaseConnections;
import io.shardedid.internal.lease.jdbc.TestConnections;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What the tables of the shard map do on each database. */
abstract class ShardTableContract {

    private static final ShardMap MAP = ShardMap.parse("0-3: a, 4-7: b", 8);

    private static final String SHARDS = "shardedid_shard";

    private static final String DATABASES = "shardedid_database";

    private final TestServer server;

    private final List<LeaseStore> opened = new ArrayList<>();

    private TestDatabase database;

    ShardTableContract(TestServer server) {
        this.server = server;
    }

    @BeforeEach
    void makesADatabase() {
        this.database = this.server.freshDatabase();
    }

    @AfterEach
    void closes() {
        this.opened.forEach(LeaseStore::close);
        if (this.server == TestServer.H2) {
            this.database.execute("SHUTDOWN");
        }
    }

    private SqlShardTable table(LeaseConnections connections, SchemaInitialization initialization) {
        return table(connections, "shardedid_worker", initialization);
    }

    private SqlShardTable table(LeaseConnections connections, String name, SchemaInitialization initialization) {
        LeaseStore leases = JdbcLeases.store("default", connections, name, initialization);
        synchronized (this.opened) {
            this.opened.add(leases);
        }
        return in(leases, "default");
    }

    private static SqlShardTable in(LeaseStore leases, String namespace) {
        return new SqlShardTable(leases, namespace);
    }

    private SqlShardTable table() {
        return table(TestConnections.to(this.database), SchemaInitialization.ALWAYS);
    }

    private SqlShardTable ready(Isolation isolation) throws Exception {
        SqlShardTable table = table(TestConnections.to(this.database).at(isolation), SchemaInitialization.ALWAYS);
        table.ensure();
        return table;
    }

    @ParameterizedTest
    @EnumSource
    void storesAMapOnceAndReadsItAgain(Isolation isolation) throws Exception {
        SqlShardTable table = ready(isolation);
        assertThat(table.version()).isEqualTo(MapVersion.NONE);
        assertThat(table.read()).isEqualTo(new ShardTable.Rows(MapVersion.NONE, List.of()));
        assertThat(table.fill(MAP)).isTrue();
        MapVersion version = table.version();
        assertThat(version.number()).isOne();
        assertThat(version.identity()).isNotZero();
        assertThat(table.read().version()).isEqualTo(version);
        assertThat(homes(table.read())).containsExactly("0 a", "1 a", "2 a", "3 a", "4 b", "5 b", "6 b", "7 b");
        assertThat(table.fill(ShardMap.parse("0-7: c", 8))).isFalse();
        assertThat(homes(table.read())).contains("0 a", "7 b");
        assertThat(this.database.query("SELECT COUNT(*) FROM shardedid_shard WHERE identity = " + version.identity()))
            .isEqualTo("9");
        assertThat(this.database.query("SELECT COUNT(*) FROM shardedid_shard WHERE mover = 0 AND source IS NULL AND "
                + "target IS NULL AND step IS NULL AND changed_at > 1700000000000"))
            .isEqualTo("9");
        assertThat(table.version()).isEqualTo(version);

        this.database.execute("DELETE FROM shardedid_shard");
        assertThat(table.fill(MAP)).isTrue();
        assertThat(table.version().number()).isOne();
        assertThat(table.version().identity()).as("random").isNotEqualTo(version.identity());
    }

    private static Stream<String> homes(ShardTable.Rows rows) {
        return rows.rows().stream().map((row) -> row.shard() + " " + row.database()).sorted();
    }

    @Test
    void itsTablesAreInTheSchemaOfTheLeaseTable() throws Exception {
        String schema = "ids" + Long.toHexString(System.nanoTime());
        this.database.execute("CREATE SCHEMA " + schema);
        SqlShardTable table = table(TestConnections.to(this.database), schema + ".shardedid_worker",
                SchemaInitialization.ALWAYS);
        table.ensure();
        assertThat(table.fill(MAP)).isTrue();
        assertThat(table.note("a", "one")).isEqualTo("one");
        assertThat(this.database.query("SELECT COUNT(*) FROM " + schema + ".shardedid_shard")).isEqualTo("9");
        assertThat(this.database.query("SELECT COUNT(*) FROM " + schema + ".shardedid_database")).isEqualTo("1");
    }

    @Test
    void storesAllShardsOfTheWidestLayout() throws Exception {
        SqlShardTable table = ready(Isolation.READ_COMMITTED);
        assertThat(table.fill(ShardMap.parse("0-4095: a, 4096-8191: b", 8192))).isTrue();
        assertThat(table.read().rows()).hasSize(8192);
        assertThat(this.database.query("SELECT COUNT(*) FROM shardedid_shard WHERE home = 'b'")).isEqualTo("4096");
    }

    @Test
    void aMapThatCannotBeStoredWholeIsNotStored() throws Exception {
        SqlShardTable table = ready(Isolation.READ_COMMITTED);
        this.database.execute(
                "INSERT INTO shardedid_shard (namespace, shard, home, version, identity, mover, changed_at) VALUES "
                        + "('default', 5, 'stray', 0, 0, 0, 0)");
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> table.fill(MAP));
        assertThat(table.version()).isEqualTo(MapVersion.NONE);
        assertThat(this.database.query("SELECT COUNT(*) FROM shardedid_shard")).isEqualTo("1");
        this.database.execute("DELETE FROM shardedid_shard");
        assertThat(table.fill(MAP)).isTrue();
    }

    /** Another process would have been faster only if the key were there. */
    @Test
    void aMapThatAnotherConstraintRefusesIsNotThatOfAnotherProcess() throws Exception {
        SqlShardTable table = ready(Isolation.READ_COMMITTED);
        this.database.execute("ALTER TABLE shardedid_shard ADD CONSTRAINT no_map CHECK (home <> 'map')");
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> table.fill(MAP));
        assertThat(this.database.query("SELECT COUNT(*) FROM shardedid_shard")).isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource
    void oneOfTwoThatStartTogetherStoresItsMapWhole(Isolation isolation) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 5; round++) {
                this.database.execute("DROP TABLE IF EXISTS shardedid_shard",
                        "DROP TABLE IF EXISTS shardedid_database");
                CyclicBarrier gate = new CyclicBarrier(2);
                List<Callable<Boolean>> starts = new ArrayList<>();
                for (String home : List.of("a", "b")) {
                    starts.add(() -> {
                        SqlShardTable table = table(TestConnections.to(this.database).at(isolation),
                                SchemaInitialization.ALWAYS);
                        gate.await();
                        table.ensure();
                        return filled(table, ShardMap.parse("0-1999: " + home, 2000));
                    });
                }
                List<Boolean> filled = new ArrayList<>();
                for (Future<Boolean> start : threads.invokeAll(starts)) {
                    filled.add(start.get());
                }
                assertThat(filled).containsExactlyInAnyOrder(true, false);
                assertThat(this.database
                    .query("SELECT MIN(home) = MAX(home) AND COUNT(*) = 2000 FROM shardedid_shard WHERE shard >= 0"))
                    .isIn("t", "1", "TRUE");
            }
        }
        finally {
            threads.shutdownNow();
        }
    }

    /**
     * A transaction that the database rolled back is tried again, as a process does. On a
     * busy machine H2 waits too short a time for the other one (HYT00).
     */
    private static boolean filled(SqlShardTable table, ShardMap map) throws Exception {
        while (true) {
            try {
                return table.version().isNone() && table.fill(map);
            }
            catch (SQLException ex) {
                if (!String.valueOf(ex.getSQLState()).matches("40...|HYT00")) {
                    throw ex;
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aVersionIsSeenWithAllOfItsRows(Isolation isolation) throws Exception {
        SqlShardTable table = ready(isolation);
        table.fill(MAP);
        try (Connection mover = this.database.connect(); Statement statement = mover.createStatement()) {
            mover.setAutoCommit(false);
            MapVersion before = table.version();
            ShardTable.Rows rows = table.read();
            statement.execute(
                    "UPDATE shardedid_shard SET version = version + 1, identity = -77 WHERE namespace = 'default' AND shard = -1");
            statement.execute(
                    "UPDATE shardedid_shard SET home = 'c', version = 2, identity = -77 WHERE namespace = 'default' AND shard = 5");
            assertThat(table.version()).isEqualTo(before);
            assertThat(Set.copyOf(table.read().rows())).isEqualTo(Set.copyOf(rows.rows()));
            mover.commit();
        }
        assertThat(table.version()).isEqualTo(new MapVersion(2, -77));
        assertThat(table.read().version()).isEqualTo(new MapVersion(2, -77));
        assertThat(table.read().rows()).hasSize(MAP.shards()).contains(new ShardTable.Row(5, "c", 2));
    }

    @Test
    void noReaderMissesAChangeOfManyMovers() throws Exception {
        SqlShardTable table = ready(Isolation.READ_COMMITTED);
        table.fill(MAP);
        int movers = 4;
        int changes = 25;
        ExecutorService threads = Executors.newFixedThreadPool(movers);
        try {
            List<Future<Boolean>> moving = new ArrayList<>();
            for (int mover = 0; mover < movers; mover++) {
                int shard = mover;
                moving.add(threads.submit(() -> moved(shard, changes)));
            }
            long[] versions = new long[8];
            while (LongStream.of(versions).max().orElseThrow() < 1 + movers * changes) {
                if (moving.stream().allMatch(Future::isDone)) {
                    for (Future<Boolean> each : moving) {
                        each.get();
                    }
                }
                ShardTable.Rows rows = table.read();
                rows.rows().forEach((row) -> versions[row.shard()] = row.version());
                assertThat(LongStream.of(versions).max()).as("each version with all of its rows")
                    .hasValue(rows.version().number());
            }
            assertThat(homes(table.read())).startsWith("0 db" + (changes - 1), "1 db" + (changes - 1),
                    "2 db" + (changes - 1), "3 db" + (changes - 1));
        }
        finally {
            threads.shutdownNow();
        }
    }

    private boolean moved(int shard, int changes) throws SQLException {
        try (Connection mover = this.database.connect(); Statement statement = mover.createStatement()) {
            mover.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            mover.setAutoCommit(false);
            for (int change = 0; change < changes; change++) {
                statement.execute(
                        "UPDATE shardedid_shard SET version = version + 1 WHERE namespace = 'default' AND shard = -1");
                statement.execute("UPDATE shardedid_shard SET home = 'db" + change
                        + "', version = (SELECT v FROM (SELECT version AS v FROM shardedid_shard WHERE namespace = "
                        + "'default' AND shard = -1) m) WHERE namespace = 'default' AND shard = " + shard);
                mover.commit();
            }
        }
        return true;
    }

    @Test
    void settledShardsAreThoseThatNoMoverWorksOn() throws Exception {
        SqlShardTable table = ready(Isolation.READ_COMMITTED);
        table.fill(MAP);
        assertThat(table.settled()).hasSize(MAP.shards());
        this.database.execute("UPDATE shardedid_shard SET source = 'a', target = 'b', step = 'copy' WHERE shard = 2");
        assertThat(table.settled()).hasSize(MAP.shards() - 1).allSatisfy((row) -> {
            assertThat(row.shard()).isNotEqualTo(2).isNotNegative();
            assertThat(row.database()).isEqualTo(MAP.databaseOf(row.shard()));
        });
    }

    @Test
    void namespacesAreKeptApart() throws Exception {
        SqlShardTable table = ready(Isolation.READ_COMMITTED);
        table.fill(MAP);
        table.note("a", "one");
        SqlShardTable other = in(this.opened.get(0), "x' OR '1'='1");
        assertThat(other.version()).isEqualTo(MapVersion.NONE);
        assertThat(other.read().rows()).isEmpty();
        assertThat(other.note("a", "")).as("none is noted").isEmpty();
        assertThat(other.note("a", "two")).isEqualTo("two");
        assertThat(table.note("a", "two")).isEqualTo("one");
        assertThat(table.note("a", "")).isEqualTo("one");
        assertThat(other.fill(MAP)).isTrue();
        assertThat(other.version().number()).isOne();
    }

    @Test
    void needsNoMoreThanTheRightsOfTheScript() throws Exception {
        ready(Isolation.READ_COMMITTED);
        TestDatabase user = user("router");
        grant("SELECT, INSERT", SHARDS, user);
        grant("SELECT, INSERT", DATABASES, user);
        for (SchemaInitialization initialization : List.of(SchemaInitialization.NEVER, SchemaInitialization.ALWAYS)) {
            SqlShardTable table = table(TestConnections.to(user), initialization);
            table.ensure();
            assertThat(table.fill(MAP)).isEqualTo(initialization == SchemaInitialization.NEVER);
            assertThat(table.version().number()).isOne();
            assertThat(table.note("a", "one")).isEqualTo("one");
        }
    }

    @Test
    void namesTheGrantForAMissingRight() throws Exception {
        ready(Isolation.READ_COMMITTED);
        TestDatabase user = user("reader");
        grant("INSERT", SHARDS, user);
        TestConnections connections = TestConnections.to(user);
        SqlShardTable table = table(connections, SchemaInitialization.NEVER);
        assertRefused(table::ensure, SHARDS, "a right is missing: ", "run GRANT SELECT, INSERT ON shardedid_shard TO "
                + account(user) + "; if the table is missing too, " + script(SHARDS) + " before");
        grant("SELECT", SHARDS, user);
        assertRefused(table::ensure, DATABASES, "a right is missing: ",
                "run GRANT SELECT, INSERT ON shardedid_database TO " + account(user) + "; if the table is missing too, "
                        + script(DATABASES) + " before");
        grant("SELECT, INSERT", DATABASES, user);
        table.ensure();
        this.database.execute("REVOKE INSERT ON shardedid_shard FROM " + account(user));
        assertRefused(() -> table.fill(MAP), SHARDS, "a right is missing: ",
                "run GRANT SELECT, INSERT ON shardedid_shard TO " + account(user) + "; if the table is missing too, "
                        + script(SHARDS) + " before");
        assertThat(table.version()).isEqualTo(MapVersion.NONE);
        assertThat(connections.opened).as("a refusal does not cost the connection of the lease").hasValueLessThan(7);
    }

    @Test
    void namesTheScriptOfAMissingTable() throws Exception {
        SqlShardTable table = table(TestConnections.to(this.database), SchemaInitialization.NEVER);
        assertRefused(table::ensure, SHARDS,
                "it does not exist, and 'shardedid.worker.lease.initialize-schema=never' makes none",
                "; or set 'shardedid.worker.lease.initialize-schema=always'");
        table().ensure();
        table.ensure();
        table.fill(MAP);
        this.database.execute("DROP TABLE shardedid_shard");
        assertRefused(table::version, SHARDS, "it does not exist, and ",
                "; or set 'shardedid.worker.lease.initialize-schema=always'");
        this.database.execute("DROP TABLE shardedid_database");
        assertRefused(() -> table.note("a", "one"), DATABASES, "it does not exist, and ",
                "; or set 'shardedid.worker.lease.initialize-schema=always'");
    }

    @Test
    void comparesTheColumns() {
        this.database.execute("CREATE TABLE shardedid_shard (namespace VARCHAR(64), shard INTEGER)");
        assertRefused(table()::ensure, SHARDS, "", "; compare the table with " + script(SHARDS));
    }

    @FunctionalInterface
    private interface Call {

        void make() throws Exception;

    }

    private static void assertRefused(Call call, String table, String reason, String remedy) {
        assertThatExceptionOfType(ShardMapException.class).isThrownBy(call::make)
            .withMessageStartingWith("Could not use the table of the shard map: table=" + table + ", database=")
            .withMessageContaining("(" + reason)
            .withMessageEndingWith(remedy);
    }

    private String script(String table) {
        return "'io/shardedid/shards/shard-tables-%s.sql' of the jar of 'shardedid-shards' (CREATE TABLE %s ...)"
            .formatted(this.server.name().toLowerCase(Locale.ROOT), table);
    }

    /** Users are the server's, not the database's. */
    private TestDatabase user(String name) {
        String unique = name + Long.toHexString(System.nanoTime());
        String upper = unique.toUpperCase(Locale.ROOT);
        this.database.execute(switch (this.server) {
            case H2 -> "CREATE USER " + upper + " PASSWORD 'secret'";
            case POSTGRESQL -> "CREATE ROLE \"" + unique + "\" LOGIN PASSWORD 'secret'";
            case MARIADB, MYSQL -> "CREATE USER '" + unique + "'@'localhost' IDENTIFIED BY 'secret'";
        });
        return this.database.as((this.server == TestServer.H2) ? upper : unique, "secret");
    }

    private String account(TestDatabase user) {
        return switch (this.server) {
            case H2, POSTGRESQL -> '"' + user.user() + '"';
            case MARIADB, MYSQL -> "'" + user.user() + "'@'localhost'";
        };
    }

    private void grant(String rights, String table, TestDatabase user) {
        this.database.execute("GRANT " + rights + " ON " + table + " TO " + account(user));
    }

}
