package io.shardedid.database;

import java.io.StringWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.shardedid.IdLayout;
import io.shardedid.IdParts;
import io.shardedid.ShardFunction;
import io.shardedid.ShardedId;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.PrePersist;
import jakarta.persistence.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.shardedid.IdStrategy.DATABASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Entities whose ids a trigger makes, on a real database.
 */
abstract class DatabaseStrategyContract {

    private static final IdLayout LAYOUT = IdLayout.standard();

    private static final int RESERVED_WORKER = 127;

    private static final Map<String, String> CREATE = Map.of("hibernate.hbm2ddl.auto", "create");

    private static final Map<String, String> NOTHING = Map.of("hibernate.hbm2ddl.auto", "none");

    private final TestDatabase database = server().freshDatabase();

    private final List<DatabaseUnit> units = new ArrayList<>();

    abstract TestServer server();

    /** Counts functions, and triggers, whose names begin as ours. */
    abstract String countOfFunctionsAndTriggers();

    @AfterEach
    void close() {
        this.units.forEach(DatabaseUnit::close);
    }

    private DatabaseUnit unit(Map<String, ?> settings, Class<?>... entities) {
        DatabaseUnit unit = DatabaseUnit.of(this.database, settings, entities);
        this.units.add(unit);
        return unit;
    }

