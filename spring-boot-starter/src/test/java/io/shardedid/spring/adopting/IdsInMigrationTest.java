package io.shardedid.spring.adopting;

import java.sql.Statement;
import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import io.shardedid.ShardedIds;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import org.flywaydb.core.api.migration.BaseJavaMigration;
import org.flywaydb.core.api.migration.Context;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ScriptUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A migration of Flyway that needs ids, before the engine of the application opens.
 */
@Tag("slow")
class IdsInMigrationTest {

    @Test
    void migrationMakesIdsByAnEngineOfItsOwn() {
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, FlywayAutoConfiguration.class,
                    ShardedIdAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                    "spring.flyway.locations=classpath:io/shardedid/spring/adopting",
                    "shardedid.worker.lease.initialize-schema=never")
            .withUserConfiguration(Queries.class)
            .run((context) -> {
                ShardedIds ids = context.getBean(ShardedIds.class);
                List<Long> albums = context.getBean(JdbcTemplate.class)
                    .queryForList("select id from album order by user_id", Long.class);
                assertThat(albums).extracting(ids::shardOf).containsExactly(5, 7);
                assertThat(ids.nextFor(5L)).as("of the application").isGreaterThan(albums.get(0));
            });
    }

    @Configuration(proxyBeanMethods = false)
    static class Queries {

        @Bean
        JdbcTemplate jdbc(DataSource database) {
            return new JdbcTemplate(database);
        }

    }

    public static class V1__Tables extends BaseJavaMigration {

        @Override
        public void migrate(Context context) throws Exception {
            ScriptUtils.executeSqlScript(context.getConnection(),
                    new ClassPathResource("io/shardedid/lease-table-h2.sql"));
            try (Statement statement = context.getConnection().createStatement()) {
                statement.execute("create table users (id bigint primary key)");
                statement.execute("insert into users values (5), (7)");
                statement.execute("create table album (id bigint primary key, user_id bigint not null)");
            }
        }

    }

}
