package io.shardedid.spring.boot;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes of one application that say in different ways where they write. A marked
 * data source is believed, so marking the wrong one is what each of the guards prevents.
 */
@Tag("proof")
class OneTableIT {

    private static final int SHARDS = 4;

    private static final int SECONDS = 4;

    private static final String READY = "READY";

    private static final String REFUSED = "REFUSED ";

    private static EmbeddedPostgres server;

    /**
     * A process of its own: says whether it may make ids, then makes some when it is told
     * to, and says which. Arguments: the name of the configuration, and properties.
     */
    public static void main(String[] args) throws Exception {
        ProcessHandle.current()
            .parent()
            .orElseThrow()
            .onExit()
            .orTimeout(10, TimeUnit.MINUTES)
            .whenComplete((parent, failure) -> Runtime.getRuntime().halt(1));
        String[] common = { "--spring.main.banner-mode=off", "--logging.level.root=off", "--shardedid.shards=" + SHARDS,
                "--shardedid.clock.max-wait=30s", "--shardedid.worker.lease.initialize-schema=always" };
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Class.forName(args[0]))
            .web(WebApplicationType.NONE)
            .logStartupInfo(false)
            .run(Stream.concat(Stream.of(args).skip(1), Stream.of(common)).toArray(String[]::new))) {
            ShardedIds ids = context.getBean(ShardedIds.class);
            ids.next(0);
            System.out.println(READY);
            System.in.read();
            StringBuilder made = new StringBuilder();
            // for so long that two of them make ids at the same time
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            for (int i = 0; System.nanoTime() < end; i++) {
                made.append(ids.next(i % SHARDS)).append('\n');
            }
            System.out.print(made);
        }
        catch (Exception ex) {
            Throwable root = ex;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            System.out.println((root instanceof ShardedIdConfigurationException) ? REFUSED + root.getMessage() : root);
        }
    }

    @BeforeAll
    static void start() throws Exception {
        server = EmbeddedPostgres.start();
    }

    /** In an empty table the first process takes the worker id 0, else one by chance. */
    @BeforeEach
    void emptySchemas() throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP SCHEMA IF EXISTS public, sales, t1, t2 CASCADE; CREATE SCHEMA public; "
                    + "CREATE SCHEMA sales; CREATE SCHEMA t1; CREATE SCHEMA t2");
        }
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    /** What refuses a process, in words of its message, or nothing if both start. */
    @ParameterizedTest
    @CsvSource({ "ByProperties,", "Elsewhere,does not read the lease that was just written there",
            "Router,default target=null" })
    void processesLeaseFromOneTableOrDoNotStart(String configuration, String refusal) throws Exception {
        Outcome outcome = outcome(configuration);

        assertThat(outcome.equal()).as(outcome.toString()).isZero();
        assertThat(outcome.first().get(1)).startsWith((refusal != null) ? REFUSED : READY)
            .contains((refusal != null) ? refusal : "");
    }

    @ParameterizedTest
    @CsvSource({ "MarkedElsewhere", "MarkedRouter" })
    void processesWhoseDataSourcesAreBelievedMakeEqualIds(String configuration) throws Exception {
        Outcome outcome = outcome(configuration);

        assertThat(outcome.equal()).as(outcome.toString()).isPositive();
    }

    private static Outcome outcome(String configuration) throws IOException {
        String url = server.getJdbcUrl("postgres", "postgres");
        List<Process> processes = new ArrayList<>();
        try {
            processes.add(start(configuration, "--spring.datasource.url=" + url + "&currentSchema=sales",
                    "--spring.datasource.username=postgres", "--tenant=t1"));
            processes
                .add(start(configuration, "--spring.datasource.url=" + url, "--spring.datasource.username=postgres",
                        "--spring.datasource.hikari.data-source-properties.currentSchema=sales", "--tenant=t2"));
            List<BufferedReader> outputs = processes.stream()
                .map((process) -> process.inputReader(StandardCharsets.UTF_8))
                .toList();
            List<String> first = new ArrayList<>();
            for (BufferedReader output : outputs) {
                first.add(output.readLine());
            }
            for (int i = 0; i < processes.size(); i++) {
                if (READY.equals(first.get(i))) {
                    processes.get(i).outputWriter().append('\n').flush();
                }
            }
            List<Long> all = new ArrayList<>();
            for (BufferedReader output : outputs) {
                output.lines().map(Long::valueOf).forEach(all::add);
            }
            Outcome outcome = new Outcome(first, all.size(), all.size() - (int) all.stream().distinct().count());
            System.out.printf("one table: %s %s, ids=%,d, equal=%,d%n", configuration, first, outcome.ids(),
                    outcome.equal());
            return outcome;
        }
        finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private static Process start(String configuration, String... properties) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx192m",
                        "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                        OneTableIT.class.getName(), OneTableIT.class.getName() + "$" + configuration));
        command.addAll(Arrays.asList(properties));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Shows the URL, and writes where a property says. */
    private static DataSource elsewhere(Environment environment) {
        DriverManagerDataSource shown = new DriverManagerDataSource(
                environment.getRequiredProperty("spring.datasource.url"), "postgres", "");
        return new DelegatingDataSource(shown) {

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setSchema("sales");
                return connection;
            }

        };
    }

    /** Knows on every thread which tenant it is for. */
    private static DataSource router(Environment environment) {
        DriverManagerDataSource one = new DriverManagerDataSource(
                environment.getRequiredProperty("spring.datasource.url"), "postgres", "");
        one.setSchema("t1");
        DriverManagerDataSource two = new DriverManagerDataSource(
                environment.getRequiredProperty("spring.datasource.url"), "postgres", "");
        two.setSchema("t2");
        ThreadLocal<String> tenant = ThreadLocal.withInitial(() -> environment.getRequiredProperty("tenant"));
        AbstractRoutingDataSource router = new AbstractRoutingDataSource() {

            @Override
            protected Object determineCurrentLookupKey() {
                return tenant.get();
            }

        };
        router.setTargetDataSources(Map.of("t1", one, "t2", two));
        router.afterPropertiesSet();
        return router;
    }

    /**
     * What two processes did.
     *
     * @param first the first line of each
     * @param ids how many ids both made
     * @param equal how many of them another one is equal to
     */
    private record Outcome(List<String> first, int ids, int equal) {
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({ DataSourceAutoConfiguration.class, ShardedIdAutoConfiguration.class })
    static class ByProperties {

    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ShardedIdAutoConfiguration.class)
    static class Elsewhere {

        @Bean
        DataSource rows(Environment environment) {
            return elsewhere(environment);
        }

    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ShardedIdAutoConfiguration.class)
    static class MarkedElsewhere {

        @Bean
        @ShardedIdDataSource
        DataSource rows(Environment environment) {
            return ((DelegatingDataSource) elsewhere(environment)).getTargetDataSource();
        }

    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ShardedIdAutoConfiguration.class)
    static class Router {

        @Bean
        DataSource rows(Environment environment) {
            return router(environment);
        }

    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ShardedIdAutoConfiguration.class)
    static class MarkedRouter {

        @Bean
        @ShardedIdDataSource
        DataSource rows(Environment environment) {
            return router(environment);
        }

    }

}
