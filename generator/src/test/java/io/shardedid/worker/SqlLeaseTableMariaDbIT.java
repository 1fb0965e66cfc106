package io.shardedid.worker;

import io.shardedid.testdb.TestServer;

/** The contract on a real MariaDB. */
class SqlLeaseTableMariaDbIT extends LeaseTableContract {

    SqlLeaseTableMariaDbIT() {
        super(TestServer.MARIADB, PROOF ? 100 : 10);
    }

}
