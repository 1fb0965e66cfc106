package io.shardedid.worker;

/**
 * When the lease table is created by those who need it:
 * {@code shardedid.worker.lease.initialize-schema}.
 */
public enum SchemaInitialization {

    /** In an embedded database, and where Hibernate creates or updates the schema. */
    EMBEDDED,

    /** In every database. */
    ALWAYS,

    /** Never: a migration has created it. */
    NEVER

}
