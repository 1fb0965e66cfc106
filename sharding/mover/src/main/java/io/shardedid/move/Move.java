package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import io.shardedid.MessageText;
import io.shardedid.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * One mover of one range of shards, from its fencing token to its end. A mover may be
 * killed before each statement: the next mover takes a higher token and goes on by what
 * the databases say.
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
     * arrives before the comparison, the source says that the target opens before the
     * stage says so, the stage says 'open' before the target opens, the target is open
     * before the map says so, and all routers go by the new map before a row is deleted
     * at the source.
     *
     * The publication says which tables this move has, by their oids. Under the fence
     * they are those that are fenced at the source and at the target, or the source opens
     * again. The publication is the last thing that is dropped, so a later mover deletes
     * no row of a table that was not compared either.
     */

    /** The lock around the counter of ids that a database makes. */
    private static final long COUNTER_LOCK = 0x7368617264656469L;

    private static final String COUNTER = "shardedid_cell";

    private static final int CHUNK = 10_000;

    /** Triggers and rules that may keep a row, although ordinary ones do not fire. */
    private static final String KEEPERS = """
            SELECT 'trigger ' || tgname FROM pg_trigger
             WHERE tgrelid = ? AND tgtype & 11 = 11 AND tgenabled IN ('A', 'R') AND NOT tgisinternal
            UNION ALL SELECT 'rule ' || rulename FROM pg_rewrite WHERE ev_class = ? AND ev_type = '4' AND ev_enabled IN ('A', 'R')
            ORDER BY 1""";

    private static final int ATTEMPTS = 5;

    /**
     * The statements from the closing of the source to the new map, beside the mark, the
     * looks at the tables and the comparison.
     */
    private static final int OTHER_STATEMENTS = 25;

    private static final long REOPEN_NANOS = 500_000_000;

    final MoveContext context;

    final MapRows mapRows;

    final HomeRows homes;

    final Replication replication;

    final Comparison comparison;

    private final OlderRouters routers;

    private Duration pause = Duration.ZERO;

    /** Whether a migration has changed the tables since they were copied. */
    private boolean outdated;

    /** Whether the map may say by now that the target is open. */
    private boolean opening;

    Move(MoveDatabases databases, MoveLimits limits, ShardRanges shards, MoveProgress.Listener listener,
            Session.Probe probe) {
        this(new MoveContext(databases, limits, shards, listener, probe, TimeSource.system()));
    }

    Move(MoveContext context) {
        this(context, new HomeRows(context));
    }

    private Move(MoveContext context, HomeRows homes) {
        this(context, homes, new Replication(context, homes));
    }

    private Move(MoveContext context, HomeRows homes, Replication replication) {
        this(context, new MapRows(context), homes, replication, new Comparison(context, replication));
    }

    Move(MoveContext context, MapRows mapRows, HomeRows homes, Replication replication, Comparison comparison) {
        this.context = context;
        this.mapRows = mapRows;
        this.homes = homes;
        this.replication = replication;
        this.comparison = comparison;
        this.routers = new OlderRouters(context);
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
        boolean reached = takeOver(null, true);
        this.context.enter(MoveStep.ABORT, reached ? "The source is opened, and the target is emptied"
                : "The source is opened without the target");
        reopenSource();
        if (reached) {
            emptyTarget();
        }
        else {
            this.replication.dropAtSource();
            this.context.tell(
                    "Database %s was not reached: its home rows say 'arriving', and it keeps what it has copied and subscription %s until you reconcile these shards, or move them there again"
                        .formatted(this.context.state().target(), this.replication.name()));
        }
        this.mapRows.finish();
        return result(MoveResult.Outcome.ABORTED);
    }

    /**
     * Lets the shards take writes where the map says, and nowhere else, although no move
     * of them is open. All databases have to answer. The token makes a mover that begins
     * meanwhile win.
     */
    MoveResult reconcile() throws SQLException {
        this.context.at(MoveStep.RECONCILE);
        this.mapRows.awaitMover();
        List<Session> fenced = new ArrayList<>();
        OlderMap older = new OlderMap(this.context.databases(), map());
        for (String name : new TreeSet<>(this.context.databases().databases().keySet())) {
            Session session = this.context.on(name);
            older.ask(session);
            if (session.isFenced()) {
                requireHomes(session);
                for (Session known : fenced) {
                    known.requireOther(session);
                }
                fenced.add(session);
            }
        }
        List<String> problems = older.problems(map());
        if (!problems.isEmpty()) {
            throw MoveException.refused("Could not reconcile: shards=%s (%s problems); solve them: %s"
                .formatted(this.context.shards(), problems.size(), String.join("; ", problems)));
        }
        MoveContext.MapState state = map().transaction(this.mapRows::tokenWithoutMove);
        this.context.state(state);
        this.context.tell("The mover has token %s".formatted(state.mover()));
        writeToken(source());
        if (this.homes.count(source(), "arriving") > 0) {
            throw MoveException.refused(
                    "Home of these shards awaits their rows, and no move of them is open: shards=%s, database=%s (the map or shardedid_home was changed by hand); if that database has their rows, run there, and reconcile again: UPDATE %s SET state = 'moved' WHERE %s AND state = 'arriving'"
                        .formatted(this.context.shards(), state.home(), source().own("shardedid_home"),
                                this.context.inShards()));
        }
        this.context.tables(recognized(source()));
        fenced.remove(source());
        for (Session other : fenced) {
            this.context.state(state.between(state.home(), other.database()));
            writeToken(other);
            requireOpenAtHome();
        }
        for (Session other : fenced) {
            this.context.state(state.between(state.home(), other.database()));
            new Move(this.context).leaveTarget();
        }
        this.context.state(state);
        this.homes.open();
        return result(MoveResult.Outcome.RECONCILED);
    }

    private void requireHomes(Session session) throws SQLException {
        long rows = session.number(
                "SELECT count(*) FROM %s WHERE %s".formatted(session.own("shardedid_home"), this.context.inShards()));
        if (rows != this.context.shards().size()) {
            throw MoveException.refused(MovePlanner.withoutHomes(session, rows, this.context.shards()));
        }
    }

    /** Looks whether another database may be closed and emptied. */
    private void requireOpenAtHome() throws SQLException {
        Session other = target();
        long arriving = this.homes.count(other, "arriving");
        if (arriving > 0 && arriving < this.context.shards().size()) {
            throw MoveException.refused(
                    "Only some of these shards have a copy in database %s that no move needs: shards=%s, of them=%s; reconcile the latter before the others"
                        .formatted(other.database(), this.context.shards(),
                                ShardRanges.parse(String.join(",", this.homes.in(other, "arriving")))));
        }
        List<String> alone = new ArrayList<>(this.homes.in(other, "here"));
        alone.removeAll(this.homes.in(source(), "here"));
        if (!alone.isEmpty()) {
            throw MoveException.refused(
                    "Shards are open in another database than the map says: shards=%s, database=%s, home=%s; find out which of them has their rows, and mend the map, or close them in %2$s"
                        .formatted(ShardRanges.parse(String.join(",", alone)), other.database(),
                                this.context.state().source()));
        }
    }

    /** No row of the shards may be in a database that the map does not name. */
    private void leaveTarget() throws SQLException {
        Session other = target();
        this.homes.close(other);
        if (this.homes.count(other, "arriving") > 0) {
            this.context.tell("Database %s deletes what was copied".formatted(other.database()));
            emptyTarget();
        }
        requireNoRows();
    }

    private void emptyTarget() throws SQLException {
        this.replication.dropSubscription();
        if (this.homes.count(target(), "arriving") == this.context.shards().size()) {
            deleteArrived();
            this.context.patiently("the target to close", target(),
                    () -> this.homes.guarded(target(), "arriving", () -> {
                        return this.homes.setHomes(target(), "moved");
                    }));
        }
        this.replication.dropPublication();
    }

    /**
     * Returns false if the shards are in the target already, or if a move is aborted
     * whose target does not answer.
     */
    private boolean takeOver(@Nullable String target, boolean abort) throws SQLException {
        this.context.at(MoveStep.TAKE_OVER);
        this.mapRows.awaitMover();
        this.context.state(map().transaction(() -> this.mapRows.token(target, abort)));
        if (this.context.state().stage().isEmpty()) {
            return false;
        }
        this.context.tell("The mover has token %s".formatted(this.context.state().mover()));
        boolean copies = this.context.state().stage().equals("copy");
        if (abort && !copies) {
            throw MoveException.refused(
                    "Could not abort the move: shards=%s, stage=%s, target=%s (the target may have taken writes); resume it, and then move the shards back"
                        .formatted(this.context.shards(), this.context.state().stage(), this.context.state().target()));
        }
        this.routers.watch();
        writeToken(source());
        this.context.tables(Fences.of(source()).tables());
        try {
            source().requireOther(target());
            writeToken(target());
        }
        catch (SQLException ex) {
            if (copies) {
                openWithoutTarget(ex);
            }
            if (abort) {
                return false;
            }
            throw ex;
        }
        if (copies) {
            requireNotFurther();
        }
        else if (this.homes.states(source()).equals("arriving")) {
            undoMoveBack();
        }
        return true;
    }

    private void requireNotFurther() throws SQLException {
        String from = this.homes.states(source());
        String to = this.homes.states(target());
        if (from.contains("arriving") || from.contains("moved") && to.contains("here")) {
            throw MoveException.stopped(
                    "Databases are further than the map: shards=%s, stage=copy, state in %s=%s, state in %s=%s (the map was restored from an older state, and the target may have taken writes); find out which database has taken writes, and continue as 'A failover of the map' in %s says"
                        .formatted(this.context.shards(), this.context.state().source(), from,
                                this.context.state().target(), to,
                                MessageText.page("docs/moving-trouble.md#a-failover-of-the-map")));
        }
    }

    /**
     * The map has lost the end of this move and the begin of one back, which has not
     * opened the source of this one. So nobody has written what it has copied there. A
     * target that is closed was closed by that move if it still publishes for it.
     */
    private void undoMoveBack() throws SQLException {
        String to = this.homes.states(target());
        MoveContext.MapState state = this.context.state();
        this.context.state(state.back());
        try {
            Move back = new Move(this.context);
            if (to.equals("here") || to.equals("moved") && !back.replication.published().isEmpty()) {
                this.context.tables(Fences.of(source()).tables());
                back.reopenSource();
                back.emptyTarget();
            }
        }
        finally {
            this.context.state(state);
        }
        this.context.tables(Fences.of(source()).tables());
    }

    private void writeToken(Session session) throws SQLException {
        this.context.patiently("its token to be written", session, () -> {
            int taken = session.update("UPDATE %s SET mover = ? WHERE %s AND mover < ?"
                .formatted(session.own("shardedid_home"), this.context.inShards()), this.context.state().mover(),
                    this.context.state().mover());
            if (taken != this.context.shards().size()) {
                throw this.context.superseded(session);
            }
            return taken;
        });
    }

    /** A target that was never opened is not needed to open the source. */
    private void openWithoutTarget(SQLException failure) throws SQLException {
        if (this.homes.count(source(), "moved") == 0) {
            return;
        }
        if (this.homes.opening(this.replication.name())) {
            throw new MoveException(
                    "Could not open the source without the target: shards=%s, source=%s, target=%s (a mover was about to open the target, which may have taken writes); resume or abort when %3$s answers, or, if it has taken none, run in %2$s, and abort: DELETE FROM %5$s WHERE move = '%4$s' AND attempt = 0"
                        .formatted(this.context.shards(), this.context.state().source(), this.context.state().target(),
                                this.replication.name(), source().own("shardedid_mark")),
                    true, failure);
        }
        reopenSource();
        this.context.tell("Database %s does not answer, and it was never opened for these shards: %s takes writes again"
            .formatted(this.context.state().target(), this.context.state().source()));
    }

    private void reopenSource() throws SQLException {
        this.homes.reopenSource(this.replication.name());
    }

    private void copyAndFence() throws SQLException {
        reopenSource();
        requireMovable();
        for (int attempt = 1;; attempt++) {
            if (!this.replication.replicates()) {
                this.comparison.forget();
                arrive();
                this.replication.publish();
                this.replication.subscribe();
            }
            this.replication.awaitCopy();
            requireNoKeysThatLeave();
            if (fenceAndCompare(attempt)) {
                this.comparison.count();
                return;
            }
        }
    }

    /**
     * A migration may have changed what the plan has seen, or what an earlier mover has.
     */
    private void requireMovable() throws SQLException {
        TableChecks checks = new TableChecks(source(), target(), this.context.shards());
        checks.tables(this.context.tables());
        requireNone(checks);
    }

    /**
     * Rows that were written after the plan may have led out of the shards. Nobody waits.
     */
    private void requireNoKeysThatLeave() throws SQLException {
        TableChecks checks = new TableChecks(source(), target(), this.context.shards());
        this.context.longRunning(source(), this.context.limits().copy(),
                () -> checks.foreignKeys(this.context.tables()));
        requireNone(checks);
    }

    private void requireNone(TableChecks checks) {
        if (!checks.problems().isEmpty()) {
            throw MoveException.stopped("Could not move: shards=%s (%s problems); solve them, and resume or abort: %s"
                .formatted(this.context.shards(), checks.problems().size(), String.join("; ", checks.problems())));
        }
    }

    private void arrive() throws SQLException {
        this.context.patiently("the target to close", target(),
                () -> this.homes.guarded(target(), "here|arriving|moved", () -> {
                    // a transaction that writes these shards here by mistake
                    // has committed, or comes too late
                    this.homes.lockShards(target(), "pg_advisory_xact_lock");
                    requireNoRows();
                    return this.homes.setHomes(target(), "arriving");
                }));
        startAnew();
    }

    /** Rows that nobody expects at the target are not deleted. */
    private void requireNoRows() throws SQLException {
        for (FencedTable table : recognized(target())) {
            if (table.hasUnexpectedRows(target(), this.context.shards())) {
                throw MoveException.stopped(TableChecks.unexpectedRows(target(), table, source()));
            }
        }
    }

    void startAnew() throws SQLException {
        this.replication.dropSubscription();
        deleteArrived();
        this.replication.dropPublication();
    }

    /** The fenced tables of a database, all of which this mover has recognized. */
    private List<FencedTable> recognized(Session session) throws SQLException {
        Fences fences = Fences.of(session);
        if (!fences.problems().isEmpty()) {
            throw MoveException.stopped("Could not go on: shards=%s (%s problems); solve them, and resume or abort: %s"
                .formatted(this.context.shards(), fences.problems().size(),
                        String.join("; ", fences.problems().values())));
        }
        return fences.tables();
    }

    /** Deletes what an earlier mover has copied, and nothing else. */
    private void deleteArrived() throws SQLException {
        deleteRows(target(), "arriving", arrived(), (table, rows) -> {
        });
        requireEmpty(target());
    }

    /** The tables of the target into which this move, or an earlier one, has copied. */
    List<FencedTable> arrived() throws SQLException {
        Set<Long> published = this.replication.published();
        List<FencedTable> there = recognized(target());
        return this.context.tables()
            .stream()
            .filter((table) -> published.isEmpty() || published.contains(table.oid()))
            .flatMap((table) -> there.stream().filter(table::fencedLike))
            .toList();
    }

    /** Returns false if writers would have waited too long; the source is open again. */
    private boolean fenceAndCompare(int attempt) throws SQLException {
        try {
            rehearse();
        }
        catch (MoveException ex) {
            endCopy(ex);
            throw ex;
        }
        long began = this.context.time().nanoTime();
        try {
            began = this.homes.fence();
            this.context.writersWaitSince(began);
            requireSameTables();
            this.replication.mark(restOfPause());
            this.comparison.compare();
            this.replication.note(this.comparison.compared());
            requireSameTables();
            counter();
            flushTarget();
            this.comparison.requireSilence();
            this.homes.writeOpening(this.replication.name());
            Duration rest = restOfPause();
            map().limitLock((rest.compareTo(Session.LOCK) < 0) ? rest : Session.LOCK);
            this.mapRows.stage("open", this::opens);
            map().limitLock(Session.LOCK);
            this.context.enter(MoveStep.SWITCH, "The target opens, then the map changes");
            openAndSwitch();
            return true;
        }
        catch (SQLException | RuntimeException ex) {
            this.context.nobodyIsToWait();
            if (this.opening) {
                throw ex;
            }
            openAgain(ex);
            if (!(ex instanceof MoveContext.PauseSpent)) {
                this.homes.unlock();
                endCopy(ex);
                throw ex;
            }
            this.homes.unlock();
            this.context.tell("Writers waited for %s ms, and the source is open again: %s"
                .formatted(this.context.millisSince(began), ex.getMessage()));
            if (attempt == ATTEMPTS) {
                throw MoveException.stopped(
                        "Writers would wait too long: shards=%s, attempts=%s, pause=%s (%s); resume at a quieter time, or permit a longer pause"
                            .formatted(this.context.shards(), attempt,
                                    MessageText.duration(this.context.limits().pause()), ex.getMessage()),
                        ex);
            }
            return false;
        }
        finally {
            this.homes.unlock();
            this.pause = (this.pause.toMillis() > this.context.millisSince(began)) ? this.pause
                    : Duration.ofMillis(this.context.millisSince(began));
        }
    }

    /** What was copied before a migration does not serve a later mover. */
    private void endCopy(Exception failure) {
        if (this.outdated) {
            try {
                this.replication.dropSubscription();
            }
            catch (SQLException | RuntimeException ex) {
                failure.addSuppressed(ex);
            }
        }
    }

    /** From the commit on that follows, the source stays closed. */
    private void opens() {
        this.opening = true;
        this.context.nobodyIsToWait();
    }

    private Duration restOfPause() {
        return this.context.restOfPause("the databases took too long");
    }

    /**
     * The tables that are fenced at the source are those that were published, and those
     * of the target: a migration may have changed them since.
     */
    void requireSameTables() throws SQLException {
        String source = this.context.state().source();
        List<FencedTable> now = recognized(source());
        List<FencedTable> there = recognized(target());
        Set<Long> published = this.replication.published();
        Optional<String> difference = FencedTable.difference(source, now, "when the move began", this.context.tables())
            .or(() -> now.stream()
                .filter((table) -> !published.contains(table.oid()))
                .map((table) -> "table=%s, published=no".formatted(table.name()))
                .findFirst());
        if (difference.isEmpty()) {
            difference = FencedTable.difference(source, now, this.context.state().target(), there);
        }
        if (difference.isEmpty()) {
            TableChecks checks = new TableChecks(source(), target(), this.context.shards());
            checks.inheritance(now);
            difference = checks.problems().stream().findFirst();
        }
        if (difference.isPresent()) {
            this.outdated = true;
            throw MoveException.stopped(
                    "Tables have changed during the move: shards=%s, %s (by a migration, perhaps); the source is open again; let both databases have the same tables with the same fence, and resume"
                        .formatted(this.context.shards(), difference.get()));
        }
    }

    /**
     * Makes durable what was compared. The subscription commits without waiting for the
     * disk, so a crash of the target could lose the last transactions. Locking the home
     * rows takes a transaction id and writes to the log, and this commit waits until all
     * of the log before it is on the disk.
     */
    void flushTarget() throws SQLException {
        this.context.longRunning(target(), restOfPause(), () -> this.context.patiently("the target to write its log",
                target(), () -> this.homes.guarded(target(), "arriving", () -> true)));
    }

    /**
     * Lets writers go on at once, by a new connection if the old one is gone. If nothing
     * reaches the source, a later mover opens it.
     */
    private void openAgain(Exception failure) {
        long began = this.context.time().nanoTime();
        for (boolean told = false;; told = true) {
            try {
                reopenSource();
                return;
            }
            catch (SQLException ex) {
                if (this.context.millisSince(began) > this.context.limits().patience().toMillis()) {
                    failure.addSuppressed(ex);
                    return;
                }
                if (!told) {
                    this.context.tell("Database %s does not answer; the mover goes on trying to open it"
                        .formatted(this.context.state().source()));
                }
                this.context.forget(this.context.state().source());
                this.context.time().park(REOPEN_NANOS);
            }
            catch (RuntimeException ex) {
                failure.addSuppressed(ex);
                return;
            }
        }
    }

    /** Measures before anybody waits how long writers would wait. */
    private void rehearse() throws SQLException {
        Duration compares = this.comparison.prepare();
        this.context.enter(MoveStep.MARK, "The mover measures how far the target is behind");
        long began = this.context.time().nanoTime();
        this.replication.mark(this.context.limits().patience());
        Duration marks = Duration.ofMillis(this.context.millisSince(began));
        began = this.context.time().nanoTime();
        requireSameTables();
        this.comparison.reshaped();
        Duration looks = Duration.ofMillis(this.context.millisSince(began));
        Duration expected = marks.plus(looks.multipliedBy(2)).plus(compares.multipliedBy(2)).plus(otherStatements());
        this.context.expectPause(expected);
        this.context.tell("Writers are going to wait for about %s ms".formatted(expected.toMillis()));
        if (expected.compareTo(this.context.limits().pause()) > 0) {
            throw MoveException.stopped(
                    "Writers would wait too long: shards=%s, expected pause=%s, pause=%s (nobody has waited yet); move fewer shards at once, or permit a longer pause"
                        .formatted(this.context.shards(), MessageText.duration(expected),
                                MessageText.duration(this.context.limits().pause())));
        }
    }

    /** How long the statements take that are the same for each move. */
    private Duration otherStatements() throws SQLException {
        List<Session> sessions = List.of(source(), target(), map());
        long began = this.context.time().nanoTime();
        for (Session session : sessions) {
            session.execute("SELECT");
        }
        return Duration.ofNanos((this.context.time().nanoTime() - began) / sessions.size() * OTHER_STATEMENTS);
    }

    /** New ids of the target are above those that moved, also if its clock is behind. */
    private void counter() throws SQLException {
        this.context.enter(MoveStep.COUNTER, "The counter of ids is carried over");
        String from = source().schemaOf(COUNTER, "S");
        String to = target().schemaOf(COUNTER, "S");
        if (!from.isEmpty() && !to.isEmpty()) {
            long value = source().number("SELECT last_value FROM %s.%s".formatted(from, COUNTER));
            String counter = "%s.%s".formatted(to, COUNTER);
            this.context.longRunning(target(), restOfPause(), () -> this.homes.guarded(target(), "arriving", () -> {
                target().execute("SELECT pg_advisory_xact_lock(?)", COUNTER_LOCK);
                target().execute("SELECT setval(to_regclass(?), greatest(last_value, ?)) FROM " + counter, counter,
                        value);
                return value;
            }));
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
        this.context.enter(MoveStep.CLEAN, "Subscription and slot are dropped");
        this.replication.dropSubscription();
        this.replication.publishNothing();
        this.mapRows.stage("empty", () -> {
        });
    }

    private void empty() throws SQLException {
        this.context.enter(MoveStep.EMPTY, "The mover waits for routers that go by the older map");
        awaitRouters();
        recognized(source());
        requireFences();
        List<FencedTable> tables = compared();
        KeptRows kept = new KeptRows(this.context, this.replication.compared(),
                ForeignKey.of(source(), this.context.tables()));
        this.context.longRunning(source(), this.context.limits().copy(), () -> {
            requireNoneKept(kept, tables, "");
            return true;
        });
        this.context.enter(MoveStep.EMPTY, "The rows at the source are deleted");
        deleteRows(source(), "moved", tables, (table, rows) -> requireNoneKept(kept, List.of(table),
                " AND %%s.ctid = ANY ('%s'::tid[])".formatted(rows)));
        requireEmpty(source());
        this.replication.dropPublication();
        this.mapRows.finish();
    }

    /** A migration may have made a table after the plan. */
    private void requireFences() throws SQLException {
        TableChecks checks = new TableChecks(source(), target(), this.context.shards());
        this.context.longRunning(source(), this.context.limits().copy(), () -> {
            checks.unfenced(this.context.tables(), Set.of(), this.context.limits().copy(), this.context::tell);
            return true;
        });
        if (!checks.unread().isEmpty()) {
            throw MoveException.stopped("Could not go on: shards=%s (%s problems); solve them, and resume: %s"
                .formatted(this.context.shards(), checks.unread().size(), String.join("; ", checks.unread())));
        }
        if (!checks.problems().isEmpty()) {
            throw MoveException.stopped(
                    "Rows of these shards remain in database %s: shards=%s, %s; take these rows to %s by hand, delete them here, and resume"
                        .formatted(this.context.state().source(), this.context.shards(),
                                String.join("; ", checks.problems()), this.context.state().target()));
        }
    }

    /**
     * The tables of the source whose rows this mover, or an earlier one, has compared.
     */
    List<FencedTable> compared() throws SQLException {
        Set<Long> published = this.replication.published();
        List<FencedTable> tables = this.context.tables()
            .stream()
            .filter((table) -> published.contains(table.oid()))
            .toList();
        if (tables.size() < published.size()) {
            throw MoveException.stopped(
                    "Tables of the move are not recognized any more in database %s: shards=%s, recognized=%s of %s, others=%s; let them be as they were, and resume"
                        .formatted(source().database(), this.context.shards(), tables.size(), published.size(),
                                Fences.of(source()).foreign()));
        }
        return tables;
    }

    void awaitRouters() throws SQLException {
        this.context.await("routers to go by version %s of the map".formatted(this.context.state().version()),
                this.context.limits().routers(), this::nobodyIsBehind, () -> "routers=" + this.routers.left());
        // a transaction of the older map may still read here
        if (!source().holds(MovePlanner.SEES_TRANSACTIONS)) {
            throw MoveException.stopped(MovePlanner.blind(source()) + "; then resume");
        }
        String now = source().text("SELECT clock_timestamp()");
        this.context.await("transactions that began by the older map to end", this.context.limits().routers(),
                () -> Transactions.before(source(), now).isEmpty(),
                () -> String.valueOf(Transactions.before(source(), now)));
    }

    /** The routers have acknowledged this move only if the map still has its change. */
    boolean nobodyIsBehind() throws SQLException {
        boolean nobody = this.routers.left().isEmpty();
        if (!this.mapRows.hasChanged()) {
            throw this.context.lost();
        }
        return nobody;
    }

    /** Before the first deletion all rows are looked at, and then each part again. */
    private void requireNoneKept(KeptRows kept, List<FencedTable> tables, String rows) throws SQLException {
        List<String> found = new ArrayList<>();
        for (FencedTable table : tables) {
            found.addAll(kept.among(table, rows));
        }
        requireNoneRemain(source(), found);
    }

    /**
     * Deletes the shards' rows in small transactions; most triggers do not fire then, and
     * foreign keys are not checked. A writer that changes a row, or refers to it, after
     * the look finds it locked.
     */
    void deleteRows(Session session, String state, List<FencedTable> tables, Look look) throws SQLException {
        this.replication.withOrigin(session, () -> {
            deleteRowsOf(session, state, tables, look);
            return true;
        });
    }

    private void deleteRowsOf(Session session, String state, List<FencedTable> tables, Look look) throws SQLException {
        for (FencedTable table : tables) {
            String lock = "SELECT coalesce(array_agg(ctid), '{}') FROM (SELECT ctid FROM %s WHERE %s LIMIT %s FOR UPDATE) r"
                .formatted(table.only(), table.filter(this.context.shards()), CHUNK);
            String delete = deletion(table);
            Session.Work<Integer> part = () -> {
                session.execute("SET LOCAL session_replication_role = replica");
                String rows = session.text(lock);
                look.at(table, rows);
                return session.update(delete, rows);
            };
            this.context.longRunning(session, this.context.limits().patience(), () -> {
                int deleted = CHUNK;
                while (deleted > 0) {
                    deleted = this.context.patiently("rows to be deleted", session,
                            () -> this.homes.guarded(session, state, part));
                }
                return deleted;
            });
        }
    }

    /** Another table that inherits from this one has rows with the same ctid. */
    String deletion(FencedTable table) {
        return "DELETE FROM %s WHERE %s AND ctid = ANY (?::tid[])".formatted(table.only(),
                table.filter(this.context.shards()));
    }

    /** Rows that remain are named, whatever has kept them. */
    void requireEmpty(Session session) throws SQLException {
        List<String> remaining = new ArrayList<>();
        for (FencedTable table : recognized(session)) {
            long rows = this.context.longRunning(session, this.context.limits().copy(),
                    () -> table.rows(session, this.context.shards()));
            if (rows > 0) {
                String keepers = String.join(", ", session.texts(KEEPERS, table.oid(), table.oid()));
                remaining.add("table=%s, rows=%s, %s".formatted(table.name(), rows, keepers.isEmpty()
                        ? "not deleted because this move has not compared them" : "kept by=" + keepers));
            }
        }
        requireNoneRemain(session, remaining);
    }

    private void requireNoneRemain(Session session, List<String> remaining) {
        if (!remaining.isEmpty()) {
            throw MoveException.stopped(
                    "Rows of these shards remain in database %s: shards=%s, %s; save or delete these rows, and resume"
                        .formatted(session.database(), this.context.shards(), String.join("; ", remaining)));
        }
    }

    @Override
    public void close() {
        this.homes.unlock();
        this.comparison.close();
        this.context.close();
    }

    /** A look at rows that are locked, before they are deleted. */
    @FunctionalInterface
    interface Look {

        void at(FencedTable table, String rows) throws SQLException;

    }

}
