package io.shardedid.internal.lease.fleet;

import java.nio.file.Path;

import io.shardedid.testdb.MySqlServer;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.Needs;
import io.shardedid.tools.Tool;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link FleetIT} on MySQL, whose server is killed. */
@Tag("proof")
@Tag("nightly")
@Needs(Tool.MYSQL)
class MySqlFleetIT {

    @TempDir
    private Path folder;

    @Test
    void noFaultOfProcessDatabaseOrNetworkMakesTwoDuplicateIds() throws Exception {
        try (MySqlServer server = new MySqlServer()) {
            server.database("").execute("CREATE DATABASE fleet");
            FleetIT.assertNoDuplicateIds(server.database("fleet"), (signal) -> {
                server.kill();
                server.start();
            }, this.folder);
        }
    }

    @Test
    void twoNamespacesForOneTableMakeDuplicateIds() {
        FleetIT.assertTwoNamespacesMakeDuplicateIds(TestServer.MYSQL.freshDatabase(), this.folder);
    }

}
