package io.shardedid.hibernate.key;

import io.shardedid.worker.WorkerLeases;

/** Breaks the rule that a shard follows from an entity, whoever the worker is. */
public class KeyThatSeesWorkers {

    WorkerLeases workers = WorkerLeases.none();

}
