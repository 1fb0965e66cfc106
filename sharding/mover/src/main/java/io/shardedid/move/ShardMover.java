package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;

import io.shardedid.shards.JdbcShardDirectory;

/**
 * Moves logical shards from one PostgreSQL database to another, one after the other, as
 * the account of the application. The writers of a shard are refused while it is copied;
 * all others go on. Each call opens connections of its own, and returns when the work is
 * done. Thread-safe; of two movers of a namespace the second one is refused.
 * <p>
 * Each call may be repeated after it failed, also by another process: it goes on where
 * the databases say that the move is.
 *
 * @since 0.1
 */
public final class ShardMover {

    private final MoveDatabases databases;

    private final MoveLimits limits;

    private final Consumer<? super MoveResult> listener;

    private final Duration routers;

    private final Session.Probe probe;

    /**
     * Creates a mover.
     * @param databases the databases that hold shards
     * @param limits how long to wait for what
     * @param listener hears of each shard when the mover is done with it
     */
    public ShardMover(MoveDatabases databases, MoveLimits limits, Consumer<? super MoveResult> listener) {
        this(databases, limits, listener, JdbcShardDirectory.ROUTER_LIMIT, Session.Probe.NONE);
    }

    /**
     * Tests shorten how long a router may go by its map, and stop a mover at a statement.
     */
    ShardMover(MoveDatabases databases, MoveLimits limits, Consumer<? super MoveResult> listener, Duration routers,
            Session.Probe probe) {
        this.databases = databases;
        this.limits = limits;
        this.listener = listener;
        this.routers = routers;
        this.probe = probe;
        limits.requireRouters(routers);
    }

    /**
     * Finds out what prevents a move, and how long writers would be refused: makes the
     * real copy at the target, in a transaction that is rolled back.
     * @param shards the shards
     * @param target the name of the database where they are to go
     * @return what was found of each shard
     * @throws MoveException if a database cannot be used
     */
    public List<MoveResult> plan(ShardRanges shards, String target) {
        this.databases.get(target);
        return each("plan", shards, Move.Use.TRIES, (move, shard) -> move.plan(shard, target));
    }

    /**
     * Moves shards, or goes on with their move. Does nothing to those that are there
     * already.
     * @param shards the shards
     * @param target the name of the database where they are to go
     * @return what became of each shard
     * @throws MoveException if a shard could not be moved; those before it are moved
     */
    public List<MoveResult> move(ShardRanges shards, String target) {
        this.databases.get(target);
        return each("move", shards, Move.Use.CHANGES, (move, shard) -> move.move(shard, target));
    }

    /**
     * Deletes the old rows of shards that have moved, some time after their move.
     * @param shards the shards
     * @return what became of each shard
     * @throws MoveException if the time has not passed, or the rows are not those that
     * were copied
     */
    public List<MoveResult> clean(ShardRanges shards) {
        return each("clean", shards, Move.Use.CHANGES, Move::clean);
    }

    /**
     * Takes moves back that the map does not show yet, also if the target is gone.
     * @param shards the shards
     * @return what became of each shard
     * @throws MoveException if the map has changed already
     */
    public List<MoveResult> abort(ShardRanges shards) {
        return each("abort", shards, Move.Use.CHANGES, Move::abort);
    }

    /**
     * Says which shards need a command.
     * @return the status
     * @throws MoveException if the map cannot be read
     */
    public MoveStatus status() {
        try (Move move = Move.open(this.databases, this.limits, this.routers, Move.Use.LOOKS, this.probe)) {
            Map<ShardState.Need, List<Integer>> needs = new LinkedHashMap<>();
            TreeSet<String> problems = new TreeSet<>(move.silent().values());
            for (ShardState state : move.states()) {
                try {
                    ShardState.Need need = state.need(state.holder());
                    if (need != null) {
                        needs.computeIfAbsent(need, (any) -> new ArrayList<>()).add(state.shard());
                    }
                }
                catch (MoveException ex) {
                    problems.add(String.valueOf(ex.getMessage()));
                }
            }
            List<MoveStatus.Need> found = new ArrayList<>();
            needs.forEach((need, shards) -> {
                ShardRanges ranges = ShardRanges.of(shards);
                found.add(new MoveStatus.Need(ranges, MoveException.line(need.what()), need.verb(),
                        need.commands(ranges)));
            });
            return new MoveStatus(List.copyOf(found), move.mover(), List.copyOf(problems));
        }
        catch (SQLException ex) {
            throw MoveException.failed("Could not ask the databases", ex);
        }
    }

    private List<MoveResult> each(String verb, ShardRanges shards, Move.Use use, OfShard work) {
        List<MoveResult> done = new ArrayList<>();
        List<Integer> rest = new ArrayList<>(shards.shards());
        try (Move move = Move.open(this.databases, this.limits, this.routers, use, this.probe)) {
            while (!rest.isEmpty()) {
                MoveResult result = work.with(move, rest.get(0));
                done.add(result);
                rest.remove(0);
                this.listener.accept(result);
            }
            return done;
        }
        catch (SQLException ex) {
            throw MoveException
                .failed("Could not %s shard %s (rest=%s)".formatted(verb, rest.get(0), ShardRanges.of(rest)), ex);
        }
        catch (MoveException ex) {
            throw done.isEmpty() ? ex : ex.after("done=%s, rest=%s".formatted(done.size(), ShardRanges.of(rest)));
        }
    }

    /** What is done with a shard. */
    @FunctionalInterface
    private interface OfShard {

        MoveResult with(Move move, int shard) throws SQLException;

    }

}
