package io.shardedid.internal.lease.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.TimeZone;
import java.util.function.UnaryOperator;

import io.shardedid.testdb.EachServer;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.internal.lease.LeaseStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The clock of each database is epoch milliseconds, whatever the time zones around it.
 */
@Tag("database")
@Tag("proof")
class SqlLeaseTableClockIT {

    /** 05:30 and 06:30 UTC on 2024-11-03: 01:30 in New York twice. */
    private static final long[] HALF_PAST_ONE = { 1_730_611_800, 1_730_615_400 };

    private final TimeZone before = TimeZone.getDefault();

    @AfterEach
    void restoresTheZone() {
        TimeZone.setDefault(this.before);
    }

    @ParameterizedTest
    @EachServer
    void ignoresTheZoneOfTheSession(TestServer server) {
        List<String> zones = switch (server) {
            case H2 -> List.of("SET TIME ZONE 'America/New_York'", "SET TIME ZONE 'Asia/Kathmandu'");
            case POSTGRESQL -> List.of("SET TIME ZONE 'America/New_York'", "SET TIME ZONE '+13:45'");
            case MARIADB, MYSQL -> List.of("SET time_zone = '-05:00'", "SET time_zone = '+13:00'");
        };
        for (String zone : zones) {
            assertClock(TestConnections.to(server.freshDatabase()).with(zone));
        }
    }

    @ParameterizedTest
    @EachServer
    void ignoresTheZoneOfTheProcess(TestServer server) {
        for (String zone : List.of("Pacific/Apia", "America/St_Johns")) {
            TimeZone.setDefault(TimeZone.getTimeZone(zone));
            assertClock(TestConnections.to(server.freshDatabase()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "REGULAR", "STRICT", "LEGACY", "PostgreSQL", "MySQL", "MariaDB", "Oracle", "MSSQLServer",
            "DB2", "Derby", "HSQLDB" })
    void runsInEachModeOfH2(String mode) {
        TestDatabase database = TestServer.H2.freshDatabase();
        assertClock(TestConnections.to(new TestDatabase(database.url() + ";MODE=" + mode, "sa", "")));
    }

    @ParameterizedTest
    @ValueSource(strings = { "DATABASE_TO_LOWER=TRUE", "DATABASE_TO_UPPER=FALSE", "CASE_INSENSITIVE_IDENTIFIERS=TRUE" })
    void runsWithEachCaseOfNamesInH2(String setting) {
        TestDatabase database = TestServer.H2.freshDatabase();
        TestDatabase set = new TestDatabase(database.url() + ";" + setting, "sa", "");
        assertClock(TestConnections.to(set));
        set.execute("SELECT * FROM shardedid_worker");
    }

    @ParameterizedTest
    @EachServer(except = { TestServer.H2, TestServer.POSTGRESQL })
    void readsBothHoursThatTheZoneRepeats(TestServer server) {
        TestDatabase database = server.freshDatabase();
        makeNewYork(database);
        for (long second : HALF_PAST_ONE) {
            assertThat(at(database, second, UnaryOperator.identity())).isEqualTo(second * 1000);
        }
    }

    @Test
    void isLocalTimeInH2ByDateDiff() {
        TestConnections connections = TestConnections.to(TestServer.H2.freshDatabase())
            .with("SET TIME ZONE '-05:00'")
            .rewriting((sql) -> sql.replace(LeaseDialect.H2.nowMillis(),
                    "DATEDIFF(MILLISECOND, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00', CURRENT_TIMESTAMP(3))"));
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            table.ensure();
            assertThat(LeaseStoreCheck.read(table).databaseMillis())
                .isLessThan(System.currentTimeMillis() - Duration.ofHours(4).toMillis());
        }
    }

    @ParameterizedTest
    @EachServer(except = { TestServer.H2, TestServer.POSTGRESQL })
    void losesAnHourByTheLocalTime(TestServer server) {
        TestDatabase database = server.freshDatabase();
        makeNewYork(database);
        long[] read = new long[2];
        for (int i = 0; i < 2; i++) {
            read[i] = at(database, HALF_PAST_ONE[i], (sql) -> sql.replace(LeaseDialect.MARIADB.nowMillis(),
                    "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)"));
        }
        assertThat(read[0]).isEqualTo(read[1]);
    }

    private static long at(TestDatabase database, long second, UnaryOperator<String> rewrite) {
        TestConnections connections = TestConnections.to(database)
            .with("SET time_zone = 'Test/New_York', timestamp = " + second)
            .rewriting(rewrite);
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            table.ensure();
            return LeaseStoreCheck.read(table).databaseMillis();
        }
    }

    /** The server comes without time zones. */
    private static void makeNewYork(TestDatabase database) {
        if (database.query("SELECT 1 FROM mysql.time_zone_name WHERE Name = 'Test/New_York'") == null) {
            database.execute("INSERT INTO mysql.time_zone (Time_zone_id, Use_leap_seconds) VALUES (9001, 'N')",
                    "INSERT INTO mysql.time_zone_transition_type VALUES (9001, 0, -14400, 1, 'EDT'), (9001, 1, -18000, 0, 'EST')",
                    "INSERT INTO mysql.time_zone_transition VALUES (9001, 1710054000, 0), (9001, 1730613600, 1)",
                    "INSERT INTO mysql.time_zone_name VALUES ('Test/New_York', 9001)");
        }
    }

    private static void assertClock(TestConnections connections) {
        try (LeaseStore table = LeaseTableContract.table(connections, "default")) {
            table.ensure();
            LeaseStoreCheck.assertClock(LeaseStoreCheck.read(table));
            LeaseStoreCheck.UPDATES_WHILE_LEASED_ONLY.run(table, table);
        }
    }

}
