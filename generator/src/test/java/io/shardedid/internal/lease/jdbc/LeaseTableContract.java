package io.shardedid.internal.lease.jdbc;

import java.time.Duration;

import io.shardedid.LoggedLines;
import io.shardedid.SchemaInitialization;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.tck.LeaseStoreContract;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the lease table does on each database, at each isolation level that connections of
 * an application may have.
 */
@ParameterizedClass
@EnumSource
abstract class LeaseTableContract extends LeaseStoreContract {

    /** A busy machine is no broken database. */
    static final LeaseTimeouts PATIENT = new LeaseTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(30));

    private final TestServer server;

    @Parameter
    private Isolation isolation;

    private TestDatabase database;

    LeaseTableContract(TestServer server) {
        this.server = server;
    }

    @BeforeEach
    void makesTheTable() {
        this.database = this.server.freshDatabase();
        try (LeaseStore table = table(TestConnections.to(this.database), "default")) {
            table.ensure();
        }
    }

    @AfterEach
    void leavesNothingInMemory() {
        if (this.server == TestServer.H2) {
            this.database.execute("SHUTDOWN");
        }
    }

    static SqlLeaseTable table(LeaseConnections connections, String namespace) {
        return new SqlLeaseTable(connections, LeaseTableName.DEFAULT, namespace, SchemaInitialization.ALWAYS, PATIENT);
    }

    @Override
    protected LeaseStore open(String namespace) {
        return table(TestConnections.to(this.database).at(this.isolation), namespace);
    }

    @Test
    @Tag("proof")
    void givesEachWorkerIdToOneOfManyRacersInManyRounds() throws Exception {
        race(100);
    }

    @Test
    void asksOnceForEachStatement() {
        TestConnections connections = TestConnections.to(this.database);
        try (LeaseStore table = table(connections, "default")) {
            for (int i = 0; i < 10; i++) {
                table.execute(new LeaseStatement.ReadOne(1));
                table.execute(new LeaseStatement.Update(1, "a", 0, "b", 0, 0, 0, null, null, null));
            }
        }
        assertThat(connections.opened).hasValue(1);
        assertThat(connections.prepared).hasValue(2);
        assertThat(connections.executed).hasValue(20);
    }

    /** Its processes would lease worker ids that others have, too. */
    @Test
    void warnsOnceWhereANamespaceIsNewBesideOthers() {
        try (LoggedLines log = new LoggedLines(LeaseTableCheck.class.getName())) {
            begin("first");
            begin("first");
            assertThat(log.lines()).noneMatch((line) -> line.contains("shardedid.worker.lease.namespace"));

            begin("second");
            begin("second");
            assertThat(log.lines()).filteredOn((line) -> line.contains("shardedid.worker.lease.namespace"))
                .singleElement()
                .asString()
                .startsWith("WARNING ")
                .contains("'second'", "[first]");
        }
    }

    private void begin(String namespace) {
        try (LeaseStore store = ready(namespace)) {
            store.execute(new LeaseStatement.Insert(new LeaseRow(LeaseRow.LAYOUT, "a", 0, 0, 0, null, null), null));
        }
    }

    TestDatabase database() {
        return this.database;
    }

}
