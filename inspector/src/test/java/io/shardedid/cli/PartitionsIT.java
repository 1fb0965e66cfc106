package io.shardedid.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.shardedid.IdLayout;
import io.shardedid.IdWindow;
import io.shardedid.ShardFunction;
import io.shardedid.database.DatabaseIds;
import io.shardedid.database.IdTrigger;
import io.shardedid.database.KeyKind;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The SQL that the inspector prints, and the blocks of {@code docs/partitions.md}, by
 * what real databases do with them.
 */
@Tag("database")
@Tag("proof")
@Tag("nightly")
class PartitionsIT {

    private static final IdLayout LAYOUT = IdLayout.standard();

    private static final Instant JANUARY = Instant.parse("2026-01-01T00:00:00Z");

    private static final Instant FEBRUARY = Instant.parse("2026-02-01T00:00:00Z");

    private static final Instant MARCH = Instant.parse("2026-03-01T00:00:00Z");

    private static final Instant APRIL = Instant.parse("2026-04-01T00:00:00Z");

    static Stream<Kind> kinds() {
        return Stream.of(Kind.values()).filter((kind) -> kind.server().isThere());
    }

    /** MariaDB and MySQL, whose partitions are no tables and have upper bounds only. */
    static Stream<Kind> kindsWithUpperBounds() {
        return kinds().filter((kind) -> kind != Kind.POSTGRESQL);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void eachRowLandsInTheMonthOfItsId(Kind kind) {
        TestDatabase database = kind.partitioned();
        List<Long> january = List.of(LAYOUT.firstIdAt(JANUARY), idAt(Instant.parse("2026-01-15T12:00:00Z"), 1341),
                LAYOUT.lastIdAt(FEBRUARY.minusMillis(1)));
        List<Long> february = List.of(LAYOUT.firstIdAt(FEBRUARY), LAYOUT.lastIdAt(MARCH.minusMillis(1)));
        List<Long> older = List.of(7L, LAYOUT.lastIdAt(JANUARY.minusMillis(1)));
        Stream.of(january, february, older).flatMap(List::stream).forEach((id) -> insert(database, id));

        assertThat(kind.rows(database, "2026_01")).isEqualTo(january);
        assertThat(kind.rows(database, "2026_02")).isEqualTo(february);
        assertThat(kind.rows(database, "2026_03")).isEmpty();
        assertThat(kind.rows(database, "before_2026_01")).isEqualTo(older);
        assertThat(kind.primaryKey(database)).isEqualTo("id");
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void timeWindowReadsItsPartitionsOnly(Kind kind) {
        TestDatabase database = kind.partitioned();
        IdWindow february = IdWindow.between(LAYOUT, FEBRUARY, MARCH);
        // MariaDB and MySQL read a row by its key while they plan.
        List.of(7L, idAt(JANUARY, 5), idAt(FEBRUARY, 5), idAt(MARCH, 5)).forEach((id) -> insert(database, id));
        IdWindow winter = IdWindow.between(LAYOUT, FEBRUARY.minusMillis(1), MARCH);

        assertThat(kind.partitionsRead(database, between(february))).containsExactly("2026_02");
        assertThat(kind.partitionsRead(database, between(winter))).containsExactly("2026_01", "2026_02");
        assertThat(kind.partitionsRead(database, "id = " + idAt(MARCH, 5))).containsExactly("2026_03");
        assertThat(kind.partitionsRead(database, "id < %s ORDER BY id DESC LIMIT 20".formatted(idAt(JANUARY, 5))))
            .containsExactly("2026_01", "before_2026_01");
        assertThat(kind.partitionsRead(database, "user_id = 7")).containsExactly("2026_01", "2026_02", "2026_03",
                "before_2026_01");
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void rowBeyondTheLastPartitionIsRefusedUntilItsMonthIsThere(Kind kind) {
        TestDatabase database = kind.partitioned();
        long late = LAYOUT.firstIdAt(APRIL);

        assertThatThrownBy(() -> insert(database, late)).rootCause().hasMessageContaining(kind.noPartition);
        kind.run(database, kind.printed("--from=2026-04", "--months=2", "--add"));
        insert(database, late);

        assertThat(kind.rows(database, "2026_04")).containsExactly(late);
        assertThat(kind.rows(database, "2026_05")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void templatesOfThePageMakeTheSameBounds(Kind kind) {
        TestDatabase printed = kind.partitioned();
        kind.run(printed, kind.printed("--from=2026-04", "--months=" + kind.monthsOfTheTemplate, "--add"));
        TestDatabase calculated = kind.partitioned();

        kind.runPage(calculated, kind.template);

        assertThat(kind.bounds(calculated)).hasSize(4 + kind.monthsOfTheTemplate).isEqualTo(kind.bounds(printed));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void droppedMonthTakesItsRowsAlong(Kind kind) {
        TestDatabase database = kind.partitioned();
        insert(database, idAt(JANUARY, 5));
        insert(database, idAt(FEBRUARY, 5));
        insert(database, 7);

        kind.runPage(database, "drop a month");

        assertThat(ids(database, "SELECT id FROM photo ORDER BY id")).containsExactly(7L, idAt(FEBRUARY, 5));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void uniqueKeyWithoutTheIdIsRefused(Kind kind) {
        TestDatabase database = kind.partitioned();

        assertThatThrownBy(() -> database.execute("ALTER TABLE photo ADD CONSTRAINT one UNIQUE (user_id)")).rootCause()
            .hasMessageContaining(kind.uniqueRefused);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void hibernateValidatesAPartitionedTableAndReadsAMonth(Kind kind) {
        TestDatabase database = kind.partitioned();
        insert(database, idAt(JANUARY, 5));
        IdWindow february = IdWindow.between(LAYOUT, FEBRUARY, MARCH);
        Photo photo = new Photo();
        photo.id = idAt(FEBRUARY, 5);
        Configuration configuration = new Configuration().addAnnotatedClass(Photo.class)
            .setProperty("hibernate.connection.url", database.url())
            .setProperty("hibernate.connection.username", database.user())
            .setProperty("hibernate.connection.password", database.password())
            .setProperty("hibernate.hbm2ddl.auto", "validate");

        try (SessionFactory factory = configuration.buildSessionFactory()) {
            factory.inStatelessTransaction((session) -> session.insert(photo));
            List<Long> found = factory.fromTransaction((session) -> session
                .createSelectionQuery("select id from Photo where id between :first and :last", Long.class)
                .setParameter("first", february.firstId())
                .setParameter("last", february.lastId())
                .getResultList());

            assertThat(found).containsExactly(photo.id);
        }
    }

    @Test
    void catchAllOfPostgresStandsInTheWayOfItsMonth() {
        TestDatabase database = Kind.POSTGRESQL.partitioned();
        database.execute("CREATE TABLE photo_rest PARTITION OF photo DEFAULT");
        insert(database, idAt(APRIL, 5));

        assertThatThrownBy(
                () -> Kind.POSTGRESQL.run(database, Kind.POSTGRESQL.printed("--from=2026-04", "--months=1", "--add")))
            .rootCause()
            .hasMessageContaining("would be violated by some row");
    }

    @ParameterizedTest
    @MethodSource("kindsWithUpperBounds")
    void catchAllStandsInTheWayOfEveryMonth(Kind kind) {
        TestDatabase database = kind.partitioned();
        database.execute("ALTER TABLE photo ADD PARTITION (PARTITION p_rest VALUES LESS THAN MAXVALUE)");

        assertThatThrownBy(() -> kind.run(database, kind.printed("--from=2026-04", "--months=1", "--add"))).rootCause()
            .hasMessageContaining("MAXVALUE can only be used in last partition definition");
    }

    @ParameterizedTest
    @MethodSource("kindsWithUpperBounds")
    void aGapBecomesPartOfTheNextMonth(Kind kind) {
        TestDatabase database = kind.partitioned();

        kind.run(database, kind.printed("--from=2026-05", "--months=1", "--add"));
        insert(database, idAt(APRIL, 5));

        assertThat(kind.rows(database, "2026_05")).containsExactly(idAt(APRIL, 5));
    }

    @ParameterizedTest
    @MethodSource("kindsWithUpperBounds")
    void noForeignKeysAreAllowed(Kind kind) {
        TestDatabase database = kind.partitioned();
        database.execute("CREATE TABLE users (id bigint PRIMARY KEY)");

        assertThatThrownBy(() -> database.execute("ALTER TABLE photo ADD FOREIGN KEY (user_id) REFERENCES users (id)"))
            .rootCause()
            .hasMessageContaining(kind.foreignKeyRefused);
        assertThatThrownBy(() -> database
            .execute("CREATE TABLE likes (id bigint PRIMARY KEY, photo_id bigint REFERENCES photo (id))")).rootCause()
            .hasMessageContaining(kind.referenceRefused);
    }

    @Test
    void postgresKeepsAMonthWhoseRowsAreReferredTo() {
        TestDatabase database = Kind.POSTGRESQL.partitioned();
        insert(database, idAt(JANUARY, 5));
        database.execute("CREATE TABLE likes (id bigint PRIMARY KEY, photo_id bigint REFERENCES photo (id))",
                "INSERT INTO likes VALUES (1, %s)".formatted(idAt(JANUARY, 5)));

        assertThatThrownBy(() -> Kind.POSTGRESQL.runPage(database, "drop a month")).rootCause()
            .hasMessageContaining("removing partition \"photo_2026_01\" violates foreign key constraint");
        database.execute("DELETE FROM likes");
        Kind.POSTGRESQL.runPage(database, "drop a month");

        assertThat(ids(database, "SELECT id FROM photo")).isEmpty();
    }

    @Test
    void triggerCannotMakeTheIdsOfAPartitionedTable() {
        TestDatabase database = Kind.POSTGRESQL.partitioned();
        database
            .execute(new DatabaseIds(LAYOUT, 2000, ShardFunction.modulo(), Duration.ofSeconds(1), Duration.ofSeconds(5))
                .script("", IdTrigger.keyed("photo", "id", KeyKind.NUMBER, "user_id")));
        // For the clock of the database, whatever it says.
        database.execute("CREATE TABLE photo_rest PARTITION OF photo FOR VALUES FROM (%s) TO (MAXVALUE)"
            .formatted(LAYOUT.firstIdAt(APRIL)));

        assertThatThrownBy(() -> database.execute("INSERT INTO photo (user_id) VALUES (7)")).rootCause()
            .hasMessageContaining("no partition of relation \"photo\" found for row");
        database.execute(Pattern.compile("`(INSERT INTO photo [^`]+)`")
            .matcher(page())
            .results()
            .map((insert) -> insert.group(1))
            .toArray(String[]::new));

        assertThat(ids(database, "SELECT id FROM photo_rest")).singleElement().extracting(LAYOUT::shardOf).isEqualTo(7);
    }

    @Test
    void postgresMakesAnExistingTableAPartitionWithoutReadingIt() throws SQLException {
        TestDatabase database = Kind.POSTGRESQL.fresh();
        Kind.POSTGRESQL.run(database,
                page("a new table: PostgreSQL").replace(") PARTITION BY RANGE (id);", ", CHECK (user_id > 0));"));
        database.execute("CREATE INDEX photo_user ON photo (user_id)");
        insert(database, 7);
        insert(database, idAt(JANUARY, 5));
        Kind.POSTGRESQL.runPage(database, "check an existing table");

        List<String> notices = new ArrayList<>();
        try (Connection connection = database.connect(); Statement statement = connection.createStatement()) {
            statement.execute("SET client_min_messages = debug1");
            statement.clearWarnings();
            statement.execute(page("convert an existing table: PostgreSQL"));
            for (SQLWarning warning = statement.getWarnings(); warning != null; warning = warning.getNextWarning()) {
                notices.add(warning.getMessage());
            }
        }
        insert(database, idAt(FEBRUARY, 5));

        assertThat(notices)
            .contains("partition constraint for table \"photo_before_2026_02\" is implied by existing constraints");
        assertThat(Kind.POSTGRESQL.rows(database, "before_2026_02")).containsExactly(7L, idAt(JANUARY, 5));
        assertThat(Kind.POSTGRESQL.rows(database, "2026_02")).containsExactly(idAt(FEBRUARY, 5));
        assertThat(Kind.POSTGRESQL.primaryKey(database)).isEqualTo("id");
        assertThat(Kind.POSTGRESQL.partitionsRead(database, "id = " + idAt(JANUARY, 5)))
            .containsExactly("before_2026_02");
        assertThat(database.query("SELECT count(*) FROM pg_indexes WHERE tablename LIKE 'photo%'")).isEqualTo("6");
        assertThatThrownBy(() -> database.execute("UPDATE photo SET user_id = 0")).rootCause()
            .hasMessageContaining("violates check constraint");
    }

    @Test
    void printedMonthsAreThoseOfTheConversion() {
        assertThat(Kind.POSTGRESQL.printed("--from=2026-02", "--months=1", "--add").lines().skip(1)).singleElement()
            .satisfies((line) -> assertThat(page("convert an existing table: PostgreSQL")).contains(line));
    }

    @ParameterizedTest
    @MethodSource("kindsWithUpperBounds")
    void aTableWithRowsIsPartitioned(Kind kind) {
        TestDatabase database = kind.fresh();
        kind.runPage(database, "a new table");
        insert(database, 7);
        insert(database, idAt(FEBRUARY, 5));

        kind.run(database, kind.printed("--from=2026-01", "--months=3"));

        assertThat(kind.rows(database, "before_2026_01")).containsExactly(7L);
        assertThat(kind.rows(database, "2026_02")).containsExactly(idAt(FEBRUARY, 5));
    }

    /** The open month of a layout that ends has no upper bound. */
    @ParameterizedTest
    @MethodSource("kinds")
    void lastMonthOfTheLayoutTakesItsLastId(Kind kind) {
        TestDatabase database = kind.fresh();
        kind.runPage(database, "a new table");
        kind.run(database, kind.printed("--from=2059-11", "--months=1"));

        insert(database, LAYOUT.lastId());

        assertThat(kind.rows(database, "2059_11")).containsExactly(Long.MAX_VALUE);
    }

    private static String between(IdWindow window) {
        return "id BETWEEN %s AND %s".formatted(window.firstId(), window.lastId());
    }

    private static long idAt(Instant instant, int shard) {
        return LAYOUT.compose(LAYOUT.tickAt(instant), shard, 3, 1);
    }

    private static void insert(TestDatabase database, long id) {
        database.execute("INSERT INTO photo (id, user_id) VALUES (%s, 7)".formatted(id));
    }

    private static List<Long> ids(TestDatabase database, String sql) {
        return strings(database, sql, 1).stream().map(Long::valueOf).toList();
    }

    private static List<String> strings(TestDatabase database, String sql, int column) {
        List<String> found = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                found.add(rows.getString(column));
            }
        }
        catch (SQLException ex) {
            throw new AssertionError("Could not execute " + sql, ex);
        }
        return found;
    }

    private static String page() {
        try {
            return Files.readString(Path.of("../docs/partitions.md"));
        }
        catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    /** The statements of a block, by its first line. */
    private static String page(String name) {
        String[] titleAndKind = name.split(": ");
        Matcher block = Pattern
            .compile("```sql\n-- " + Pattern.quote(titleAndKind[0]) + ": (?:[^\n]*, )?" + titleAndKind[1]
                    + "(?:, [^\n]*)?\n(.*?)```", Pattern.DOTALL)
            .matcher(page());
        assertThat(block.find()).as("block '%s' of the page", name).isTrue();
        return block.group(1);
    }

    @Entity(name = "Photo")
    @Table(name = "photo")
    static class Photo {

        @Id
        Long id;

        @Column(name = "user_id")
        long user = 7;

    }

    enum Kind {

        POSTGRESQL("PostgreSQL", "no partition of relation \"photo\" found for row",
                "unique constraint on partitioned table must include all partitioning columns",
                "months without the jar", 2, "", "") {

            @Override
            void run(TestDatabase database, String script) {
                database.execute(script);
            }

            @Override
            List<Long> rows(TestDatabase database, String partition) {
                return ids(database, "SELECT id FROM photo_%s ORDER BY id".formatted(partition));
            }

            @Override
            List<String> bounds(TestDatabase database) {
                return strings(database, "SELECT relname || ' ' || pg_get_expr(relpartbound, oid) FROM pg_class "
                        + "WHERE relispartition AND relkind = 'r' ORDER BY 1", 1);
            }

            @Override
            String primaryKey(TestDatabase database) {
                return String.join(",", strings(database,
                        "SELECT column_name FROM information_schema.key_column_usage WHERE table_name = 'photo'", 1));
            }

            @Override
            List<String> partitionsRead(TestDatabase database, String where) {
                String plan = String.join("\n", strings(database, "EXPLAIN SELECT * FROM photo WHERE " + where, 1));
                return Pattern.compile(" on photo_(\\w*\\d{4}_\\d\\d) ")
                    .matcher(plan.replaceAll("Bitmap Index Scan.*", ""))
                    .results()
                    .map((scan) -> scan.group(1))
                    .sorted()
                    .toList();
            }

        },

        MARIADB("MariaDB", "Table has no partition for value",
                "A UNIQUE INDEX must include all columns in the table's partitioning function",
                "the next month without the jar", 1, "Partitioned tables do not support FOREIGN KEY",
                "Foreign key constraint is incorrectly formed"),

        MYSQL("MySQL", "Table has no partition for value",
                "A UNIQUE INDEX must include all columns in the table's partitioning function",
                "the next month without the jar", 1,
                "Foreign keys are not yet supported in conjunction with partitioning",
                "Foreign keys are not yet supported in conjunction with partitioning");

        final String title;

        final String noPartition;

        final String uniqueRefused;

        final String template;

        final int monthsOfTheTemplate;

        final String foreignKeyRefused;

        final String referenceRefused;

        Kind(String title, String noPartition, String uniqueRefused, String template, int monthsOfTheTemplate,
                String foreignKeyRefused, String referenceRefused) {
            this.title = title;
            this.noPartition = noPartition;
            this.uniqueRefused = uniqueRefused;
            this.template = template;
            this.monthsOfTheTemplate = monthsOfTheTemplate;
            this.foreignKeyRefused = foreignKeyRefused;
            this.referenceRefused = referenceRefused;
        }

        TestServer server() {
            return TestServer.valueOf(name());
        }

        TestDatabase fresh() {
            return server().freshDatabase();
        }

        void run(TestDatabase database, String script) {
            database.execute(script.split(";( --[^\n]*)?\n"));
        }

        List<Long> rows(TestDatabase database, String partition) {
            return ids(database, "SELECT id FROM photo PARTITION (p_%s) ORDER BY id".formatted(partition));
        }

        /** Names and bounds of all partitions. */
        List<String> bounds(TestDatabase database) {
            return strings(database,
                    "SELECT CONCAT(partition_name, ' ', partition_description) FROM information_schema.partitions "
                            + "WHERE table_schema = DATABASE() ORDER BY 1",
                    1);
        }

        String primaryKey(TestDatabase database) {
            return String.join(",", strings(database, "SELECT column_name FROM information_schema.key_column_usage "
                    + "WHERE table_schema = DATABASE() AND constraint_name = 'PRIMARY'", 1));
        }

        /** What the plan of a query reads, without the prefix of names. */
        List<String> partitionsRead(TestDatabase database, String where) {
            String explain = (this == MYSQL) ? "EXPLAIN FORMAT=TRADITIONAL" : "EXPLAIN PARTITIONS";
            String partitions = strings(database, explain + " SELECT * FROM photo WHERE " + where, 4).get(0);
            return Stream.of(partitions.split(",")).map((name) -> name.substring(2)).sorted().toList();
        }

        /** A table with the first three months of 2026. */
        TestDatabase partitioned() {
            TestDatabase database = fresh();
            runPage(database, "a new table");
            run(database, printed("--from=2026-01", "--months=3"));
            return database;
        }

        void runPage(TestDatabase database, String block) {
            run(database, page(block + ": " + this.title));
        }

        String printed(String... options) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            PrintStream printed = new PrintStream(out, true, UTF_8);
            String[] arguments = Stream
                .concat(Stream.of("partitions", "photo",
                        "--dialect=" + ((this == POSTGRESQL) ? "postgresql" : "mariadb")), Stream.of(options))
                .toArray(String[]::new);
            assertThat(new Inspector(printed, printed, JANUARY).run(arguments)).as(out::toString).isZero();
            return out.toString(UTF_8);
        }

    }

}
