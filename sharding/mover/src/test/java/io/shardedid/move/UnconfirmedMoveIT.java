package io.shardedid.move;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A source that waits for a synchronous standby which is not there, and an administrator
 * who ends the wait: the server answers with success and a warning.
 */
@Tag("proof")
@Tag("nightly")
class UnconfirmedMoveIT {

    private static final ShardRanges FIVE = ShardRanges.parse("5");

    @RegisterExtension
    static final TwoServers servers = new TwoServers();

    private final AtomicBoolean waiting = new AtomicBoolean();

    private TwoDatabases databases;

    @BeforeEach
    void makeDatabases() {
        this.databases = new TwoDatabases(servers);
        this.databases.fill("a", 5, 3);
    }

    @AfterEach
    void forgetStandby() {
        this.waiting.set(false);
        standbys("");
    }

    private static void standbys(String names) {
        servers.a.execute("postgres", "ALTER SYSTEM SET synchronous_standby_names = '%s'".formatted(names),
                "SELECT pg_reload_conf()");
        while (!names.equals(servers.a.query("postgres", "SHOW synchronous_standby_names"))) {
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** Ends each wait for the standby, as soon as the mover waits. */
    private void endWaits() {
        while (this.waiting.get()) {
            servers.a.query("postgres",
                    "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
            LockSupport.parkNanos(20_000_000);
        }
    }

    /**
     * The token by a statement of its own, then the transactions that close the source
     * and that change the map: each is visible and may be lost with the source.
     */
    @ParameterizedTest
    @ValueSource(strings = { "shardedid_home SET mover", "SELECT pg_advisory_lock(", "SET version = version + 1" })
    void commitThatTheServerDoesNotConfirmEndsTheMoveWhichCanBeResumed(String statement) {
        String rows = this.databases.rows("a", 5);
        AtomicBoolean once = new AtomicBoolean();
        try (Move move = this.databases.move(FIVE, (database, sql) -> {
            if (database.equals("a") && sql.contains(statement) && once.compareAndSet(false, true)) {
                standbys("nobody");
                this.waiting.set(true);
                Thread canceller = new Thread(this::endWaits, "canceller");
                canceller.setDaemon(true);
                canceller.start();
            }
        })) {
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> move.move("b"))
                .withMessageContaining("Could not confirm a commit: warning=01000")
                .matches((ex) -> ex.getSQLState().equals("08007"));
        }
        assertThat(once).isTrue();
        forgetStandby();

        assertThat(this.databases.mover().resume(FIVE).outcome()).isEqualTo(MoveResult.Outcome.MOVED);

        assertThat(this.databases.rows("b", 5)).isEqualTo(rows);
        assertThat(this.databases.rows("a", 5)).isEmpty();
        assertThat(this.databases.home(5)).isEqualTo("b");
        assertThat(this.databases.leftovers()).isEmpty();
    }

}
