package io.shardedid.move;

import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;

import io.shardedid.ShardedIdException;
import org.jspecify.annotations.Nullable;

/**
 * A move did not come to its end. What was reached stays: the move can be resumed, and
 * until the target is open it can be aborted. The shards can be written either at the
 * source or at the target, or at neither of them until the move is resumed or aborted.
 *
 * @since 0.1
 */
public class MoveException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /**
     * A wrong password, a missing right or table; the driver itself says 08004 of a
     * password that is missing.
     */
    private static final Pattern REMAINS = Pattern.compile("28...|42...|08004");

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\u0085\\u2028\\u2029]");

    /** Whether the move is on its way and can go on. */
    private final boolean unfinished;

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     * @param retryable whether the same call can succeed without a change
     * @param cause the failure that led to this one
     */
    public MoveException(String message, boolean retryable, @Nullable Throwable cause) {
        this(message, retryable, retryable, cause);
    }

    private MoveException(String message, boolean retryable, boolean unfinished, @Nullable Throwable cause) {
        super(line(message), retryable,
                "Look at 'shards status'. Resume the move when the cause is gone, or abort it as long as its stage is 'copy'.",
                cause);
        this.unfinished = unfinished;
    }

    /** Names of strangers may have line breaks, and what moves a cursor. */
    static String line(String text) {
        return CONTROL.matcher(text).replaceAll("?");
    }

    static List<String> lines(List<String> texts) {
        return texts.stream().map(MoveException::line).toList();
    }

    static MoveException refused(String message) {
        return new MoveException(message, false, null);
    }

    /** A move stopped on its way, and something has to be mended before it goes on. */
    static MoveException stopped(String message) {
        return stopped(message, null);
    }

    static MoveException stopped(String message, @Nullable Throwable cause) {
        return new MoveException(message, false, true, cause);
    }

    /** A statement failed: whether the same one can succeed later, its SQLSTATE says. */
    static MoveException failed(String message, SQLException cause) {
        String state = cause.getSQLState();
        return (state != null && REMAINS.matcher(state).matches()) ? stopped(message, cause) : later(message, cause);
    }

    static MoveException later(String message, @Nullable Throwable cause) {
        return new MoveException(message, true, cause);
    }

    /** Returns whether the move can go on, at once or when something has been mended. */
    boolean unfinished() {
        return this.unfinished;
    }

}
