package io.shardedid.internal.lease.jdbc;

import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;

/** The contract on a real PostgreSQL. */
@Tag("database")
class SqlLeaseTablePostgresIT extends LeaseTableContract {

    SqlLeaseTablePostgresIT() {
        super(TestServer.POSTGRESQL);
    }

}
