package io.shardedid.spring.feed;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What {@code saveAll} of a thousand rows costs a PostgreSQL server, with the properties
 * of the ten lines and without them: the statements are those that the server counts, and
 * a round trip ends where the driver says that it waits for an answer.
 */
@Tag("proof")
@Tag("nightly")
class InsertBatchesIT {

    private static final Path TEN_LINES = Path.of("../examples/ten-lines/src/main/resources/application.properties");

    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() throws IOException {
        server = EmbeddedPostgres.builder()
            .setPGStartupWait(Duration.ofSeconds(90))
            .setServerConfig("shared_preload_libraries", "pg_stat_statements")
            .start();
        new JdbcTemplate(server.getPostgresDatabase()).execute("create extension pg_stat_statements");
    }

    @AfterAll
    static void end() throws IOException {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({ "true, false, 20, 1000", "true, true, 20, 60", "false, false, 1000, 1000" })
    void aThousandRows(boolean tenLines, boolean rewritten, int roundTrips, int statements) {
        String url = server.getJdbcUrl("postgres", "postgres");
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(FeedApplication.class)
            .web(WebApplicationType.NONE)
            .run("--spring.config.location=optional:file:" + (tenLines ? TEN_LINES : "none.properties"),
                    "--spring.datasource.url=" + url + (rewritten ? "&reWriteBatchedInserts=true" : ""),
                    "--spring.jpa.hibernate.ddl-auto=update", "--spring.flyway.enabled=false",
                    "--spring.liquibase.enabled=false")) {
            Visits visits = application.getBean(Visits.class);
            JdbcTemplate database = application.getBean(JdbcTemplate.class);
            AtomicInteger syncs = new AtomicInteger();
            new TransactionTemplate(application.getBean(PlatformTransactionManager.class))
                .executeWithoutResult((open) -> {
                    database.execute("select pg_stat_statements_reset()");
                    countSyncs(syncs, () -> visits
                        .saveAllAndFlush(IntStream.range(0, 1000).mapToObj((i) -> new Visit(5711)).toList()));
                });

            assertThat(database
                .queryForObject("select sum(rows) || ' rows, ' || sum(calls) || ' statements' from pg_stat_statements "
                        + "where query like 'insert into visit%'", String.class))
                .isEqualTo("1000 rows, " + statements + " statements");
            assertThat(syncs).hasValue(roundTrips);
        }
    }

    /** Of this thread alone: the keeper of the lease has a connection of its own. */
    private static void countSyncs(AtomicInteger syncs, Runnable work) {
        Thread here = Thread.currentThread();
        Logger driver = Logger.getLogger("org.postgresql.core.v3.QueryExecutorImpl");
        Handler count = new Handler() {

            @Override
            public void publish(LogRecord record) {
                if (Thread.currentThread() == here && " FE=> Sync".equals(record.getMessage())) {
                    syncs.incrementAndGet();
                }
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }

        };
        driver.setUseParentHandlers(false);
        driver.setLevel(Level.FINEST);
        driver.addHandler(count);
        try {
            work.run();
        }
        finally {
            driver.removeHandler(count);
            driver.setLevel(null);
            driver.setUseParentHandlers(true);
        }
    }

}
