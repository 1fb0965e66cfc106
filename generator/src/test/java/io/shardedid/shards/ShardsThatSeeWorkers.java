package io.shardedid.shards;

import io.shardedid.worker.WorkerLeases;

/** Breaks a rule of the architecture. */
public class ShardsThatSeeWorkers {

    WorkerLeases workers = WorkerLeases.none();

}
