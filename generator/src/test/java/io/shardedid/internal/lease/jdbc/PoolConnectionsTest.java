package io.shardedid.internal.lease.jdbc;

import java.sql.Connection;
import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Connections like those of the application's pool. */
class PoolConnectionsTest {

    @Test
    void schemaOfAPoolIsSetWithoutACatalog() throws Exception {
        TestDatabase database = TestServer.H2.freshDatabase();
        database.execute("CREATE SCHEMA shop");
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(database.url());
            pool.setUsername(database.user());
            pool.setPassword(database.password());
            pool.setSchema("SHOP");
            try (Connection connection = new PoolConnections(pool).open(Duration.ofSeconds(10))) {
                assertThat(connection.getSchema()).isEqualTo("SHOP");
            }
        }
    }

}
