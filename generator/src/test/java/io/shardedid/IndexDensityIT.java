package io.shardedid;

import java.io.StringReader;
import java.sql.Connection;
import java.time.Duration;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How large the primary key index of a table with all shards becomes, beside that of a
 * database sequence.
 */
@Tag("proof")
@Tag("nightly")
class IndexDensityIT {

    private static final int ROWS = 300_000;

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    @ParameterizedTest
    @ValueSource(ints = { 500, 20_000, 1_000_000 })
    void denseLayoutIsAsDenseAsASequence(int idsPerSecond) throws Exception {
        assertThat(overSequence(IdLayout.dense(), idsPerSecond)).isBetween(0.99, 1.01);
    }

    /**
     * Inside a millisecond ids sort by shard: once one holds more ids than a page, pages
     * split in their midst.
     */
    @Test
    void standardLayoutIsAsDenseUntilAMillisecondFillsPages() throws Exception {
        assertThat(overSequence(IdLayout.standard(), 500)).isBetween(0.99, 1.01);
        assertThat(overSequence(IdLayout.standard(), 1_000_000)).isBetween(1.15, 1.35);
    }

    private double overSequence(IdLayout layout, int idsPerSecond) throws Exception {
        EngineRig rig = new EngineRig(layout).hold(3, 0, Long.MAX_VALUE / 2, Duration.ofHours(1));
        Random shards = new Random(5);
        double measured = indexBytes(() -> {
            rig.time.advance(Duration.ofSeconds(1).dividedBy(idsPerSecond));
            return rig.engine.numbers().next(shards.nextInt(2000));
        });
        long[] sequence = new long[1];
        double ratio = measured / indexBytes(() -> ++sequence[0]);
        System.out.printf("index over a sequence's: %s, %,d ids a second: %.3f%n", layout, idsPerSecond, ratio);
        return ratio;
    }

    private double indexBytes(LongSupplier ids) throws Exception {
        this.database.execute("DROP TABLE IF EXISTS density", "CREATE TABLE density (id BIGINT PRIMARY KEY)");
        String rows = LongStream.generate(ids).limit(ROWS).mapToObj(Long::toString).collect(Collectors.joining("\n"));
        try (Connection connection = this.database.connect()) {
            connection.unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn("COPY density (id) FROM STDIN", new StringReader(rows));
        }
        return Double.parseDouble(this.database.query("SELECT pg_relation_size('density_pkey')"));
    }

}
