package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import io.shardedid.TimeSource;
import io.shardedid.shards.ShardRange;
import org.jspecify.annotations.Nullable;

/**
 * One mover of one range of shards, from its fencing token to its end. A mover may be
 * killed before each statement: whoever comes next takes a higher token and goes on by
 * what the databases say.
 */
class Move implements AutoCloseable {

    /*
     * Three places say how far a move is. The map's rows have a stage: 'copy' until the
     * comparison has succeeded, 'open' while the target opens and the map changes,
     * 'clean' and 'empty' afterwards. The home rows of both databases say who takes
     * writes. The map's database decides who moves: a token is given there, under the
     * lock of row -1, and together with it the stage is read. Only then the token goes
     * into the home rows of both databases. Every later change checks it in its own
     * transaction, so a mover that was stopped for an hour changes nothing any more:
     * neither the stage, which has its successor's token, nor a database that its
     * successor has reached. What it does in a database before that, its successor finds.
     *
     * The order that loses nothing: the source is closed before the mark, the mark
     * arrives before the comparison, the stage says 'open' before the target opens, the
     * target is open before the map says so, and all routers go by the new map before a
     * row is deleted at the source.
     */

    /** The lock around the counter of ids that a database makes. */
    private static final long COUNTER_LOCK = 0x7368617264656469L;

    private static final String COUNTER = "shardedid_cell";

    private static final int CHUNK = 10_000;

    private static final int ATTEMPTS = 5;

    final MoveContext context;

    final MapRows mapRows;

    final HomeRows homes;

    final Replication replication;

    final Comparison comparison;

    private Duration pause = Duration.ZERO;

    Move(MoveDatabases databases, MoveLimits limits, ShardRange shards, MoveProgress.Listener listener,
            Session.Probe probe) {
        this(new MoveContext(databases, limits, shards, listener, probe, TimeSource.system()));
    }

    private Move(MoveContext context) {
        this(context, new HomeRows(context));
    }

    private Move(MoveContext context, HomeRows homes) {
        this(context, new MapRows(context), homes, new Replication(context, homes), new Comparison(context));
    }

    Move(MoveContext context, MapRows mapRows, HomeRows homes, Replication replication, Comparison comparison) {
        this.context = context;
        this.mapRows = mapRows;
        this.homes = homes;
        this.replication = replication;
        this.comparison = comparison;
    }

    MoveStep step() {
        return this.context.step();
    }

    private Session map() throws SQLException {
        return this.context.map();
    }

    private Session source() throws SQLException {
        return this.context.source();
    }

    private Session target() throws SQLException {
        return this.context.target();
    }

    /** Moves the shards, or goes on with a move; a null target takes that of the map. */
    MoveResult move(@Nullable String target) throws SQLException {
        if (!takeOver(target, false)) {
            return result(MoveResult.Outcome.ALREADY_THERE);
        }
        if (this.context.state().stage().equals("copy")) {
            copyAndFence();
        }
        if (this.context.state().stage().equals("open")) {
            this.context.enter(MoveStep.SWITCH, "The target opens, then the map changes");
            openAndSwitch();
        }
        this.homes.unlock();
        if (this.context.state().stage().equals("clean")) {
            clean();
        }
        empty();
        return result(MoveResult.Outcome.MOVED);
    }

    private MoveResult result(MoveResult.Outcome outcome) {
        return new MoveResult(this.context.shards(), this.context.state().source(), this.context.state().target(),
                outcome, this.comparison.rows(), this.pause, this.context.state().version());
    }

    /** Takes a move back. */
    MoveResult abort() throws SQLException {
        takeOver(null, true);
        if (!this.context.state().stage().equals("copy")) {
            throw MoveException.refused(
                    "Could not abort the move: shards=%s, stage=%s (the target may have taken writes); resume it, and then move the shards back"
                        .formatted(this.context.shards(), this.context.state().stage()));
        }
        this.context.enter(MoveStep.ABORT, "The source is opened, and the target is emptied");
        this.homes.reopenSource();
        this.replication.dropReplication();
        if (this.homes.count(target(), "arriving") > 0) {
            deleteRows(target(), "arriving");
            this.context.patiently("the target to close", target(),
                    () -> this.homes.guarded(target(), "arriving", () -> {
                        return this.homes.setHomes(target(), "moved");
                    }));
        }
        this.mapRows.finish();
        return result(MoveResult.Outcome.ABORTED);
    }

