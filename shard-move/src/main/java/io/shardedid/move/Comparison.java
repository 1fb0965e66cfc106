package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

import org.jspecify.annotations.Nullable;

/** The comparison of all rows of the shards in both databases. */
class Comparison {

    private final MoveContext context;

    private long rows;

    Comparison(MoveContext context) {
        this.context = context;
    }

    /** How many rows were compared. */
    long rows() {
        return this.rows;
    }

    /** All rows are the same in both databases. */
    void compare(long began) throws SQLException {
        this.context.enter(MoveStep.COMPARE, "All rows are compared");
        long rows = 0;
        for (FencedTable table : this.context.tables()) {
            Duration rest = this.context.limits().pause().minusMillis(this.context.millisSince(began));
            if (rest.toMillis() < 1) {
                throw new MoveContext.PauseSpent(this.context.shards(), "the comparison takes too long");
            }
            FutureTask<List<@Nullable String>> there = new FutureTask<>(
                    () -> this.context.longRunning(this.context.target(), rest,
                            () -> this.context.target().rows(table.digest(this.context.shards())).get(0)));
            Thread thread = new Thread(there, "shardedid-move-compare");
            thread.setDaemon(true);
            thread.start();
            List<@Nullable String> here;
            List<@Nullable String> arrived;
            try {
                here = this.context.longRunning(this.context.source(), rest,
                        () -> this.context.source().rows(table.digest(this.context.shards())).get(0));
            }
            finally {
                arrived = joined(there);
            }
            if (!String.valueOf(here.get(0)).equals(arrived.get(0))) {
                throw MoveException.refused(
                        "Rows differ: table=%s, shards=%s, source=%s, target=%s (both have to be the same); the source is open again; abort the move and find out who wrote to the target"
                            .formatted(table.name(), this.context.shards(), here.get(0), arrived.get(0)));
            }
            rows += Long.parseLong(here.get(1));
        }
        this.rows = rows;
    }

    private static <T> T joined(FutureTask<T> task) throws SQLException {
        try {
            return task.get();
        }
        catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new SQLException("The mover was interrupted", ex);
        }
        catch (ExecutionException ex) {
            if (ex.getCause() instanceof SQLException failure) {
                throw failure;
            }
            if (ex.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (ex.getCause() instanceof Error failure) {
                throw failure;
            }
            throw new IllegalStateException(ex.getCause());
        }
    }

}
