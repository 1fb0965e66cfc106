package io.shardedid.spring.several;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import javax.sql.DataSource;

import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.ShardedIdService;
import io.shardedid.spring.several.photos.Photo;
import io.shardedid.spring.several.photos.Photos;
import io.shardedid.spring.several.users.User;
import io.shardedid.spring.several.users.Users;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The configuration of docs/lease-table.md#several-data-sources: two databases, a
 * persistence unit with its repositories each, one engine.
 */
@Tag("slow")
class SeveralDatabasesTest {

    @Test
    void repositoriesOfBothUnitsShareOneEngineWhoseLeaseIsInTheMarkedDatabase() throws IOException {
        new ApplicationContextRunner().withUserConfiguration(Application.class)
            .withPropertyValues(block("properties").lines().toArray(String[]::new))
            .withPropertyValues("spring.flyway.enabled=false", "spring.liquibase.enabled=false")
            .run((context) -> {
                ShardedIdEngine ids = context.getBean(ShardedIdEngine.class);
                assertThat(engineOf(context, "usersUnit")).isSameAs(ids);
                assertThat(engineOf(context, "photosUnit")).isSameAs(ids);

                long user = context.getBean(Users.class).save(new User()).getId();
                Photos photos = context.getBean(Photos.class);
                long photo = photos.save(new Photo(user)).getId();
                new TransactionTemplate(context.getBean("photosTransactions", PlatformTransactionManager.class))
                    .executeWithoutResult((taken) -> {
                        photos.save(new Photo(user));
                        taken.setRollbackOnly();
                    });

                assertThat(photos.findByUserId(user)).extracting(Photo::getId).containsExactly(photo);
                assertThat(photo).isGreaterThan(user);
                assertThat(ids.shardOf(photo)).isEqualTo(ids.shardOf(user));
                assertThat(tables(context, "usersDatabase")).containsExactly("SHARDEDID_WORKER", "USERS");
                assertThat(tables(context, "photosDatabase")).containsExactly("PHOTOS");
            });
    }

    @Test
    void pageShowsThisConfiguration() throws IOException {
        String source = Files
            .readString(Path.of("src/test/java", getClass().getPackageName().replace('.', '/'), "TwoDatabases.java"));

        assertThat(sortedImports(block("java")))
            .isEqualTo(sortedImports(source.replace("io.shardedid.spring.several.", "com.example.")));
        assertThat(block("java").strip()).endsWith(source.substring(source.indexOf("@Configuration")).strip());
    }

    private static List<String> sortedImports(String source) {
        return source.lines().filter((line) -> line.startsWith("import ")).sorted().toList();
    }

    /** The first block of that language in the section of the page. */
    private static String block(String language) throws IOException {
        String page = Files.readString(Path.of("..", "docs", "lease-table.md"));
        String section = page.substring(page.indexOf("## Several entity manager factories"));
        String from = section.substring(section.indexOf("```" + language + "\n") + language.length() + 4);
        return from.substring(0, from.indexOf("```"));
    }

    private static ShardedIdEngine engineOf(ListableBeanFactory context, String unit) {
        return ShardedIdService.idsOf(context.getBean(unit, EntityManagerFactory.class).unwrap(SessionFactory.class));
    }

    private static List<String> tables(ListableBeanFactory context, String database) {
        return new JdbcTemplate(context.getBean(database, DataSource.class)).queryForList(
                "select table_name from information_schema.tables where table_schema = 'PUBLIC' order by table_name",
                String.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(TwoDatabases.class)
    static class Application {

    }

}
