package io.shardedid.database;

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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.shardedid.IdLayout;
import io.shardedid.IdParts;
import io.shardedid.SeparateJvm;
import io.shardedid.ShardFunction;
import io.shardedid.testdb.TestDatabase;
import io.shardedid.testdb.TestServer;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.PrePersist;
import jakarta.persistence.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The triggers of the script make the id of each row that anybody inserts. Hibernate
 * reads such an id back as it does with IDENTITY.
 */
@Tag("database")
class IdTriggerIT {

    private static final IdLayout LAYOUT = IdLayout.standard();

    private static final int RESERVED_WORKER = 127;

    private static final String[] TABLES = { "CREATE TABLE account (id bigint PRIMARY KEY)",
            "CREATE TABLE photo (id bigint PRIMARY KEY, author_id bigint, made_by text)",
            "CREATE TABLE likes (id bigint PRIMARY KEY, user_id bigint NOT NULL)",
            "CREATE TABLE folder (id bigint PRIMARY KEY, parent_id bigint REFERENCES folder)",
            "CREATE TABLE tag (id bigint PRIMARY KEY, caption text NOT NULL)",
            "CREATE TABLE device (id bigint PRIMARY KEY, owner uuid NOT NULL)" };

    private static final IdTrigger[] TRIGGERS = { IdTrigger.keyless("account", "id"),
            IdTrigger.keyed("photo", "id", KeyKind.SHARDED_ID, "author_id"),
            IdTrigger.keyed("likes", "id", KeyKind.NUMBER, "user_id"),
            IdTrigger.keyed("folder", "id", KeyKind.SHARDED_ID, "parent_id").withOptionalKey(),
            IdTrigger.keyed("tag", "id", KeyKind.TEXT, "caption"),
            IdTrigger.keyed("device", "id", KeyKind.UUID, "owner") };

    private final TestDatabase database = TestServer.POSTGRESQL.freshDatabase();

    private final List<DatabaseUnit> units = new ArrayList<>();

    @AfterEach
    void close() {
        this.units.forEach(DatabaseUnit::close);
    }

    private static DatabaseIds ids(ShardFunction function) {
        return new DatabaseIds(LAYOUT, 2000, function, Duration.ofSeconds(1), Duration.ofSeconds(5));
    }

    private void install() {
        this.database.execute(TABLES);
        this.database.execute(ids(ShardFunction.modulo()).script("", TRIGGERS));
    }

    private DatabaseUnit unit(Class<?>... entities) {
        DatabaseUnit unit = DatabaseUnit.of(this.database, Map.of("hibernate.hbm2ddl.auto", "validate"), entities);
        this.units.add(unit);
        return unit;
    }

    private long inserted(String insert) {
        return Long.parseLong(this.database.query(insert + " RETURNING id"));
    }

