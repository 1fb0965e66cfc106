package io.shardedid;

import io.shardedid.internal.MessageText;

/**
 * The time range of the layout is used up: every later id would be negative or wrap. This
 * exception is never retryable.
 *
 * @since 0.1
 */
public class IdRangeExhaustedException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception that says what became of a layout, and what to do.
     * @param layout the layout
     */
    public IdRangeExhaustedException(IdLayout layout) {
        this(("Could not make an id: the time range of the layout is used up: epoch=%s, last usable instant=%s; move to a "
                + "layout with more time bits or a later epoch, see %s")
            .formatted(layout.epoch(), layout.lastUsableInstant(), MessageText.OTHER_LAYOUT));
    }

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     */
    public IdRangeExhaustedException(String message) {
        super(message, false,
                "Check the clocks of this machine and of the database. If they are right, the layout has ended: "
                        + "change it offline ('inspector change').",
                null);
    }

}
