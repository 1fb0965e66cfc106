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
import java.util.stream.Stream;

import io.shardedid.shards.ShardRange;

/**
 * Moves shards one after the other. Each call opens connections of its own, and returns
 * when the work is done; it may be repeated after it failed, also by another process, and
 * goes on where the databases say that the move is.
 *
 * @param listener hears of each shard when the mover is done with it
 * @param probe stops a mover at a statement, in tests
 */
record ShardMover(MoveDatabases databases, Move.Limits limits, Consumer<MoveResult> listener, Session.Probe probe) {

    List<MoveResult> plan(String shards, String target) {
        return each("plan", shards, (move, shard) -> move.plan(shard, target));
    }

    List<MoveResult> move(String shards, String target) {
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
        catch (SQLException | MoveException ex) {
            if (ex instanceof MoveException known && done.isEmpty()) {
                throw known;
            }
            throw MoveException
                .failed("Could not %s all shards: done=%s, rest=%s".formatted(verb, done.size(), text(rest)), ex);
        }
    }

    /** Reads shards and ranges of them, such as {@code 10,12,14-20}. */
    static List<Integer> shards(String text) {
        return new ArrayList<>(Stream.of(text.split(",", -1))
            .map(ShardRange::parse)
            .flatMap((range) -> IntStream.rangeClosed(range.first(), range.last()).boxed())
            .collect(Collectors.toCollection(TreeSet::new)));
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
            List<Left> left = new ArrayList<>();
            needs.forEach((need, which) -> left.add(new Left(text(which), need.what(), need.commands(text(which)))));
            return new Status(left, move.map().mover(), List.copyOf(problems));
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

    /** Shards that need a command, which is in quotation marks, or one of two. */
    record Left(String shards, String what, String command) {
    }

    /** What is done with a shard. */
    private interface OfShard {

        MoveResult with(Move move, int shard) throws SQLException;

    }

}