    /** Returns false if the shards are in the target already. */
    private boolean takeOver(@Nullable String target, boolean abort) throws SQLException {
        this.context.enter(MoveStep.TAKE_OVER, "The mover takes its token");
        this.mapRows.awaitMover();
        this.context.state(map().transaction(() -> this.mapRows.token(target, abort)));
        if (this.context.state().stage().isEmpty()) {
            return false;
        }
        for (Session session : List.of(source(), target())) {
            this.context.patiently("its token to be written", session, () -> {
                int taken = session.update(
                        "UPDATE shardedid_home SET mover = ? WHERE shard BETWEEN ? AND ? AND mover < ?",
                        this.context.state().mover(), this.context.shards().first(), this.context.shards().last(),
                        this.context.state().mover());
                if (taken != this.context.shards().size()) {
                    throw this.context.superseded(session);
                }
                return taken;
            });
        }
        this.context.tables(FencedTable.of(source()));
        if (this.context.state().stage().equals("copy") && this.homes.count(source(), "moved") > 0
                && this.homes.count(target(), "here") > 0) {
            throw MoveException.stopped(
                    "Databases are further than the map: shards=%s, stage=copy, state in %s=moved, state in %s=here (the map was restored from an older state, and the target may have taken writes); find out which database has taken writes, and continue as 'A failover of the map' in docs/moving.md says"
                        .formatted(this.context.shards(), this.context.state().source(),
                                this.context.state().target()));
        }
        return true;
    }

    private void copyAndFence() throws SQLException {
        this.homes.reopenSource();
        for (int attempt = 1;; attempt++) {
            if (!this.replication.replicates()) {
                arrive();
                this.replication.publish();
                this.replication.subscribe();
            }
            this.replication.awaitCopy();
            if (fenceAndCompare(attempt)) {
                return;
            }
        }
    }

    private void arrive() throws SQLException {
        this.context.patiently("the target to close", target(),
                () -> this.homes.guarded(target(), "here|arriving|moved", () -> {
                    // whoever writes these shards here by mistake has committed,
                    // or comes too late
                    this.homes.lockShards(target(), "pg_advisory_xact_lock");
                    if (this.homes.count(target(), "here") > 0) {
                        requireNoRows();
                    }
                    return this.homes.setHomes(target(), "arriving");
                }));
        startAnew();
    }

    /** Rows that nobody expects at the target are not deleted. */
    private void requireNoRows() throws SQLException {
        for (FencedTable table : this.context.tables()) {
            if (table.hasRows(target(), this.context.shards())) {
                throw MoveException.stopped(MovePlanner.unexpectedRows(target(), table, source()));
            }
        }
    }

    void startAnew() throws SQLException {
        this.replication.dropReplication();
        deleteRows(target(), "arriving");
    }

    /** Returns false if writers would have waited too long; the source is open again. */
    private boolean fenceAndCompare(int attempt) throws SQLException {
        rehearse();
        long began = this.homes.fence();
        boolean opening = false;
        try {
            this.replication.mark(restOfPause(began));
            this.comparison.compare(began);
            counter();
            flushTarget();
            opening = true;
            this.mapRows.stage("open");
            this.context.enter(MoveStep.SWITCH, "The target opens, then the map changes");
            openAndSwitch();
            return true;
        }
        catch (MoveContext.PauseSpent ex) {
            this.homes.reopenSource();
            this.homes.unlock();
            this.context.tell("Writers waited for %d ms, and the source is open again: %s"
                .formatted(this.context.millisSince(began), ex.getMessage()));
            if (attempt == ATTEMPTS) {
                throw MoveException.later(
                        "Writers would wait too long: shards=%s, attempts=%d, pause=%s (%s); resume at a quieter time, or permit a longer pause"
                            .formatted(this.context.shards(), attempt, this.context.limits().pause(), ex.getMessage()),
                        ex);
            }
            return false;
        }
        catch (SQLException | RuntimeException ex) {
            if (!opening) {
                reopenAfter(ex);
            }
            throw ex;
        }
        finally {
            this.homes.unlock();
            this.pause = (this.pause.toMillis() > this.context.millisSince(began)) ? this.pause
                    : Duration.ofMillis(this.context.millisSince(began));
        }
    }

    private Duration restOfPause(long began) {
        Duration rest = this.context.limits().pause().minusMillis(this.context.millisSince(began));
        if (rest.toMillis() < 1) {
            throw new MoveContext.PauseSpent(this.context.shards(), "transactions of these shards took too long");
        }
        return rest;
    }

    /**
     * Makes durable what was compared. The subscription commits without waiting for the
     * disk, so a crash of the target could lose the last transactions. Locking the home
     * rows takes a transaction id and writes to the log, and this commit waits until all
     * of the log before it is on the disk.
     */
    void flushTarget() throws SQLException {
        this.context.patiently("the target to write its log", target(),
                () -> this.homes.guarded(target(), "arriving", () -> true));
    }

