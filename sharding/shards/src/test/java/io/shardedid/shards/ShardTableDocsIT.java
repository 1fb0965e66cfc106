package io.shardedid.shards;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.SchemaInitialization;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.jdbc.JdbcLeases;
import io.shardedid.internal.lease.jdbc.TestConnections;
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

    private static final String PAGE = page();

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
        String rights = statement(server, "rights to route");
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
            database.execute(statement(server, "change the map, in one transaction").split(";"));
            assertThat(shards.version().number()).isEqualTo(2);
            assertThat(shards.read().rows()).hasSize(2000)
                .allMatch((row) -> row.database().equals((row.shard() < 1000) ? "a" : "b")
                        && row.version() == ((row.shard() < 1000) ? 1 : 2));
            assertThat(database
                .query("SELECT COUNT(*) FROM shardedid_shard WHERE identity = " + shards.version().identity()))
                .isEqualTo("1001");
        }
    }

    private static String statement(TestServer server, String title) {
        String name = switch (server) {
            case H2 -> "H2";
            case POSTGRESQL -> "PostgreSQL";
            case MARIADB -> "MariaDB";
            case MYSQL -> "MySQL";
        };
        Matcher block = Pattern
            .compile("```sql\n-- (?:[^\n]*\\b" + name + "\\b[^\n]*|all databases): " + Pattern.quote(title)
                    + "\n(.*?);\n```", Pattern.DOTALL)
            .matcher(PAGE);
        assertThat(block.find()).as(title + " for " + name).isTrue();
        return block.group(1);
    }

    private static String page() {
        try {
            return Files.readString(Path.of("..", "docs", "databases.md"));
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

}
