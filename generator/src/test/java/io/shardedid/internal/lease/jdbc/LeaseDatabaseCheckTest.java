package io.shardedid.internal.lease.jdbc;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.shardedid.LoggedLines;
import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.testdb.TestDatabase;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.tools.Server;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Databases in which a lease proves nothing. */
class LeaseDatabaseCheckTest {

    @TempDir
    private Path folder;

    private Server server;

    private final LoggedLines log = new LoggedLines(LeaseDatabaseCheck.class.getName());

    @BeforeEach
    void startServer() throws SQLException {
        this.server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    }

    @AfterEach
    void stopServer() {
        this.server.stop();
        this.log.close();
    }

    private String url(String form) {
        return form.replace("FOLDER", this.folder.toString())
            .replace("REMOTE", "tcp://127.0.0.1:" + this.server.getPort())
            .replace("NAME", UUID.randomUUID().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:h2:file:FOLDER/a;AUTO_SERVER=TRUE", "jdbc:h2:FOLDER/a;auto_server=true",
            "jdbc:h2:FOLDER/a;AUTO_SERVER=TRUE;WRITE_DELAY=10", "jdbc:h2:REMOTE/FOLDER/a" })
    void refusesAFileThatOthersMayOpenIfItIsWrittenLate(String form) {
        String url = url(form);
        String delay = url.endsWith("=10") ? "10" : "500";

        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ensure(LeaseConnections.url(url, "sa", "")))
            .withMessageContainingAll("connection=" + url.replaceFirst(";.*", ""), "WRITE_DELAY=" + delay);
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:h2:file:FOLDER/a;AUTO_SERVER=TRUE;WRITE_DELAY=0",
            "jdbc:h2:FOLDER/a;WRITE_DELAY=0;AUTO_SERVER=TRUE", "jdbc:h2:REMOTE/FOLDER/a;write_delay=0",
            "jdbc:h2:REMOTE/mem:NAME", "jdbc:h2:mem:NAME", "jdbc:h2:FOLDER/a;WRITE_DELAY=0" })
    void takesAFileThatIsWrittenAtOnceAndWhatIsInNoFile(String form) {
        ensure(LeaseConnections.url(url(form), "sa", ""));

        assertThat(this.log.lines()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:p6spy:h2:file:FOLDER/a;AUTO_SERVER=TRUE", "jdbc:p6spy:h2:REMOTE/FOLDER/a" })
    void seesAFileThatIsWrittenLateThroughADriverThatWrapsAnother(String form) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ensure(LeaseConnections.url(url(form), "sa", "")))
            .withMessageContaining("WRITE_DELAY=500");
        ensure(LeaseConnections.url(url(form) + ";WRITE_DELAY=0", "sa", ""));
        assertThat(this.log.lines()).isEmpty();
    }

    @Test
    void believesTheDatabaseWhenAnotherSessionHasChangedWhatTheUrlSays() {
        String url = url("jdbc:h2:REMOTE/FOLDER/a") + ";WRITE_DELAY=0";
        try (LeaseStore store = table(LeaseConnections.url(url, "sa", ""))) {
            store.ensure();
            new TestDatabase(url("jdbc:h2:REMOTE/FOLDER/a"), "sa", "").execute("SET WRITE_DELAY 500");

            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(store::ensure)
                .withMessageContainingAll("connection=" + url("jdbc:h2:REMOTE/FOLDER/a"), "WRITE_DELAY=500",
                        "SET WRITE_DELAY 0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:hsqldb:file:FOLDER/b", "jdbc:p6spy:hsqldb:file:FOLDER/b" })
    void refusesAFileOfHsqldbThatIsWrittenLateOrWithoutALog(String form) {
        String url = url(form);

        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ensure(LeaseConnections.url(url + ";shutdown=true", "SA", "")))
            .withMessageContainingAll("connection=" + url, "hsqldb.write_delay=true");
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ensure(LeaseConnections
                .url(url + "2;hsqldb.write_delay=false;hsqldb.log_data=false;shutdown=true", "SA", "")))
            .withMessageContainingAll("connection=" + url + "2", "hsqldb.log_data=false", "SET FILES LOG TRUE");
        ensure(LeaseConnections.url(url + "3;hsqldb.write_delay=false;shutdown=true", "SA", ""));
    }

    @Test
    void urlMustSaySoAlsoWhileAnotherUserOfTheFileDoes() {
        String url = url("jdbc:h2:REMOTE/FOLDER/a");
        try (LeaseStore other = table(LeaseConnections.url(url + ";WRITE_DELAY=0", "sa", ""))) {
            other.ensure();
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> ensure(LeaseConnections.url(url, "sa", "")))
                .withMessageContaining("WRITE_DELAY=0 (H2 writes its file late");
        }
    }

    @Test
    void warnsOfAFileThatOneProcessOpens() {
        String url = url("jdbc:h2:file:FOLDER/a");

        ensure(LeaseConnections.url(url, "sa", ""));

        assertThat(this.log.lines()).singleElement(InstanceOfAssertFactories.STRING)
            .contains("connection=" + url, "WRITE_DELAY=500", "WRITE_DELAY=0");
    }

    @Test
    void seesTheDelayThroughADataSource() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ensure(LeaseConnections.own(dataSource(url("jdbc:h2:file:FOLDER/a;AUTO_SERVER=TRUE")))))
            .withMessageContainingAll("connection=a connection of", "WRITE_DELAY=500");
        ensure(LeaseConnections.own(dataSource(url("jdbc:h2:FOLDER/b;AUTO_SERVER=TRUE;WRITE_DELAY=0"))));
        ensure(LeaseConnections.own(dataSource(url("jdbc:h2:mem:NAME"))));
    }

    @ParameterizedTest
    @ValueSource(strings = { "jdbc:h2:mem:NAME", "jdbc:h2:FOLDER/lease;WRITE_DELAY=0", "jdbc:hsqldb:mem:NAME",
            "jdbc:p6spy:h2:mem:NAME", "jdbc:p6spy:hsqldb:mem:NAME" })
    void refusesAPrivateLeaseBesideADatabaseThatOthersReach(String form) {
        LeaseConnections lease = LeaseConnections.url(url(form), "SA", "");
        String shared = url("jdbc:h2:REMOTE/mem:NAME");

        for (LeaseConnections rows : List.of(LeaseConnections.url("jdbc:postgresql://db/feed?user=x", null, null),
                LeaseConnections.url("jdbc:mariadb://db/feed", null, null), LeaseConnections.url(shared, "sa", ""),
                LeaseConnections.url(shared.replace("jdbc:", "jdbc:p6spy:"), "sa", ""),
                LeaseConnections.url(url("jdbc:h2:FOLDER/b;AUTO_SERVER=TRUE"), "sa", ""),
                LeaseConnections.own(dataSource(shared)))) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> ensure(lease.beside(List.of(rows))))
                .withMessageContainingAll("connection=" + lease.describe(), "database=" + rows.describe(),
                        "shardedid.worker.lease.url");
        }
    }

    @Test
    void takesAPrivateLeaseBesideAPrivateDatabaseAndASharedOneBesideAny() {
        LeaseConnections mine = LeaseConnections.url(url("jdbc:h2:mem:NAME"), "sa", "");
        LeaseConnections shared = LeaseConnections.url(url("jdbc:h2:REMOTE/mem:NAME"), "sa", "");

        ensure(mine.beside(List.of(LeaseConnections.url(url("jdbc:h2:mem:NAME"), "sa", ""),
                LeaseConnections.own(dataSource(url("jdbc:h2:mem:NAME"))),
                LeaseConnections.url("jdbc:hsqldb:mem:x", "sa", ""),
                LeaseConnections.url(url("jdbc:p6spy:h2:mem:NAME"), "sa", ""))));
        ensure(shared.beside(List.of(mine, LeaseConnections.url("jdbc:postgresql://db/feed", null, null))));
        ensure(mine.beside(List.of()));
    }

    @Test
    void cannotJudgeBesideADatabaseThatDoesNotAnswer() {
        LeaseConnections mine = LeaseConnections.url(url("jdbc:h2:mem:NAME"), "sa", "");
        LeaseConnections rows = LeaseConnections.own(dataSource(url("jdbc:h2:tcp://127.0.0.1:1/mem:NAME")));

        assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(() -> ensure(mine.beside(List.of(rows))))
            .withMessageContaining("database=a connection of");
    }

    /** Only in memory. */
    @ParameterizedTest
    @CsvSource({ "jdbc:h2:mem:NAME, true", "jdbc:p6spy:h2:mem:NAME, true", "jdbc:hsqldb:mem:NAME, true",
            "jdbc:h2:FOLDER/c;WRITE_DELAY=0, false", "jdbc:h2:REMOTE/mem:NAME, false",
            "jdbc:hsqldb:file:FOLDER/d;hsqldb.write_delay=false;shutdown=true, false" })
    void knowsATableThatNoOtherProcessReaches(String form, boolean alone) {
        try (SqlLeaseTable table = table(LeaseConnections.url(url(form), "SA", ""))) {
            table.ensure();
            assertThat(table.reachedByThisProcessAlone()).isEqualTo(alone);
        }
    }

    private static JdbcDataSource dataSource(String url) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(url);
        dataSource.setUser("sa");
        dataSource.setPassword("");
        return dataSource;
    }

    private static SqlLeaseTable table(LeaseConnections connections) {
        return new SqlLeaseTable(connections, LeaseTableName.DEFAULT, "default", SchemaInitialization.ALWAYS,
                new LeaseTimeouts(Duration.ofSeconds(10), Duration.ofSeconds(10)));
    }

    private static void ensure(LeaseConnections connections) {
        try (LeaseStore table = table(connections)) {
            table.ensure();
        }
    }

}