    /** Lets writers go on at once; if that fails, whoever resumes does it. */
    private void reopenAfter(Exception failure) {
        try {
            this.homes.reopenSource();
        }
        catch (SQLException | RuntimeException ex) {
            failure.addSuppressed(ex);
        }
    }

    /** Measures before anybody waits how long writers would wait. */
    private void rehearse() throws SQLException {
        Duration compares = this.comparison.prepare();
        this.context.enter(MoveStep.MARK, "The mover measures how far the target is behind");
        long began = this.context.time().nanoTime();
        this.replication.mark(this.context.limits().patience());
        Duration expected = Duration.ofMillis(this.context.millisSince(began)).plus(compares.multipliedBy(2));
        this.context.expectPause(expected);
        this.context.tell("Writers are going to wait for about %d ms".formatted(expected.toMillis()));
        if (expected.compareTo(this.context.limits().pause()) > 0) {
            throw MoveException.later(
                    "Writers would wait too long: shards=%s, expected pause=%s, pause=%s (nobody has waited yet); move fewer shards at once, or permit a longer pause"
                        .formatted(this.context.shards(), expected, this.context.limits().pause()),
                    null);
        }
    }

    /** New ids of the target are above those that moved, also if its clock is behind. */
    private void counter() throws SQLException {
        this.context.enter(MoveStep.COUNTER, "The counter of ids is carried over");
        String there = "SELECT to_regclass('%s') IS NOT NULL".formatted(COUNTER);
        if (source().holds(there) && target().holds(there)) {
            long value = source().number("SELECT last_value FROM " + COUNTER);
            this.homes.guarded(target(), "arriving", () -> {
                target().execute("SELECT pg_advisory_xact_lock(?)", COUNTER_LOCK);
                target().execute("SELECT setval('%1$s', greatest(last_value, ?)) FROM %1$s".formatted(COUNTER), value);
                return value;
            });
        }
    }

    void openAndSwitch() throws SQLException {
        openTarget();
        this.mapRows.changeMap();
    }

    void openTarget() throws SQLException {
        this.context.patiently("the target to open", target(),
                () -> this.homes.guarded(target(), "arriving|here", () -> this.homes.setHomes(target(), "here")));
    }

    private void clean() throws SQLException {
        this.context.enter(MoveStep.CLEAN, "Subscription, slot and publication are dropped");
        this.replication.dropReplication();
        this.mapRows.stage("empty");
    }

    private void empty() throws SQLException {
        this.context.enter(MoveStep.EMPTY, "The mover waits for routers that go by the older map");
        awaitRouters();
        this.context.enter(MoveStep.EMPTY, "The rows at the source are deleted");
        deleteRows(source(), "moved");
        this.mapRows.finish();
    }

    void awaitRouters() throws SQLException {
        String routers = this.context.databases().mapTable("shardedid_router");
        if (map().holds("SELECT to_regclass('%s') IS NOT NULL".formatted(routers.replace("'", "''")))) {
            OlderRouters older = new OlderRouters(this.context, routers);
            this.context.await("routers to go by version %d of the map".formatted(this.context.state().version()),
                    this.context.limits().routers(), () -> older.left().isEmpty(), () -> "routers=" + older.left());
        }
        // a transaction of the older map may still read here
        if (!source().holds(MovePlanner.SEES_TRANSACTIONS)) {
            throw MoveException.stopped(MovePlanner.blind(source()) + "; then resume");
        }
        String now = source().text("SELECT clock_timestamp()");
        String older = """
                SELECT 'pid=' || pid || ', since=' || xact_start FROM pg_stat_activity WHERE datname = current_database()
                   AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND xact_start < ?::timestamptz LIMIT 3""";
        this.context.await("transactions that began by the older map to end", this.context.limits().routers(),
                () -> source().texts(older, now).isEmpty(), () -> String.valueOf(source().texts(older, now)));
    }

    /** Deletes the shards' rows in small transactions; triggers do not fire for that. */
    void deleteRows(Session session, String state) throws SQLException {
        for (FencedTable table : this.context.tables()) {
            String delete = "DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE %2$s LIMIT %3$d))"
                .formatted(table.sql(), table.filter(this.context.shards()), CHUNK);
            int deleted = CHUNK;
            while (deleted > 0) {
                deleted = this.context.patiently("rows to be deleted", session,
                        () -> this.homes.guarded(session, state, () -> {
                            session.execute("SET LOCAL session_replication_role = replica");
                            return session.update(delete);
                        }));
            }
        }
    }

    @Override
    public void close() {
        this.homes.unlock();
        this.context.close();
    }

}
