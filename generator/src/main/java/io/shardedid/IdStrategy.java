package io.shardedid;

/**
 * Who makes the ids of an attribute.
 *
 * @since 0.1
 */
public enum IdStrategy {

    /** The application, before the insert and without a round trip. */
    APPLICATION,

    /**
     * A trigger of the database, while it inserts the row. It needs the artifact
     * {@code shardedid-database-ids}.
     */
    DATABASE

}
