package io.shardedid.hibernate;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import io.shardedid.testdb.EachServer;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queries of {@code docs/adopting.md} that print statements for a whole schema: old
 * ones have narrow counters, and references without a foreign key.
 */
@Tag("database")
@Tag("proof")
class WholeSchemaIT {

    private static final int TABLES = 20;

    private static final long ID = 503_635_666_375_021_581L;

    @ParameterizedTest
    @EachServer(except = TestServer.H2)
    void countersAndReferencesBecomeWideAndKeepTheRest(TestServer server) throws SQLException {
        TestDatabase at = server.freshDatabase();
        UnitDatabase database = new UnitDatabase(at.url(), at.user(), at.password());
        boolean postgres = server == TestServer.POSTGRESQL;
        try (Connection connection = database.connect(); Statement statement = connection.createStatement()) {
            for (int i = 0; i < TABLES; i++) {
                statement.execute(table(i, postgres));
                if (postgres) {
                    statement.execute("comment on column t%s.id is 'counts'".formatted(i));
                }
                statement.execute("insert into t%s (parent_id, %s) values (%s, 5)".formatted(i, other(postgres),
                        (i == 0) ? "null" : "1"));
            }

            // those of Flyway and Liquibase, and the lease table
            statement.execute("create table flyway_schema_history (installed_rank int primary key)");
            statement.execute("create table databasechangeloglock (id int primary key)");
            statement.execute("create table shardedid_worker (worker_id int primary key)");
            List<String> widening = printed(statement, "all narrow columns", database);
            assertThat(widening).hasSize(postgres ? TABLES : 3 * TABLES);
            run(statement, widening);
            assertThat(printed(statement, "all narrow columns", database)).as("of wide columns").isEmpty();
            statement.execute("drop table flyway_schema_history");
            statement.execute("drop table databasechangeloglock");
            statement.execute("drop table shardedid_worker");
            List<String> counters = printed(statement, "all counters", database);
            assertThat(counters).hasSize(TABLES);
            run(statement, AdoptionRecipe.besideForeignKeys(counters, database));

            for (int i = 0; i < TABLES; i++) {
                statement.execute("insert into t%s (id, parent_id, %s) values (%s, %s, %3$s)".formatted(i,
                        other(postgres), ID, (i == 0) ? "null" : ID));
            }
            assertThat(texts(statement,
                    "select distinct concat(column_name, ' ', data_type) from information_schema.columns where "
                            + (postgres ? "table_schema = current_schema()" : "table_schema = database()")))
                .containsExactlyInAnyOrder("id bigint", "parent_id bigint",
                        other(postgres).replaceAll("[\"`]", "") + " bigint", "amount " + (postgres ? "integer" : "int"),
                        "paid " + (postgres ? "boolean" : "tinyint"));
            assertThat(texts(statement, postgres
                    ? "select distinct col_description(attrelid, attnum) from pg_attribute where attname = 'id' and attrelid = 't7'::regclass"
                    : "select distinct column_comment from information_schema.columns where table_schema = database() and column_name = 'id'"))
                .containsExactly("counts");
        }
    }

    /** With a parent, a reference without a foreign key, a number, and a flag. */
    private static String table(int number, boolean postgres) {
        String parent = "foreign key (parent_id) references t" + Math.max(0, number - 1) + " (id) on delete cascade)";
        return postgres
                ? "create table t%s (id serial primary key, parent_id integer, \"otherId\" integer, amount integer, paid boolean, "
                    .formatted(number) + parent
                : "create table t%s (id int unsigned not null auto_increment primary key comment 'counts', parent_id int unsigned, `otherId` int unsigned not null default 0, amount int, paid tinyint(1), "
                    .formatted(number) + parent;
    }

    private static String other(boolean postgres) {
        return postgres ? "\"otherId\"" : "`otherId`";
    }

    private static List<String> printed(Statement statement, String block, UnitDatabase database) throws SQLException {
        return texts(statement, AdoptionRecipe.statements(block, database)[0]);
    }

    private static void run(Statement statement, List<String> printed) throws SQLException {
        for (String sql : printed) {
            statement.execute(sql);
        }
    }

    private static List<String> texts(Statement statement, String query) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
        }
        return texts;
    }

}
