package io.shardedid.worker;

import io.shardedid.testdb.TestServer;

/** The contract on a real PostgreSQL. */
class SqlLeaseTablePostgresIT extends LeaseTableContract {

    SqlLeaseTablePostgresIT() {
        super(TestServer.POSTGRESQL, PROOF ? 100 : 10);
    }

}
