package io.shardedid.internal.lease.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.UnaryOperator;

import io.shardedid.LoggedLines;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.tck.LeaseStoreContract;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.internal.lease.LeaseStore;
import io.shardedid.internal.lease.Durability;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract in the words of the standard, on two databases that give themselves out
 * for one that nobody knows.
 */
@ParameterizedClass
@ValueSource(strings = { "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1", "jdbc:hsqldb:mem:%s" })
class SqlLeaseTableGenericTest extends LeaseStoreContract {

    /** 02:30 in Berlin twice. */
    private static final Instant HALF_PAST_TWO = Instant.parse("2026-10-25T00:30:00Z");

    @Parameter
    private String url;

    private TestDatabase database;

    @BeforeEach
    void names() {
        this.database = new TestDatabase(this.url.formatted(UUID.randomUUID()), "SA", "");
    }

    @Override
    protected LeaseStore open(String namespace) {
        return LeaseTableContract.table(new Unknown(TestConnections.to(this.database)), namespace);
    }

    @Test
    void servesThePlainModeAlone() {
        try (LeaseStore store = ready(freshNamespace())) {
            assertThat(store.durability()).isEqualTo(Durability.KEPT);
        }
    }

    @Test
    void saysThatNoTestRunsItThere() {
        try (LoggedLines log = new LoggedLines(LeaseDatabaseCheck.class.getName())) {
            ready(freshNamespace()).close();
            assertThat(log.lines()).filteredOn((line) -> line.startsWith("WARNING") && line.contains("No test runs"))
                .singleElement()
                .asString()
                .contains("shardedid.worker.lease.url");
        }
    }

    @Test
    void tellsTheHourThatAChangeOfSummerTimeRepeats() {
        assertThat(at("+2:00")).isEqualTo(HALF_PAST_TWO.toEpochMilli());
        assertThat(at("+1:00")).isEqualTo(HALF_PAST_TWO.plus(Duration.ofHours(1)).toEpochMilli());
    }

    private long at(String offset) {
        String clock = "TIMESTAMP '2026-10-25 02:30:00" + offset + "'";
        String typed = this.url.contains("h2") ? clock.replace("TIMESTAMP", "TIMESTAMP WITH TIME ZONE") : clock;
        try (LeaseStore store = store((sql) -> sql.replace("CURRENT_TIMESTAMP", typed))) {
            store.ensure();
            return LeaseStoreCheck.read(store).databaseMillis();
        }
    }

    @Test
    void refusesAClockWithoutItsTimeZone() {
        try (LeaseStore store = store((sql) -> sql.replace("CURRENT_TIMESTAMP", "LOCALTIMESTAMP"))) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(store::ensure)
                .withMessageContainingAll("database=Acme", "CURRENT_TIMESTAMP=TIMESTAMP", "shardedid.worker.lease.url");
        }
    }

    private LeaseStore store(UnaryOperator<String> rewrite) {
        return LeaseTableContract.table(new Unknown(TestConnections.to(this.database).rewriting(rewrite)), "default");
    }

    /** Connections whose database has another name. */
    private record Unknown(LeaseConnections connections) implements LeaseConnections {

        @Override
        public Connection open(Duration timeout) throws SQLException {
            return proxy(Connection.class, this.connections.open(timeout));
        }

        private static <T> T proxy(Class<T> type, T target) {
            return type
                .cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (self, method, values) -> {
                    try {
                        return switch (method.getName()) {
                            case "getDatabaseProductName" -> "Acme";
                            case "getDatabaseProductVersion" -> "1.0";
                            case "getMetaData" ->
                                proxy(DatabaseMetaData.class, (DatabaseMetaData) method.invoke(target, values));
                            default -> method.invoke(target, values);
                        };
                    }
                    catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                }));
        }

        @Override
        public String describe() {
            return this.connections.describe();
        }

    }

}
