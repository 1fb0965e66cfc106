package io.shardedid.shards;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;

import io.shardedid.LoggedLines;
import io.shardedid.SettableTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What a process with one data source tells movers, on a clock that is set. */
class OneDatabaseTest {

    /** More than a refresh with its jitter. */
    private static final Duration LATER = Duration.ofSeconds(10);

    private final SettableTime time = SettableTime.at(Instant.parse("2026-01-01T00:00:00Z"));

    private final FakeShardTable table = new FakeShardTable();

    private final LoggedLines log = new LoggedLines(OneDatabase.class.getName());

    private final OneDatabase process = new OneDatabase(
            new TableShardDirectory.Choices("default", "me", 8, null, Set.of(), Duration.ofSeconds(8)), this.time,
            this::close);

    @AfterEach
    void endsTheLog() {
        this.log.close();
    }

    private void look() {
        this.time.advance(LATER);
        assertThat(this.process.dueNanos() - this.time.nanoTime()).isNegative();
        assertThat(this.process.run(this.table)).as("goes on").isTrue();
    }

    /** The keeper. */
    private void close() {
        assertThat(this.process.dueNanos()).isEqualTo(this.time.nanoTime());
        assertThat(this.process.run(this.table)).as("goes on").isFalse();
    }

    @Test
    void makesNoTableAndRegistersAsSoonAsThereIsAMap() {
        this.table.exists = false;
        look();
        assertThat(this.table.calls).containsExactly("exists");
        this.table.exists = true;
        look();
        assertThat(this.table.seen).isEmpty();
        this.table.calls.clear();
        this.table.put("0-7", "a");
        look();
        assertThat(this.table.calls).containsExactly("exists", "version", "tell 0", "read", "tell 1");
        this.process.close();
        assertThat(this.table.seen).isEmpty();
        assertThat(this.log.lines()).isEmpty();
    }

    /** It stays where all shards are in its database, until they are again. */
    @Test
    void confirmsOnlyWhileAllShardsAreInItsDatabase() {
        this.table.put("0-7", "a");
        look();
        this.table.put("0-7", "a");
        look();
        assertThat(this.table.seen).containsEntry("me", 2L);
        this.table.put("5", "b");
        look();
        this.time.advance(JdbcShardDirectory.ROUTER_LEASE);
        look();
        assertThat(this.table.seen).as("a mover waits").containsEntry("me", 2L);
        this.table.put("0-7", "b");
        look();
        assertThat(this.table.seen).as("it may read in a").containsEntry("me", 2L);
        this.table.put("0-7", "a");
        look();
        assertThat(this.table.seen).containsEntry("me", 5L);
        assertThat(this.log.lines()).containsExactly(
                "WARNING This process does not route, and finds no rows of the shards in other databases, and movers wait for it: databases=[a, b], version=3; start it again with 'shardedid.databases.*'",
                "WARNING This process does not route, and finds no rows of the shards in other databases, and movers wait for it: databases=[b], version=4; start it again with 'shardedid.databases.*'");
    }

    @Test
    void startedTooLateItConfirmsNothingAndKeepsItsLease() {
        this.table.put("0-7", "a");
        this.table.put("5", "b");
        look();
        assertThat(this.table.seen).containsEntry("me", 0L);
        this.table.calls.clear();
        this.time.advance(JdbcShardDirectory.ROUTER_LEASE);
        look();
        assertThat(this.table.calls).contains("tell 0");
    }

    @Test
    void saysOnceThatItCannotRegister() {
        this.table.put("0-7", "a");
        this.table.fails("tell");
        look();
        look();
        assertThat(this.log.lines())
            .containsExactly("WARNING This process could not register for movers; it tries again: the line is cut");
        this.table.answers();
        look();
        assertThat(this.table.seen).containsEntry("me", 1L);
    }

}
