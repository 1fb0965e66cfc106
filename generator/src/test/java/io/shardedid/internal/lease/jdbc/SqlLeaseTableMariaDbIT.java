package io.shardedid.internal.lease.jdbc;

import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;

/** The contract on a real MariaDB. */
@Tag("database")
class SqlLeaseTableMariaDbIT extends LeaseTableContract {

    SqlLeaseTableMariaDbIT() {
        super(TestServer.MARIADB);
    }

}
