package io.shardedid.internal.lease.jdbc;

import java.io.IOException;
import java.nio.file.Path;

import io.shardedid.SchemaInitialization;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.WorkerLeaseException;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.tck.LeaseStoreContract;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.tools.FreePort;
import org.hsqldb.server.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The contract on a server of HSQLDB, in each of its three transaction models. */
@ParameterizedClass
@Tag("proof")
@Tag("nightly")
@ValueSource(strings = { "LOCKS", "MVLOCKS", "MVCC" })
class SqlLeaseTableHsqldbTest extends LeaseStoreContract {

    @Parameter
    private String transactions;

    @TempDir
    private Path folder;

    private final Server server = new Server();

    private TestDatabase database;

    @BeforeEach
    void startServer() throws IOException {
        this.server.setLogWriter(null);
        this.server.setErrWriter(null);
        this.server.setSilent(true);
        this.server.setPort(FreePort.find());
        this.server.setDatabaseName(0, "x");
        this.server.setDatabasePath(0, "file:" + this.folder.resolve("x") + ";hsqldb.write_delay=false");
        this.server.start();
        this.database = new TestDatabase("jdbc:hsqldb:hsql://127.0.0.1:" + this.server.getPort() + "/x", "SA", "");
        this.database.execute("SET DATABASE TRANSACTION CONTROL " + this.transactions);
    }

    @AfterEach
    void stopServer() {
        this.server.shutdown();
    }

    @Override
    protected LeaseStore open(String namespace) {
        return LeaseTableContract.table(TestConnections.to(this.database), namespace);
    }

    @Test
    void aServerThatWritesLateIsRefused() {
        this.database.execute("SET FILES WRITE DELAY 500 MILLIS");
        assertRefused(this.database, "true");
        this.database.execute("SET FILES WRITE DELAY FALSE");
        ready(freshNamespace()).close();
    }

    @Test
    void whoeverDoesNotSeeTheSettingHasToSayIt() {
        ready(freshNamespace()).close();
        this.database.execute("CREATE USER KEEPER PASSWORD 'k'",
                "GRANT SELECT, INSERT, UPDATE ON shardedid_worker TO KEEPER",
                "ALTER USER KEEPER SET INITIAL SCHEMA PUBLIC");
        assertRefused(this.database.as("KEEPER", "k"), "not shown to 'KEEPER'");
        try (LeaseStore store = table(
                new TestDatabase(this.database.url() + ";hsqldb.write_delay=false", "KEEPER", "k"),
                SchemaInitialization.ALWAYS)) {
            store.ensure();
        }
    }

    @Test
    void aMissingRightIsNamed() {
        ready(freshNamespace()).close();
        this.database.execute("CREATE USER KEEPER PASSWORD 'k'");
        TestDatabase keeper = new TestDatabase(this.database.url() + ";hsqldb.write_delay=false", "KEEPER", "k");
        try (LeaseStore store = table(keeper, SchemaInitialization.EMBEDDED)) {
            assertThatExceptionOfType(WorkerLeaseException.class).isThrownBy(store::ensure)
                .withMessageContainingAll("table=shardedid_worker", "user=KEEPER", "initialize-schema=embedded",
                        "'io/shardedid/lease-table-hsqldb.sql'",
                        "GRANT SELECT, INSERT, UPDATE ON shardedid_worker TO \"KEEPER\"", "initialize-schema=always");
        }
    }

    private void assertRefused(TestDatabase refused, String delay) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> {
            try (LeaseStore store = table(refused, SchemaInitialization.ALWAYS)) {
                store.ensure();
            }
        })
            .withMessageContainingAll("connection=" + refused.url(), "hsqldb.write_delay=" + delay,
                    "SET FILES WRITE DELAY FALSE");
    }

    private static LeaseStore table(TestDatabase database, SchemaInitialization initialization) {
        return JdbcLeases.store("default", LeaseConnections.url(database.url(), database.user(), database.password()),
                "shardedid_worker", initialization);
    }

    @Test
    void aFileOfThisProcessIsMadeReadyByItself() {
        String url = "jdbc:hsqldb:file:" + this.folder.resolve("mine") + ";hsqldb.write_delay=false;shutdown=true";
        try (LeaseStore store = JdbcLeases.store("default", LeaseConnections.url(url, "SA", ""), "shardedid_worker",
                SchemaInitialization.EMBEDDED)) {
            store.ensure();
            assertThat(store.describe()).startsWith("jdbc:hsqldb:file:").doesNotContain("write_delay");
        }
    }

}
