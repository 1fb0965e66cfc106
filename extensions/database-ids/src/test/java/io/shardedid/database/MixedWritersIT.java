package io.shardedid.database;

import java.time.Duration;
import java.time.Instant;

import io.shardedid.IdLayout;
import io.shardedid.Seed;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * SQL clients, whose ids the database makes, and processes, which make their own, fill
 * one table together.
 */
@Tag("proof")
@Tag("nightly")
class MixedWritersIT {

    private static final long ROWS = 1_000_000;

    private final Seed seed = Seed.ofThisRun();

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    @Test
    void fourSqlClientsAndFourProcessesMakeNoDuplicateIds() throws Exception {
        IdLayout layout = IdLayout.standard();
        MixedRows.prepare(this.database, layout, Duration.ofSeconds(1));
        Instant began;
        Instant ended;
        try (MixedWriters writers = new MixedWriters(this.database.url(), this.seed,
                ROWS / (2 * MixedWriters.OF_EACH_KIND), false)) {
            began = writers.begin();
            writers.awaitEnd();
            ended = Instant.now();
        }

        // a fresh sequence may run ahead of the clock by a second
        MixedRows found = MixedRows.of(this.database, layout, began.minusMillis(1), ended.plusSeconds(1));
        System.out.printf("mixed writers: %s, %s, %,d ms, %,d rows a second%n", this.seed, found,
                Duration.between(began, ended).toMillis(), ROWS * 1000 / Duration.between(began, ended).toMillis());
        assertThat(found).as(this.seed.toString()).isEqualTo(new MixedRows(ROWS, ROWS, ROWS / 2, 0, 0, 0));
    }

}
