package io.shardedid.move;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Moves the shards 5 to 7 back and forth by movers that are killed with {@code kill -9},
 * before a statement or at a random time, and under servers that are stopped with
 * {@code immediate}.
 */
final class MoverStorm {

    /** About as many statements as a move has. */
    private static final int STATEMENTS = 140;

    private final TwoServers servers;

    private final TwoDatabases databases;

    private final long seed;

    private final int kills;

    private final int crashes;

    private final int longestMoveMillis;

    private final Random random;

    private final List<String> ends = new ArrayList<>();

    private final AtomicInteger moves = new AtomicInteger();

    private String target = "b";

    private int killed;

    private int crashed;

    private long longestPauseMillis;

    MoverStorm(TwoServers servers, TwoDatabases databases, long seed, int kills, int crashes, int longestMoveMillis) {
        this.servers = servers;
        this.databases = databases;
        this.seed = seed;
        this.random = new Random(seed);
        this.kills = kills;
        this.crashes = crashes;
        this.longestMoveMillis = longestMoveMillis;
    }

    /** Returns whether everything has been killed and stopped that is to be. */
    boolean isOver() {
        return this.killed >= this.kills && this.crashed >= this.crashes;
    }

    /** How much of the storm is over, from 0 to 1. */
    double part() {
        return (double) this.killed / this.kills;
    }

    int moves() {
        return this.moves.get();
    }

    /** How many movers have ended with a message that contains a text. */
    long ended(String text) {
        return this.ends.stream().filter((end) -> end.contains(text)).count();
    }

    /**
     * Lets one mover run, in whose way things are put; returns whether it has finished.
     */
    boolean next() throws Exception {
        if (this.crashed < this.crashes && this.killed >= (this.crashed + 1) * this.kills / (this.crashes + 1)) {
            this.crashed++;
            Process mover = start(0);
            Thread.sleep(this.random.nextInt(this.longestMoveMillis));
            (this.random.nextBoolean() ? this.servers.a : this.servers.b).crash();
            return ends(mover);
        }
        int way = this.random.nextInt(8);
        if (way < 3) {
            return run(1 + this.random.nextInt(STATEMENTS), -1);
        }
        if (way < 6) {
            return run(0, this.random.nextInt(this.longestMoveMillis));
        }
        return run(0, -1);
    }

    private boolean run(int statement, int killAfterMillis) throws Exception {
        Process mover = start(statement);
        if (killAfterMillis >= 0 && !mover.waitFor(killAfterMillis, TimeUnit.MILLISECONDS)) {
            // unlike that of the process, this leaves what it has said
            mover.toHandle().destroyForcibly();
        }
        return ends(mover);
    }

    private Process start(int statement) throws Exception {
        return MoverProcess.start(this.databases, "5-7", this.target, MoverProcess.KILL, String.valueOf(statement));
    }

    /** Starts a mover that nothing kills. */
    Process start() throws Exception {
        return start(0);
    }

    /** Waits until a mover has ended; returns whether it has finished its move. */
    boolean ends(Process mover) throws Exception {
        assertThat(mover.waitFor(120, TimeUnit.SECONDS)).as("the mover ends, seed %s", this.seed).isTrue();
        String text = new String(mover.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()
            .findFirst()
            .orElse("killed");
        if (mover.exitValue() == MoverProcess.KILLED) {
            this.killed++;
        }
        this.ends.add(mover.exitValue() + " " + text);
        if (mover.exitValue() != 0) {
            return false;
        }
        if (text.startsWith("pause ")) {
            this.longestPauseMillis = Math.max(this.longestPauseMillis, Long.parseLong(text.split(" ")[1]));
        }
        this.moves.incrementAndGet();
        this.target = this.target.equals("a") ? "b" : "a";
        return true;
    }

    /** Lets movers run until one has finished. */
    void finishMove() throws Exception {
        for (int attempt = 0; !run(0, -1); attempt++) {
            assertThat(attempt).as("attempts of the last mover: %s", String.join("\n", this.ends)).isLessThan(8);
        }
        resumeAll();
    }

    /** Whatever movers have left. */
    void resumeAll() {
        for (MoveStatus.OpenMove open : this.databases.mover().status().moves()) {
            this.databases.mover().resume(open.shards());
        }
    }

    /** Moves the shards to the database where they are not. */
    void turn() {
        this.target = this.databases.home(5).equals("a") ? "b" : "a";
    }

    String target() {
        return this.target;
    }

    /** How movers have ended. */
    List<String> ends() {
        return this.ends;
    }

    String figures() {
        return "moves=%s, kills=%s, crashes=%s, longest pause=%s ms, seed=%s".formatted(this.moves.get(), this.killed,
                this.crashed, this.longestPauseMillis, this.seed);
    }

}
