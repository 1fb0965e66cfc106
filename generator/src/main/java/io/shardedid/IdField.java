package io.shardedid;

/**
 * A field below the time of a sharded id. Time itself is always on top, so that ids sort
 * by it.
 *
 * @since 0.1
 */
public enum IdField {

    /** The logical shard of the row, 0 to 2<sup>shard bits</sup> - 1. */
    SHARD,

    /**
     * The worker id of the process that made the id, 0 to 2<sup>worker bits</sup> - 1.
     */
    WORKER,

    /**
     * The count within one shard, one process and one tick, 0 to 2<sup>sequence
     * bits</sup> - 1.
     */
    SEQUENCE

}
