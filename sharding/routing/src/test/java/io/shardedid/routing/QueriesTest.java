package io.shardedid.routing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import com.acme.accounts.Account;
import com.acme.accounts.Accounts;
import com.acme.accounts.Premium;
import com.acme.notes.Note;
import com.acme.notes.Notes;
import com.acme.photos.Comment;
import com.acme.photos.Comments;
import com.acme.photos.Photo;
import com.acme.photos.Photos;
import io.shardedid.ShardFunction;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIds;
import io.shardedid.shards.CrossShardException;
import io.shardedid.shards.ShardUnknownException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.domain.Example;
import org.springframework.data.domain.PageRequest;
import org.springframework.data.domain.Sort;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Which queries of a repository name their shards, and which go to several databases. */
@SpringBootTest(classes = QueriesTest.Application.class,
        properties = { "shardedid.databases.home=a", "shardedid.databases.initial-map=0-999: a, 1000-1999: b",
                "shardedid.worker.mode=fixed", "shardedid.worker.id=3", "shardedid.worker.lease.namespace=queries",
                "spring.flyway.enabled=false", "spring.liquibase.enabled=false", "spring.jpa.hibernate.ddl-auto=none",
                "spring.jpa.open-in-view=false" })
class QueriesTest {

    private static final List<String> DATABASES = List.of("a", "b");

    @Autowired
    Accounts accounts;

    @Autowired
    Photos photos;

    @Autowired
    Comments comments;

    @Autowired
    Notes notes;

    @Autowired
    Shards shards;

    @Autowired
    ShardedIds ids;

    @Autowired
    TransactionTemplate transactions;

    /** An account of each database. */
    private final List<String> emails = new ArrayList<>();

    private List<Long> accountIds = List.of();

    private Photo photo = new Photo(1500, "a river");

    @DynamicPropertySource
    static void databases(DynamicPropertyRegistry properties) throws SQLException {
        makeTables();
        for (String database : DATABASES) {
            properties.add("shardedid.databases.%s.url".formatted(database), () -> url(database));
        }
    }

    private static String url(String database) {
        return "jdbc:h2:mem:queries-%s;DB_CLOSE_DELAY=-1".formatted(database);
    }

    private static void makeTables() throws SQLException {
        for (String database : DATABASES) {
            try (Connection connection = DriverManager.getConnection(url(database));
                    var statement = connection.createStatement()) {
                statement.execute("""
                        create table if not exists account (id bigint primary key, dtype varchar, email varchar,
                          name varchar);
                        create table if not exists photo (id bigint primary key, user_id bigint, caption varchar);
                        create table if not exists country (code varchar primary key, name varchar);
                        create table if not exists comment (id bigint primary key, photo_id bigint, text varchar);
                        create table if not exists note (id uuid primary key, user_id bigint, text varchar);
                        truncate table account; truncate table photo; truncate table comment; truncate table note""");
            }
        }
    }

    @BeforeEach
    void rows() throws SQLException {
        makeTables();
        this.emails.clear();
        for (int n = 0; this.emails.size() < 4; n++) {
            String email = "user-%s@example.org".formatted(n);
            if (this.ids.reader().shardForPlain(email) / 1000 == this.emails.size() % 2) {
                this.emails.add(email);
            }
        }
        this.accountIds = this.emails.stream()
            .map((email) -> this.accounts.save(new Account(email, "Ann")).getId())
            .toList();
        this.photo = this.photos.save(new Photo(1500, "a river"));
    }

