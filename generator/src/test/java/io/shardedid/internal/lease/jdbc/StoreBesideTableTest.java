package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import io.shardedid.LoggedLines;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** A lease table in H2 stands for the other store. */
class StoreBesideTableTest {

    private static final String COMMAND = "java -cp CLASSPATH io.shardedid.cli.Inspector move-leases "
            + "--old=OLD.properties --config=NEW.properties";

    private final TestDatabase database = TestServer.H2.freshDatabase();

    private final LeaseStore other = store(
            LeaseConnections.url("jdbc:h2:mem:other" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", ""));

    private final LeaseConnections connections = LeaseConnections.url(this.database.url(), "sa", "");

    private final LeaseStore beside = new StoreBesideTable(this.other, this.connections, "default");

    private static LeaseStore store(LeaseConnections connections) {
        return JdbcLeases.store("default", connections, "shardedid_worker", SchemaInitialization.EMBEDDED);
    }

    @AfterEach
    void close() {
        this.beside.close();
    }

    private void insert(LeaseStore store, LeaseRow row) {
        store.ensure();
        assertThat(store.execute(new LeaseStatement.Insert(row, null))).isEqualTo(new LeaseReply.Written(1));
    }

    private void insertOwn(LeaseRow row) {
        try (LeaseStore own = store(this.connections)) {
            insert(own, row);
        }
    }

    private static LeaseRow row(int worker, long until, String owner) {
        return new LeaseRow(worker, "t", 1, until, 77, owner, null);
    }

    @Test
    void aLeaseThatHasNotRunOutEndsTheStart() {
        Instant until = Instant.ofEpochMilli(Instant.now().plusSeconds(60).toEpochMilli());
        insert(this.other, row(LeaseRow.LAYOUT, 0, null));
        insertOwn(row(3, until.toEpochMilli(), "feed on web-1, pid 7"));
        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(this.beside::ensure)
            .satisfies((ex) -> assertThat(this.beside.isTransient(ex)).isFalse())
            .withMessage("Could not use the store of the leases: store=%s, while the lease table of the application's "
                    + "database shows a lease that has not run out: table=shardedid_worker, connection=%s, "
                    + "namespace='default', worker id=3, owner=feed on web-1, pid 7, until=%s (leases of two stores make "
                    + "duplicate ids); give all processes the same 'shardedid.worker.lease.store', or stop that one and move "
                    + "the leases: %s", this.other.describe(), this.connections.describe(), until, COMMAND);
    }

    @Test
    void anEmptyStoreBesideATableWithRowsEndsTheStart() {
        insertOwn(row(3, 0, null));
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(this.beside::ensure)
            .withMessage(
                    "Could not use the store of the leases: store=%s has no rows of namespace 'default', while the "
                            + "lease table of the application's database has some: table=shardedid_worker, connection=%s, rows=1, "
                            + "highest hwm_tick=77 (ids below that mark would be made again); stop all processes, and move the "
                            + "leases: %s",
                    this.other.describe(), this.connections.describe(), COMMAND);
    }

    @Test
    void aStoreThatHasBegunGoesOnBesideRowsThatHaveRunOutOrMoved() {
        insertOwn(row(3, 1, "gone"));
        insertOwn(row(4, 253_402_300_799_000L, "leases moved to store 'redis'"));
        insert(this.other, row(LeaseRow.LAYOUT, 0, null));
        assertThatNoException().isThrownBy(this.beside::ensure);
    }

    @Test
    void noTableIsNoMatter() {
        try (LoggedLines log = new LoggedLines(StoreBesideTable.class.getName())) {
            assertThatNoException().isThrownBy(this.beside::ensure);
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void aTableThatMustNotBeReadIsNamed() {
        insertOwn(row(3, Long.MAX_VALUE, "hidden"));
        this.database.execute("CREATE USER stranger PASSWORD 's'");
        try (LoggedLines log = new LoggedLines(StoreBesideTable.class.getName());
                LeaseStore stranger = new StoreBesideTable(this.other,
                        LeaseConnections.url(this.database.url(), "stranger", "s"), "default")) {
            assertThatNoException().isThrownBy(stranger::ensure);
            assertThat(log.lines()).singleElement()
                .asString()
                .startsWith("WARNING The lease table of the application's database could not be read: "
                        + "table=shardedid_worker, connection=")
                .endsWith("). The start goes on; give all processes the same 'shardedid.worker.lease.store'");
        }
    }

    /** What cannot be reached from here may be reached by others. */
    @Test
    void aDatabaseThatIsAwayMayComeBack() {
        LeaseConnections away = new LeaseConnections() {
            @Override
            public Connection open(Duration timeout) throws SQLException {
                throw new SQLException("Connection refused", "08001");
            }

            @Override
            public boolean keep() {
                return false;
            }

            @Override
            public String describe() {
                return "pool";
            }
        };
        try (LeaseStore store = new StoreBesideTable(this.other, away, "default")) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(store::ensure)
                .satisfies((ex) -> assertThat(store.isTransient(ex)).isTrue())
                .withMessage("Could not find out whether leases are taken from the application's database, too: "
                        + "table=shardedid_worker, connection=pool, namespace='default' (Connection refused); start that "
                        + "database");
        }
    }

}
