package io.shardedid.format;

import io.shardedid.worker.WorkerLeases;

/** Breaks a rule of the architecture. */
public class FormatThatSeesWorkers {

    WorkerLeases workers = WorkerLeases.none();

}
