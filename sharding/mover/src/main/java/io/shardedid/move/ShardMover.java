package io.shardedid.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.shardedid.shards.ShardRange;

/**
 * Moves shards one after the other. Each call opens connections of its own, and returns
 * when the work is done; it may be repeated after it failed, also by another process, and
 * goes on where the databases say that the move is.
 */
final class ShardMover {

    private final MoveDatabases databases;

    private final Move.Limits limits;

    private final Consumer<MoveResult> listener;

    private final Session.Probe probe;

    /**
     * Creates a mover.
     * @param listener hears of each shard when the mover is done with it
     * @param probe stops a mover at a statement, in tests
     */
    ShardMover(MoveDatabases databases, Move.Limits limits, Consumer<MoveResult> listener, Session.Probe probe) {
        this.databases = databases;
        this.limits = limits;
        this.listener = listener;
        this.probe = probe;
    }

    List<MoveResult> plan(String shards, String target) {
        this.databases.get(target);
        return each("plan", shards, (move, shard) -> move.plan(shard, target));
    }

    List<MoveResult> move(String shards, String target) {
        this.databases.get(target);
        return each("move", shards, (move, shard) -> move.move(shard, target));
    }

    List<MoveResult> clean(String shards) {
        return each("clean", shards, Move::clean);
    }

    List<MoveResult> abort(String shards) {
        return each("abort", shards, Move::abort);
    }

    private List<MoveResult> each(String verb, String shards, OfShard work) {
        List<Integer> rest = shards(shards);
        List<MoveResult> done = new ArrayList<>();
        try (Move move = Move.open(this.databases, this.limits, !verb.equals("plan"),
                verb.equals("clean") || verb.equals("abort"), this.probe)) {
            while (!rest.isEmpty()) {
                MoveResult result = work.with(move, rest.get(0));
                done.add(result);
                rest.remove(0);
                this.listener.accept(result);
            }
            return done;
        }
        catch (SQLException ex) {
            throw MoveException.failed("Could not %s shard %s (rest=%s)".formatted(verb, rest.get(0), text(rest)), ex);
        }
        catch (MoveException ex) {
            throw done.isEmpty() ? ex : ex.after("done=%s, rest=%s".formatted(done.size(), text(rest)));
        }
    }

    /** Reads shards and ranges of them, such as {@code 10,12,14-20}. */
    static List<Integer> shards(String text) {
        TreeSet<Integer> shards = new TreeSet<>();
        for (String part : text.split(",", -1)) {
            ShardRange range = ShardRange.parse(part);
            IntStream.rangeClosed(range.first(), range.last()).forEach(shards::add);
        }
        return new ArrayList<>(shards);
    }

    /** Writes sorted shards as {@link #shards} reads them. */
    static String text(List<Integer> shards) {
        return ShardRange.of(shards).stream().map(ShardRange::toString).collect(Collectors.joining(","));
    }

    /** Says which shards need a command. */
    Status status() {
        try (Move move = Move.open(this.databases, this.limits, false, false, this.probe)) {
            Map<ShardState.Need, List<Integer>> needs = new LinkedHashMap<>();
            TreeSet<String> problems = new TreeSet<>(move.silent().values());
            for (ShardState state : move.states(null)) {
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
            return new Status(
                    needs.entrySet().stream().map((need) -> Left.of(need.getKey(), text(need.getValue()))).toList(),
                    move.mover(), List.copyOf(problems));
        }
        catch (SQLException ex) {
            throw MoveException.failed("Could not ask the databases", ex);
        }
    }

    /**
     * What moves have left to be done.
     *
     * @param needs shards that need a command
     * @param mover the session of the mover that is at work; empty if there is none
     * @param problems databases that could not be asked, and what contradicts the map
     */
    record Status(List<Left> needs, String mover, List<String> problems) {

        /** Nothing is left to be done but to delete old rows. */
        boolean well() {
            return this.problems.isEmpty()
                    && this.needs.stream().allMatch((need) -> need.command().startsWith("'clean"));
        }

    }

    /**
     * Shards that need a command.
     *
     * @param shards the shards
     * @param what what is so
     * @param command the command, in quotation marks, and the other one if there are two
     */
    record Left(String shards, String what, String command) {

        static Left of(ShardState.Need need, String shards) {
            return new Left(shards, need.what(), need.commands(shards));
        }

    }

    /** What is done with a shard. */
    @FunctionalInterface
    private interface OfShard {

        MoveResult with(Move move, int shard) throws SQLException;

    }

}