    private static void assertMadeByTheDatabase(long id, int shard) {
        IdParts parts = LAYOUT.parse(id);
        assertThat(parts.shard()).isEqualTo(shard);
        assertThat(parts.worker()).isEqualTo(RESERVED_WORKER);
        assertThat(parts.instant()).isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(2));
    }

    @Test
    void hibernateReadsTheIdThatTheTriggerMadeInTheSameStatement() {
        install();
        DatabaseUnit unit = unit(Like.class);
        Like like = new Like();
        like.userId = 4_321L;
        unit.persist(like);

        assertMadeByTheDatabase(like.id, 321);
        assertThat(unit.statements).singleElement().asString().startsWith("insert into likes (user_id) values (?)");
        assertThat(unit.factory.<Long>fromTransaction((session) -> session.find(Like.class, like.id).userId))
            .isEqualTo(4_321);
        // leases are the default, and there is no lease table
        assertThat(this.database.query("SELECT to_regclass('shardedid_worker')")).isNull();
    }

    @Test
    void childrenLiveInTheShardsOfTheirParents() {
        install();
        DatabaseUnit unit = unit(Account.class, Photo.class, Folder.class);
        for (int i = 0; i < 30; i++) {
            Account author = new Account();
            Photo photo = new Photo();
            photo.author = author;
            Folder root = new Folder();
            Folder child = new Folder();
            child.parent = root;
            unit.persist(author, photo, root, child);
            assertMadeByTheDatabase(photo.id, LAYOUT.shardOf(author.id));
            assertMadeByTheDatabase(inserted("INSERT INTO photo (author_id) VALUES (%s)".formatted(author.id)),
                    LAYOUT.shardOf(author.id));
            assertMadeByTheDatabase(child.id, LAYOUT.shardOf(root.id));
            assertMadeByTheDatabase(inserted("INSERT INTO folder (parent_id) VALUES (%s)".formatted(child.id)),
                    LAYOUT.shardOf(root.id));
        }
        assertThat(Integer.parseInt(this.database.query("SELECT count(DISTINCT shardedid_shard(id)) FROM account")))
            .isGreaterThan(3);
    }

    @Test
    void keyThatIsSetLateCounts() {
        install();
        Like like = new Like();
        unit(Like.class).persist(like);
        assertMadeByTheDatabase(like.id, 77);
    }

    @Test
    void insertInHqlHasAnId() {
        install();
        unit(Like.class).factory.inTransaction(
                (session) -> session.createMutationQuery("insert into Like (userId) values (8)").executeUpdate());
        assertMadeByTheDatabase(Long.parseLong(this.database.query("SELECT id FROM likes")), 8);
    }

    @ParameterizedTest
    @ValueSource(strings = { "modulo", "hash" })
    void keysAreReadAsTheApplicationReadsThem(String name) {
        ShardFunction function = name.equals("hash") ? ShardFunction.hash() : ShardFunction.modulo();
        this.database.execute(TABLES);
        this.database.execute(ids(function).script("", TRIGGERS));
        UUID owner = UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");

        assertMadeByTheDatabase(inserted("INSERT INTO likes (user_id) VALUES (-4321)"),
                function.shardOf(-4_321L, 2000));
        assertMadeByTheDatabase(inserted("INSERT INTO tag (caption) VALUES ('Zürich €')"),
                function.shardOf("Zürich €", 2000));
        assertMadeByTheDatabase(inserted("INSERT INTO device (owner) VALUES ('%s')".formatted(owner)),
                function.shardOf(owner, 2000));
    }

    @Test
    void olderIdIsAPlainNumber() {
        this.database.execute(TABLES);
        this.database.execute(ids(ShardFunction.modulo()).since(LAYOUT.instantAt(1_000)).script("", TRIGGERS));
        long old = LAYOUT.compose(999, 12, 3, 3);
        String insert = "INSERT INTO photo (author_id) VALUES (%s)";

        assertMadeByTheDatabase(inserted(insert.formatted(old)), (int) (old % 2000));
        assertMadeByTheDatabase(inserted(insert.formatted(LAYOUT.compose(1_000, 12, 3, 3))), 12);
        assertMadeByTheDatabase(inserted(insert.formatted(-1)), 1_999);
    }

    @Test
    void rowsWithoutAKeyFoundShardsOfTheirOwnInIncreasingOrder() {
        install();
        Account[] accounts = IntStream.range(0, 300).mapToObj((i) -> new Account()).toArray(Account[]::new);
        unit(Account.class).persist((Object[]) accounts);
        long[] ids = Arrays.stream(accounts).mapToLong((account) -> account.id).toArray();

        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(LongStream.of(ids).map(LAYOUT::shardOf).max().orElseThrow()).isLessThan(2000);
        assertThat(LongStream.of(ids).map(LAYOUT::shardOf).distinct().count()).isGreaterThan(10);
    }

    @Test
    void keyThatLeadsToNoShardFailsTheInsert() {
        install();
        DatabaseUnit unit = unit(Account.class, Photo.class);
        assertThatThrownBy(() -> unit.persist(new Photo())).hasStackTraceContaining("column=photo.author_id");
        assertThatThrownBy(() -> inserted(
                "INSERT INTO photo (author_id) VALUES (%s)".formatted(LAYOUT.compose(1L << 39, 2_000, 3, 3))))
            .hasStackTraceContaining("shard=2000");
        assertThat(this.database.query("SELECT count(*) FROM photo")).isEqualTo("0");
    }

    @Test
    void idThatIsGivenIsLeftAlone() {
        install();
        this.database.execute("INSERT INTO likes (id, user_id) VALUES (12345, 7)");
        assertThat(this.database.query("SELECT id FROM likes")).isEqualTo("12345");
    }

    /** As Hibernate makes the table of an entity with IDENTITY, and as others do. */
    @ParameterizedTest
    @ValueSource(strings = { "bigint GENERATED BY DEFAULT AS IDENTITY", "bigint GENERATED ALWAYS AS IDENTITY",
            "bigserial", "bigint DEFAULT 5" })
    void triggerTakesThePlaceOfAnotherMakerOfIds(String type) {
        this.database.execute("CREATE TABLE likes (id %s PRIMARY KEY, user_id bigint)".formatted(type));
        String script = ids(ShardFunction.modulo()).script("",
                IdTrigger.keyed("likes", "id", KeyKind.NUMBER, "user_id"));
        this.database.execute(script, script);
        assertMadeByTheDatabase(inserted("INSERT INTO likes (user_id) VALUES (7)"), 7);
    }

    @Test
    void scriptRunsAgainBesideRunningProcesses() throws Exception {
        install();
        DatabaseUnit unit = unit(Like.class);
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Future<?> inserting = threads
                .submit(() -> IntStream.range(0, 400).forEach((i) -> unit.persist(new Like())));
            for (int i = 0; i < 3; i++) {
                this.database.execute(ids(ShardFunction.modulo()).script("", TRIGGERS));
            }
            inserting.get();
        }
        finally {
            threads.shutdownNow();
        }
        assertThat(this.database.query("SELECT count(*) FROM likes WHERE id > 1000")).isEqualTo("400");
    }

    /**
     * Hibernate and plain SQL here, and two processes whose Hibernate leaves the ids to
     * the trigger and makes some itself.
     */
    @Test
    @Tag("proof")
    void writersOfAllKindsShareATable() throws Exception {
        install();
        DatabaseUnit unit = unit(Account.class, Photo.class);
        Account[] authors = { new Account(), new Account(), new Account() };
        unit.persist((Object[]) authors);
        List<Process> processes = new ArrayList<>();
        try {
            for (int worker = 0; worker < 2; worker++) {
                List<String> command = SeparateJvm.command(IdentityWriter.class);
                command.set(command.indexOf("-cp") + 1, System.getProperty("java.class.path"));
                command.addAll(List.of(this.database.url(), String.valueOf(worker)));
                for (Account author : authors) {
                    command.add(String.valueOf(author.id));
                }
                processes.add(new ProcessBuilder(command).redirectErrorStream(true).start());
            }
            int rows = 0;
            while (processes.stream().anyMatch(Process::isAlive) || rows < IdentityWriter.ROWS) {
                Photo photo = new Photo();
                photo.author = authors[rows++ % 3];
                photo.madeBy = "hibernate here";
                unit.persist(photo);
                insertBySql(authors[rows % 3].id);
            }
            for (Process process : processes) {
                assertThat(process.inputReader().lines()).contains("DONE");
            }
        }
        finally {
            processes.forEach(Process::destroyForcibly);
        }
        assertThat(this.database.query("""
                SELECT string_agg(made_by, ', ' ORDER BY made_by) FROM
                (SELECT made_by FROM photo GROUP BY made_by HAVING count(*) >= %s) AS kinds"""
            .formatted(IdentityWriter.ROWS)))
            .isEqualTo("hibernate here, process 0, process 0 itself, process 1, process 1 itself, sql");
        assertThat(this.database.query("SELECT count(*) - count(DISTINCT id) FROM photo")).isEqualTo("0");
        assertThat(this.database
            .query("SELECT count(*) FROM photo WHERE shardedid_shard(id) <> shardedid_shard(author_id)"))
            .isEqualTo("0");
    }

    private void insertBySql(long author) throws SQLException {
        try (Connection connection = this.database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "INSERT INTO photo (author_id, made_by) VALUES (%s, 'sql') RETURNING id".formatted(author))) {
            assertThat(row.next()).isTrue();
            assertMadeByTheDatabase(row.getLong(1), LAYOUT.shardOf(author));
        }
    }

    @Entity(name = "Account")
    static class Account {

        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

    }

    @Entity(name = "Photo")
    static class Photo {

        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        @JoinColumn(name = "author_id")
        Account author;

        @Column(name = "made_by")
        String madeBy;

    }

    @Entity(name = "Folder")
    static class Folder {

        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        @JoinColumn(name = "parent_id")
        Folder parent;

    }

    @Entity(name = "Like")
    @Table(name = "likes")
    static class Like {

        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        @Column(name = "user_id")
        Long userId;

        @PrePersist
        void audit() {
            if (this.userId == null) {
                this.userId = 77L;
            }
        }

    }

}
