package io.shardedid.shards;

import io.shardedid.testdb.TestServer;

/** The contract on H2. */
class SqlShardTableH2Test extends ShardTableContract {

    SqlShardTableH2Test() {
        super(TestServer.H2);
    }

}
