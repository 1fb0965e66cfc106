package io.shardedid.clusters;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Three members of a group of MySQL, by the URL of all of them, which finds the primary.
 */
class GroupReplicationIT {

    private static final Duration WINDOW = Duration.ofSeconds(5);

    /** A member that is stopped for so long has left the group when it goes on. */
    private static final Duration EXPELLED = Duration.ofSeconds(30);

    private static final Duration NO_MAJORITY = Duration.ofSeconds(16);

    /** How many processes lease before all members end, or come afterwards. */
    private static final int OTHERS = 3;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = { "EVENTUAL", "BEFORE_ON_PRIMARY_FAILOVER" })
    void failoversMakeNoDuplicateIds(String consistency) throws Exception {
        try (MySql mysql = MySql.group(consistency, true);
                Trial trial = trial(mysql, "one primary, " + consistency, false, WINDOW)) {
            trial.fleet().disturb(Duration.ofSeconds(5), 1);
            int first = mysql.awaitPrimary();
            trial.fault("the primary killed", WINDOW, () -> {
                mysql.kill(first);
                mysql.awaitPrimary(first);
            });
            trial.fault("the member comes back", WINDOW, () -> comesBack(mysql, first));
            int second = mysql.awaitPrimary();
            trial.fault("switchover", WINDOW, () -> {
                mysql.switchover(second);
                mysql.awaitPrimary(second);
            });
            int third = mysql.awaitPrimary();
            trial.fault("the primary stopped for 30 s", WINDOW, () -> stopped(mysql, EXPELLED, third));
            int fourth = mysql.awaitPrimary();
            assertThat(fourth).isNotEqualTo(third);
            int fifth = (fourth + 1) % MySql.MEMBERS;
            int sixth = (fourth + 2) % MySql.MEMBERS;
            trial.fault("another member stopped for 30 s", WINDOW, () -> stopped(mysql, EXPELLED, fifth));
            trial.fault("no majority for 16 s", WINDOW, () -> stopped(mysql, NO_MAJORITY, fifth, sixth));
            assertThat(trial.duplicateIds()).isZero();
            assertThat(trial.alarms()).isZero();
        }
    }

    /** Each process takes any member, and may read what others have changed. */
    @Test
    void membersThatAllTakeWritesMakeNoDuplicateIds() throws Exception {
        try (MySql mysql = MySql.group("EVENTUAL", false);
                Trial trial = trial(mysql, "all members take writes, EVENTUAL", false, WINDOW)) {
            trial.fleet().disturb(Duration.ofSeconds(5), 1);
            trial.fault("a member stopped for 30 s", WINDOW, () -> stopped(mysql, EXPELLED, 0));
            trial.fault("a member killed", WINDOW, () -> mysql.kill(1));
            trial.fault("the member comes back", WINDOW, () -> comesBack(mysql, 1));
            trial.fault("no majority for 16 s", WINDOW, () -> stopped(mysql, NO_MAJORITY, 1, 2));
            assertThat(trial.duplicateIds()).isZero();
        }
    }

    /** Connector/J has no word for the primary. */
    @Test
    void urlOfThePageFindsThePrimary() throws Exception {
        assertThat(Path.of("..", "..", "docs", "clusters-and-regions.md")).content().contains(MySql.URL_ENDS_WITH);
        try (MySql mysql = MySql.group("BEFORE_ON_PRIMARY_FAILOVER", true)) {
            int primary = mysql.awaitPrimary();
            int[] last = { (primary + 1) % MySql.MEMBERS, (primary + 2) % MySql.MEMBERS, primary };
            assertThat(List.of("jdbc:mysql://%s/ids", "jdbc:mysql://%s/ids?failOverReadOnly=false",
                    "jdbc:mysql:replication://%s/ids", "jdbc:mariadb:sequential://%s/ids",
                    "jdbc:mariadb:replication://%s/ids"))
                .allSatisfy((url) -> assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> writeOnce(url.formatted(mysql.hosts(last))))
                    .withMessageContaining("super-read-only"));
            for (int i = 0; i < 20; i++) {
                writeOnce(mysql.url());
                writeOnce(mysql.urlOfMariaDb(last));
            }
        }
    }

    private static void writeOnce(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, "root", "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS written (id BIGINT PRIMARY KEY)");
        }
    }

    /** This driver leaves out for a minute what did not answer. */
    @Test
    void driverOfMariaDbFindsThePrimary() throws Exception {
        try (MySql mysql = MySql.group("BEFORE_ON_PRIMARY_FAILOVER", true);
                Trial trial = new Trial("MySQL, group, one primary, driver of MariaDB", this.folder,
                        List.of(Trial.Source.address(false, WINDOW, "root", mysql.urlOfMariaDb())))) {
            int primary = mysql.awaitPrimary();
            trial.fault("the primary killed", WINDOW, () -> {
                mysql.kill(primary);
                mysql.awaitPrimary(primary);
            });
            trial.fault("the member comes back", WINDOW, () -> comesBack(mysql, primary));
            int next = mysql.awaitPrimary();
            trial.fault("the primary stopped for 30 s", WINDOW, () -> stopped(mysql, EXPELLED, next));
            assertThat(trial.duplicateIds()).isZero();
        }
    }

    /**
     * A member ends before all others do, and the group begins again with what this one
     * has. Some processes lease meanwhile, and others come afterwards.
     */
    @ParameterizedTest
    @CsvSource({ "false, true", "true, false" })
    void groupBeginsWithoutTheLatestLeases(boolean tolerant, boolean equal) throws Exception {
        Duration window = Duration.ofSeconds(tolerant ? 10 : 50);
        try (MySql mysql = MySql.group("BEFORE_ON_PRIMARY_FAILOVER", true);
                Trial trial = trial(mysql, "one primary, commits lost", tolerant, window)) {
            int primary = mysql.awaitPrimary();
            int stale = (primary + 1) % MySql.MEMBERS;
            mysql.kill(stale);
            mysql.awaitAway(primary, 1);
            trial.fleet().awaitIds(trial.start(OTHERS, addresses(mysql, tolerant, window)));
            mysql.kill(primary);
            mysql.kill((primary + 2) % MySql.MEMBERS);
            mysql.start(stale);
            mysql.bootstrap(stale);
            trial.fleet().awaitIds(trial.start(OTHERS, addresses(mysql, tolerant, window)));
            trial.fleet().run(Duration.ofSeconds(3));
            assertThat(trial.duplicateIds() > 0).isEqualTo(equal);
        }
    }

    private static void comesBack(MySql mysql, int member) throws Exception {
        mysql.start(member);
        mysql.joinGroup(member);
        mysql.awaitMembers();
    }

    private static void stopped(MySql mysql, Duration time, int... members) throws Exception {
        for (int member : members) {
            mysql.stop(member);
        }
        TimeUnit.SECONDS.sleep(time.toSeconds());
        for (int member : members) {
            mysql.resume(member);
        }
        mysql.awaitMembers();
    }

    private Trial trial(MySql mysql, String what, boolean tolerant, Duration window) throws Exception {
        return new Trial("MySQL, group, %s, %s".formatted(what, tolerant ? "tolerant" : "plain"), this.folder,
                addresses(mysql, tolerant, window));
    }

    private static List<String> addresses(MySql mysql, boolean tolerant, Duration window) {
        return List.of(Trial.Source.address(tolerant, window, "root", mysql.url()));
    }

}
