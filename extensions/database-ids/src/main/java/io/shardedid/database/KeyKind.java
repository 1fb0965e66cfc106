package io.shardedid.database;

/**
 * What the column of a shard key holds, for a trigger that has only the row.
 *
 * @since 0.1
 */
public enum KeyKind {

    /** An integer of at most 64 bits, which goes through the shard function. */
    NUMBER,

    /** A text, or an enum stored by its names, which goes through the shard function. */
    TEXT,

    /**
     * A UUID in the database's own type or as text, which goes through the shard
     * function.
     */
    UUID,

    /** A sharded id, whose shard the row takes over: a foreign key, mostly. */
    SHARDED_ID,

    /** No column: the trigger chooses the shard. */
    NONE

}
