package io.shardedid.move;

import java.sql.SQLException;
import java.util.regex.Pattern;

import io.shardedid.ShardedIdException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;

/**
 * A command of the mover did not come to its end. No row is lost: the shards can be
 * written in one database, or in none of them until the command is run that
 * {@code shards status} names.
 *
 * @since 0.1
 */
public class MoveException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /** Names of an application may have line breaks, and what moves a cursor. */
    private static final Pattern INVISIBLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

    /** Whether a move is on its way and has to be ended. */
    private final boolean unfinished;

    /**
     * Creates an exception.
     * @param message what failed, the values, the rule, and what to do
     * @param unfinished whether a move is on its way and has to be ended
     * @param cause the failure that led to this one
     */
    public MoveException(String message, boolean unfinished, @Nullable Throwable cause) {
        super(line(message), unfinished, "Run 'shards status', which names the command that goes on.", cause);
        this.unfinished = unfinished;
    }

    /** A text in one line, without what moves a cursor or turns the direction. */
    static String line(String text) {
        return INVISIBLE.matcher(text).replaceAll("?");
    }

    /** Nothing has changed, or what has changed was taken back. */
    static MoveException refused(String message) {
        return new MoveException(message, false, null);
    }

    /** What has happened cannot be said, but the databases know it. */
    static MoveException failed(String what, Exception ex) {
        return new MoveException("%s (%s); look at 'shards status'".formatted(what, why(ex)), true, ex);
    }

    /**
     * The words of a server, which are about rows, and of a driver only what no secret is
     * in.
     */
    static String why(Exception ex) {
        if (ex instanceof PSQLException server && server.getServerErrorMessage() != null) {
            return "SQLState=%s, %s".formatted(server.getSQLState(), server.getServerErrorMessage().getMessage());
        }
        if (ex instanceof SQLException sql && !(ex instanceof PSQLException)) {
            return String.valueOf(sql.getMessage());
        }
        return (ex instanceof SQLException sql)
                ? "SQLState=%s, %s".formatted(sql.getSQLState(), ex.getClass().getSimpleName())
                : String.valueOf(ex.getMessage());
    }

    /** The same failure after others came to their end. */
    MoveException after(String done) {
        return new MoveException("%s (%s)".formatted(getMessage(), done), this.unfinished, getCause());
    }

    static MoveException unfinished(String message, @Nullable Throwable cause) {
        return new MoveException(message, true, cause);
    }

    /**
     * Returns whether a move is on its way and has to be ended.
     * @return false if nothing has changed
     */
    public boolean unfinished() {
        return this.unfinished;
    }

}
