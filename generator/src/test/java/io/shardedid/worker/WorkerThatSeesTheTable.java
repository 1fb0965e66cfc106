package io.shardedid.worker;

import io.shardedid.worker.table.JdbcWorkerLeases;

/**
 * Breaks the rule that the protocol and its keeper see the lease table as a port only.
 */
public class WorkerThatSeesTheTable {

    Class<?> leases = JdbcWorkerLeases.class;

}
