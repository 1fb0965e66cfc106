package io.shardedid.internal.lease.jdbc;

import java.time.Duration;

import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Both sides of each comparison of the lease table, at a clock that stands at 1000. */
class LeaseBordersTest {

    private final TestDatabase database = TestServer.H2.freshDatabase();

    private LeaseStore table;

    @BeforeEach
    void open() {
        this.table = LeaseTableContract.table(TestConnections.to(this.database)
            .rewriting((sql) -> sql.replace(LeaseDialect.H2.nowMillis(), "CAST(1000 AS BIGINT)")), "default");
        this.table.ensure();
    }

    @AfterEach
    void close() {
        this.table.close();
        this.database.execute("SHUTDOWN");
    }

    @ParameterizedTest
    @CsvSource({ "999, 0", "1000, 1", "1001, 1" })
    void insertsUntilTheLatestTime(long latest, int written) {
        assertThat(this.table.execute(new LeaseStatement.Insert(row(5000), latest)))
            .isEqualTo(new LeaseReply.Written(written));
    }

    /** The mark of the row is 70. */
    @ParameterizedTest
    @CsvSource({ "5000, 69,,, 0", "5000, 70,,, 1", "5000, 71,,, 1", "5000, 70, 999, false, 0",
            "5000, 70, 1000, false, 1", "999, 70, 1000, false, 1", "999, 70, 1000, true, 0", "1000, 70, 1000, true, 1",
            "1001, 70, 1000, true, 1" })
    void updatesUpToItsMarkInTimeAndWhileItIsLeased(long leasedUntil, long mark, Long latest, Boolean leased,
            int written) {
        this.table.execute(new LeaseStatement.Insert(row(leasedUntil), null));
        LeaseStatement.Guard guard = (latest != null) ? new LeaseStatement.Guard(latest, leased) : null;
        assertThat(this.table.execute(new LeaseStatement.Update(3, "a", mark, "b", 1, 9000, 80, "me", "layout", guard)))
            .isEqualTo(new LeaseReply.Written(written));
        LeaseRow found = ((LeaseReply.Rows) this.table.execute(new LeaseStatement.ReadOne(3))).rows().get(0);
        assertThat(found)
            .isEqualTo((written == 1) ? new LeaseRow(3, "b", 2, 9000, 80, "me", "layout") : row(leasedUntil));
    }

    private static LeaseRow row(long leasedUntil) {
        return new LeaseRow(3, "a", 1, leasedUntil, 70, null, null);
    }

    /** The server ends a statement before the network does, but not at once. */
    @ParameterizedTest
    @CsvSource({ "500, 1", "1000, 1", "2000, 1", "2999, 1", "3000, 2", "10000, 9" })
    void limitsOfAnAnswerGoTogether(long answerMillis, int querySeconds) {
        LeaseTimeouts timeouts = new LeaseTimeouts(Duration.ofMillis(600), Duration.ofMillis(answerMillis));
        assertThat(timeouts.querySeconds()).isEqualTo(querySeconds);
        assertThat(timeouts.networkMillis()).isEqualTo((int) answerMillis);
        assertThat(timeouts.answerLimit()).isEqualTo(Duration.ofMillis(answerMillis + 250));
        assertThat(timeouts.connectLimit()).hasMillis(850);
        assertThat(timeouts.connectOverdue()).hasMillis(100);
        assertThat(timeouts.ofStart()).isEqualTo(new LeaseTimeouts(Duration.ofMillis(2400), timeouts.answer()));
    }

}
