package io.shardedid.internal.lease.jdbc;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.shardedid.LeaseSettings;
import io.shardedid.SchemaInitialization;
import io.shardedid.SeparateProcess;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.ShardedIdsBuilder;
import io.shardedid.WorkerHolding;
import io.shardedid.WorkerLeaseException;
import io.shardedid.testdb.SwallowingProxy;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A database and its copy have one name, also the copy of a moment in which the lease was
 * held.
 */
class CopiedDatabaseTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final TestDatabase original = TestServer.H2.freshDatabase();

    private final TestDatabase copy = TestServer.H2.freshDatabase();

    @TempDir
    private Path folder;

    @AfterEach
    void shutDown() {
        List.of(this.original, this.copy).forEach((database) -> database.execute("SHUTDOWN"));
    }

    @Test
    void copyOfAHeldLeaseGetsALeaseOfItsOwn() {
        try (ShardedIdEngine first = builder(this.original.url()).open()) {
            first.next(7);
            copyOriginal();
            assertThat(tokens(this.copy)).as("the copy has the token of the lease").isEqualTo(tokens(this.original));
            try (ShardedIdEngine second = builder(this.copy.url()).open();
                    ShardedIdEngine other = SeparateProcess.open(builder(this.copy.url()))) {
                assertSeparate(first, second);
                assertThat(second.parse(second.next(7)).worker()).isNotEqualTo(other.parse(other.next(7)).worker());
            }
        }
    }

    @Test
    void copyOfALeaseThatWasGivenBackGetsALeaseOfItsOwn() {
        builder(this.original.url()).open().close();
        copyOriginal();
        try (ShardedIdEngine first = builder(this.original.url()).open();
                ShardedIdEngine second = builder(this.copy.url()).open()) {
            assertSeparate(first, second);
        }
    }

    @Test
    void copiesAreToldApartWhileTheEngineStandsStillAndItStandsStillAfterwards() {
        try (ShardedIdEngine first = builder(this.original.url()).open()) {
            copyOriginal();
            first.suspend();
            try (ShardedIdEngine second = builder(this.copy.url()).open()) {
                assertThat(first.stats().worker()).as("stands still").isEqualTo(-1);
                assertThat(second.next(7)).isPositive();
            }
        }
    }

    @Test
    void oneDatabaseByTwoUrlsIsOneEngine() {
        try (ShardedIdEngine first = builder(this.original.url()).open();
                ShardedIdEngine second = builder(this.original.url() + ";LOCK_TIMEOUT=2000").open()) {
            first.next(7);
            assertThat(second.stats().issued()).as("one engine").isOne();
            assertThat(second.workers()).hasSize(1);
        }
    }

    @Test
    void whoCannotFindOutDoesNotJoin() throws Exception {
        Server server = Server.createTcpServer("-tcpPort", "0", "-ifExists").start();
        TestDatabase remote = new TestDatabase(
                this.original.url().replace("jdbc:h2:", "jdbc:h2:tcp://127.0.0.1:%s/".formatted(server.getPort())),
                "sa", "");
        try (SwallowingProxy network = SwallowingProxy.to("127.0.0.1", server.getPort());
                ShardedIdEngine first = shortly(remote.behind(network).url(), PATIENCE).open()) {
            first.next(7);
            network.cut();
            assertThatExceptionOfType(WorkerLeaseException.class)
                .isThrownBy(() -> shortly(this.original.url(), Duration.ofMillis(3100)).open())
                .withMessageContainingAll("waited=3100ms", "default", "start");
            network.pass();
            try (ShardedIdEngine second = shortly(this.original.url(), PATIENCE).open()) {
                assertThat(second.stats().worker()).isEqualTo(first.stats().worker());
            }
        }
        finally {
            server.stop();
        }
    }

    /**
     * Each leases from its own table, which shows the lease of nobody else as its own.
     */
    private void assertSeparate(ShardedIdEngine first, ShardedIdEngine second) {
        long before = second.stats().issued();
        first.next(7);
        assertThat(second.stats().issued()).as("another engine").isEqualTo(before);
        second.next(7);
        for (ShardedIdEngine ids : List.of(first, second)) {
            TestDatabase database = (ids == first) ? this.original : this.copy;
            assertThat(ids.workers()).filteredOn(WorkerHolding::mine)
                .singleElement()
                .satisfies((mine) -> assertThat(
                        database.query("SELECT fence FROM shardedid_worker WHERE worker_id = " + mine.worker()))
                    .isEqualTo(String.valueOf(mine.acquisitions())));
        }
    }

    private static ShardedIdsBuilder builder(String url) {
        return builder(url, LeaseSettings.builder().startupTimeout(PATIENCE));
    }

    private static ShardedIdsBuilder shortly(String url, Duration startupTimeout) {
        return builder(url, LeaseSettings.builder().window(Duration.ofSeconds(3)).startupTimeout(startupTimeout));
    }

    private static ShardedIdsBuilder builder(String url, LeaseSettings.Builder settings) {
        return ShardedIds.builder()
            .workers(JdbcLeases.leased(settings.application("test").build(), LeaseConnections.url(url, "sa", ""),
                    "shardedid_worker", SchemaInitialization.ALWAYS, List.of()));
    }

    private static String tokens(TestDatabase database) {
        return database.query("SELECT LISTAGG(token, ' ') WITHIN GROUP (ORDER BY worker_id) FROM shardedid_worker");
    }

    private void copyOriginal() {
        String script = this.folder.resolve("copy.sql").toString();
        this.original.execute("SCRIPT NOPASSWORDS TO '%s'".formatted(script));
        // the user is there already
        this.copy.execute("RUNSCRIPT FROM '%s' QUIRKS_MODE".formatted(script));
    }

}
