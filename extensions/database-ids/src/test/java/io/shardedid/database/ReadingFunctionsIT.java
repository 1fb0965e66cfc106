package io.shardedid.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.Seed;
import io.shardedid.ShardFunction;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The functions that read ids agree with the layout, over its whole range and for every
 * preset that a database can make ids of.
 */
@Tag("database")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReadingFunctionsIT {

    private static final int IDS = 500;

    private final Seed seed = Seed.ofThisRun();

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    static Stream<IdLayout> layouts() {
        return Stream.concat(IdLayout.presetNames().stream().map(IdLayout::preset),
                // what Instagram counts from, and an epoch between two milliseconds
                Stream.of("2011-08-24T21:07:01.721Z", "1999-12-31T23:59:59.999999Z")
                    .map((epoch) -> IdLayout.instagramExact().toBuilder().epoch(Instant.parse(epoch)).build()));
    }

    /** Over those of the test before; their counter would keep another layout out. */
    private void createFunctions(IdLayout layout) {
        this.database.execute("DROP SEQUENCE IF EXISTS shardedid_cell",
                new DatabaseIds(layout, 1, ShardFunction.modulo(), Duration.ofSeconds(1), Duration.ofSeconds(5))
                    .script(""));
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void idsAreReadAlike(IdLayout layout) throws Exception {
        createFunctions(layout);
        Random random = this.seed.random();
        long[] ids = LongStream
            .concat(LongStream.of(0, 1, layout.lastId() - 1, layout.lastId()),
                    LongStream.generate(() -> random.nextLong() & layout.lastId()).limit(IDS))
            .toArray();

        try (Connection connection = this.database.connect();
                PreparedStatement question = connection
                    .prepareStatement("SELECT id, shardedid_shard(id), shardedid_instant(id), "
                            + "shardedid_first_id_at(shardedid_instant(id)) FROM unnest(?::bigint[]) AS id")) {
            question.setArray(1, connection.createArrayOf("bigint", LongStream.of(ids).boxed().toArray()));
            int read = 0;
            for (ResultSet row = question.executeQuery(); row.next(); read++) {
                long id = row.getLong(1);
                Instant instant = layout.instantOf(id);
                assertThat(row.getInt(2)).as("shard of %s, %s", id, this.seed).isEqualTo(layout.shardOf(id));
                assertThat(row.getObject(3, OffsetDateTime.class).toInstant()).as("instant of %s, %s", id, this.seed)
                    .isEqualTo(instant);
                assertThat(row.getLong(4)).as("first id at %s, %s", instant, this.seed)
                    .isEqualTo(layout.firstIdAt(instant));
            }
            assertThat(read).isEqualTo(ids.length);
        }
    }

    /** Between two ticks, too. */
    @ParameterizedTest
    @MethodSource("layouts")
    void windowsBeginAlike(IdLayout layout) throws Exception {
        createFunctions(layout);
        Random random = this.seed.random();
        long range = Duration.between(layout.epoch(), layout.lastUsableInstant().plus(layout.tick())).toNanos() / 1000;

        try (Connection connection = this.database.connect();
                PreparedStatement question = connection.prepareStatement("SELECT shardedid_first_id_at(?)")) {
            for (int i = 0; i < IDS; i++) {
                long micros = (i == 0) ? 0 : (i == 1) ? range - 1 : random.nextLong(range);
                Instant instant = layout.epoch().plusSeconds(micros / 1_000_000).plusNanos(micros % 1_000_000 * 1000);
                question.setObject(1, instant.atOffset(ZoneOffset.UTC));
                assertThat(firstOf(question)).as("first id at %s, %s", instant, this.seed)
                    .isEqualTo(layout.firstIdAt(instant));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void refusesInstantsThatNoIdCarries(IdLayout layout) {
        createFunctions(layout);
        Instant before = layout.epoch().minusNanos(1000);
        Instant after = layout.lastUsableInstant().plus(layout.tick());

        for (Instant instant : new Instant[] { before, after }) {
            assertThatThrownBy(() -> this.database.query("SELECT shardedid_first_id_at('" + instant + "')")).cause()
                .hasMessageContaining(
                        "instant must be in [%s, %s]: instant=".formatted(layout.epoch(), layout.lastUsableInstant()));
        }
    }

    @Test
    void nothingIsReadFromNull() {
        createFunctions(IdLayout.standard());

        assertThat(this.database.query("SELECT shardedid_first_id_at(NULL)")).isNull();
        assertThat(this.database.query("SELECT shardedid_instant(NULL)")).isNull();
        assertThat(this.database.query("SELECT shardedid_shard(NULL)")).isNull();
    }

    /** A window by an index asks the function once, when the plan is made. */
    @Test
    void windowIsAConditionOfTheIndex() {
        createFunctions(IdLayout.standard());
        this.database.execute("CREATE TABLE photo (id bigint PRIMARY KEY)");

        assertThat(this.database.query("EXPLAIN (FORMAT JSON) SELECT FROM photo WHERE id >= "
                + "shardedid_first_id_at('2026-01-01T00:00:00Z') AND id < shardedid_first_id_at('2026-01-02T00:00:00Z')"))
            .contains("\"Index Cond\": \"((id >= '264543141888000000'::bigint)");
    }

    private static long firstOf(PreparedStatement question) throws SQLException {
        try (ResultSet row = question.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

}
