package io.shardedid.shards;

import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;

/** The contract on a real MariaDB. */
@Tag("proof")
class SqlShardTableMariaDbIT extends ShardTableContract {

    SqlShardTableMariaDbIT() {
        super(TestServer.MARIADB);
    }

}
