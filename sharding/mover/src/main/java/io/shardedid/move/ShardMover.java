package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

import io.shardedid.TimeSource;

/**
 * Moves logical shards from one PostgreSQL database to another while applications write
 * to them. Each call opens connections of its own and closes them, and returns when the
 * work is done. Thread-safe; two movers of the same shards wait for each other.
 * <p>
 * Each call may be repeated after it failed, also by another process: it goes on where
 * the databases say that the move is.
 *
 * @since 0.1
 */
public final class ShardMover {

    private final MoveDatabases databases;

    private final MoveLimits limits;

    private final MoveProgress.Listener listener;

    private final boolean comparesAll;

    /**
     * Creates a mover.
     * @param databases the databases that hold shards
     * @param limits how long to wait for what
     * @param listener hears of the progress
     */
    public ShardMover(MoveDatabases databases, MoveLimits limits, MoveProgress.Listener listener) {
        this(databases, limits, listener, false);
    }

    private ShardMover(MoveDatabases databases, MoveLimits limits, MoveProgress.Listener listener,
            boolean comparesAll) {
        this.databases = databases;
        this.limits = limits;
        this.listener = listener;
        this.comparesAll = comparesAll;
    }

    /**
     * Returns a mover that compares all rows while writers wait. Otherwise it compares
     * them before, and while writers wait only those that were written at the source
     * since.
     * @return another mover
     */
    public ShardMover comparingAll() {
        return new ShardMover(this.databases, this.limits, this.listener, true);
    }

    /**
     * Finds out what a move would do, and everything that prevents it. Changes nothing.
     * @param shards the shards
     * @param target the name of the database where they are to go
     * @return the plan
     * @throws MoveException if the shards are not in one database, or a database cannot
     * be read
     */
    public MovePlan plan(ShardRanges shards, String target) {
        this.databases.get(target);
        try (Session map = open(this.databases.home())) {
            String source = source(map, shards);
            if (source.equals(target)) {
                return new MovePlan(shards, source, target, List.of(), List.of(),
                        List.of("The shards are there already"), Duration.ZERO);
            }
            try (Session from = open(source); Session to = open(target)) {
                String connectionInfo = this.databases.get(source).connectionInfo();
                from.limit(this.limits.patience());
                to.limit(this.limits.patience());
                from.requireOther(to);
                MovePlanner planner = new MovePlanner(this.databases, from, to, shards, connectionInfo, this.limits,
                        this.comparesAll, (message) -> this.listener
                            .progress(new MoveProgress(MoveStep.PLAN, message, 0, 0, 0, null, null)));
                planner.namespaces(map);
                planner.withoutRouter(map);
                OlderMap older = new OlderMap(this.databases, map);
                older.ask(from);
                older.ask(to);
                askOthers(planner, older, List.of(from, to));
                planner.older(older.problems(map));
                return planner.plan();
            }
        }
        catch (SQLException ex) {
            throw failed("plan", shards, MoveStep.PLAN, ex);
        }
    }

    /** A move needs no answer of the databases that have no part in it. */
    private void askOthers(MovePlanner planner, OlderMap older, List<Session> asked) {
        for (String name : new TreeSet<>(this.databases.databases().keySet())) {
            if (asked.stream().noneMatch((known) -> known.database().equals(name))) {
                try (Session session = open(name)) {
                    for (Session known : asked) {
                        known.requireOther(session);
                    }
                    planner.twice(session);
                    older.ask(session);
                }
                catch (SQLException ex) {
                    planner.unknown(name, oneLine(ex));
                }
            }
        }
    }

    /**
     * Moves shards, or goes on with their move to the same database. Does nothing if they
     * are there already.
     * @param shards the shards, which are in one database
     * @param target the name of the database where they are to go
     * @return what became of it
     * @throws MoveException if the plan has a problem, or a step failed; the step that
     * was reached stays
     */
    public MoveResult move(ShardRanges shards, String target) {
        this.databases.get(target);
        if (!openMoves().contains(shards)) {
            MovePlan plan = plan(shards, target);
            if (!plan.possible()) {
                throw MoveException.refused("Could not move: shards=%s, target=%s (%s problems); solve them: %s"
                    .formatted(shards, target, plan.problems().size(), String.join("; ", plan.problems())));
            }
        }
        return run("move", shards, (move) -> move.move(target));
    }

    /**
     * Goes on with a move that did not come to its end.
     * @param shards the shards of the move
     * @return what became of it
     * @throws MoveException if there is no such move, or a step failed
     */
    public MoveResult resume(ShardRanges shards) {
        return run("resume", shards, (move) -> move.move(null));
    }

    /**
     * Takes a move back whose target is not open yet. If the target does not answer, the
     * source is opened without it.
     * @param shards the shards of the move
     * @return what became of it
     * @throws MoveException if there is no such move, the target may have taken writes,
     * or a step failed
     */
    public MoveResult abort(ShardRanges shards) {
        return run("abort", shards, Move::abort);
    }

    /**
     * Lets the shards take writes in the database that the map names, and in no other
     * one, where no move of them is open: opens them there, closes them elsewhere, and
     * deletes what an aborted move has copied to a database that did not answer. Does
     * nothing to shards that are in order.
     * @param shards the shards, which the map has in one database
     * @return what became of it
     * @throws MoveException if a database does not answer, a move of the shards is open,
     * the map is older than the databases, another database alone has the shards open, or
     * has rows of them that no move has copied
     */
    public MoveResult reconcile(ShardRanges shards) {
        return run("reconcile", shards, Move::reconcile);
    }