    @Test
    void keyThatEqualsAParameterNamesTheShard() {
        for (String email : this.emails) {
            assertThat(this.accounts.findByEmail(email)).hasSize(1);
            assertThat(this.accounts.findByNameAndEmail("Ann", email)).hasSize(1);
            assertThat(this.accounts.marked(email)).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void idOfARowOfASubclassIsReadOnce(boolean inTransaction, @Autowired LinterTest.ReadIds read) {
        long id = this.accounts.save(new Premium(this.emails.get(1), "Eve")).getId();
        int before = read.ids.get();
        if (inTransaction) {
            this.transactions.executeWithoutResult((status) -> this.accounts.findById(id));
        }
        else {
            assertThat(this.accounts.findById(id)).containsInstanceOf(Premium.class);
        }
        assertThat(read.ids.get() - before).isOne();
    }

    /** The shard function of the application says no. */
    @Test
    void keyWithALineBreakIsShownWithoutIt() {
        String key = "eve@y.org\r\n1970-01-01 ERROR a line of a stranger";
        assertThatThrownBy(() -> this.accounts.findByEmail(key)).isInstanceOf(ShardUnknownException.class)
            .hasMessageContaining("call=Accounts.findByEmail(…)")
            .hasMessageContaining("argument eve@y.org??1970-01-01 ERROR a line of a stranger has no shard")
            .message()
            .hasLineCount(1);
        assertThatThrownBy(() -> this.shards.inShardFor(key, () -> "nothing")).isInstanceOf(ShardUnknownException.class)
            .hasMessageContaining("key=eve@y.org??1970-01-01 ERROR a line of a stranger has no shard")
            .message()
            .hasLineCount(1);
    }

    private List<Supplier<?>> queriesWithoutShard() {
        return List.of(() -> this.accounts.findByEmailOrName(this.emails.get(0), "Ann"),
                () -> this.accounts.findByIdOrName(this.accountIds.get(0), "Ann"),
                () -> this.accounts.findByEmailAndNameOrName(this.emails.get(0), "Ann", "Ann"),
                () -> this.accounts.findByEmailInOrName(this.emails, "Ann"),
                () -> this.accounts.findByEmailNot(this.emails.get(0)),
                () -> this.accounts.findByIdNot(this.accountIds.get(0)),
                () -> this.accounts.findByEmailNotIn(this.emails),
                () -> this.accounts.findByEmailBetween("a", this.emails.get(0)),
                () -> this.accounts.findByIdGreaterThan(this.accountIds.get(0)),
                () -> this.accounts.findByEmailContaining(this.emails.get(0)),
                () -> this.accounts.findByEmailLike(this.emails.get(0)),
                () -> this.accounts.findByEmailIgnoreCase(this.emails.get(0)),
                () -> this.accounts.findByEmailAndNameAllIgnoreCase(this.emails.get(0), "Ann"),
                () -> this.accounts.findDistinctByEmailAndName(this.emails.get(0), "Ann"),
                () -> this.accounts.readByEmailAndName(this.emails.get(0), "Ann"),
                () -> this.accounts.queryByEmailAndName(this.emails.get(0), "Ann"),
                () -> this.accounts.findAll(Example.of(new Account(this.emails.get(0), "Ann"))),
                () -> this.accounts.findAll((root, query, build) -> build.equal(root.get("email"), this.emails.get(0))),
                () -> this.accounts.findAll(Sort.by("id")), () -> this.accounts.findAll(PageRequest.of(0, 1)),
                () -> this.accounts.findAll(), () -> this.accounts.count(), () -> this.comments.findByPhotoUserId(1500),
                () -> this.comments.findByPhotoIdOrText(1500L, "wet"));
    }

    @Test
    void otherQueriesAreRefusedInsteadOfAnsweringForOneDatabase() {
        assertThat(queriesWithoutShard())
            .allSatisfy((query) -> assertThatThrownBy(query::get).isInstanceOf(ShardUnknownException.class)
                .hasMessageContaining("Could not choose a database: no shard is known: call="));
    }

    /** The path of the key may go on to the id that it holds, and no further. */
    @Test
    void keyIsAnAssociationItsIdOrItsRow() {
        this.transactions.executeWithoutResult((status) -> this.comments.save(new Comment(this.photo, "wet")));

        assertThat(this.comments.findByPhoto(this.photo)).hasSize(1);
        assertThat(this.comments.findByPhotoId(this.photo.getId())).hasSize(1);
    }

    @Test
    void keysAndIdsOfSeveralDatabasesAreGrouped() {
        assertThat(this.accounts.findByEmailIn(this.emails)).extracting(Account::getId)
            .containsExactlyInAnyOrderElementsOf(this.accountIds);
        assertThat(this.accounts.findByEmailIn(this.emails.subList(1, 2))).hasSize(1);
        assertThat(this.accounts.findByIdIn(this.accountIds)).extracting(Account::getId)
            .containsExactlyInAnyOrderElementsOf(this.accountIds);
        assertThat(this.accounts.findByNameAndIdIn("Ann", Set.copyOf(this.accountIds))).hasSize(4);
        assertThat(this.accounts.findByNameAndIdIn("Ben", Set.copyOf(this.accountIds))).isEmpty();
        assertThat(this.accounts.countByEmailIn(this.emails)).isEqualTo(4);
        assertThat(this.accounts.existsByEmailIn(this.emails)).isTrue();
        assertThat(this.accounts.deleteByEmailIn(this.emails.subList(0, 1))).isEqualTo(1);
        assertThat(this.accounts.existsByEmailIn(this.emails.subList(0, 2))).as("in the other one").isTrue();
        assertThat(this.accounts.existsByEmailIn(List.of(this.emails.get(1), this.emails.get(0)))).isTrue();
        assertThat(this.accounts.deleteByEmailIn(this.emails.subList(0, 2))).isEqualTo(1);
        assertThat(this.accounts.existsByEmailIn(this.emails.subList(0, 2))).isFalse();
        this.accounts.removeByIdIn(this.accountIds.subList(2, 4));
        assertThat(this.accounts.countByEmailIn(this.emails)).isZero();
    }

    @Test
    void noKeysFindNothing() {
        long madeUp = this.accountIds.get(0) | (2047L << 12);

        assertThat(this.accounts.findByEmailIn(List.of())).isEmpty();
        assertThat(this.accounts.countByEmailIn(List.of())).isZero();
        assertThat(this.accounts.existsByEmailIn(List.of())).isFalse();
        assertThat(this.accounts.findByEmailIn(List.of(), PageRequest.of(0, 1))).isEmpty();
        assertThat(this.accounts.findByIdIn(List.of(madeUp))).isEmpty();
        assertThat(this.accounts.findByNameAndIdIn("Ann", Set.of(madeUp))).isEmpty();
        assertThat(this.accounts.findByNameAndIdIn("Ann", Set.of(madeUp, this.accountIds.get(0)))).hasSize(1);
    }

    /** The rows of each database are in order, and those of both are not. */
    @Test
    void orderAndLimitOverSeveralDatabasesNeedAMerge() {
        String refusal = "Could not query several databases: call=Accounts.%s, databases=[a, b] (only lists, sets, counts and "
                + "'exists' of derived queries are put together, and only without order, limit and 'Distinct'); call it in "
                + "shards.merge(order, limit, …), or for each database";
        Map.<String, Supplier<?>>of("findByEmailInOrderByIdDesc(…)",
                () -> this.accounts.findByEmailInOrderByIdDesc(this.emails), "findTop2ByEmailIn(…)",
                () -> this.accounts.findTop2ByEmailIn(this.emails), "findDistinctByEmailIn(…)",
                () -> this.accounts.findDistinctByEmailIn(this.emails))
            .forEach((name, query) -> assertThatThrownBy(query::get).isInstanceOf(CrossShardException.class)
                .hasMessage(refusal.formatted(name)));
        assertThatThrownBy(() -> this.accounts.findByEmailIn(this.emails, Sort.by("id")))
            .isInstanceOf(CrossShardException.class);
        assertThatThrownBy(() -> this.accounts.findByEmailIn(this.emails, PageRequest.of(0, 2)))
            .isInstanceOf(CrossShardException.class);

        assertThat(this.accounts.findByEmailIn(List.of(this.emails.get(0), this.emails.get(2)), PageRequest.of(0, 1))
            .getTotalElements()).as("of one database").isEqualTo(2);
        assertThat(this.accounts.findTop2ByEmailIn(this.emails.subList(1, 2))).hasSize(1);
        List<Account> newest = this.shards.merge(Comparator.comparing(Account::getId).reversed(), 3,
                () -> this.accounts.findByEmailInOrderByIdDesc(this.emails));
        assertThat(newest).extracting(Account::getId)
            .containsExactlyElementsOf(this.accountIds.stream().sorted(Comparator.reverseOrder()).limit(3).toList());
    }

    @Test
    void transactionAndScopeStayInTheirShard() {
        assertThatThrownBy(
                () -> this.transactions.executeWithoutResult((status) -> this.accounts.findByEmailIn(this.emails)))
            .isInstanceOf(CrossShardException.class);
        assertThatThrownBy(
                () -> this.shards.inShardOf(this.accountIds.get(0), () -> this.accounts.findByIdIn(this.accountIds)))
            .isInstanceOf(CrossShardException.class);
        this.transactions.executeWithoutResult(
                (status) -> assertThat(this.accounts.findByEmailIn(this.emails.subList(0, 1))).hasSize(1));
    }

    @Test
    void uuidLeadsToItsDatabase() {
        UUID here = this.notes.save(new Note(4, "dry")).getId();
        UUID there = this.notes.save(new Note(1500, "wet")).getId();

        assertThat(this.notes.findAllById(List.of(here, there))).extracting(Note::getText).contains("dry", "wet");
        assertThat(this.shards.inShard(4, () -> this.notes.findAll())).extracting(Note::getText).containsExactly("dry");
        assertThatThrownBy(() -> this.shards.inShard(4, () -> this.notes.findById(there)))
            .isInstanceOf(CrossShardException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = { "off", "log" })
    void oneDatabaseIsEachDatabase(String guard) {
        try (ConfigurableApplicationContext one = new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            .run("--spring.datasource.url=jdbc:h2:mem:one-" + guard, "--shardedid.routing.guard=" + guard,
                    "--shardedid.worker.mode=fixed", "--shardedid.worker.id=2",
                    "--shardedid.worker.lease.namespace=one-" + guard, "--spring.jpa.hibernate.ddl-auto=create",
                    "--spring.flyway.enabled=false", "--spring.liquibase.enabled=false")) {
            Accounts all = one.getBean(Accounts.class);
            all.save(new Account("a@example.org", "Ann"));

            assertThat(one.getBean(Shards.class).inEach(() -> all.count())).containsExactly(Map.entry("home", 1L));
        }
    }

    /** Each action waits for the other one. */
    @Test
    void databasesAreAskedSideBySide() {
        CountDownLatch both = new CountDownLatch(2);
        assertThat(this.shards.inEach(() -> {
            both.countDown();
            try {
                return both.await(60, TimeUnit.SECONDS) && this.accounts.count() == 2;
            }
            catch (InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
        })).containsExactly(Map.entry("a", true), Map.entry("b", true));
    }

    @Test
    void actionEndsInEachDatabaseAlsoIfItFailsInOne() {
        AtomicInteger calls = new AtomicInteger();
        assertThatThrownBy(() -> this.shards.inEach(() -> {
            calls.incrementAndGet();
            throw new IllegalStateException("failed after " + this.accounts.count());
        })).hasMessage("failed after 2").satisfies((thrown) -> assertThat(thrown.getSuppressed()).hasSize(1));
        assertThat(calls).hasValue(2);
        assertThatThrownBy(() -> this.shards.inShard(4, () -> this.shards.inEach(() -> calls.incrementAndGet())))
            .isInstanceOf(CrossShardException.class)
            .hasMessage(
                    "Could not enter database 'b': call=inEach(…), the scope is in shard 4 (a) since inShard(4); call it "
                            + "outside of them");
        assertThat(calls).hasValue(2);
    }

    /** Two databases of an application. */
    @EnableAutoConfiguration
    @EntityScan({ "com.acme.accounts", "com.acme.notes", "com.acme.photos" })
    @EnableJpaRepositories({ "com.acme.accounts", "com.acme.notes", "com.acme.photos" })
    @Import(LinterTest.ReadIds.class)
    static class Application {

        @Bean
        ShardFunction oneLine() {
            return new ShardFunction() {

                @Override
                public int shardOf(Object key, int shards) {
                    if (key.toString().contains("\n")) {
                        throw new ShardKeyException("Not one line: " + key);
                    }
                    return ShardFunction.modulo().shardOf(key, shards);
                }

                @Override
                public String id() {
                    return "one-line";
                }

            };
        }

    }

}
