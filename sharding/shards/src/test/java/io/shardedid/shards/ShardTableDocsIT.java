package io.shardedid.shards;

import io.shardedid.SchemaInitialization;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.TestConnections;
import io.shardedid.testdb.DocumentedSql;
import io.shardedid.testdb.EachServer;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;

import static org.assertj.core.api.Assertions.assertThat;

/** The statements of sharding/docs/databases.md do what it says. */
@Tag("database")
@Tag("proof")
class ShardTableDocsIT {

    private final DocumentedSql page = DocumentedSql.of("docs", "databases.md");

    private static LeaseStore leases(TestDatabase database) {
        return JdbcLeases.store("default", TestConnections.to(database), "shardedid_worker",
                SchemaInitialization.ALWAYS);
    }

    private static SqlShardTable shards(LeaseStore leases) {
        return new SqlShardTable(leases, "default");
    }

    @ParameterizedTest
    @EachServer
    void routesWithTheRightsOfThePage(TestServer server) throws Exception {
        TestDatabase database = server.freshDatabase();
        try (LeaseStore leases = leases(database)) {
            shards(leases).ensure();
        }
        database.execute(switch (server) {
            case H2 -> "CREATE USER shardedid PASSWORD 'secret'";
            case POSTGRESQL -> "CREATE ROLE shardedid_user LOGIN";
            case MARIADB, MYSQL -> "CREATE USER IF NOT EXISTS 'shardedid'@'%'";
        });
        String rights = this.page.statement(server, "rights to route");
        database
            .execute(((server == TestServer.POSTGRESQL) ? rights.replace("TO shardedid", "TO shardedid_user") : rights)
                .split(";"));
    }

    @ParameterizedTest
    @EachServer
    void changesTheMapByHand(TestServer server) throws Exception {
        TestDatabase database = server.freshDatabase();
        try (LeaseStore leases = leases(database)) {
            SqlShardTable shards = shards(leases);
            shards.ensure();
            shards.fill(ShardMap.parse("0-1999: a", 2000));
            database.execute(this.page.statement(server, "change the map, in one transaction").split(";"));
            assertThat(shards.version().number()).isEqualTo(2);
            assertThat(shards.read().rows()).hasSize(2000)
                .allMatch((row) -> row.database().equals((row.shard() < 1000) ? "a" : "b")
                        && row.version() == ((row.shard() < 1000) ? 1 : 2));
            assertThat(database
                .query("SELECT COUNT(*) FROM shardedid_shard WHERE identity = " + shards.version().identity()))
                .isEqualTo("1001");
        }
    }

}
