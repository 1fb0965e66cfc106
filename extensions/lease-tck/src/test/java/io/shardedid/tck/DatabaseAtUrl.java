package io.shardedid.tck;

import io.shardedid.worker.LeaseStore;
import io.shardedid.worker.table.JdbcWorkerLeases;
import io.shardedid.worker.table.LeaseConnections;
import io.shardedid.worker.table.SchemaInitialization;

/** The contract on the database that profile {@code kit} names; no part of the build. */
class DatabaseAtUrl extends LeaseStoreContract {

    @Override
    protected LeaseStore open(String namespace) {
        return JdbcWorkerLeases.store(namespace, LeaseConnections.url(System.getProperty("kit.url"),
                System.getProperty("kit.user"), System.getProperty("kit.password")), "shardedid_worker",
                SchemaInitialization.ALWAYS);
    }

}
