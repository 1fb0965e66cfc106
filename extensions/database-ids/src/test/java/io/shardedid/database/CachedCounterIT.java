package io.shardedid.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.shardedid.IdLayout;
import io.shardedid.Seed;
import io.shardedid.ShardFunction;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tools.ProofLength;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many sessions make ids while the sequence has a cache, as a well-meaning administrator
 * may give it one: each of them holds values that others have passed.
 */
@Tag("proof")
@Tag("nightly")
class CachedCounterIT {

    private static final int SESSIONS = 8;

    private static final int ROWS = ProofLength.of(40_000, 120_000);

    private final Seed seed = Seed.ofThisRun();

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    @RepeatedTest(10)
    void makesNoDuplicateIds() throws Exception {
        this.database.execute(new DatabaseIds(IdLayout.standard(), 2000, ShardFunction.modulo(), Duration.ofSeconds(1),
                Duration.ofSeconds(30))
            .script(""), "ALTER SEQUENCE shardedid_cell CACHE 50");
        ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);
        long[] ids = new long[0];
        try {
            List<Future<long[]>> all = new ArrayList<>();
            for (int session = 0; session < SESSIONS; session++) {
                Random random = new Random(this.seed.value() + session);
                all.add(threads.submit(() -> ids(random)));
            }
            for (Future<long[]> one : all) {
                long[] of = one.get();
                assertThat(of).as("ids of a session, %s", this.seed).isSorted().doesNotHaveDuplicates();
                int before = ids.length;
                ids = Arrays.copyOf(ids, before + of.length);
                System.arraycopy(of, 0, ids, before, of.length);
            }
        }
        finally {
            threads.shutdownNow();
        }
        long equal = ids.length - Arrays.stream(ids).distinct().count();
        System.out.printf("cache: sessions=%s, ids=%,d, equal=%s, %s%n", SESSIONS, ids.length, equal, this.seed);
        assertThat(equal).as("duplicate ids, %s", this.seed).isZero();
    }

    /** Now one, now many at once: some sessions fall behind what others take. */
    private long[] ids(Random random) throws SQLException {
        long[] ids = new long[ROWS / SESSIONS];
        int made = 0;
        try (Connection connection = this.database.connect();
                PreparedStatement next = connection
                    .prepareStatement("SELECT shardedid_next(1341) FROM generate_series(1, ?)")) {
            while (made < ids.length) {
                next.setInt(1, Math.min(ids.length - made, random.nextInt(4) == 0 ? random.nextInt(400) + 1 : 1));
                try (ResultSet row = next.executeQuery()) {
                    while (row.next()) {
                        ids[made++] = row.getLong(1);
                    }
                }
            }
        }
        return ids;
    }

}
