package io.shardedid.internal.lease.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.SettableTime;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeaseException;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** A table that takes the statements of a start and not its first row. */
@Tag("database")
class LayoutRowIT {

    static Stream<Arguments> tables() {
        return Stream.of(
                arguments(TestServer.POSTGRESQL,
                        "ALTER TABLE shardedid_worker ADD CONSTRAINT positive CHECK (worker_id >= 0)",
                        "ERROR: new row for relation \"shardedid_worker\" violates check constraint \"positive\""),
                arguments(TestServer.MARIADB,
                        "ALTER TABLE shardedid_worker ADD CONSTRAINT positive CHECK (worker_id >= 0)",
                        "CONSTRAINT `positive` failed for"),
                arguments(TestServer.MYSQL,
                        "ALTER TABLE shardedid_worker ADD CONSTRAINT positive CHECK (worker_id >= 0)",
                        "Check constraint 'positive' is violated"),
                arguments(TestServer.H2, "ALTER TABLE shardedid_worker ADD CONSTRAINT positive CHECK (worker_id >= 0)",
                        "Check constraint violation: \"POSITIVE:"))
            .filter((table) -> ((TestServer) table.get()[0]).isThere());
    }

    @ParameterizedTest
    @MethodSource("tables")
    void namesWhatKeepsTheFirstRowOut(TestServer server, String statement, String said) {
        TestDatabase database = server.freshDatabase();
        TestConnections connections = TestConnections.to(database);
        try (SqlLeaseTable table = LeaseTableContract.table(connections, "default")) {
            table.ensure();
        }
        database.execute(statement);
        int before = connections.executed.get();
        assertThatExceptionOfType(WorkerLeaseException.class)
            .isThrownBy(() -> SeparateProcess.open(ShardedIds.builder()
                .timeSource(SettableTime.at(Instant.now()))
                .workers(JdbcLeases.leased(LeaseSettings.builder().startupTimeout(Duration.ofSeconds(90)).build(),
                        connections, "shardedid_worker", SchemaInitialization.NEVER, List.of())))
                .close())
            .withMessageContainingAll("namespace=default", "worker id=-1", said, "script");
        assertThat(connections.executed.get() - before).as("statements of the start").isLessThan(50);
    }

}