    private static void assertMadeByTheDatabase(long id, int shard) {
        IdParts parts = LAYOUT.parse(id);
        assertThat(parts.shard()).isEqualTo(shard);
        assertThat(parts.worker()).isEqualTo(RESERVED_WORKER);
        assertThat(parts.instant()).isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(2));
    }

    @Test
    void scalarKey() {
        DatabaseUnit unit = unit(CREATE, Like.class);
        Like like = new Like();
        like.userId = 4_321;
        unit.persist(like);

        assertMadeByTheDatabase(like.id, 321);
        assertThat(unit.statements).singleElement().asString().startsWith("insert into DbLike (userId) values (?)");
        assertThat(unit.factory.<Long>fromTransaction((session) -> session.find(Like.class, like.id).userId))
            .isEqualTo(4_321);
    }

    @Test
    void idComesBackWithoutASecondStatement() throws SQLException {
        unit(CREATE, Like.class);
        try (Connection connection = this.database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("INSERT INTO DbLike (userId) VALUES (7) RETURNING id")) {
            assertThat(row.next()).isTrue();
            assertMadeByTheDatabase(row.getLong(1), 7);
        }
    }

    @Test
    void takesNoWorker() {
        // leases are the default, and there is no lease table
        unit(CREATE, Like.class).persist(new Like());
        assertThatThrownBy(() -> this.database.query("SELECT count(*) FROM shardedid_worker")).cause()
            .hasMessageContaining("shardedid_worker");
    }

    @Test
    void associationHandsItsShardOn() {
        DatabaseUnit unit = unit(CREATE, User.class, Photo.class);
        User user = new User();
        Photo photo = new Photo();
        photo.author = user;
        unit.persist(user, photo);
        Photo another = new Photo();
        another.author = new User();
        another.author.id = user.id;
        unit.persist(another);

        assertMadeByTheDatabase(photo.id, LAYOUT.shardOf(user.id));
        assertMadeByTheDatabase(another.id, LAYOUT.shardOf(user.id));
    }

    @Test
    void columnHandsItsShardOn() {
        Comment comment = new Comment();
        comment.photoId = LAYOUT.compose(5, 1_999, 3, 3);
        unit(CREATE, Comment.class).persist(comment);
        assertMadeByTheDatabase(comment.id, 1_999);
    }

    @Test
    void rootOfATreeFoundsItsShardAndItsDescendantsLiveThere() {
        DatabaseUnit unit = unit(CREATE, Folder.class);
        List<Long> roots = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Folder root = new Folder();
            Folder child = new Folder();
            child.parent = root;
            Folder grandchild = new Folder();
            grandchild.parent = child;
            unit.persist(root, child, grandchild);
            assertMadeByTheDatabase(root.id, LAYOUT.shardOf(root.id));
            assertMadeByTheDatabase(child.id, LAYOUT.shardOf(root.id));
            assertMadeByTheDatabase(grandchild.id, LAYOUT.shardOf(root.id));
            roots.add(root.id);
        }
        assertThat(roots.stream().map(LAYOUT::shardOf).distinct()).hasSizeGreaterThan(3);
        assertThat(this.database.query("SELECT count(*) FROM DbFolder f JOIN DbFolder p ON p.id = f.parent_id "
                + "WHERE shardedid_shard(f.id) <> shardedid_colocated(p.id)"))
            .isEqualTo("0");
    }

    @Test
    void olderIdIsAPlainNumber() {
        DatabaseIds ids = new DatabaseIds(LAYOUT, 2000, ShardFunction.modulo(), Duration.ofSeconds(1),
                Duration.ofSeconds(5))
            .since(LAYOUT.instantAt(1_000));
        DatabaseUnit unit = unit(CREATE, Comment.class);
        ids.create("", List.of()).forEach(this.database::execute);
        Comment old = new Comment();
        old.photoId = LAYOUT.compose(999, 12, 3, 3);
        Comment young = new Comment();
        young.photoId = LAYOUT.compose(1_000, 12, 3, 3);
        Comment negative = new Comment();
        negative.photoId = -1;
        unit.persist(old, young, negative);

        assertMadeByTheDatabase(old.id, (int) (old.photoId % 2000));
        assertMadeByTheDatabase(young.id, 12);
        assertMadeByTheDatabase(negative.id, 1_999);
    }

    @Test
    void rowsWithoutAKeyFoundShardsOfTheirOwnInIncreasingOrder() {
        DatabaseUnit unit = unit(CREATE, User.class);
        User[] users = IntStream.range(0, 300).mapToObj((i) -> new User()).toArray(User[]::new);
        unit.persist((Object[]) users);
        long[] ids = Arrays.stream(users).mapToLong((user) -> user.id).toArray();

        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(LongStream.of(ids).map(LAYOUT::shardOf).max().orElseThrow()).isLessThan(2000);
        assertThat(LongStream.of(ids).map(LAYOUT::shardOf).distinct().count()).isGreaterThan(10);
    }

    @Test
    void textsEnumsAndUuidsAreReadAsTheApplicationReadsThem() {
        DatabaseUnit unit = unit(CREATE, OfText.class, OfEnum.class, OfUuid.class);
        OfText text = new OfText();
        text.region = "Zürich €";
        OfEnum color = new OfEnum();
        color.color = Color.GREEN;
        OfUuid uuid = new OfUuid();
        uuid.owner = UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
        unit.persist(text, color, uuid);

        assertMadeByTheDatabase(text.id, ShardFunction.modulo().shardOf(text.region, 2000));
        assertMadeByTheDatabase(color.id, ShardFunction.modulo().shardOf(color.color, 2000));
        assertMadeByTheDatabase(uuid.id, ShardFunction.modulo().shardOf(uuid.owner, 2000));
    }

    @Test
    void hashOfTheApplication() {
        Like like = new Like();
        like.userId = -4_321;
        unit(Map.of("hibernate.hbm2ddl.auto", "create", "shardedid.shard-function", "hash"), Like.class).persist(like);
        assertMadeByTheDatabase(like.id, ShardFunction.hash().shardOf(-4_321L, 2000));
    }

    @Test
    void joinedTablesHaveTheIdOfTheRoot() {
        DatabaseUnit unit = unit(CREATE, Vehicle.class, Car.class);
        Car car = new Car();
        car.ownerId = 14;
        unit.persist(car);
        assertMadeByTheDatabase(car.id, 14);
        assertThat(this.database.query("SELECT id FROM DbCar")).isEqualTo(String.valueOf(car.id));
    }

    @Test
    void keyThatIsSetLateCounts() {
        Audited audited = new Audited();
        unit(CREATE, Audited.class).persist(audited);
        assertMadeByTheDatabase(audited.id, 77);
    }

    @Test
    void insertInHqlHasAnId() {
        DatabaseUnit unit = unit(CREATE, Like.class);
        unit.factory.inTransaction(
                (session) -> session.createMutationQuery("insert into DbLike (userId) values (8)").executeUpdate());
        assertMadeByTheDatabase(Long.parseLong(this.database.query("SELECT id FROM DbLike")), 8);
    }

    @Test
    void nullKeyFailsTheInsertWithOurText() {
        DatabaseUnit unit = unit(CREATE, Photo.class, User.class);
        assertThatThrownBy(() -> unit.persist(new Photo())).hasStackTraceContaining("Could not generate an id: "
                + "the shard key is null: column=DbPhoto.author_id (set it before the insert)");
        User user = new User();
        unit.persist(user);
        assertThat(this.database.query("SELECT count(*) FROM DbPhoto")).isEqualTo("0");
    }

    @Test
    void shardOutOfRangeFailsTheInsert() {
        DatabaseUnit unit = unit(CREATE, Comment.class);
        Comment comment = new Comment();
        comment.photoId = LAYOUT.compose(5, 2_000, 3, 3);
        assertThatThrownBy(() -> unit.persist(comment))
            .hasStackTraceContaining("Could not generate an id: shard must be in [0, 1999]: shard=2000");
    }

    @Test
    void idThatIsGivenIsLeftAlone() {
        unit(CREATE, Like.class);
        this.database.execute("INSERT INTO DbLike (id, userId) VALUES (12345, 7)");
        assertThat(this.database.query("SELECT id FROM DbLike")).isEqualTo("12345");
    }

    @Test
    void createDropLeavesNoFunctionAndNoTrigger() {
        DatabaseUnit unit = unit(Map.of("hibernate.hbm2ddl.auto", "create-drop"), User.class, Photo.class, Like.class);
        assertThat(Integer.parseInt(this.database.query(countOfFunctionsAndTriggers()))).isGreaterThan(10);
        unit.close();
        assertThat(this.database.query(countOfFunctionsAndTriggers())).isEqualTo("0");
    }

    @Test
    void updateGoesOnBesideRunningProcesses() throws Exception {
        Map<String, String> update = Map.of("hibernate.hbm2ddl.auto", "update");
        DatabaseUnit unit = unit(update, Like.class);
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Future<Integer> inserting = threads.submit(() -> {
                int inserted = 0;
                while (!Thread.currentThread().isInterrupted() && inserted < 400) {
                    unit.persist(new Like());
                    inserted++;
                }
                return inserted;
            });
            unit(update, Like.class).persist(new Like());
            unit(update, Like.class).persist(new Like());
            assertThat(inserting.get()).isEqualTo(400);
        }
        finally {
            threads.shutdownNow();
        }
        assertThat(this.database.query("SELECT count(*) FROM DbLike WHERE id > 1000")).isEqualTo("402");
    }

    @Test
    void writersOfAllKindsShareATable() throws Exception {
        DatabaseUnit byDatabase = unit(CREATE, Like.class);
        List<Callable<List<Long>>> writers = new ArrayList<>();
        for (int worker = 0; worker < 2; worker++) {
            DatabaseUnit application = unit(Map.of("hibernate.hbm2ddl.auto", "none", "shardedid.worker.mode", "fixed",
                    "shardedid.worker.id", String.valueOf(worker)), AppLike.class);
            writers.add(() -> inserted((i) -> {
                AppLike like = new AppLike();
                like.userId = i % 3;
                application.persist(like);
                return like.id;
            }));
            writers.add(() -> inserted((i) -> {
                Like like = new Like();
                like.userId = i % 3;
                byDatabase.persist(like);
                return like.id;
            }));
            writers.add(() -> {
                try (Connection connection = this.database.connect();
                        Statement statement = connection.createStatement()) {
                    return inserted((i) -> {
                        try (ResultSet row = statement
                            .executeQuery("INSERT INTO DbLike (userId) VALUES (%s) RETURNING id".formatted(i % 3))) {
                            row.next();
                            return row.getLong(1);
                        }
                    });
                }
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(writers.size());
        List<Long> ids = new ArrayList<>();
        try {
            for (Future<List<Long>> written : threads.invokeAll(writers)) {
                List<Long> of = written.get();
                for (int i = 0; i < of.size(); i++) {
                    assertThat(LAYOUT.shardOf(of.get(i))).isEqualTo(i % 3);
                }
                ids.addAll(of);
            }
        }
        finally {
            threads.shutdownNow();
        }
        assertThat(ids).doesNotHaveDuplicates().hasSize(6 * 300);
        assertThat(ids.stream().map(LAYOUT::workerOf).distinct()).containsExactlyInAnyOrder(0, 1, RESERVED_WORKER);
        assertThat(this.database.query("SELECT count(*) FROM DbLike")).isEqualTo("1800");
    }

    private interface Insert {

        long row(int i) throws SQLException;

    }

    private static List<Long> inserted(Insert insert) throws SQLException {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            ids.add(insert.row(i));
        }
        return ids;
    }

    /** What Hibernate writes into a script makes the same schema. */
    @Test
    void scriptOfHibernateMakesTheSchema() throws SQLException {
        StringWriter script = new StringWriter();
        unit(Map.of("jakarta.persistence.schema-generation.scripts.action", "create",
                "jakarta.persistence.schema-generation.scripts.create-target", script, "hibernate.hbm2ddl.delimiter",
                "//"), User.class, Photo.class);
        try (Connection connection = this.database.connect(); Statement statement = connection.createStatement()) {
            for (String sql : script.toString().split("//\\R")) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
        }
        User user = new User();
        Photo photo = new Photo();
        photo.author = user;
        unit(NOTHING, User.class, Photo.class).persist(user, photo);
        assertMadeByTheDatabase(photo.id, LAYOUT.shardOf(user.id));
    }

    /** Hibernate sees no schema here: another tool makes it. */
    @Test
    void scriptOfDatabaseIdsMakesTheTriggers() throws Exception {
        DatabaseIds ids = new DatabaseIds(LAYOUT, 2000, ShardFunction.modulo(), Duration.ofSeconds(1),
                Duration.ofSeconds(5));
        this.database.execute("CREATE TABLE DbLike (id bigint PRIMARY KEY, userId bigint NOT NULL)");
        List<IdTrigger> triggers = List.of(IdTrigger.keyed("DbLike", "id", KeyKind.NUMBER, "userId"));
        ids.create("", triggers).forEach(this.database::execute);
        Like like = new Like();
        like.userId = 9;
        unit(NOTHING, Like.class).persist(like);
        assertMadeByTheDatabase(like.id, 9);

        ids.drop("", triggers).forEach(this.database::execute);
        assertThat(this.database.query(countOfFunctionsAndTriggers())).isEqualTo("0");
    }

    @Test
    void changedKeyIsRefusedWithoutAWorker() throws Exception {
        DatabaseUnit unit = unit(Map.of("hibernate.hbm2ddl.auto", "create", "shardedid.on-key-change", "fail"),
                Like.class);
        Like like = new Like();
        like.userId = 1;
        unit.persist(like);
        assertThatThrownBy(() -> unit.factory.inTransaction((session) -> session.find(Like.class, like.id).userId = 2))
            .hasStackTraceContaining("shard key 'userId' must stay in the shard of its row");
        // whoever leased here would have made the table
        assertThat(this.database
            .query("SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'shardedid_worker'"))
            .isEqualTo("0");
    }

    enum Color {

        RED, GREEN

    }

    @Entity(name = "DbUser")
    static class User {

        @Id
        @ShardedId(strategy = DATABASE)
        Long id;

    }

    @Entity(name = "DbPhoto")
    static class Photo {

        @Id
        @ShardedId(shardKey = "author", strategy = DATABASE)
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        User author;

    }

    @Entity(name = "DbFolder")
    static class Folder {

        @Id
        @ShardedId(shardKey = "parent", optionalKey = true, strategy = DATABASE)
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        Folder parent;

    }

    @Entity(name = "DbComment")
    static class Comment {

        @Id
        @ShardedId(colocateWith = "photoId", strategy = DATABASE)
        Long id;

        long photoId;

    }

    @Entity(name = "DbLike")
    static class Like {

        @Id
        @ShardedId(shardKey = "userId", strategy = DATABASE)
        long id;

        long userId;

    }

    @Entity(name = "AppLike")
    @Table(name = "DbLike")
    static class AppLike {

        @Id
        @ShardedId(shardKey = "userId")
        long id;

        long userId;

    }

    @Entity(name = "DbOfText")
    static class OfText {

        @Id
        @ShardedId(shardKey = "region", strategy = DATABASE)
        Long id;

        String region;

    }

    @Entity(name = "DbOfEnum")
    static class OfEnum {

        @Id
        @ShardedId(shardKey = "color", strategy = DATABASE)
        Long id;

        @Enumerated(EnumType.STRING)
        Color color;

    }

    @Entity(name = "DbOfUuid")
    static class OfUuid {

        @Id
        @ShardedId(shardKey = "owner", strategy = DATABASE)
        Long id;

        UUID owner;

    }

    @Entity(name = "DbVehicle")
    @Inheritance(strategy = InheritanceType.JOINED)
    static class Vehicle {

        @Id
        @ShardedId(shardKey = "ownerId", strategy = DATABASE)
        Long id;

        int ownerId;

    }

    @Entity(name = "DbCar")
    static class Car extends Vehicle {

        String called;

    }

    @Entity(name = "DbAudited")
    static class Audited {

        @Id
        @ShardedId(shardKey = "userId", strategy = DATABASE)
        Long id;

        Long userId;

        @PrePersist
        void audit() {
            this.userId = 77L;
        }

    }

}
