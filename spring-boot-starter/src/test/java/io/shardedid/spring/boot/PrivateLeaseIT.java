package io.shardedid.spring.boot;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import org.h2.tools.Server;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes whose rows go to one server, with a lease table that each of them has in
 * its own memory.
 */
@Tag("proof")
class PrivateLeaseIT {

    private static final int SHARDS = 4;

    private static final int IDS = 40_000;

    private static final String READY = "READY";

    private static final String REFUSED = "REFUSED ";

    /**
     * A process of its own: says whether it may make ids, then makes some when it is told
     * to, and says which. Arguments: the name of the configuration, the URL of the rows.
     */
    public static void main(String[] args) throws Exception {
        ProcessHandle.current()
            .parent()
            .orElseThrow()
            .onExit()
            .orTimeout(10, TimeUnit.MINUTES)
            .whenComplete((parent, failure) -> Runtime.getRuntime().halt(1));
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Class.forName(args[0]))
            .web(WebApplicationType.NONE)
            .logStartupInfo(false)
            .run("--rows=" + args[1], "--spring.main.banner-mode=off", "--logging.level.root=off",
                    "--shardedid.shards=" + SHARDS, "--shardedid.clock.max-wait=30s",
                    args[0].endsWith("ByUrl") ? "--shardedid.worker.lease.url=jdbc:hsqldb:mem:lease" : "--none")) {
            ShardedIds ids = context.getBean(ShardedIds.class);
            ids.next(0);
            System.out.println(READY);
            System.in.read();
            StringBuilder made = new StringBuilder();
            for (int i = 0; i < IDS; i++) {
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

    @ParameterizedTest
    @CsvSource({ "MarkedHsqldb,own org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseFactory",
            "ByUrl,jdbc:hsqldb:mem:lease" })
    void processesWithLeasesInTheirOwnMemoryDoNotStart(String configuration, String connection) throws Exception {
        Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        List<Process> processes = new ArrayList<>();
        try {
            String rows = "jdbc:h2:tcp://127.0.0.1:%s/mem:%s".formatted(server.getPort(), UUID.randomUUID());
            processes.add(start(configuration, rows));
            processes.add(start(configuration, rows));
            List<BufferedReader> outputs = processes.stream()
                .map((process) -> process.inputReader(StandardCharsets.UTF_8))
                .toList();
            List<String> first = new ArrayList<>();
            for (BufferedReader output : outputs) {
                first.add(output.readLine());
            }
            assertThat(equalIds(processes, first, outputs)).as("equal ids after " + first).isZero();
            assertThat(first).hasSize(2)
                .allSatisfy((line) -> assertThat(line)
                    .startsWith(REFUSED + "Could not use the lease table: connection=" + connection)
                    .contains("only this process sees the lease table"));
        }
        finally {
            processes.forEach(Process::destroyForcibly);
            server.stop();
        }
    }

    private static int equalIds(List<Process> processes, List<String> first, List<BufferedReader> outputs)
            throws IOException {
        for (int i = 0; i < processes.size(); i++) {
            if (READY.equals(first.get(i))) {
                processes.get(i).outputWriter().append('\n').flush();
            }
        }
        Set<Long> all = new HashSet<>();
        int made = 0;
        for (BufferedReader output : outputs) {
            for (String id = output.readLine(); id != null; id = output.readLine()) {
                all.add(Long.parseLong(id));
                made++;
            }
        }
        System.out.printf("private lease: %s, ids=%,d, equal=%,d%n", first, made, made - all.size());
        return made - all.size();
    }

    private static Process start(String configuration, String rows) throws IOException {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx192m",
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), PrivateLeaseIT.class.getName(),
                PrivateLeaseIT.class.getName() + "$" + configuration, rows)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    }

    private static DataSource rows(Environment environment) {
        return new DriverManagerDataSource(environment.getRequiredProperty("rows"), "sa", "");
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ShardedIdAutoConfiguration.class)
    static class MarkedHsqldb {

        @Bean
        @Primary
        DataSource rows(Environment environment) {
            return PrivateLeaseIT.rows(environment);
        }

        @Bean
        @ShardedIdDataSource
        EmbeddedDatabase leases() {
            return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.HSQL).build();
        }

    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ShardedIdAutoConfiguration.class)
    static class ByUrl {

        @Bean
        DataSource one(Environment environment) {
            return PrivateLeaseIT.rows(environment);
        }

        @Bean
        DataSource two(Environment environment) {
            return PrivateLeaseIT.rows(environment);
        }

    }

}
