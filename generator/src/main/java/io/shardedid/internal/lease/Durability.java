package io.shardedid.internal.lease;

/**
 * What a store promises of the writes that it has acknowledged, and which of the two
 * modes of {@code shardedid.worker.lease.tolerate-lost-commits} it serves.
 */
public enum Durability {

    /**
     * The store evaluates {@link LeaseStatement.Guard}, so that both modes work. Whether
     * an acknowledged write survives a failover depends on how the store is set up, which
     * the operator knows.
     */
    CONFIGURED,

    /**
     * The store cannot evaluate {@link LeaseStatement.Guard}, and a process with
     * {@code tolerate-lost-commits=true} does not start. An acknowledged write must never
     * be lost: the store sees to that, or the operator of a database that is not known
     * here.
     */
    KEPT,

    /**
     * A crash or a failover may lose acknowledged writes. The store evaluates
     * {@link LeaseStatement.Guard}, and a process without
     * {@code tolerate-lost-commits=true} does not start.
     */
    MAY_BE_LOST

}
