package io.shardedid.move;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

import io.shardedid.shards.ShardFence;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A second application with a schema, a fence and homes of its own in one of the
 * databases, whose shards have the same numbers and never move.
 */
final class Neighbour implements Runnable {

    private final TwoDatabases databases;

    private final Set<Long> acknowledged = new HashSet<>();

    private final Set<Long> doubtful = new HashSet<>();

    private volatile boolean refused;

    private volatile boolean ended;

    Neighbour(TwoDatabases databases) {
        this.databases = databases;
        databases.server("a")
            .execute(databases.name(), "CREATE SCHEMA neighbour",
                    "SET search_path = neighbour; CREATE TABLE invoice (id bigint PRIMARY KEY); "
                            + ShardFence.script(TwoDatabases.LAYOUT, TwoDatabases.SHARDS, "invoice"));
    }

    void end() {
        this.ended = true;
    }

    @Override
    public void run() {
        for (long tick = 1; !this.ended; tick++) {
            long id = TwoDatabases.id(5 + (int) (tick % 3), tick);
            try (Connection connection = this.databases.server("a").connect(this.databases.name(), "postgres");
                    Statement statement = connection.createStatement()) {
                for (int more = 0; more < 50
                        && !this.ended; more++, tick++, id = TwoDatabases.id(5 + (int) (tick % 3), tick)) {
                    statement.execute("INSERT INTO neighbour.invoice VALUES (%s)".formatted(id));
                    this.acknowledged.add(id);
                    LockSupport.parkNanos(20_000_000);
                }
            }
            catch (SQLException ex) {
                this.refused |= ShardFence.MOVED.equals(ex.getSQLState());
                this.doubtful.add(id);
                LockSupport.parkNanos(50_000_000);
            }
        }
    }

    /**
     * Nothing of it is lost, nothing is there that it has not written, and no move of the
     * other application has kept it out.
     */
    void compare() throws SQLException {
        Set<Long> missing = new HashSet<>(this.acknowledged);
        try (Connection connection = this.databases.server("a").connect(this.databases.name(), "postgres");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM neighbour.invoice")) {
            while (rows.next()) {
                long id = rows.getLong(1);
                assertThat(missing.remove(id) || this.doubtful.contains(id)).as("invoice %s", id).isTrue();
            }
        }
        assertThat(missing).isEmpty();
        assertThat(this.refused).isFalse();
        assertThat(this.acknowledged).isNotEmpty();
    }

}
