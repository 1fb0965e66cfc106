package io.shardedid;

import org.jspecify.annotations.Nullable;

/**
 * A row, its shard key and its id do not belong together; {@link #reason()} says in which
 * way. This exception is never retryable: the same entity fails again.
 *
 * @since 0.1
 */
public class ShardKeyException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /** What was wrong with the key. */
    private final Reason reason;

    /**
     * Creates an exception for {@link Reason#SHARD_UNKNOWN}.
     * @param message what failed, the values, the rule, and what to do
     */
    public ShardKeyException(String message) {
        this(message, Reason.SHARD_UNKNOWN, null);
    }

    /**
     * Creates an exception for {@link Reason#SHARD_UNKNOWN} with its cause.
     * @param message what failed, the values, the rule, and what to do
     * @param cause the failure that led to this one
     */
    public ShardKeyException(String message, @Nullable Throwable cause) {
        this(message, Reason.SHARD_UNKNOWN, cause);
    }

    /**
     * Creates an exception for a reason.
     * @param message what failed, the values, the rule, and what to do
     * @param reason what does not belong together
     */
    public ShardKeyException(String message, Reason reason) {
        this(message, reason, null);
    }

    private ShardKeyException(String message, Reason reason, @Nullable Throwable cause) {
        super(message, false, reason.action, cause);
        this.reason = reason;
    }

    /**
     * Returns what does not belong together.
     * @return the reason
     */
    public Reason reason() {
        return this.reason;
    }

    @Override
    public boolean hidesRow() {
        return this.reason == Reason.NO_SUCH_ID;
    }

    /**
     * The reasons for which ShardedId refuses a row.
     *
     * @since 0.1
     */
    public enum Reason {

        /**
         * The shard of the row could not be found: its shard key is null, of an
         * unsupported type, or leads outside the shards; the id in it has two readings;
         * or the key leads to another shard when the row is written than when its id was
         * made. No id was issued, or the row was not written.
         */
        SHARD_UNKNOWN("Set the shard key before the row is saved: '@PrePersist' and auditing run after its id is made, "
                + "and a parent whose id is the shard key must be saved first. Where an id has two readings, set "
                + "'shardedid.older-ids-before'."),

        /**
         * The key is an id. It carries its shard, and as a plain key it would lead to
         * another one. No id was issued.
         */
        KEY_IS_ID("Give the shard key, not an id. The id of a child is 'ids.next(ids.shardOf(parentId))'. If rows have "
                + "this value as a plain key, its shard is 'ids.reader().shardForPlain(key)'."),

        /**
         * No row can have the id: its bits name a shard that does not exist. It was
         * mistyped, or made up.
         */
        NO_SUCH_ID("Answer as for an id that no row has, or use an id that these shards have made."),

        /**
         * The id that the application assigned cannot be one of this row: it is no id of
         * this layout, its shard is not that of the shard key, or its time is still to
         * come. The row was not written.
         */
        ID_NOT_OF_ROW("Leave the id null, or take it from 'ShardedIds.nextFor(shardKey)': an assigned id must be of "
                + "the shard of its row and not of the future."),

        /**
         * An update would take the shard key of a row to another shard than the one in
         * its id, and {@code shardedid.on-key-change} is {@code fail}. The statement was
         * not sent.
         */
        KEY_CHANGED("Leave the shard key of a stored row in its shard, or insert a new row and delete this one, or "
                + "set 'shardedid.on-key-change' to 'allow'.");

        private final String action;

        Reason(String action) {
            this.action = action;
        }

    }

}
