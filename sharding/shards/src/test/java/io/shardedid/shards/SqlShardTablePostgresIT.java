package io.shardedid.shards;

import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;

/** The contract on a real PostgreSQL. */
@Tag("database")
class SqlShardTablePostgresIT extends ShardTableContract {

    SqlShardTablePostgresIT() {
        super(TestServer.POSTGRESQL);
    }

}
