package io.shardedid.routing;

import java.sql.SQLException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.shardedid.ShardedIdException;
import io.shardedid.shards.ShardDirectory;
import io.shardedid.shards.ShardFence;
import io.shardedid.shards.ShardMovedException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What happens when a shard is not where the map says: the map is read again, and a call
 * that began its transactions itself is repeated once, unless one of them has written
 * something already. Safe for use by many threads.
 */
final class MovedShards {

    /** One database has all shards. */
    static final MovedShards NEVER = new MovedShards(() -> {
        throw new IllegalStateException("one database has no map");
    }, () -> false, false);

    private static final Log LOG = LogFactory.getLog(MovedShards.class);

    /** The subject of the message that the fence gives. */
    private static final String SUBJECT = "Could not enter shard";

    private final ThreadLocal<@Nullable Attempt> attempts = new ThreadLocal<>();

    private final Supplier<ShardDirectory> directory;

    private final BooleanSupplier fenced;

    private final boolean repeats;

    /**
     * Makes an instance.
     * @param directory knows the map, where there are several databases
     * @param fenced whether any database has a fence, so that a shard can move away
     * @param repeats whether calls are repeated
     */
    MovedShards(Supplier<ShardDirectory> directory, BooleanSupplier fenced, boolean repeats) {
        this.directory = directory;
        this.fenced = fenced;
        this.repeats = repeats;
    }

    /** Returns whether a shard has moved, or may have moved, or null. */
    static @Nullable ShardMovedException in(@Nullable Throwable failure) {
        SQLException refusal = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ShardMovedException moved) {
                return moved;
            }
            if (cause instanceof SQLException sql && ShardFence.MOVED.equals(sql.getSQLState())) {
                refusal = sql;
            }
        }
        return (refusal != null) ? new ShardMovedException(text(refusal), failure) : null;
    }

    /** The driver puts the severity before the message, and the place behind it. */
    private static String text(SQLException refusal) {
        String line = String.valueOf(refusal.getMessage()).lines().findFirst().orElse("");
        return line.substring(Math.max(line.indexOf(SUBJECT), 0));
    }

    /**
     * Returns whether a call now would begin its transactions itself, and is not part of
     * another call that does so. An open transaction has to begin again as a whole.
     */
    boolean isOutermost() {
        return this.fenced.getAsBoolean() && !TransactionSynchronizationManager.isSynchronizationActive()
                && this.attempts.get() == null;
    }

    /**
     * Calls something that may begin transactions.
     * @param call the call
     * @param again what to call after a failure, or null if it cannot be repeated
     * @throws ShardMovedException if the shard is not in its database and the call cannot
     * be repeated
     */
    <T, X extends Throwable> @Nullable T call(Call<T, X> call, @Nullable Call<T, X> again) throws X {
        if (!isOutermost()) {
            return call.proceed();
        }
        Attempt attempt = new Attempt();
        this.attempts.set(attempt);
        try {
            return call.proceed();
        }
        catch (RuntimeException ex) {
            ShardMovedException moved = in(ex);
            if (moved == null) {
                throw ex;
            }
            readAgain();
            if (again == null || !this.repeats || attempt.wrote) {
                throw (moved.getCause() == ex) ? moved : ex;
            }
            return repeat(again, ex);
        }
        finally {
            this.attempts.remove();
        }
    }

    /** A second failure may be a consequence of the first, so it tells of it. */
    private static <T, X extends Throwable> @Nullable T repeat(Call<T, X> again, Throwable first) throws X {
        try {
            return again.proceed();
        }
        catch (Throwable ex) {
            if (ex != first) {
                ex.addSuppressed(first);
            }
            throw ex;
        }
    }

    /** Something was written that would be written twice. */
    void wrote() {
        Attempt attempt = this.attempts.get();
        if (attempt != null) {
            attempt.wrote = true;
        }
    }

    /** Reads the map again. If that fails, the keeper of the map goes on trying. */
    void readAgain() {
        try {
            this.directory.get().refresh();
        }
        catch (ShardedIdException ex) {
            LOG.debug("The shard map could not be read again", ex);
        }
    }

    /**
     * A call that can be made twice.
     *
     * @param <T> the type of the result
     * @param <X> what it throws
     */
    interface Call<T, X extends Throwable> {

        @Nullable T proceed() throws X;

    }

    /** The outermost call of a thread. */
    private static final class Attempt {

        private boolean wrote;

    }

}
