package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.cache.LocalConnectionCache;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.TransactionRequirement;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.h2.jdbc.JdbcConnection;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A connection of a twin is like one of the pool, and takes nothing of the pool. */
class AgroalTwinTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final TestDatabase database = TestServer.H2.freshDatabase();

    @Test
    void connectsAsThePoolDoesWhileThePoolHasNoConnectionLeftAndEndsWithIt() throws Exception {
        try (AgroalDataSource pool = pool(TransactionRequirement.OFF); Connection only = pool.getConnection()) {
            LeaseConnections twin = LeaseConnections.own(pool);
            Connection connection = twin.open(TIMEOUT);
            Connection driver = connection.unwrap(JdbcConnection.class);
            try (var marked = connection.createStatement().executeQuery("SELECT @marked")) {
                assertThat(marked.next()).isTrue();
                assertThat(marked.getString(1)).isEqualTo("yes");
            }
            assertThat(driver).isNotSameAs(only.unwrap(JdbcConnection.class));
            assertThat(pool.getMetrics().activeCount()).isOne();

            twin.close(connection);

            assertThat(driver.isClosed()).isTrue();
            assertThat(only.isValid(1)).isTrue();
        }
    }

    /** The lease is no part of a transaction of the application. */
    @Test
    void needsNoTransactionWhereThePoolDoes() throws Exception {
        try (AgroalDataSource pool = pool(TransactionRequirement.STRICT)) {
            LeaseConnections twin = LeaseConnections.own(pool);
            twin.close(twin.open(TIMEOUT));
        }
    }

    /** A thread that has used the pool finds its connection again. */
    @Test
    void takesNothingOutOfTheCacheOfTheThread() throws Exception {
        try (AgroalDataSource pool = pool(TransactionRequirement.OFF)) {
            Connection own = pool.getConnection();
            Connection driver = own.unwrap(JdbcConnection.class);
            own.close();
            LeaseConnections twin = LeaseConnections.own(pool);
            Connection connection = twin.open(TIMEOUT);
            assertThat(connection.unwrap(JdbcConnection.class)).isNotSameAs(driver);
            twin.close(connection);
            try (Connection again = pool.getConnection()) {
                assertThat(again.unwrap(JdbcConnection.class)).isSameAs(driver);
            }
        }
    }

    @Test
    void handsOnWhyThereIsNoConnection() throws Exception {
        try (AgroalDataSource pool = pool(TransactionRequirement.OFF)) {
            this.database.execute("ALTER USER " + this.database.user() + " SET PASSWORD 'changed'");
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> LeaseConnections.own(pool).open(TIMEOUT))
                .satisfies((ex) -> assertThat(ex.getSQLState()).isEqualTo("28000"));
        }
    }

    private AgroalDataSource pool(TransactionRequirement requirement) throws Exception {
        return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier().metricsEnabled()
            .connectionPoolConfiguration((pool) -> pool.maxSize(1)
                .connectionCache(LocalConnectionCache.single())
                .transactionRequirement(requirement)
                .connectionFactoryConfiguration((factory) -> factory.jdbcUrl(this.database.url())
                    .initialSql("SET @marked = 'yes'")
                    .principal(new NamePrincipal(this.database.user()))
                    .credential(new SimplePassword(this.database.password())))));
    }

}
