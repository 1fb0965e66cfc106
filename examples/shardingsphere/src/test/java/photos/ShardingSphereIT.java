package photos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.shardedid.ShardedIds;
import io.shardedid.move.ShardsCommand;
import io.shardedid.routing.TwoServers;
import jakarta.persistence.EntityManager;
import org.apache.shardingsphere.driver.api.yaml.YamlShardingSphereDataSourceFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The application of sharding/docs/shardingsphere.md on two servers, which count the
 * statements that arrive.
 */
@Tag("proof")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ShardingSphereIT {

    private static final TwoServers SERVERS = TwoServers.SERVERS;

    private static final Path PAGE = Path.of("../../sharding/docs/shardingsphere.md");

    private static final Path YAML = Path.of("src/main/resources/databases.yaml");

    /**
     * A mover is an account without any right above that of the owner. Each database has
     * all countries.
     */
    private static final String OWNED = """
            DO $$ DECLARE r record; BEGIN
              IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'owner') THEN CREATE ROLE owner LOGIN; END IF;
              FOR r IN SELECT oid::regclass AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
                EXECUTE format('ALTER TABLE %s OWNER TO owner', r.name);
              END LOOP;
              COMMENT ON TABLE country IS 'shardedid: stays'; END $$""";

    private static final String IN_A = "user_id < 1000";

    /**
     * Tables of another layout, of one database only, and without the sharding columns.
     */
    private static final String WRONG = """
            rules:
            - !SHARDING
              tables:
                photo:
                  actualDataNodes: a.photo, b.photo
                  databaseStrategy:
                    complex:
                      shardingColumns: id, user_id
                      shardingAlgorithmName: of_another_layout
                comment:
                  actualDataNodes: a.comment
                  databaseStrategy:
                    complex:
                      shardingColumns: id, photo_id
                      shardingAlgorithmName: of_one_database
                country:
                  actualDataNodes: a.country, b.country
                  databaseStrategy:
                    complex:
                      shardingColumns: id, user_id
                      shardingAlgorithmName: of_another_layout
              shardingAlgorithms:
                of_another_layout:
                  type: SHARDED_ID
                  props:
                    ids: id
                    keys: user_id
                    layout: snowflake
                of_one_database:
                  type: SHARDED_ID
                  props:
                    ids: id, photo_id
            """;

    private static ConfigurableApplicationContext application;

    private static Photos photos;

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        SERVERS.makeTables();
        SERVERS.fence("photo", "comment");
        SERVERS.execute("a", "update shardedid_home set state = 'moved' where shard >= 1000");
        SERVERS.execute("b", "update shardedid_home set state = 'moved' where shard < 1000");
        Path yaml = Files.writeString(folder.resolve("databases.yaml"),
                yaml().replace("initial-map:", "refresh: PT1S\n        initial-map:"));
        application = new SpringApplicationBuilder(PhotosApplication.class).run(
                "--spring.datasource.url=jdbc:shardingsphere:absolutepath:" + yaml,
                "--shardedid.worker.lease.url=" + SERVERS.url("a"), "--shardedid.worker.lease.username=postgres",
                "--DB_PASSWORD=unused", "--spring.jpa.properties.hibernate.jdbc.batch_size=50");
        photos = application.getBean(Photos.class);
    }

    private static String yaml() throws IOException {
        return Files.readString(YAML)
            .replace("jdbc:postgresql://db-a/photos", SERVERS.url("a"))
            .replace("jdbc:postgresql://db-b/photos", SERVERS.url("b"))
            .replace("username: photos", "username: postgres")
            .replace("$${DB_PASSWORD::}", "unused");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void empty() {
        SERVERS.execute("a", "truncate photo, comment, country");
        SERVERS.execute("b", "truncate photo, comment, country");
    }

    private static Photo photo(long user) {
        return photos.save(new Photo(user, "of " + user));
    }

    private static void assertCalls(long a, long b) {
        assertThat(List.of(SERVERS.statements("a"), SERVERS.statements("b")))
            .as("statements that arrived: %s at a, %s at b", a, b)
            .satisfies((all) -> assertThat(List.of(SERVERS.calls("a"), SERVERS.calls("b"))).containsExactly(a, b));
    }

    @Test
    void idAndKeyLeadToOneDatabase() {
        Photo lake = photo(4);
        Photo river = photo(1500);
        assertThat(SERVERS.query("a", "select id from photo")).containsExactly(lake.getId().toString());
        assertThat(SERVERS.query("b", "select id from photo")).containsExactly(river.getId().toString());

        SERVERS.forget();
        assertThat(photos.findById(river.getId())).get().extracting(Photo::getCaption).isEqualTo("of 1500");
        assertCalls(0, 1);
        SERVERS.forget();
        assertThat(photos.findByUserId(4)).hasSize(1);
        assertCalls(1, 0);
    }

    @Test
    void listOfIdsLeadsToTheirDatabases() {
        Photo lake = photo(4);
        Photo pond = photo(5);
        Photo river = photo(1500);

        SERVERS.forget();
        assertThat(photos.findAllById(List.of(lake.getId(), river.getId()))).extracting(Photo::getId)
            .containsExactlyInAnyOrder(lake.getId(), river.getId());
        assertCalls(1, 1);
        SERVERS.forget();
        assertThat(photos.findAllById(List.of(lake.getId(), pond.getId()))).hasSize(2);
        assertCalls(1, 0);
    }

    @Test
    void keysetPageIsMergedOverBothDatabases() {
        List<Long> ids = IntStream.range(0, 12).mapToObj((i) -> photo((i % 3 == 0) ? 4 : 1500).getId()).toList();
        List<Long> newestFirst = ids.stream().sorted(Comparator.reverseOrder()).toList();

        SERVERS.forget();
        assertThat(photos.findTop5ByIdLessThanOrderByIdDesc(Long.MAX_VALUE)).extracting(Photo::getId)
            .isEqualTo(newestFirst.subList(0, 5));
        assertThat(photos.findTop5ByIdLessThanOrderByIdDesc(newestFirst.get(4))).extracting(Photo::getId)
            .isEqualTo(newestFirst.subList(5, 10));
        assertCalls(2, 2);
    }

    @Test
    void batchAndJoinReachBothDatabases() {
        SERVERS.forget();
        List<Photo> saved = photos
            .saveAll(IntStream.range(0, 30).mapToObj((i) -> new Photo((i % 3 == 0) ? 4 : 1500, "row " + i)).toList());
        assertCalls(10, 20);
        assertThat(SERVERS.query("a", "select count(*) from photo where " + IN_A)).containsExactly("10");
        assertThat(SERVERS.query("b", "select count(*) from photo where not " + IN_A)).containsExactly("20");

        EntityManager entities = application.getBean(EntityManager.class);
        new TransactionTemplate(application.getBean(PlatformTransactionManager.class)).executeWithoutResult(
                (status) -> saved.subList(0, 3).forEach((photo) -> entities.persist(new Comment(photo, "nice"))));
        assertThat(SERVERS.query("a", "select count(*) from comment")).containsExactly("1");
        assertThat(SERVERS.query("b", "select count(*) from comment")).containsExactly("2");

        SERVERS.forget();
        assertThat(photos.commented(List.of(saved.get(0).getId(), saved.get(1).getId(), saved.get(5).getId())))
            .extracting(Photo::getId)
            .containsExactlyInAnyOrder(saved.get(0).getId(), saved.get(1).getId());
        assertCalls(1, 1);
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void shardMovesWhileItIsReadAndWritten() throws Exception {
        SERVERS.execute("a", OWNED);
        SERVERS.execute("b", OWNED);
        Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();
        acknowledged.add(photo(7).getId());
        ExecutorService threads = Executors.newFixedThreadPool(2);
        CompletableFuture<?> moved = CompletableFuture.runAsync(ShardingSphereIT::move, threads);
        CompletableFuture<Integer> refused = CompletableFuture.supplyAsync(() -> {
            int times = 0;
            while (!moved.isDone()) {
                try {
                    acknowledged.add(photo(7).getId());
                }
                catch (RuntimeException ex) {
                    assertThat(state(ex)).as("%s", ex).isEqualTo("SI001");
                    times++;
                }
            }
            return times;
        }, threads);
        threads.shutdown();
        int reads = 0;
        while (!moved.isDone()) {
            for (long id : acknowledged) {
                assertThat(photos.findById(id)).as("id %s", id).isPresent();
                reads++;
            }
        }
        moved.get(1, TimeUnit.MINUTES);
        refused.get(1, TimeUnit.MINUTES);

        assertThat(reads).isGreaterThan(10);
        assertThat(acknowledged).hasSizeGreaterThan(2);
        assertThat(SERVERS.query("b", "select id from photo where user_id = 7"))
            .containsExactlyInAnyOrderElementsOf(acknowledged.stream().map(String::valueOf).toList());
        SERVERS.forget();
        long after = photoAfterMove().getId();
        assertThat(photos.findById(after)).isPresent();
        assertThat(photos.findByUserId(7)).hasSize(acknowledged.size() + 1);
        assertCalls(0, 3);
    }

    /** The process learns of the move when it reads the map again. */
    private static Photo photoAfterMove() {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (true) {
            try {
                return photo(7);
            }
            catch (RuntimeException ex) {
                assertThat(state(ex)).as("%s", ex).isEqualTo("SI001");
                assertThat(System.nanoTime() - until).as("%s", ex).isNegative();
            }
        }
    }

    private static String state(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return sql.getSQLState();
            }
        }
        return "none";
    }

    /** Moves shard 7 to the other database. */
    private static void move() {
        try {
            Path config = Files.writeString(Files.createTempFile("databases", ".properties"), """
                    shardedid.databases.home=a
                    shardedid.databases.a.url=%s
                    shardedid.databases.a.username=owner
                    shardedid.databases.b.url=%s
                    shardedid.databases.b.username=owner
                    """.formatted(SERVERS.url("a"), SERVERS.url("b")));
            assertThat(ShardsCommand.run(System.out, System.err, Map.of(), "move", "7", "--to=b", "--config=" + config))
                .isZero();
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    @Test
    void refusesValuesThatSayNoShardOrTwo() {
        long id = application.getBean(ShardedIds.class).next(7);
        assertRefused(application.getBean(DataSource.class), "select * from photo where id = '4711'",
                "Could not choose a database: id must be a number of 64 bits or a UUID: table='photo', column='id', "
                        + "type=java.lang.String, value='4711'; give the id as a number, or remove the column from 'ids' of the algorithm");
        assertRefused(application.getBean(DataSource.class),
                "insert into photo (id, user_id) values (%s, 4)".formatted(id),
                "Could not choose a database: values of one row must be in one shard: table='photo', id=" + id
                        + " is in shard 7, user_id=4 is in shard 4; correct the values, or keep a column out of 'shardingColumns' whose rows live in other shards");
    }

    @Test
    void refusesARuleThatDoesNotFitTheApplication() throws Exception {
        DataSource wrong = YamlShardingSphereDataSourceFactory
            .createDataSource((yaml().substring(0, yaml().indexOf("rules:")) + WRONG).getBytes(StandardCharsets.UTF_8));
        try {
            assertRefused(wrong, "select * from photo where user_id = 4",
                    "Layout of the algorithm must be the application's: layout='snowflake' (application: "
                            + "'epoch=2025-01-01T00:00:00Z,tick=PT0.001S,time=40,shard=11,worker=7,sequence=5'); correct 'layout' of the algorithm, or 'shardedid.layout.*' of the application");
            assertRefused(wrong, "select * from comment where photo_id = 4",
                    "Database 'b' of shards 1000-1999 is not configured: map='0-999: a, 1000-1999: b' (configured: 'a'); "
                            + "correct the name, or add the database, by 'shardedid.databases.b.url' or as a data source of the sharding rule");
            // ShardingSphere asks no algorithm where no sharding column has a value
            assertRefused(wrong, "insert into country (code) values ('DE')",
                    "Please check your sharding conditions 'ShardingConditions(conditions=[ShardingCondition(values=[], "
                            + "startIndex=0)], sqlStatementContext=org.apache.shardingsphere.infra.binder.context.statement.dml.InsertStatementContext@…, "
                            + "rule=org.apache.shardingsphere.sharding.rule.ShardingRule@…, subqueryContainsShardingCondition=true)' to avoid same record in table 'country' routing to multiple data nodes.");
            assertThat(SERVERS.query("a", "select code from country")).isEmpty();
        }
        finally {
            ((AutoCloseable) wrong).close();
        }
    }

    private static void assertRefused(DataSource database, String sql, String message) {
        assertThatThrownBy(() -> {
            try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }).extracting((refusal) -> refusal.getMessage().replaceAll("@[0-9a-f]+", "@…")).isEqualTo(message);
    }

    @ParameterizedTest
    @ValueSource(strings = { "src/main/resources/application.properties", "src/main/resources/databases.yaml" })
    void pageShowsTheFilesOfThisProject(String file) throws IOException {
        assertThat(Files.readString(PAGE)).contains("<!-- examples/shardingsphere/" + file + " -->\n",
                Files.readString(Path.of(file)));
    }

}
