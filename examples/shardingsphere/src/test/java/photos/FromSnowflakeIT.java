package photos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import io.shardedid.IdLayout;
import io.shardedid.ShardedIds;
import io.shardedid.WorkerLeases;
import org.apache.shardingsphere.driver.api.yaml.YamlShardingSphereDataSourceFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application whose ids are those of ShardingSphere's generator follows
 * sharding/docs/shardingsphere.md.
 */
@Tag("proof")
class FromSnowflakeIT {

    private static final int USERS = 20;

    private static final String DATABASES = """
            dataSources:
              ds_0: { dataSourceClassName: com.zaxxer.hikari.HikariDataSource, jdbcUrl: "%s", username: sa }
              ds_1: { dataSourceClassName: com.zaxxer.hikari.HikariDataSource, jdbcUrl: "%s", username: sa }
            """.formatted(url(0), url(1));

    private static final String BEFORE = """
            rules:
            - !SHARDING
              tables:
                photo:
                  actualDataNodes: ds_${0..1}.photo
                  databaseStrategy:
                    standard: { shardingColumn: user_id, shardingAlgorithmName: by_user }
                  keyGenerateStrategy: { column: id, keyGeneratorName: snowflake }
              shardingAlgorithms:
                by_user: { type: INLINE, props: { algorithm-expression: "ds_${user_id % 2}" } }
              keyGenerators:
                snowflake: { type: SNOWFLAKE }
            """;

    private static final Pattern PAGE = Pattern
        .compile("## From SNOWFLAKE\n.*?shardedid.epoch=([^`]+)`.*?```yaml\n(.*?)```", Pattern.DOTALL);

    @BeforeAll
    static void makeTables() throws SQLException {
        for (int database = 0; database < 2; database++) {
            try (Connection connection = DriverManager.getConnection(url(database), "sa", "");
                    Statement statement = connection.createStatement()) {
                statement.execute("create table photo (id bigint primary key, user_id bigint not null)");
            }
        }
    }

    private static String url(int database) {
        return "jdbc:h2:mem:snowflake%s;DB_CLOSE_DELAY=-1".formatted(database);
    }

    @Test
    void idsContinueAboveTheOldOnesAndNoRowMoves() throws Exception {
        try (Connection before = open(BEFORE); Statement statement = before.createStatement()) {
            for (int user = 0; user < USERS; user++) {
                statement.execute("insert into photo (user_id) values (%s)".formatted(user));
            }
        }
        List<Long> old = ids("order by id");
        // without a number of its own, each process of the generator is the same one
        assertThat(old).hasSize(USERS).allMatch((id) -> (id >> 12 & 1023) == 0);

        MatchResult page = page();
        try (ShardedIds ids = ShardedIds.builder()
            .layout(IdLayout.standard().toBuilder().epoch(Instant.parse(page.group(1))).build())
            .shardFunction(new ByOldDatabase())
            .workers(WorkerLeases.fixed(1))
            .open(); Connection after = open(page.group(2)); Statement statement = after.createStatement()) {
            for (long user = 0; user < USERS; user++) {
                long id = ids.nextFor(user);
                statement.execute("insert into photo (id, user_id) values (%s, %s)".formatted(id, user));

                assertThat(id).isGreaterThan(old.get(USERS - 1));
                assertThat(values(after, "select id from photo where user_id = %s order by id".formatted(user)))
                    .hasSize(2)
                    .last()
                    .isEqualTo(id);
                assertThat(values(after, "select user_id from photo where id = %s".formatted(id)))
                    .containsExactly(user);
            }
            assertThat(values(after, "select id from photo order by id")).startsWith(old.toArray(Long[]::new))
                .hasSize(2 * USERS);
            for (long id : old) {
                assertThat(values(after, "select id from photo where id = %s".formatted(id))).containsExactly(id);
            }
        }
        assertThat(ids("where mod(user_id, 2) = 0")).hasSize(USERS);
        for (int database = 0; database < 2; database++) {
            try (Connection connection = DriverManager.getConnection(url(database), "sa", "")) {
                assertThat(values(connection, "select distinct mod(user_id, 2) from photo"))
                    .containsExactly((long) database);
            }
        }
    }

    private static Connection open(String rules) throws SQLException, IOException {
        DataSource all = YamlShardingSphereDataSourceFactory
            .createDataSource((DATABASES + rules).getBytes(StandardCharsets.UTF_8));
        return all.getConnection();
    }

    private static MatchResult page() throws IOException {
        Matcher page = PAGE.matcher(Files.readString(Path.of("../../sharding/docs/shardingsphere.md")));
        assertThat(page.find()).isTrue();
        return page;
    }

    private static List<Long> ids(String condition) throws SQLException {
        List<Long> ids = new ArrayList<>();
        for (int database = 0; database < 2; database++) {
            try (Connection connection = DriverManager.getConnection(url(database), "sa", "")) {
                ids.addAll(values(connection, "select id from photo " + condition));
            }
        }
        return ids.stream().sorted().toList();
    }

    private static List<Long> values(Connection connection, String query) throws SQLException {
        List<Long> values = new ArrayList<>();
        try (Statement statement = connection.createStatement(); ResultSet found = statement.executeQuery(query)) {
            while (found.next()) {
                values.add(found.getLong(1));
            }
        }
        return values;
    }

}
