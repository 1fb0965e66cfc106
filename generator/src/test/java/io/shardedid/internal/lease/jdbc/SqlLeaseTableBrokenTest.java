package io.shardedid.internal.lease.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import io.shardedid.tck.LeaseStoreCheck;
import io.shardedid.tck.LeaseRace;
import io.shardedid.internal.lease.LeaseStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Shows that each check of the contract finds the table that lacks what it checks. */
class SqlLeaseTableBrokenTest {

    private static final String NOW = LeaseDialect.H2.nowMillis();

    private final TestDatabase database = TestServer.H2.freshDatabase();

    @ParameterizedTest
    @EnumSource
    void isFoundByItsCheck(Broken broken) {
        try (LeaseStore table = table(broken, "default"); LeaseStore other = table(broken, "Default")) {
            assertThatExceptionOfType(AssertionError.class).as(broken.name())
                .isThrownBy(() -> broken.check.run(table, other));
        }
    }

    @Test
    void racersShareAWorkerIdWithoutTokenAndMark() {
        assertThatExceptionOfType(AssertionError.class)
            .isThrownBy(() -> LeaseRace.run(20, () -> table(Broken.WITHOUT_TOKEN_AND_MARK, "default")))
            .withMessageContaining("round");
    }

    /** Its writes would be seen by itself alone. */
    @Test
    void connectionThatBeginsTransactionsOfItsOwnIsRefused() {
        Deputy managed = new Deputy(false, (method) -> switch (method) {
            case "getAutoCommit" -> Optional.of(false);
            case "setAutoCommit" -> Optional.of("nothing");
            default -> Optional.empty();
        });
        try (SqlLeaseTable table = LeaseTableContract.table(managed, "default")) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .withMessageContainingAll("connection=", "setAutoCommit(true)=false", "'shardedid.worker.lease.url'");
            assertThat(managed.ended).containsExactly("close");
        }
    }

    /** It is the application's, and works. */
    @Test
    void connectionOfAPoolOnWhichATransactionBeginsIsGivenBackAndNotAborted() {
        AtomicInteger asked = new AtomicInteger();
        Deputy pooled = new Deputy(true, (method) -> (method.equals("getAutoCommit"))
                ? Optional.of(asked.getAndIncrement() == 0) : Optional.empty());
        try (SqlLeaseTable table = LeaseTableContract.table(pooled, "default")) {
            assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(table::ensure)
                .withMessageContaining("its autocommit is off");
            assertThat(pooled.ended).containsExactly("close");
        }
    }

    /** A pool keeps it open, and hands it to the application. */
    @Test
    void connectionOfAPoolIsGivenBackAsItCame() throws SQLException {
        Deputy pooled = new Deputy(true, (method) -> switch (method) {
            case "getNetworkTimeout" -> Optional.of(12_345);
            case "isWrapperFor" -> Optional.of(false);
            case "close" -> Optional.of("nothing");
            default -> Optional.empty();
        });
        try (SqlLeaseTable table = LeaseTableContract.table(pooled, "default")) {
            table.ensure();
            LeaseStoreCheck.read(table);
            for (PreparedStatement open : pooled.prepared) {
                assertThat(open.isClosed() ? 1 : open.getQueryTimeout()).as("a limit of each statement").isPositive();
            }
        }

        assertThat(pooled.networkMillis).hasSize(2).endsWith(12_345);
        assertThat(pooled.prepared).isNotEmpty().allMatch((each) -> {
            try {
                return each.isClosed();
            }
            catch (SQLException ex) {
                throw new IllegalStateException(ex);
            }
        });
    }

    /**
     * Connections that answer some calls themselves, and say what was made of them.
     */
    private final class Deputy implements LeaseConnections {

        final List<String> ended = new CopyOnWriteArrayList<>();

        final List<Integer> networkMillis = new CopyOnWriteArrayList<>();

        final List<PreparedStatement> prepared = new CopyOnWriteArrayList<>();

        private final boolean shared;

        private final Function<String, Optional<Object>> answers;

        Deputy(boolean shared, Function<String, Optional<Object>> answers) {
            this.shared = shared;
            this.answers = answers;
        }

        @Override
        public Connection open(Duration timeout) throws SQLException {
            Connection connection = LeaseConnections.url(SqlLeaseTableBrokenTest.this.database.url(), "sa", "")
                .open(timeout);
            return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
                    new Class<?>[] { Connection.class }, (self, method, values) -> {
                        if (Set.of("close", "abort").contains(method.getName())) {
                            this.ended.add(method.getName());
                        }
                        if (method.getName().equals("setNetworkTimeout")) {
                            this.networkMillis.add((Integer) values[1]);
                        }
                        Optional<Object> answer = this.answers.apply(method.getName());
                        if (answer.isPresent()) {
                            return (method.getReturnType() != void.class) ? answer.get() : null;
                        }
                        try {
                            Object result = method.invoke(connection, values);
                            if (result instanceof PreparedStatement statement) {
                                this.prepared.add(statement);
                            }
                            return result;
                        }
                        catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    });
        }

        @Override
        public String describe() {
            return "managed";
        }

        @Override
        public boolean sharedWithCallers() {
            return this.shared;
        }

    }

    private LeaseStore table(Broken broken, String namespace) {
        SqlLeaseTable sound = LeaseTableContract.table(TestConnections.to(this.database), namespace);
        sound.ensure();
        sound.close();
        return LeaseTableContract.table(TestConnections.to(this.database).rewriting(broken::applied), namespace);
    }

    enum Broken {

        WITHOUT_TOKEN(" AND token = ?", " AND (token = ? OR 1 = 1)", LeaseStoreCheck.UPDATES_UNDER_THE_SEEN_TOKEN_ONLY),
        WITH_ANY_CASE_OF_TOKEN(" AND token = ?", " AND LOWER(token) = LOWER(?)",
                LeaseStoreCheck.UPDATES_UNDER_THE_SEEN_TOKEN_ONLY),
        WITHOUT_MARK(" AND hwm_tick <= ?", " AND (hwm_tick <= ? OR 1 = 1)",
                LeaseStoreCheck.UPDATES_BELOW_THE_MARK_ONLY),
        WITHOUT_TOKEN_AND_MARK(" AND token = ? AND hwm_tick <= ?", " AND (token = ? OR hwm_tick <= ? OR 1 = 1)",
                LeaseStoreCheck.UPDATES_UNDER_THE_SEEN_TOKEN_ONLY),
        UPDATING_ALWAYS(" AND " + NOW + " <= ?", " AND (" + NOW + " <= ? OR 1 = 1)",
                LeaseStoreCheck.UPDATES_IN_TIME_ONLY),
        UPDATING_AFTER_THE_LEASE(" AND lease_until >= " + NOW, "", LeaseStoreCheck.UPDATES_WHILE_LEASED_ONLY),
        INSERTING_ALWAYS("WHERE " + NOW + " <= ?", "WHERE (" + NOW + " <= ? OR 1 = 1)",
                LeaseStoreCheck.INSERTS_NOTHING_WHEN_IT_IS_TOO_LATE),
        READING_ANY_NAMESPACE("ON w.namespace = ?", "ON (w.namespace = ? OR 1 = 1)",
                LeaseStoreCheck.KEEPS_NAMESPACES_APART),
        UPDATING_ANY_NAMESPACE("WHERE namespace = ?", "WHERE (namespace = ? OR 1 = 1)",
                LeaseStoreCheck.KEEPS_NAMESPACES_APART),
        UPDATING_ANY_WORKER(" AND worker_id = ?", " AND (worker_id = ? OR 1 = 1)",
                LeaseStoreCheck.CHANGES_ALL_THAT_AN_UPDATE_NAMES),
        WITHOUT_FENCE("fence = fence + ?", "fence = fence + 0 * ?", LeaseStoreCheck.CHANGES_ALL_THAT_AN_UPDATE_NAMES),
        WITHOUT_CLOCK(NOW, "0", LeaseStoreCheck.TELLS_ITS_CLOCK_WITHOUT_ROWS);

        private final String sound;

        private final String broken;

        private final LeaseStoreCheck check;

        Broken(String sound, String broken, LeaseStoreCheck check) {
            this.sound = sound;
            this.broken = broken;
            this.check = check;
        }

        String applied(String statement) {
            return statement.replace(this.sound, this.broken);
        }

    }

    @ParameterizedTest
    @EnumSource
    void changesAStatement(Broken broken) {
        LeaseSql sql = new LeaseSql(LeaseDialect.H2, "t");
        assertThat(String.join("\n", sql.readAll(), sql.insert(), sql.guarded(true))).contains(broken.sound);
    }

}
