package io.shardedid.key;

import io.shardedid.worker.WorkerLeases;

/** Breaks the rule that a shard follows from a key, whoever the worker is. */
public class KeyThatSeesWorkers {

    WorkerLeases workers = WorkerLeases.none();

}