    /**
     * Declares a router dead, so that no mover waits for its lease to pass. If it lives,
     * it routes by its map until it looks at the table again: with an older map it may
     * not find rows that a mover has deleted.
     * @param process the name of the router in the table, or as messages print it
     * @throws MoveException if there is no such router, or the table cannot be changed
     */
    public void nameDead(String process) {
        ofMap((map) -> {
            String table = map.mapTable(this.databases, "shardedid_router");
            List<String> routers = map.texts("SELECT process FROM %s WHERE namespace = ? ORDER BY 1".formatted(table),
                    this.databases.namespace());
            // what may not be printed in a name is printed in another way
            List<String> meant = routers.stream()
                .filter((router) -> router.equals(process) || MoveException.line(router).equals(process))
                .toList();
            if (meant.isEmpty()) {
                throw MoveException
                    .refused("There is no such router: process='%s', namespace='%s' (routers: %s); correct the name"
                        .formatted(process, this.databases.namespace(), routers));
            }
            for (String router : meant) {
                map.update("DELETE FROM %s WHERE namespace = ? AND process = ?".formatted(table),
                        this.databases.namespace(), router);
            }
            return true;
        });
    }

    /**
     * Returns which writes fail, and lists the moves that are not finished, and the slots
     * that moves have made.
     * @return the status
     * @throws MoveException if the map cannot be read
     */
    public MoveStatus status() {
        MoveSurvey survey = new MoveSurvey(this.databases, this.limits.pause());
        OlderMap older = ofMap((map) -> {
            survey.map(map);
            return new OlderMap(this.databases, map);
        });
        List<Session> asked = new ArrayList<>();
        try {
            for (String name : new TreeMap<>(this.databases.databases()).keySet()) {
                try {
                    Session session = open(name);
                    asked.add(session);
                    for (Session known : asked.subList(0, asked.size() - 1)) {
                        known.requireOther(session);
                    }
                    survey.ask(session);
                    older.ask(session);
                }
                catch (SQLException | MoveException ex) {
                    survey.unknown(name, oneLine(ex));
                }
            }
        }
        finally {
            asked.forEach(Session::close);
        }
        survey.problems(ofMap((map) -> {
            survey.again(map);
            return older.problems(map);
        }));
        return survey.status();
    }

    private List<ShardRanges> openMoves() {
        return ofMap((map) -> MoveSurvey.openMoves(map, this.databases));
    }

    private <T> T ofMap(OfMap<T> work) {
        try (Session map = open(this.databases.home())) {
            return work.with(map);
        }
        catch (SQLException ex) {
            throw MoveException.failed("Could not read the shard map: database=%s (%s); check that it can be reached"
                .formatted(this.databases.home(), oneLine(ex)), ex);
        }
    }

    private Session open(String name) throws SQLException {
        return Session.open(this.databases, name, this.limits.statement(), Session.Probe.NONE);
    }

    private String source(Session map, ShardRanges shards) throws SQLException {
        List<String> homes = map.texts(
                "SELECT DISTINCT home FROM %s WHERE namespace = ? AND %s ORDER BY 1"
                    .formatted(map.mapTable(this.databases, "shardedid_shard"), shards.condition("shard")),
                this.databases.namespace());
        if (homes.isEmpty()) {
            throw MoveException
                .refused("Shards do not exist: shards=%s, namespace='%s' (shards of the map: %s); correct them"
                    .formatted(shards, this.databases.namespace(), map.text(
                            "SELECT count(*) || coalesce(', from ' || min(shard) || ' to ' || max(shard), '') FROM %s WHERE namespace = ? AND shard >= 0"
                                .formatted(map.mapTable(this.databases, "shardedid_shard")),
                            this.databases.namespace())));
        }
        if (homes.size() > 1) {
            throw MoveException
                .refused("Shards must be in one database: shards=%s, databases=%s; move each part by itself"
                    .formatted(shards, homes));
        }
        return homes.get(0);
    }

    private MoveResult run(String what, ShardRanges shards, Work work) {
        MoveContext context = new MoveContext(this.databases, this.limits, shards, this.listener, Session.Probe.NONE,
                TimeSource.system());
        try (Move move = new Move(this.comparesAll ? context.comparingAll() : context)) {
            try {
                return work.with(move);
            }
            catch (SQLException ex) {
                throw failed(what, shards, move.step(), ex);
            }
        }
    }

    private static MoveException failed(String what, ShardRanges shards, MoveStep step, SQLException ex) {
        return MoveException
            .failed("Could not %s: shards=%s, step=%s (%s); see 'shards status', and %s when the cause is gone"
                .formatted(what, shards, step, oneLine(ex),
                        (step == MoveStep.PLAN || step == MoveStep.RECONCILE) ? what + " again" : "resume"),
                    ex);
    }

    private static String oneLine(Throwable ex) {
        return String.valueOf(ex.getMessage()).lines().findFirst().orElse(ex.getClass().getName());
    }

    /**
     * What is to be done in the database of the map.
     *
     * @param <T> the answer
     */
    @FunctionalInterface
    private interface OfMap<T> {

        T with(Session map) throws SQLException;

    }

    /** What is to be done with a move. */
    @FunctionalInterface
    private interface Work {

        MoveResult with(Move move) throws SQLException;

    }

}
