package io.shardedid.move;

import java.util.regex.Pattern;

import io.shardedid.ShardedIdException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;

/**
 * A command of the mover did not come to its end. No row is lost: the shards can be
 * written in one database, or in none of them until the command is run that
 * {@code status} names.
 */
final class MoveException extends ShardedIdException {

    private static final long serialVersionUID = 1L;

    /** Names of an application may have line breaks, and what moves a cursor. */
    private static final Pattern INVISIBLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

    private MoveException(String message, boolean unfinished, @Nullable Throwable cause) {
        super(line(message), unfinished, "Run 'status', which names the command that goes on.", cause);
    }

    /** A text in one line, without what moves a cursor or turns the direction. */
    static String line(String text) {
        return INVISIBLE.matcher(text).replaceAll("?");
    }

    /** Nothing has changed, or what has changed was taken back. */
    static MoveException refused(String message) {
        return new MoveException(message, false, null);
    }

    /**
     * What has happened cannot be said, or not all was done, but the databases know it.
     */
    static MoveException failed(String what, Exception ex) {
        return new MoveException("%s (%s); look at 'status'".formatted(what, why(ex)), true, ex);
    }

    /** Another mover has a later token. */
    static MoveException overtaken(int shard, String database) {
        return new MoveException(
                "Another mover has changed shard %s in database %s; look at 'status'".formatted(shard, database), true,
                null);
    }

    /** The words of a server, and of a driver only what no secret is in. */
    static String why(Exception ex) {
        if (ex instanceof PSQLException driver) {
            return "SQLState=%s, %s".formatted(driver.getSQLState(), (driver.getServerErrorMessage() != null)
                    ? driver.getServerErrorMessage().getMessage() : "the connection is broken");
        }
        return String.valueOf(ex.getMessage());
    }

}
