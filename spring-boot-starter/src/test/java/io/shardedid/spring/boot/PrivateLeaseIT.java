package io.shardedid.spring.boot;

import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import org.h2.tools.Server;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
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
@Tag("nightly")
class PrivateLeaseIT {

    @ParameterizedTest
    @CsvSource({ "MarkedHsqldb,own org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseFactory",
            "ByUrl,jdbc:hsqldb:mem:lease" })
    void processesWithLeasesInTheirOwnMemoryDoNotStart(String configuration, String connection) throws Exception {
        Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        try {
            List<String> properties = List.of(
                    "--rows=jdbc:h2:tcp://127.0.0.1:%s/mem:%s".formatted(server.getPort(), UUID.randomUUID()),
                    configuration.equals("ByUrl") ? "--shardedid.worker.lease.url=jdbc:hsqldb:mem:lease" : "--none");
            RacingApplications race = RacingApplications
                .race(Class.forName(PrivateLeaseIT.class.getName() + "$" + configuration), properties, properties);

            assertThat(race.equal()).as(race.toString()).isZero();
            assertThat(race.first()).hasSize(2)
                .allSatisfy((line) -> assertThat(line)
                    .startsWith(RacingApplications.REFUSED + "Could not use the lease table: connection=" + connection)
                    .contains("only this process sees the lease table"));
        }
        finally {
            server.stop();
        }
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
