package io.shardedid.hibernate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.ScalarModel.Like;
import io.shardedid.internal.config.ShardedIdSettings;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.hibernate.dialect.H2Dialect;
import org.hibernate.dialect.MariaDBDialect;
import org.hibernate.dialect.MySQLDialect;
import org.hibernate.dialect.PostgreSQLDialect;
import org.hibernate.engine.jdbc.connections.spi.MultiTenantConnectionProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tenants with a schema each, behind one session factory.
 */
@Tag("every-database")
class TenantSchemaTest {

    @Test
    void makesDifferentIdsForAllTenants() {
        OneTenant tenant = new OneTenant();
        Schemas schemas = new Schemas(Map.of("acme", UnitDatabase.fresh(), "globex", UnitDatabase.fresh()));
        schemas.databases.values()
            .forEach((database) -> database
                .execute("create table Likes (id bigint primary key, userId bigint, note varchar(255))"));
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("hibernate.multi_tenant_connection_provider", schemas);
        settings.put("hibernate.tenant_identifier_resolver", tenant);
        settings.put("hibernate.hbm2ddl.auto", "none");
        settings.put("hibernate.boot.allow_jdbc_metadata_access", false);
        settings.put("hibernate.dialect", switch (UnitDatabase.KIND) {
            case H2 -> H2Dialect.class.getName();
            case POSTGRESQL -> PostgreSQLDialect.class.getName();
            case MARIADB -> MariaDBDialect.class.getName();
            case MYSQL -> MySQLDialect.class.getName();
        });
        try (ShardedIdEngine ids = TestUnit.engine(18)) {
            settings.put(ShardedIdSettings.ENGINE, ids);
            try (TestUnit unit = TestUnit.of(settings, Like.class)) {
                tenant.current = "acme";
                Like first = new Like(5L);
                unit.persist(first);
                tenant.current = "globex";
                Like second = new Like(5L);
                unit.persist(second);

                assertThat(second.id).isGreaterThan(first.id);
                assertThat(ids.shardOf(first.id)).isEqualTo(5);
                assertThat(unit.<Like>fromTransaction((session) -> session.find(Like.class, first.id))).isNull();
                assertThat(unit.<Like>fromTransaction((session) -> session.find(Like.class, second.id))).isNotNull();
            }
        }
        finally {
            schemas.databases.values().forEach(UnitDatabase::drop);
        }
    }

    private static final class OneTenant implements CurrentTenantIdentifierResolver<String> {

        volatile String current = "acme";

        @Override
        public String resolveCurrentTenantIdentifier() {
            return this.current;
        }

        @Override
        public boolean validateExistingCurrentSessions() {
            return false;
        }

    }

    private record Schemas(Map<String, UnitDatabase> databases) implements MultiTenantConnectionProvider<String> {

        @Override
        public Connection getAnyConnection() throws SQLException {
            return this.databases.get("acme").connect();
        }

        @Override
        public void releaseAnyConnection(Connection connection) throws SQLException {
            connection.close();
        }

        @Override
        public Connection getConnection(String tenant) throws SQLException {
            return this.databases.get(tenant).connect();
        }

        @Override
        public void releaseConnection(String tenant, Connection connection) throws SQLException {
            connection.close();
        }

        @Override
        public boolean supportsAggressiveRelease() {
            return false;
        }

        @Override
        public boolean isUnwrappableAs(Class<?> type) {
            return false;
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            throw new IllegalArgumentException(type.getName());
        }

    }

}
