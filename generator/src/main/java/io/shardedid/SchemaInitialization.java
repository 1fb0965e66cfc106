package io.shardedid;

/**
 * When ShardedId creates the lease table:
 * {@code shardedid.worker.lease.initialize-schema}.
 *
 * @since 0.1
 */
public enum SchemaInitialization {

    /**
     * In an H2 or HSQLDB database inside this process, and where Hibernate creates or
     * updates the schema.
     */
    EMBEDDED,

    /** In any database, if it is not there. */
    ALWAYS,

    /**
     * Never: a migration or an administrator creates it, and a start without it fails.
     */
    NEVER

}
