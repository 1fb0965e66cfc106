package io.shardedid.spring.boot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import javax.net.SocketFactory;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.internal.lease.jdbc.LeaseLogin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.ResolvableType;
import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The keeper connects as the application does, and leases where the application reads.
 */
@Tag("database")
class ApplicationLeaseIT {

    private static PasswordServer server;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class))
        .withBean(AsksForIds.class)
        .withPropertyValues("shardedid.worker.lease.initialize-schema=always", "shardedid.worker.lease.window=2s",
                "shardedid.worker.lease.startup-timeout=20s");

    @BeforeAll
    static void start() throws Exception {
        server = PasswordServer.start();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    @BeforeEach
    void roles() throws SQLException {
        server.run("CREATE ROLE app LOGIN PASSWORD 'pw1'", "GRANT ALL ON SCHEMA public TO app");
    }

    @AfterEach
    void clean() throws SQLException {
        server.run("DROP OWNED BY app CASCADE", "DROP ROLE app", "DROP SCHEMA IF EXISTS sales CASCADE",
                "DROP TABLE IF EXISTS shardedid_worker");
    }

    private ApplicationContextRunner asApp() {
        return this.runner.withPropertyValues("spring.datasource.url=" + server.url(), "spring.datasource.username=app",
                "spring.datasource.password=pw1");
    }

    /** Who asks for the workers waits for an answer of the keeper's connection. */
    private static void assertKeeperConnects(ShardedIdEngine ids) {
        assertThat(ids.workers()).anyMatch((each) -> each.mine());
        assertThat(ids.next(1)).isPositive();
    }

    @Test
    void keeperConnectsByThePasswordThatThePoolWasGivenLast() {
        asApp().run((context) -> {
            ShardedIdEngine ids = context.getBean(ShardedIdEngine.class);
            for (String password : new String[] { "pw2", "pw3" }) {
                server.run("ALTER ROLE app PASSWORD '%s'".formatted(password));
                context.getBean(HikariDataSource.class).getHikariConfigMXBean().setPassword(password);
                server.rotate("app", password);
                awaitConnected(ids);
            }
        });
    }

    /** The first statement after the end of a session fails, whatever the password. */
    private static void awaitConnected(ShardedIdEngine ids) {
        Awaitility.await()
            .ignoreExceptions()
            .atMost(Duration.ofSeconds(20))
            .untilAsserted(() -> assertKeeperConnects(ids));
    }

    @Test
    void keeperAsksTheProviderOfThePool() {
        AtomicReference<String> password = new AtomicReference<>("pw1");
        this.runner.withBean(DataSource.class, () -> Provided.pool(server.url(), password)).run((context) -> {
            assertThat(context).hasNotFailed();
            password.set("pw2");
            server.rotate("app", "pw2");
            awaitConnected(context.getBean(ShardedIdEngine.class));
        });
    }

    @Test
    void keeperAsksTheSupplierOfTheLoginAtTheUrlOfTheLeases() {
        AtomicReference<String> password = new AtomicReference<>("pw1");
        RootBeanDefinition login = new RootBeanDefinition();
        login.setTargetType(ResolvableType.forClassWithGenerics(Supplier.class, LeaseLogin.class));
        login.setInstanceSupplier(() -> (Supplier<LeaseLogin>) () -> new LeaseLogin("app", password.get()));
        this.runner.withInitializer((context) -> {
            ((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition("login", login);
        }).withPropertyValues("shardedid.worker.lease.url=" + server.url()).run((context) -> {
            assertThat(context).hasNotFailed();
            password.set("pw2");
            server.rotate("app", "pw2");
            awaitConnected(context.getBean(ShardedIdEngine.class));
        });
    }

    @Test
    void keeperConnectsByThePropertiesOfThePool() {
        this.runner
            .withPropertyValues("spring.datasource.url=jdbc:postgresql:///postgres", "spring.datasource.username=app",
                    "spring.datasource.password=pw1",
                    "spring.datasource.hikari.data-source-properties.socketFactory=" + ToServer.class.getName(),
                    "spring.datasource.hikari.data-source-properties.socketFactoryArg=" + server.port())
            .run((context) -> assertKeeperConnects(context.getBean(ShardedIdEngine.class)));
    }

    @Test
    void keeperConnectsByTheDataSourceClassOfThePool() {
        this.runner.withBean(DataSource.class, () -> {
            HikariDataSource pool = new HikariDataSource();
            pool.setDataSourceClassName("org.postgresql.ds.PGSimpleDataSource");
            pool.addDataSourceProperty("url", server.url());
            pool.setUsername("app");
            pool.setPassword("pw1");
            return pool;
        }).run((context) -> assertKeeperConnects(context.getBean(ShardedIdEngine.class)));
    }

    @Test
    void keeperHasTheRoleThatThePoolTakesOnEachConnection() throws SQLException {
        server.run("CREATE ROLE owner1", "GRANT ALL ON SCHEMA public TO owner1",
                "CREATE ROLE v_token_1 LOGIN NOINHERIT PASSWORD 'once' IN ROLE owner1");
        try {
            this.runner
                .withPropertyValues("spring.datasource.url=" + server.url(), "spring.datasource.username=v_token_1",
                        "spring.datasource.password=once",
                        "spring.datasource.hikari.connection-init-sql=SET ROLE owner1")
                .run((context) -> assertKeeperConnects(context.getBean(ShardedIdEngine.class)));
        }
        finally {
            server.run("DROP OWNED BY owner1 CASCADE", "DROP ROLE v_token_1", "DROP ROLE owner1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "data-source-properties.currentSchema", "schema" })
    void schemaOfThePoolIsThatOfTheUrl(String property) throws SQLException {
        server.run("CREATE SCHEMA sales AUTHORIZATION app");
        asApp().withPropertyValues("spring.datasource.url=" + server.url() + "?currentSchema=sales")
            .run((one) -> asApp().withPropertyValues("spring.datasource.hikari.%s=sales".formatted(property))
                .run((two) -> assertThat(one.getBean(ShardedIdEngine.class).leaseSource())
                    .isSameAs(two.getBean(ShardedIdEngine.class).leaseSource())));

        assertThat(server.one("SELECT string_agg(schemaname, ',') FROM pg_tables WHERE tablename = 'shardedid_worker'"))
            .isEqualTo("sales");
    }

    /** A wrapper of a pool that connects to another place than the pool. */
    private DataSource elsewhere(String... statements) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(server.url());
        pool.setUsername("app");
        pool.setPassword("pw1");
        return new DelegatingDataSource(pool) {

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                try (Statement statement = connection.createStatement()) {
                    for (String each : statements) {
                        statement.execute(each);
                    }
                }
                return connection;
            }

        };
    }

    /** A copy has the layout row, and all that was leased before. */
    private void copy() throws SQLException {
        asApp().run((context) -> assertThat(context).hasNotFailed());
        server.run("CREATE SCHEMA sales AUTHORIZATION app",
                "CREATE TABLE sales.shardedid_worker AS SELECT * FROM public.shardedid_worker",
                "GRANT ALL ON ALL TABLES IN SCHEMA sales TO app");
    }

    @Test
    void applicationThatReadsACopyOfTheTableIsRefused() throws SQLException {
        copy();
        this.runner.withBean(DataSource.class, () -> elsewhere("SET search_path = sales"))
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContaining("another process"));
        server.run("DELETE FROM sales.shardedid_worker WHERE worker_id >= 0");
        this.runner.withBean(DataSource.class, () -> elsewhere("SET search_path = sales"))
            .run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("no row"));
    }

    @Test
    void applicationThatMayNotReadTheTableIsRefused() throws SQLException {
        server.run("CREATE ROLE nobody", "GRANT nobody TO app");
        try {
            this.runner.withBean(DataSource.class, () -> elsewhere("SET ROLE nobody"))
                .run((context) -> assertThat(context).getFailure()
                    .rootCause()
                    .hasMessageContaining("permission denied for table shardedid_worker"));
        }
        finally {
            server.run("DROP ROLE nobody");
        }
    }

    @Test
    void poolThatOnlyReadsIsRefusedWithWhatToMark() {
        asApp().withPropertyValues("spring.datasource.hikari.read-only=true")
            .run((context) -> assertThat(context).getFailure()
                .rootCause()
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContaining("read-only=true")
                .hasMessageContaining("@ShardedIdDataSource"));
    }

    /** Apart, since HikariCP has providers from version 7 on. */
    private static final class Provided {

        static DataSource pool(String url, AtomicReference<String> password) {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(url);
            pool.setCredentialsProvider(() -> Credentials.of("app", password.get()));
            return pool;
        }

    }

    /** Leads every socket to one port, as the factories of clouds do. */
    public static final class ToServer extends SocketFactory {

        private final int port;

        public ToServer(String port) {
            this.port = Integer.parseInt(port);
        }

        @Override
        public Socket createSocket() {
            return new Socket() {

                @Override
                public void connect(SocketAddress endpoint, int timeout) throws IOException {
                    super.connect(new InetSocketAddress("127.0.0.1", ToServer.this.port), timeout);
                }

            };
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }

    }

}
