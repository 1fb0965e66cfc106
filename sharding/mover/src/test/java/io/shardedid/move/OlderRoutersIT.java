package io.shardedid.move;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

import io.shardedid.test.TestClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Which routers a mover waits for, on a clock of its own that is set. */
@Tag("database")
class OlderRoutersIT {

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private final TestClock time = TestClock.at(Instant.EPOCH);

    private TwoDatabases databases;

    private MoveContext context;

    @BeforeEach
    void addRouter() {
        this.databases = new TwoDatabases(servers);
        this.context = new MoveContext(this.databases.databases(), TwoDatabases.LIMITS, ShardRanges.parse("5"),
                (progress) -> {
                }, Session.Probe.NONE, this.time);
        this.context.state(new MoveContext.MapState(1, "b", "a", "b", "empty", 7, 77));
        change(5, 7, 77);
        this.databases.execute("a", """
                INSERT INTO shardedid_router (namespace, process, version_seen, identity_seen, seen_at, lease_until)
                SELECT 'default', p, v, 11 * v, now_millis, now_millis + 600000
                  FROM (VALUES ('old', 6), ('new', 7)) AS r (p, v),
                       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_millis) n""");
    }

    @AfterEach
    void end() {
        this.context.close();
    }

    private void change(int shard, long version, long identity) {
        this.databases.execute("a", "UPDATE shardedid_shard SET version = %s, identity = %s WHERE shard IN (-1, %s)"
            .formatted(version, identity, shard));
    }

    private void acknowledge(long version, long identity) {
        this.databases.execute("a",
                "UPDATE shardedid_router SET version_seen = %s, identity_seen = %s WHERE process = 'new'"
                    .formatted(version, identity));
    }

    /** What a step of the database's clock by an hour does to all leases. */
    private void clockIsSetForward() {
        this.databases.execute("a", "UPDATE shardedid_router SET lease_until = lease_until - 3600000");
    }

    private String rows() {
        return this.databases.query("a", "SELECT string_agg(process, ' ' ORDER BY process) FROM shardedid_router");
    }

    @Test
    void aRouterHasEndedWhenItsRowWasTheSameForALease() throws SQLException {
        OlderRouters routers = new OlderRouters(this.context);
        assertThat(routers.left()).containsExactly("old (600 s at most if it has died)");
        clockIsSetForward();
        assertThat(routers.left()).hasSize(1);
        this.time.advance(Duration.ofMinutes(9));
        assertThat(routers.left()).containsExactly("old (60 s at most if it has died)");
        this.databases.execute("a", "UPDATE shardedid_router SET seen_at = seen_at + 1 WHERE process = 'old'");
        assertThat(routers.left()).as("it has renewed its lease meanwhile").hasSize(1);
        this.time.advance(Duration.ofMinutes(9));
        assertThat(routers.left()).hasSize(1);
        this.time.advance(Duration.ofMinutes(1));
        assertThat(routers.left()).isEmpty();
        assertThat(rows()).as("the next mover need not wait again").isEqualTo("new");
    }

    /** A copy takes hours, and the lease of a dead router passes meanwhile. */
    @Test
    void aRouterThatDiesBeforeTheCopyDoesNotDelayTheMove() throws SQLException {
        OlderRouters routers = new OlderRouters(this.context);
        routers.watch();
        this.databases.execute("a",
                "UPDATE shardedid_router SET lease_until = lease_until + 86400000 WHERE process = 'old'");
        this.time.advance(Duration.ofMinutes(10));
        assertThat(routers.left()).as("its row has changed").hasSize(1);
        this.time.advance(Duration.ofMinutes(10));
        assertThat(routers.left()).isEmpty();

        this.databases.execute("a",
                "UPDATE shardedid_router SET version_seen = 6, identity_seen = 66 WHERE process = 'new'");
        routers = new OlderRouters(this.context);
        routers.watch();
        this.time.advance(Duration.ofMinutes(10));
        assertThat(routers.left()).as("whatever the clock of the database says").isEmpty();
    }

    /** The broken variant, which the first test finds. */
    @Test
    void moverThatGoesByTheClockOfTheDatabaseDoesNotWait() throws SQLException {
        OlderRouters routers = new OlderRouters(this.context) {

            @Override
            long lease() {
                return 0;
            }

        };
        clockIsSetForward();
        assertThat(routers.left()).isEmpty();
    }

    @Test
    void noAcknowledgementOfAnotherIdentityIsBelieved() throws SQLException {
        this.databases.execute("a", "DELETE FROM shardedid_router WHERE process = 'old'");
        OlderRouters routers = new OlderRouters(this.context);
        assertThat(routers.left()).isEmpty();
        acknowledge(7, 78);
        assertThat(routers.left()).containsExactly("new (600 s at most if it has died)");
        acknowledge(8, 88);
        assertThat(routers.left()).as("no such map").hasSize(1);
        change(6, 8, 88);
        assertThat(routers.left()).as("another mover has made it from that of this one").isEmpty();
        change(7, 9, 99);
        assertThat(routers.left()).as("so is the next one").isEmpty();
        acknowledge(9, 88);
        assertThat(routers.left()).hasSize(1);
        acknowledge(9, 99);
        assertThat(routers.left()).isEmpty();
    }

    /** What follows was not made from the map of this mover. */
    @Test
    void nobodyIsUpToDateByAMapThatHasLostTheChange() throws SQLException {
        this.databases.execute("a", "DELETE FROM shardedid_router WHERE process = 'old'");
        try (Move move = new Move(this.context)) {
            assertThat(move.nobodyIsBehind()).isTrue();
            for (long[] map : new long[][] { { 7, 78 }, { 6, 77 } }) {
                change(5, map[0], map[1]);
                acknowledge(map[0], map[1]);
                assertThatExceptionOfType(MoveException.class).isThrownBy(move::nobodyIsBehind)
                    .withMessageStartingWith(
                            "Shard map has lost the change of this move: shards=5, database=a, version=7 (");
            }
        }
    }

    @Test
    void nobodyWaitsForARouterThatIsNamedDead() throws SQLException {
        OlderRouters routers = new OlderRouters(this.context);
        assertThat(routers.left()).hasSize(1);
        assertThatExceptionOfType(MoveException.class).isThrownBy(() -> this.databases.mover().nameDead("ol"))
            .withMessage(
                    "There is no such router: process='ol', namespace='default' (routers: [new, old]); correct the name");
        this.databases.mover().nameDead("old");
        assertThat(routers.left()).isEmpty();
        assertThat(rows()).isEqualTo("new");
    }

}
