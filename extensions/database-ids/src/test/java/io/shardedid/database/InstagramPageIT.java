package io.shardedid.database;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;

import io.shardedid.IdParts;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Instagram's function and ours, as
 * {@code extensions/database-ids/README.md#instagrams-way-in-postgresql} has them, by a
 * clock that does what a clock may do.
 */
@Tag("database")
class InstagramPageIT {

    private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

    /** What 10 bits of sequence hold. */
    private static final int OF_A_MILLISECOND = 1_024;

    private static final String OURS = "shardedid_claim()";

    private static final Duration MAX_WAIT = Duration.ofMillis(100);

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    private List<Long> next(int count) throws SQLException {
        return DrawnIds.of(this.database, "insta5.next_id()", count);
    }

    @Test
    void theirSequenceWrapsWithinAMillisecond() throws Exception {
        this.database.execute(InstagramPage.sql("theirs"));
        InstagramPage.setClock(this.database, "insta5", NOON, "next_id()");
        List<Long> ids = next(OF_A_MILLISECOND + 1);

        assertThat(new HashSet<>(ids)).hasSize(OF_A_MILLISECOND);
        assertThat(ids.get(OF_A_MILLISECOND)).isEqualTo(ids.get(0));
        assertThatThrownBy(() -> this.database
            .execute("INSERT INTO insta5.photo (user_id) SELECT 5 FROM generate_series(1, 1025)")).cause()
            .hasMessageContaining("duplicate key value violates unique constraint \"photo_pkey\"");
    }

    @Test
    void oursGoOnInTheNextMillisecondAndAfterTheClockWasSetBack() throws Exception {
        this.database.execute(InstagramPage.script(MAX_WAIT));
        InstagramPage.setClock(this.database, "insta5", NOON, OURS);
        List<Long> ids = next(OF_A_MILLISECOND + 1);
        InstagramPage.setClock(this.database, "insta5", NOON.minusMillis(900));
        ids.addAll(next(2));

        assertThat(ids).doesNotHaveDuplicates().isSorted();
        assertThat(InstagramPage.LAYOUT.parse(ids.get(0))).isEqualTo(new IdParts(NOON, 5, 0, 0));
        assertThat(InstagramPage.LAYOUT.parse(ids.get(OF_A_MILLISECOND)))
            .isEqualTo(new IdParts(NOON.plusMillis(1), 5, 0, 0));
    }

    /** Also when it stands still, so that no time ever passes by it. */
    @Test
    void oursWaitNoLongerThanMaxWaitForAClockThatWasSetBack() throws Exception {
        this.database.execute(InstagramPage.script(MAX_WAIT));
        InstagramPage.setClock(this.database, "insta5", NOON, OURS);
        next(1);
        InstagramPage.setClock(this.database, "insta5", NOON.minusSeconds(3600));

        assertThatThrownBy(() -> next(1)).hasMessageContaining("Could not generate an id: ids are 3600000 ms ahead of "
                + "the clock of the database (at most 1000 ticks); was it set back?");
    }

    @Test
    void rowsOfAnotherShardAreRefused() throws Exception {
        this.database.execute(InstagramPage.script(MAX_WAIT), InstagramPage.sql("ours"));

        assertThat(InstagramPage.LAYOUT.shardOf(Long.parseLong(this.database.query("SELECT id FROM insta5.photo"))))
            .isEqualTo(5);
        assertThatThrownBy(() -> this.database.execute("INSERT INTO insta5.photo (user_id) VALUES (2006)")).cause()
            .hasMessageContaining("violates check constraint \"photo_user_id_check\"");
        assertThatThrownBy(() -> this.database.execute("INSERT INTO insta5.photo VALUES (6 << 10, 2005)")).cause()
            .hasMessageContaining("violates check constraint \"photo_id_check\"");
        assertThatThrownBy(() -> this.database.execute("SELECT insta5.shardedid_next(6)")).cause()
            .hasMessageContaining("Could not generate an id: shard must be in [5, 5]: shard=6");
    }

    @Test
    void oursTakeOverWhereTheirsWereAhead() throws Exception {
        this.database.execute(InstagramPage.sql("theirs"));
        InstagramPage.setClock(this.database, "insta5", Instant.now().plusMillis(700), "next_id()");
        this.database.execute("INSERT INTO insta5.photo (user_id) SELECT 5 FROM generate_series(1, 1000)");
        long last = Long.parseLong(this.database.query("SELECT max(id) FROM insta5.photo"));

        this.database.execute("DROP FUNCTION insta5.clock_timestamp()", InstagramPage.script(Duration.ofSeconds(5)),
                InstagramPage.sql("above what is there"), "INSERT INTO insta5.photo (user_id) VALUES (5)");
        assertThat(Long.parseLong(this.database.query("SELECT max(id) FROM insta5.photo"))).isGreaterThan(last);
        assertThat(this.database.query("SELECT count(*) FROM insta5.photo WHERE insta5.shardedid_shard(id) = 5"))
            .isEqualTo("1001");
    }

    /** Shards of one server have a lock each. */
    @Test
    void shardDoesNotWaitForAnother() {
        DatabaseIds ids = new DatabaseIds(InstagramPage.LAYOUT, 2000, ShardFunction.modulo(), Duration.ofSeconds(1),
                MAX_WAIT);

        assertThat(ids.shardSchema("insta5", 5)).contains("pg_advisory_lock(8316003855878153327)");
        assertThat(ids.shardSchema("insta6", 6)).contains("pg_advisory_lock(8316003855878153328)");
    }

    @Test
    void refusesSchemasThatAreNone() {
        DatabaseIds ids = new DatabaseIds(InstagramPage.LAYOUT, 2000, ShardFunction.modulo(), Duration.ofSeconds(1),
                MAX_WAIT);

        assertThatThrownBy(() -> ids.shardSchema("", 5)).isInstanceOf(ShardedIdConfigurationException.class)
            .hasMessageContainingAll("[0, 1999]", "schema=''", "shard=5");
        assertThatThrownBy(() -> ids.shardSchema("insta2000", 2000)).hasMessageContainingAll("[0, 1999]",
                "schema='insta2000'", "shard=2000");
        assertThatThrownBy(() -> ids.shardSchema("Insta5", 5)).hasMessageContaining("schema='Insta5'");
    }

}
