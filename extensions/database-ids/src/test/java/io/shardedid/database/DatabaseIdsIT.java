package io.shardedid.database;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.IdParts;
import io.shardedid.ScriptedLeases;
import io.shardedid.Seed;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * PostgreSQL makes and reads the same ids as the engine.
 */
@Tag("database")
class DatabaseIdsIT {

    private static final int KEYS = 100_000;

    private final Seed seed = Seed.ofThisRun();

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    private String ahead;

    private DatabaseIds ids(IdLayout layout, ShardFunction function) {
        return new DatabaseIds(layout, Math.min(2000, 1 << layout.shardBits()), function, Duration.ofSeconds(1),
                Duration.ofMillis(500));
    }

    private interface Reader {

        void read(ResultSet row) throws SQLException;

    }

    private void query(String sql, Reader reader) throws SQLException {
        try (Connection connection = this.database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }

    /** Where the rows of two databases meet. */
    @Test
    void idsCarryTheWorkerIdOfTheirDatabase() throws Exception {
        DatabaseIds ids = new DatabaseIds(IdLayout.standard(), 2000, ShardFunction.modulo(), Duration.ofHours(1),
                Duration.ofSeconds(5));
        TestDatabase other = TestServer.POSTGRESQL.freshDatabase();
        this.database.execute(ids.script(""));
        other.execute(ids.script(""));
        List<Long> here = drawn(this.database, 127);
        assertThat(drawn(other, 127)).as("ids of two databases with one worker id").isEqualTo(here);

        other.execute(ids.withWorker(126).script(""));
        assertThat(drawn(other, 126)).hasSameSizeAs(here).doesNotContainAnyElementsOf(here);
        Instant first = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(ids.since(first).withWorker(126).script("")).contains(ids.withWorker(126).since(first).script(""));
        assertThatThrownBy(() -> ids.withWorker(128)).hasMessageContainingAll("[0, 127]", "worker-bits=7",
                "worker=128");
    }

    /** From a moment that is the same in each database, ahead of the clocks. */
    private List<Long> drawn(TestDatabase from, int worker) throws SQLException {
        if (this.ahead == null) {
            this.ahead = from.query("SELECT shardedid_tick(clock_timestamp() + interval '10 minutes') << 5");
        }
        from.execute("SELECT setval('shardedid_cell', %s)".formatted(this.ahead));
        List<Long> ids = DrawnIds.of(from, "shardedid_next(7)", 40);
        assertThat(ids).extracting(IdLayout.standard()::parse)
            .allMatch((parts) -> parts.worker() == worker && parts.shard() == 7);
        return ids;
    }

    @ParameterizedTest
    @ValueSource(strings = { "modulo", "hash" })
    void keysFallIntoTheSameShards(String name) throws Exception {
        ShardFunction function = name.equals("hash") ? ShardFunction.hash() : ShardFunction.modulo();
        this.database.execute(ids(IdLayout.standard(), function).script(""));
        long[] keys = LongStream
            .concat(LongStream.of(0, -1, Long.MIN_VALUE, Long.MAX_VALUE), new Random(this.seed.value()).longs(KEYS))
            .toArray();
        String values = LongStream.of(keys).mapToObj(Long::toString).collect(Collectors.joining(","));

        query("SELECT key, shardedid_shard_for(key), shardedid_shard_for(key::text) FROM unnest('{" + values
                + "}'::bigint[]) AS key", (row) -> {
                    long key = row.getLong(1);
                    assertThat(row.getInt(2)).as("shard of %s, %s", key, this.seed)
                        .isEqualTo(function.shardOf(key, 2000));
                    assertThat(row.getInt(3)).as("shard of '%s', %s", key, this.seed)
                        .isEqualTo(function.shardOf(Long.toString(key), 2000));
                });
    }

    @ParameterizedTest
    @ValueSource(strings = { "standard", "many-shards", "many-processes", "instagram-exact", "dense", "snowflake",
            "sonyflake" })
    void idsParseAlike(String preset) throws Exception {
        IdLayout layout = IdLayout.preset(preset);
        this.database.execute(ids(layout, ShardFunction.modulo()).script(""));
        int shard = Math.min(1341, (1 << layout.shardBits()) - 1);
        Instant before = Instant.now().minus(layout.tick());

        query("SELECT id, shardedid_shard(id), shardedid_instant(id), shardedid_first_id_at(shardedid_instant(id)) "
                + "FROM (SELECT shardedid_next(%s) AS id FROM generate_series(1, 2000)) made".formatted(shard),
                (row) -> {
                    IdParts parts = layout.parse(row.getLong(1));
                    assertThat(parts.shard()).isEqualTo(shard).isEqualTo(row.getInt(2));
                    assertThat(parts.worker()).isEqualTo((1 << layout.workerBits()) - 1);
                    assertThat(parts.instant()).isEqualTo(row.getObject(3, OffsetDateTime.class).toInstant())
                        .isBetween(before, Instant.now().plusSeconds(1));
                    assertThat(row.getLong(4)).isEqualTo(layout.firstIdAt(parts.instant()));
                });
    }

    @Test
    void idsIncreaseAndASpentSequenceGoesOnInTheNextTick() throws Exception {
        this.database.execute(ids(IdLayout.standard(), ShardFunction.modulo()).script(""));
        long[] last = { 0, 0 };

        query("SELECT shardedid_next(7) FROM generate_series(1, 60000)", (row) -> {
            assertThat(row.getLong(1)).isGreaterThan(last[0]);
            last[0] = row.getLong(1);
            last[1]++;
        });
        assertThat(last[1]).isEqualTo(60_000);
    }

    @Test
    void databaseClockThatWasSetBackMakesNoDuplicateIds() throws Exception {
        this.database.execute(ids(IdLayout.standard(), ShardFunction.modulo()).script(""));
        long before = Long.parseLong(this.database.query("SELECT shardedid_next(7)"));
        // the counter stands where it would after ten seconds of a clock that is now set
        // back
        this.database.execute("SELECT setval('shardedid_cell', last_value + 10000 * 32) FROM shardedid_cell");

        assertThatThrownBy(() -> this.database.execute("SELECT shardedid_next(7)")).cause()
            .hasMessageContainingAll(" ms ahead of the clock", "1000 ticks", "set back");
        this.database.execute("SELECT setval('shardedid_cell', last_value - 9500 * 32) FROM shardedid_cell");
        assertThat(Long.parseLong(this.database.query("SELECT shardedid_next(7)"))).isGreaterThan(before);
    }

    /** A counter that stands so far ahead of the clock that no test run comes there. */
    private void counterAheadBy(String interval) {
        this.database.execute("SELECT setval('shardedid_cell', shardedid_tick(clock_timestamp() + interval '%s') << 5)"
            .formatted(interval));
    }

    @Test
    void idsRunAheadOfTheClockAsFarAsTheyMayAndNoFurther() {
        this.database.execute(new DatabaseIds(IdLayout.standard(), 2000, ShardFunction.modulo(), Duration.ofHours(1),
                Duration.ofMillis(100))
            .script(""));
        counterAheadBy("59 minutes");
        this.database.execute("SELECT shardedid_next(7)");

        counterAheadBy("61 minutes");
        assertThatThrownBy(() -> this.database.execute("SELECT shardedid_next(7)")).cause()
            .hasMessageContaining("(at most 3600000 ticks)");
    }

    @ParameterizedTest
    @ValueSource(strings = { "modulo", "hash" })
    void rowsHaveTheSameHomeAsInTheApplication(String name) throws Exception {
        ShardFunction function = name.equals("hash") ? ShardFunction.hash() : ShardFunction.modulo();
        IdLayout layout = IdLayout.builder().timeBits(38).build();
        Instant line = Instant.now().minusSeconds(3600);
        long firstId = layout.firstIdAt(line);
        this.database.execute(ids(layout, function).since(line).script(""));
        Random random = new Random(this.seed.value());
        String numbers = LongStream
            .of(new long[] { Long.MIN_VALUE, -1, 0, 4711, (1L << 40) - 1, 1L << 40, firstId - 1, firstId,
                    layout.lastId() + 1, Long.MAX_VALUE })
            .boxed()
            .flatMap((edge) -> Stream.of(edge, random.nextLong(),
                    layout.compose(layout.tickAt(line) + random.nextInt(3_600_000), random.nextInt(2000),
                            random.nextInt(32), random.nextInt(32))))
            .map(String::valueOf)
            .collect(Collectors.joining(","));

        try (ShardedIdEngine ids = ShardedIds.builder()
            .layout(layout)
            .shardFunction(function)
            .workers(new ScriptedLeases("home-" + name))
            .olderIdsBefore(line)
            .open()) {
            query("SELECT id, shardedid_colocated(id) FROM unnest('{" + numbers + "}'::bigint[]) AS id", (row) -> {
                long id = row.getLong(1);
                if (ids.reader().isOlder(id) || layout.shardOf(id) < 2000) {
                    assertThat(row.getInt(2)).as("home of %s, %s", id, this.seed).isEqualTo(ids.shardOf(id));
                }
            });
        }
    }

    @Test
    void refusesAnIdOfTwoReadingsAsTheApplicationDoes() {
        IdLayout layout = IdLayout.standard();
        Instant first = layout.instantOf(layout.firstIdAt(Instant.now().minusSeconds(3600)));
        this.database.execute(ids(layout, ShardFunction.modulo()).sinceFirstLease(first).script(""));
        ScriptedLeases leases = new ScriptedLeases("two readings");
        leases.firstTick(layout.tickAt(first));
        try (ShardedIdEngine ids = ShardedIds.builder().workers(leases).open()) {
            for (long id : new long[] { 1L << 40, layout.firstIdAt(first) - 1 }) {
                String[] readings = { "id=%s, ".formatted(id),
                        "shard by its bits=%s, shard as a plain number=%s ".formatted(layout.shardOf(id), id % 2000) };
                assertThatThrownBy(() -> ids.shardOf(id)).hasMessageContainingAll(readings);
                assertThatThrownBy(() -> this.database.execute("SELECT shardedid_colocated(%s)".formatted(id))).cause()
                    .hasMessageContainingAll(readings);
            }
            for (long id : new long[] { -1, 0, 4711, (1L << 40) - 1, layout.firstIdAt(first) }) {
                assertThat(this.database.query("SELECT shardedid_colocated(%s)".formatted(id))).as("home of %s", id)
                    .isEqualTo(String.valueOf(ids.shardOf(id)));
            }
        }
    }

    @Test
    void statementThatIsCancelledKeepsNoLock() throws Exception {
        this.database.execute(ids(IdLayout.standard(), ShardFunction.modulo()).script(""));
        try (Connection holder = this.database.connect();
                Connection other = this.database.connect();
                Statement holds = holder.createStatement();
                Statement waits = other.createStatement()) {
            holds.execute("SELECT pg_advisory_lock(8316003855878153321)");
            waits.execute("SET statement_timeout = 300");
            assertThatThrownBy(() -> waits.execute("SELECT shardedid_next(7)"))
                .hasMessageContaining("canceling statement due to statement timeout");
            holds.execute("SELECT pg_advisory_unlock(8316003855878153321)");

            waits.execute("SET statement_timeout = 0");
            waits.execute("SELECT shardedid_next(7)");
            assertThat(this.database.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")).isEqualTo("0");
        }
    }

    @Test
    void refusesAShardThatIsNone() {
        this.database.execute(ids(IdLayout.standard(), ShardFunction.modulo()).script(""));

        assertThatThrownBy(() -> this.database.execute("SELECT shardedid_next(NULL)")).cause()
            .hasMessageContainingAll("shard key", "null", "set it");
        assertThatThrownBy(() -> this.database.execute("SELECT shardedid_next(2000)")).cause()
            .hasMessageContainingAll("[0, 1999]", "shard=2000");
    }

    /** SQL knows the digits of ASCII alone. */
    @Test
    void processOfAnotherLanguageMakesIdsAndTheScript() throws Exception {
        Process process = new ProcessBuilder(ProcessOfAnotherLanguage.command(this.database.url()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
        try {
            List<String> output = process.inputReader(StandardCharsets.UTF_8).lines().toList();
            assertThat(output).filteredOn((line) -> line.startsWith("ID "))
                .singleElement()
                .satisfies((line) -> assertThat(IdLayout.standard().shardOf(Long.parseLong(line.substring(3))))
                    .isEqualTo(1234));
            int start = output.indexOf("ITS OWN") + 1;
            assertThat(start).as("after what shows its digits").isPositive();

            this.database.execute(String.join("\n", output.subList(start, output.size())));
            assertThat(this.database.query("SELECT shardedid_shard(shardedid_next(shardedid_shard_for(-1)))"))
                .isEqualTo("1499");
        }
        finally {
            process.destroyForcibly();
        }
    }

}
