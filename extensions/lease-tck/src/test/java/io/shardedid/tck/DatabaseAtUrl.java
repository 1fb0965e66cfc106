package io.shardedid.tck;

import java.nio.file.Files;
import java.nio.file.Path;

import io.shardedid.worker.LeaseStore;
import io.shardedid.worker.table.JdbcWorkerLeases;
import io.shardedid.worker.table.LeaseConnections;
import io.shardedid.worker.table.SchemaInitialization;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The contract on the database that profile {@code kit} names; no part of the build. A
 * database that Testcontainers would start is skipped where there is no Docker.
 */
@EnabledIf(value = "canStart", disabledReason = "There is no Docker that could start the database of 'kit.url'")
class DatabaseAtUrl extends LeaseStoreContract {

    static boolean canStart() {
        return !System.getProperty("kit.url").startsWith("jdbc:tc:") || System.getenv("DOCKER_HOST") != null
                || Files.exists(Path.of("/var/run/docker.sock"));
    }

    @Override
    protected LeaseStore open(String namespace) {
        return JdbcWorkerLeases.store(namespace, LeaseConnections.url(System.getProperty("kit.url"),
                System.getProperty("kit.user"), System.getProperty("kit.password")), "shardedid_worker",
                SchemaInitialization.ALWAYS);
    }

}
