package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * The comparison of all rows of the shards in both databases. Most rows are hashed before
 * anybody waits, and under the fence only those that may have changed since.
 */
class Comparison {

    private static final int MOST_ROUNDS = 6;

    private static final long SHORT_ROUND_MILLIS = 50;

    private final MoveContext context;

    private final List<Pair> pairs = new ArrayList<>();

    /** The sessions that hash the rows. */
    private List<Session> sessions = List.of();

    private long rows;

    Comparison(MoveContext context) {
        this.context = context;
    }

    /** How many rows were compared. */
    long rows() {
        return this.rows;
    }

    /**
     * Hashes all rows while writers go on, and again what has changed meanwhile, until a
     * round takes hardly less time than the one before it.
     * @return how long the last round took, which is about what writers are going to wait
     * for the comparison
     */
    Duration prepare() throws SQLException {
        this.context.tell("All rows are hashed in both databases, while writers go on");
        List<Session> now = List.of(this.context.source(), this.context.target());
        if (!this.sessions.equals(now)) {
            // a session that could not answer in time was replaced
            this.pairs.clear();
            this.sessions = now;
            for (FencedTable table : this.context.tables()) {
                List<Long> bounds = this.context.longRunning(this.context.source(), this.context.limits().copy(),
                        () -> TableDigest.bounds(this.context.source(), table, this.context.shards()));
                this.pairs.add(new Pair(digest(this.context.source(), table, bounds),
                        digest(this.context.target(), table, bounds), table.name()));
            }
        }
        long before = Long.MAX_VALUE;
        for (int round = 1;; round++) {
            long began = this.context.time().nanoTime();
            for (Pair pair : this.pairs) {
                refresh(pair, this.context.limits().copy());
            }
            long took = this.context.millisSince(began);
            boolean shrinks = took < before / 4 * 3 && took > SHORT_ROUND_MILLIS;
            if (round > 1 && (!shrinks || round == MOST_ROUNDS)) {
                return Duration.ofMillis(took);
            }
            before = took;
        }
    }

    TableDigest digest(Session session, FencedTable table, List<Long> bounds) {
        return new TableDigest(session, table, this.context.shards(), bounds);
    }

    /** All rows are the same in both databases, where nobody writes them any more. */
    void compare() throws SQLException {
        this.context.enter(MoveStep.COMPARE, "All rows are compared");
        long rows = 0;
        for (Pair pair : this.pairs) {
            Duration rest = this.context.restOfPause("the comparison takes too long");
            refreshUnderFence(pair, rest);
            if (!pair.here.sameAs(pair.there)) {
                throw MoveException.stopped(
                        "Rows differ: table=%s, shards=%s, source=%s, target=%s (both have to be the same); the source is open again; abort the move and find out who wrote to the target"
                            .formatted(pair.name, this.context.shards(), pair.here, pair.there));
            }
            rows += pair.here.rows();
        }
        this.rows = rows;
    }

    void refreshUnderFence(Pair pair, Duration limit) throws SQLException {
        refresh(pair, limit);
    }

    private void refresh(Pair pair, Duration limit) throws SQLException {
        FutureTask<Long> there = new FutureTask<>(
                () -> this.context.longRunning(this.context.target(), limit, pair.there::refresh));
        Thread thread = new Thread(there, "shardedid-move-compare");
        thread.setDaemon(true);
        thread.start();
        try {
            this.context.longRunning(this.context.source(), limit, pair.here::refresh);
        }
        finally {
            joined(there);
        }
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

    /**
     * A table in both databases.
     *
     * @param here its rows at the source
     * @param there its rows at the target
     * @param name its name
     */
    record Pair(TableDigest here, TableDigest there, String name) {
    }

}
