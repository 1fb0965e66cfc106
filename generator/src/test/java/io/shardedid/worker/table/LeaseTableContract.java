package io.shardedid.worker.table;

import java.util.stream.Stream;

import java.time.Duration;

import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.worker.LeaseRow;
import io.shardedid.worker.LeaseStatement;
import io.shardedid.worker.LeaseTable;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the lease table does on each database, at each isolation level that connections of
 * an application may have.
 */
abstract class LeaseTableContract {

    /** A busy machine is no broken database. */
    static final LeaseTimeouts PATIENT = new LeaseTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(30));

    private final TestServer server;

    private TestDatabase database;

    LeaseTableContract(TestServer server) {
        this.server = server;
    }

    @BeforeEach
    void makesTheTable() {
        this.database = this.server.freshDatabase();
        try (LeaseTable table = table(TestConnections.to(this.database), "default")) {
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

    static Stream<Arguments> checks() {
        return Stream.of(LeaseTableChecks.values())
            .flatMap((check) -> Stream.of(Isolation.values()).map((isolation) -> Arguments.of(check, isolation)));
    }

    @ParameterizedTest
    @MethodSource("checks")
    void keepsTheContract(LeaseTableChecks check, Isolation isolation) {
        TestConnections connections = TestConnections.to(this.database).at(isolation);
        try (LeaseTable table = table(connections, "default"); LeaseTable other = table(connections, "Default")) {
            check.run(table, other);
        }
    }

    @ParameterizedTest
    @EnumSource
    void givesEachWorkerIdToOneOfManyRacers(Isolation isolation) throws Exception {
        race(10, isolation);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("proof")
    void givesEachWorkerIdToOneOfManyRacersInManyRounds(Isolation isolation) throws Exception {
        race(100, isolation);
    }

    private void race(int rounds, Isolation isolation) throws Exception {
        LeaseRace.run(rounds, () -> table(TestConnections.to(this.database).at(isolation), "default"));
    }

    @Test
    void bindsTheNamespace() {
        String namespace = "x' OR '1'='1";
        try (LeaseTable table = table(TestConnections.to(this.database), "default");
                LeaseTable odd = table(TestConnections.to(this.database), namespace)) {
            table.execute(new LeaseStatement.Insert(new LeaseRow(1, "a", 0, 0, 0, null, null), null));
            assertThat(LeaseTableChecks.read(odd).rows()).isEmpty();
        }
    }

    @Test
    void asksOnceForEachStatement() {
        TestConnections connections = TestConnections.to(this.database);
        try (LeaseTable table = table(connections, "default")) {
            for (int i = 0; i < 10; i++) {
                table.execute(new LeaseStatement.ReadOne(1));
                table.execute(new LeaseStatement.Update(1, "a", 0, "b", 0, 0, 0, null, null));
            }
        }
        assertThat(connections.opened).hasValue(1);
        assertThat(connections.prepared).hasValue(2);
        assertThat(connections.executed).hasValue(20);
    }

    TestDatabase database() {
        return this.database;
    }

}
