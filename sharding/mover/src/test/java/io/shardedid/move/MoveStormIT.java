package io.shardedid.move;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shards move back and forth under writers, while their movers are killed and their
 * servers crash. In the end every row is compared with what the writers know.
 */
@Tag("proof")
@Tag("nightly")
@Tag("database")
// the long storm takes six minutes
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class MoveStormIT {

    private static final int TRANSACTIONS = ProofLength.of(10_000, 100_000);

    private static final int KILLS = ProofLength.of(36, 200);

    private static final int CRASHES = ProofLength.of(4, 20);

    private static final long SEED = Long.getLong("seed", System.nanoTime());

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private static final int[] MOVING = { 5, 6, 7 };

    private static final int[] STAYING = { 11, 12 };

    private static final int LONGEST_MOVE_MILLIS = 1_500;

    @Test
    void losesNothing() throws Exception {
        TwoDatabases databases = new TwoDatabases(servers);
        AtomicLong acknowledged = new AtomicLong();
        List<Writer> writers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < 6; number++) {
            Writer writer = new Writer(databases, number,
                    (number % 2 == 0) ? Connection.TRANSACTION_READ_COMMITTED : Connection.TRANSACTION_REPEATABLE_READ,
                    (number < 4) ? MOVING : STAYING, SEED + number, acknowledged);
            writers.add(writer);
            Thread thread = new Thread(writer, "writer-" + number);
            thread.start();
            threads.add(thread);
        }
        MoverStorm storm = new MoverStorm(servers, databases, SEED, KILLS, CRASHES, LONGEST_MOVE_MILLIS);
        while (acknowledged.get() < TRANSACTIONS || !storm.isOver()) {
            if (storm.next()) {
                System.out.println("storm: " + figures(storm, acknowledged));
            }
            if (acknowledged.get() >= TRANSACTIONS) {
                writers.forEach(Writer::slowDown);
            }
            assertThat(writers.stream().flatMap((writer) -> writer.faults().stream())).as("seed %s", SEED).isEmpty();
        }
        storm.finishMove();
        writers.forEach(Writer::end);
        for (Thread thread : threads) {
            thread.join(60_000);
            assertThat(thread.isAlive()).as(thread.getName()).isFalse();
        }
        storm.resumeAll();
        String figures = figures(storm, acknowledged);
        WrittenRows found = WrittenRows.compare(databases, writers);
        System.out.println("storm: " + figures + ", " + found);
        assertThat(writers.stream().flatMap((writer) -> writer.faults().stream())).as(figures).isEmpty();
        assertThat(found.faults()).as(figures).isEmpty();
        assertThat(databases.leftovers()).as(figures).isEmpty();
        assertThat(storm.moves()).as("moves").isPositive();
    }

    private static String figures(MoverStorm storm, AtomicLong acknowledged) {
        return "%s, acknowledged=%s".formatted(storm.figures(), acknowledged.get());
    }

}
