package io.shardedid.internal.lease.jdbc;

import io.shardedid.testdb.TestServer;

/** The contract on H2. */
class SqlLeaseTableH2Test extends LeaseTableContract {

    SqlLeaseTableH2Test() {
        super(TestServer.H2);
    }

}
