package io.shardedid.internal.lease.jdbc;

import java.util.List;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerIdRange;
import io.shardedid.internal.lease.LeaseHandOver;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Two lease tables of PostgreSQL, whose rows nobody replicates. */
@Tag("database")
class SharedWorkerIdsIT {

    private final TestDatabase first = TestServer.POSTGRESQL.freshDatabase();

    private final TestDatabase second = TestServer.POSTGRESQL.freshDatabase();

    private static LeaseConnections connections(TestDatabase database) {
        return LeaseConnections.url(database.url(), database.user(), database.password());
    }

    private static LeaseHandOver.Place place(TestDatabase database) {
        return new LeaseHandOver.Place("database", LeaseSettings.builder().build(), JdbcLeases.store("default",
                connections(database), JdbcLeases.DEFAULT_TABLE, SchemaInitialization.ALWAYS));
    }

    private static void start(TestDatabase database, WorkerIdRange workers) {
        start(LeaseSettings.builder().workerIds(workers), connections(database));
    }

    private static void start(LeaseSettings.Builder settings, LeaseConnections connections) {
        ShardedIds.builder()
            .workers(JdbcLeases.leased(settings.build(), connections, JdbcLeases.DEFAULT_TABLE,
                    SchemaInitialization.ALWAYS, List.of()))
            .open()
            .close();
    }

    @BeforeEach
    void handOver() {
        start(this.first, new WorkerIdRange(0, 15));
        new LeaseHandOver(place(this.first), place(this.second)).make();
        new LeaseHandOver(place(this.first), place(this.second)).give(new WorkerIdRange(16, 30));
    }

    @Test
    void processesOfBothStart() {
        this.first.execute("CREATE TABLE photo (id BIGINT PRIMARY KEY)", "CREATE PUBLICATION photos FOR TABLE photo");
        start(this.first, new WorkerIdRange(0, 15));
        start(this.second, new WorkerIdRange(16, 30));
        assertThat(this.second.query("SELECT count(*) FROM shardedid_worker WHERE lease_until = 0 AND worker_id >= 0"))
            .isEqualTo("15");
    }

    @Test
    void leaseTableThatIsReplicatedIsRefused() {
        this.first.execute("CREATE PUBLICATION everything FOR ALL TABLES");
        this.second.execute("CREATE SUBSCRIPTION everything CONNECTION 'dbname=nowhere' PUBLICATION everything "
                + "WITH (connect = false)");
        this.second.execute("INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate) "
                + "SELECT oid, 'shardedid_worker'::regclass, 'r' FROM pg_subscription WHERE subname = 'everything'");
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> start(this.first, new WorkerIdRange(0, 15)))
            .withMessageContaining(
                    "publication 'everything' has 'public.shardedid_worker', and worker ids are shared with "
                            + "another lease table");
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> start(this.second, new WorkerIdRange(16, 30)))
            .withMessageContaining("subscription 'everything' has 'public.shardedid_worker'");
    }

    /** Whatever schema it is in. */
    @ParameterizedTest
    @ValueSource(strings = { "shardedid_home", "shardedid_shard", "shardedid_router" })
    void tableOfShardsThatIsReplicatedIsRefused(String table) {
        this.first.execute("CREATE SCHEMA shards", "CREATE TABLE shards.%s (shard INT PRIMARY KEY)".formatted(table),
                "CREATE TABLE shards.shardedid_mark (move TEXT PRIMARY KEY)",
                "CREATE PUBLICATION moved FOR TABLE shards.shardedid_mark");
        start(this.first, new WorkerIdRange(0, 15));
        this.first.execute("CREATE PUBLICATION shards FOR TABLES IN SCHEMA shards");
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> start(this.first, new WorkerIdRange(0, 15)))
            .withMessageContaining("publication 'shards' has 'shards.%s', and worker ids are shared".formatted(table));
    }

    /** Such as one for a stream of all changes. */
    @Test
    void leaseTableThatSharesNoWorkerIdsMayBePublished() {
        TestDatabase alone = TestServer.POSTGRESQL.freshDatabase();
        alone.execute("CREATE PUBLICATION everything FOR ALL TABLES");
        start(alone, new WorkerIdRange(0, 30));
    }

    /** Nor does its renewal, as {@link RestStatementsTest} counts. */
    @Test
    void startOfATableThatSharesNoWorkerIdsExecutesNothingMore() {
        TestDatabase alone = TestServer.POSTGRESQL.freshDatabase();
        start(LeaseSettings.builder(), connections(alone));
        TestConnections unshared = TestConnections.to(alone);
        start(LeaseSettings.builder(), unshared);
        TestConnections shared = TestConnections.to(this.first);
        start(LeaseSettings.builder().workerIds(new WorkerIdRange(0, 15)), shared);
        assertThat(unshared.executed).hasValue(19);
        assertThat(shared.executed).hasValue(unshared.executed.get() + 1);
    }

}
