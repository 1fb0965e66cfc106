package io.shardedid.hibernate;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.hibernate.AssociationModel.User;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.tools.Server;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A persistence unit whose lease table is in a database that only this process sees.
 */
class PrivateLeaseUnitTest {

    private static Server server;

    private final String lease = "jdbc:h2:mem:" + UUID.randomUUID();

    @BeforeAll
    static void start() throws SQLException {
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    }

    @AfterAll
    static void stop() {
        server.stop();
    }

    private static String shared() {
        return "jdbc:h2:tcp://127.0.0.1:%s/mem:%s".formatted(server.getPort(), UUID.randomUUID());
    }

    private static Map<String, Object> byUrl(String url) {
        return Map.of("jakarta.persistence.jdbc.url", url, "jakarta.persistence.jdbc.user", "sa",
                "jakarta.persistence.jdbc.password", "");
    }

    private static Map<String, Object> byDataSource(String url) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(url + ";DB_CLOSE_DELAY=-1");
        dataSource.setUser("sa");
        dataSource.setPassword("");
        return Map.of("hibernate.connection.datasource", dataSource);
    }

    private void makesAnId(Map<String, Object> rows) {
        Map<String, Object> settings = new HashMap<>(rows);
        settings.put("hibernate.hbm2ddl.auto", "create");
        settings.put("shardedid.worker.lease.url", this.lease);
        StandardServiceRegistry registry = new StandardServiceRegistryBuilder().applySettings(settings).build();
        try (SessionFactory factory = new MetadataSources(registry).addAnnotatedClass(User.class)
            .buildMetadata()
            .buildSessionFactory()) {
            User user = new User();
            factory.inTransaction((session) -> session.persist(user));
            assertThat(user.id).isPositive();
        }
        finally {
            StandardServiceRegistryBuilder.destroy(registry);
        }
    }

    private void refused(Map<String, Object> rows, String described) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> makesAnId(rows))
            .withMessageContainingAll("connection=" + this.lease, "database=" + described,
                    "shardedid.worker.lease.url");
    }

    @Test
    void isRefusedWhereTheUrlOfTheUnitLeadsToADatabaseThatOthersReach() {
        String url = shared();
        refused(byUrl(url), url);
    }

    @Test
    void isRefusedWhereTheDataSourceOfTheUnitLeadsToADatabaseThatOthersReach() {
        refused(byDataSource(shared()), "a connection of org.h2.jdbcx.JdbcDataSource");
    }

    @Test
    void isTakenWhereTheRowsAreInADatabaseOfThisProcessToo() {
        makesAnId(byUrl("jdbc:h2:mem:" + UUID.randomUUID()));
        makesAnId(byDataSource("jdbc:h2:mem:" + UUID.randomUUID()));
    }

}
