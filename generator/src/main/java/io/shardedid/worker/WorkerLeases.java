package io.shardedid.worker;

import io.shardedid.LeaseSource;

/**
 * The port behind which worker ids come: leased, fixed, or none.
 */
public interface WorkerLeases extends LeaseSource {

    /**
     * Returns a source for a worker id that somebody has assigned, without a table.
     * Uniqueness then rests on that somebody and on the wall clock at start: two running
     * processes with one id, or a process that restarts after the wall clock was set
     * back, make equal ids.
     * @param worker 0 to 2<sup>worker bits</sup> - 1; checked against the layout when the
     * engine opens
     * @return the source
     */
    static WorkerLeases fixed(int worker) {
        return new FixedWorker(worker);
    }

    /**
     * Returns a source for a process that never makes an id: a reader, a schema export,
     * AOT processing.
     * @return the source
     */
    static WorkerLeases none() {
        return new NoWorker();
    }

}
