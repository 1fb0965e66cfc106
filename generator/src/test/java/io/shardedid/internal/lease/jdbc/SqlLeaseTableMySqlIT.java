package io.shardedid.internal.lease.jdbc;

import io.shardedid.testdb.TestServer;
import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import org.junit.jupiter.api.Tag;

/** The contract on a real MySQL. */
@Tag("proof")
@Needs(Tool.MYSQL)
class SqlLeaseTableMySqlIT extends LeaseTableContract {

    SqlLeaseTableMySqlIT() {
        super(TestServer.MYSQL);
    }

}
