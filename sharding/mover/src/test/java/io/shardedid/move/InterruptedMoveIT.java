package io.shardedid.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A mover is killed before each of its statements, or is stopped there until a successor
 * has finished, inside a process and by a signal. The statements are found by a move that
 * nobody interrupts. Of these a run takes each eighth, from another one on each time, or
 * all.
 */
@Tag("proof")
@Tag("nightly")
@Tag("database")
class InterruptedMoveIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private TwoDatabases databases;

    @BeforeEach
    void makeDatabases() {
        this.databases = new TwoDatabases(servers);
        this.databases.fill("a", 5, 3);
        this.databases.fill("a", 6, 1);
    }

    /** Returns all points of a move from a to b, and moves the shard back. */
    private List<String> points() throws SQLException {
        Set<String> points = Collections.synchronizedSet(new LinkedHashSet<>());
        try (Move move = this.databases.move(FIVE, (database, sql) -> points.add(MoverProcess.point(database, sql)))) {
            move.move("b");
        }
        this.databases.mover().move(FIVE, "a");
        assertThat(points).hasSizeGreaterThan(40);
        int each = ProofLength.of(8, 1);
        int first = ThreadLocalRandom.current().nextInt(each);
        List<String> all = List.copyOf(points);
        return IntStream.range(0, all.size()).filter((at) -> at % each == first).mapToObj(all::get).toList();
    }

    @Test
    void goesOnWhereverAMoverWasKilled() throws Exception {
        String rows = this.databases.rows("a", 5);
        List<String> points = points();
        List<String> met = new ArrayList<>();
        for (String point : points) {
            if (killedAt(point)) {
                met.add(point);
            }
            this.databases.mover().move(FIVE, "b");
            assertMoved(point, "a", "b", rows);
            this.databases.mover().move(FIVE, "a");
            assertMoved(point, "b", "a", rows);
        }
        assertThat(met).hasSizeGreaterThan(points.size() / 2);
    }

    /** Returns false if the mover did not come by that point. */
    private boolean killedAt(String point) throws Exception {
        Process mover = MoverProcess.start(this.databases, "5", "b", MoverProcess.KILL, point);
        try {
            assertThat(mover.waitFor(60, TimeUnit.SECONDS)).as("the mover ends at %s", point).isTrue();
            assertThat(mover.exitValue()).as(point).isIn(0, MoverProcess.KILLED);
            return mover.exitValue() == MoverProcess.KILLED;
        }
        finally {
            mover.destroyForcibly();
        }
    }

    @Test
    void changesNothingAfterASuccessorHasFinished() throws Exception {
        String rows = this.databases.rows("a", 5);
        for (String point : points()) {
            stoppedAt(point);
            assertMoved(point, "a", "b", rows);
            this.databases.mover().move(FIVE, "a");
            assertMoved(point, "b", "a", rows);
        }
    }

    /** A successor moves the shards while a mover is stopped, which then goes on. */
    private void stoppedAt(String point) {
        boolean[] met = { false };
        try (Move move = new Move(this.databases.databases(), MoverProcess.IMPATIENT, FIVE, (progress) -> {
        }, (database, sql) -> {
            if (!met[0] && MoverProcess.point(database, sql).equals(point)) {
                met[0] = true;
                endSessionOfMap();
                this.databases.mover().move(FIVE, "b");
            }
        })) {
            move.move("b");
        }
        catch (SQLException | MoveException ex) {
            // it has noticed
        }
    }

    @Test
    void changesNothingAfterASignalHasStoppedItsProcess() throws Exception {
        String rows = this.databases.rows("a", 5);
        List<String> points = points();
        int stopped = 0;
        for (String point : points) {
            Process mover = MoverProcess.start(this.databases, "5", "b", MoverProcess.STOP, point);
            try {
                boolean stops = MoverProcess.stops(mover);
                if (stops) {
                    stopped++;
                    endSessionOfMap();
                    this.databases.mover().move(FIVE, "b");
                    assertMoved(point, "a", "b", rows);
                    MoverProcess.signal(mover.pid(), "-CONT");
                }
                assertThat(mover.waitFor(60, TimeUnit.SECONDS)).as("the mover ends after %s", point).isTrue();
                if (!stops) {
                    // it did not come by that point, or it gave up on a slow machine
                    this.databases.mover().move(FIVE, "b");
                }
            }
            finally {
                mover.destroyForcibly();
            }
            assertMoved(point, "a", "b", rows);
            this.databases.mover().move(FIVE, "a");
            assertMoved(point, "b", "a", rows);
        }
        assertThat(stopped).isPositive();
    }

    /** As the message of a mover says that has waited for another one. */
    private void endSessionOfMap() {
        this.databases.execute("a", "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' "
                + "AND granted AND classid = %s AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                    .formatted(HomeRows.FENCE_LOCK + 1));
    }

    private void assertMoved(String point, String source, String target, String rows) {
        assertThat(this.databases.rows(target, 5)).as("rows at the target after %s", point).isEqualTo(rows);
        assertThat(this.databases.rows(source, 5)).as("rows at the source after %s", point).isEmpty();
        assertThat(this.databases.home(5)).as(point).isEqualTo(target);
        assertThat(this.databases.state(source, 5)).as(point).isEqualTo("moved");
        assertThat(this.databases.state(target, 5)).as(point).isEqualTo("here");
        assertThat(this.databases.leftovers()).as(point).isEmpty();
    }

    @Test
    void takesAMoveBackWhereverItsMoverWasKilledBeforeTheTargetOpened() throws Exception {
        String rows = this.databases.rows("a", 5);
        int aborted = 0;
        for (String point : points()) {
            killedAt(point);
            if (this.databases.mover().status().moves().stream().anyMatch((open) -> open.stage().equals("copy"))) {
                MoveResult result = this.databases.mover().abort(FIVE);
                assertThat(result.outcome()).isEqualTo(MoveResult.Outcome.ABORTED);
                aborted++;
                assertThat(this.databases.rows("a", 5)).as(point).isEqualTo(rows);
                assertThat(this.databases.rows("b", 5)).as(point).isEmpty();
                assertThat(this.databases.home(5)).as(point).isEqualTo("a");
                assertThat(this.databases.state("a", 5)).as(point).isEqualTo("here");
                assertThat(this.databases.leftovers()).as(point).isEmpty();
            }
            else if (!this.databases.mover().status().moves().isEmpty()) {
                assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().abort(FIVE))
                    .withMessageContaining(
                            "(the target may have taken writes); resume it, and then move the shards back");
                this.databases.mover().resume(FIVE);
            }
            if (this.databases.home(5).equals("b")) {
                this.databases.mover().move(FIVE, "a");
            }
        }
        assertThat(aborted).isPositive();
    }

}
