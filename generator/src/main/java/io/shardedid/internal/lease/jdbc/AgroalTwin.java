package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import javax.sql.DataSource;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.cache.ConnectionCache;
import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.TransactionRequirement;
import io.agroal.api.configuration.AgroalDataSourceConfiguration;
import io.agroal.api.configuration.supplier.AgroalConnectionPoolConfigurationSupplier;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.transaction.TransactionIntegration;
import org.jspecify.annotations.Nullable;

/**
 * Twins of a pool of Agroal. Of the pool itself, the lease thread would get a connection
 * seconds after it works again: callers that fail take them before it.
 */
final class AgroalTwin extends PoolTwin<AgroalDataSource> {

    private final AgroalDataSource pool;

    private AgroalTwin(AgroalDataSource pool) {
        this.pool = pool;
    }

    static @Nullable AgroalTwin of(DataSource application) {
        AgroalDataSource pool = pool(application, AgroalDataSource.class);
        return (pool != null) ? new AgroalTwin(pool) : null;
    }

    @Override
    AgroalDataSource twin() throws SQLException {
        AgroalConnectionFactoryConfiguration factory = factory();
        DatabaseUrl.requirePrimary(factory.jdbcUrl(), factory.jdbcProperties());
        return AgroalDataSource.from(settings());
    }

    @Override
    Connection connect(AgroalDataSource twin, Duration timeout) throws SQLException {
        return twin.getConnection();
    }

    @Override
    void end(AgroalDataSource twin) {
        twin.close();
    }

    /**
     * What the pool shares with its threads and with transactions stays there. Without a
     * timeout of its own the twin interrupts nothing, which would close the file of an
     * embedded H2 under everybody who uses it.
     */
    private AgroalDataSourceConfiguration settings() {
        AgroalDataSourceConfiguration settings = this.pool.getConfiguration();
        AgroalConnectionPoolConfigurationSupplier copy = new AgroalConnectionPoolConfigurationSupplier(
                settings.connectionPoolConfiguration())
            .connectionCache(ConnectionCache.none())
            .transactionIntegration(TransactionIntegration.none())
            .transactionRequirement(TransactionRequirement.OFF)
            .recoveryEnable(false)
            .minSize(0)
            .initialSize(0)
            .maxSize(1)
            .leakTimeout(Duration.ZERO)
            .acquisitionTimeout(Duration.ZERO);
        return new AgroalDataSourceConfigurationSupplier().dataSourceImplementation(settings.dataSourceImplementation())
            .connectionPoolConfiguration(copy)
            .get();
    }

    private AgroalConnectionFactoryConfiguration factory() {
        return this.pool.getConfiguration().connectionPoolConfiguration().connectionFactoryConfiguration();
    }

    @Override
    public @Nullable String typedUrl() {
        String url = factory().jdbcUrl();
        return (url == null || url.isEmpty()) ? null : url;
    }

}
