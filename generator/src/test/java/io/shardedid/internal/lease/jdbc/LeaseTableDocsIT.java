package io.shardedid.internal.lease.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.shardedid.IdLayout;
import io.shardedid.testdb.DocumentedSql;
import io.shardedid.testdb.EachServer;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.internal.lease.LeaseReply;
import io.shardedid.internal.lease.LeaseRow;
import io.shardedid.internal.lease.LeaseStatement.Insert;
import io.shardedid.internal.lease.LeaseStatement.Update;
import io.shardedid.internal.lease.LeaseStore;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

import static org.assertj.core.api.Assertions.assertThat;

/** The statements of docs/lease-table.md do what it says, as they stand there. */
@Tag("database")
class LeaseTableDocsIT {

    private static final long FIRST_FREE_TICK = 59_011_200_001L;

    private static final long YEAR_2098 = 2_300_000_000_000L;

    private final DocumentedSql page = DocumentedSql.of("docs", "lease-table.md");

    @Test
    void showsTheScript() throws IOException {
        String script = Files.readString(Path.of("src/main/resources/io/shardedid/lease-table-postgresql.sql"));

        assertThat(script.strip()).endsWith(this.page.statement(TestServer.POSTGRESQL, "the lease table") + ";");
    }

    @ParameterizedTest
    @EachServer
    void tellsWhoHoldsWhat(TestServer server) {
        TestDatabase database = server.freshDatabase();
        try (LeaseStore table = LeaseTableContract.table(TestConnections.to(database), "default")) {
            table.ensure();
            long now = LeaseStoreCheck.read(table).databaseMillis();
            table.execute(new Insert(new LeaseRow(LeaseRow.LAYOUT, "id", 0, 0, 1, null, "layout"), null));
            table.execute(new Insert(new LeaseRow(0, "a", 4, now + 60_000, 9, "me", null), null));
            table.execute(new Insert(new LeaseRow(1, "b", 5, now - 60_000, 9, "dead", null), null));
            table.execute(new Insert(new LeaseRow(2, "c", 6, 0, 9, null, null), null));
        }
        String question = this.page.statement(server, "who holds what");
        for (String state : new String[] { "held", "expired", "free" }) {
            String worker = database.query("SELECT worker_id FROM (" + question.replaceFirst("ORDER BY[^)]*$", "")
                    + ") q WHERE state = '" + state + "'");
            assertThat(worker).as(state).isEqualTo(switch (state) {
                case "held" -> "0";
                case "expired" -> "1";
                default -> "2";
            });
        }
        assertThat(database.query(question)).isEqualTo("default");
    }

    @ParameterizedTest
    @EachServer
    void grantsTheRights(TestServer server) {
        TestDatabase database = server.freshDatabase();
        try (LeaseStore table = LeaseTableContract.table(TestConnections.to(database), "default")) {
            table.ensure();
        }
        database.execute(switch (server) {
            case H2 -> "CREATE USER shardedid PASSWORD 'secret'";
            case POSTGRESQL -> "CREATE ROLE shardedid LOGIN";
            case MARIADB, MYSQL -> "CREATE USER 'shardedid'@'%'";
        });
        database.execute(this.page.statement(server, "rights"));
    }

    @ParameterizedTest
    @EachServer
    void repairsAMarkInTheFarFuture(TestServer server) {
        TestDatabase database = server.freshDatabase();
        IdLayout layout = IdLayout.standard();
        database.execute("CREATE TABLE photo (id BIGINT PRIMARY KEY)");
        long[] ids = { layout.compose(FIRST_FREE_TICK - 1, 3, 7, 2),
                layout.compose(FIRST_FREE_TICK - 500, 2_047, 7, 31), layout.compose(FIRST_FREE_TICK + 5_000, 0, 8, 0) };
        for (long id : ids) {
            database.execute("INSERT INTO photo VALUES (" + id + ")");
        }
        try (LeaseStore table = LeaseTableContract.table(TestConnections.to(database), "default")) {
            table.ensure();
            table.execute(new Insert(new LeaseRow(7, "dead", 1, YEAR_2098, YEAR_2098, "dead", null), null));
            table.execute(new Insert(new LeaseRow(8, "live", 1, YEAR_2098, YEAR_2098, "live", null), null));

            assertThat(database.query(this.page.statement(server, "first free tick")))
                .isEqualTo(String.valueOf(FIRST_FREE_TICK));
            LeaseStoreCheck.assertWritten(take(table, "dead"), 0);
            database.execute(this.page.statement(server, "lower hwm_tick"));

            LeaseStoreCheck.assertWritten(take(table, "dead"), 0);
            LeaseStoreCheck.assertWritten(take(table, "repaired by hand"), 1);
            assertThat(LeaseStoreCheck.read(table).row(8)).get().extracting(LeaseRow::hwmTick).isEqualTo(YEAR_2098);
        }
    }

    /** An acquire at the first free tick. */
    private static LeaseReply take(LeaseStore table, String seen) {
        return table
            .execute(new Update(7, seen, FIRST_FREE_TICK, "mine", 1, 1, FIRST_FREE_TICK + 30_000, "me", null, null));
    }

}
