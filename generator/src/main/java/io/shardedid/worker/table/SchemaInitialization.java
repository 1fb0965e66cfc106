package io.shardedid.worker.table;

/**
 * When the lease table is made: {@code shardedid.worker.lease.initialize-schema}.
 *
 * @since 0.1
 */
public enum SchemaInitialization {

    /** Only in an H2 database inside this process. */
    EMBEDDED,

    /** In any database, if it is not there. */
    ALWAYS,

    /** By somebody else; its absence ends the start. */
    NEVER

}
