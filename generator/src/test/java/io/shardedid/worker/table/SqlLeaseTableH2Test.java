package io.shardedid.worker.table;

import io.shardedid.testdb.TestServer;

/** The contract on H2. */
class SqlLeaseTableH2Test extends LeaseTableContract {

    SqlLeaseTableH2Test() {
        super(TestServer.H2);
    }

}
