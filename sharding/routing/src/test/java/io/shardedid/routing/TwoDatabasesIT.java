package io.shardedid.routing;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.acme.photos.Comment;
import com.acme.photos.Comments;
import com.acme.photos.Countries;
import com.acme.photos.Country;
import com.acme.photos.Feed;
import com.acme.photos.Newest;
import com.acme.photos.Photo;
import com.acme.photos.Photos;
import com.acme.photos.PhotosApplication;
import com.acme.photos.Publisher;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardedid.ShardKeyException;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIds;
import io.shardedid.shards.CrossShardException;
import io.shardedid.shards.ShardDirectory;
import io.shardedid.shards.ShardMapException;
import io.shardedid.shards.ShardMovedException;
import io.shardedid.shards.ShardUnknownException;
import io.shardedid.tools.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.EntityNotFoundException;
import jakarta.persistence.LockModeType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.hibernate.ReadOnlyMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.SharedSessionContract;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.stereotype.Repository;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Each kind of operation with two servers, counted by the servers. User 4 is in shard 4
 * of {@code a}, user 1500 is in shard 1500 of {@code b}.
 */
@SpringBootTest(classes = PhotosApplication.class, properties = TwoDatabasesIT.PROPERTIES)
@Import({ SimpleMeterRegistry.class, LinterTest.ReadIds.class, TwoDatabasesIT.AfterCommit.class,
        TwoDatabasesIT.Album.class })
@ExtendWith(OutputCaptureExtension.class)
@Tag("database")
class TwoDatabasesIT {

    static final String PROPERTIES = """
            shardedid.databases.a.username=postgres
            shardedid.databases.b.username=postgres
            shardedid.databases.home=a
            shardedid.databases.initial-map=0-999: a, 1000-1999: b
            shardedid.databases.refresh=1m
            shardedid.databases.a.hikari.maximum-pool-size=5
            shardedid.databases.b.hikari.maximum-pool-size=5
            shardedid.worker.lease.initialize-schema=always
            spring.jpa.hibernate.ddl-auto=validate
            spring.jpa.properties.hibernate.jdbc.batch_size=20
            management.endpoints.web.exposure.include=shards
            """;

    static final TwoServers SERVERS = TwoServers.SERVERS;

    @DynamicPropertySource
    static void databases(DynamicPropertyRegistry properties) {
        SERVERS.makeTables();
        SERVERS.fence("photo", "comment");
        properties.add("shardedid.databases.a.url", () -> SERVERS.url("a"));
        properties.add("shardedid.databases.b.url", () -> SERVERS.url("b"));
    }

    @Autowired
    Photos photos;

    @Autowired
    Comments comments;

    @Autowired
    Countries countries;

    @Autowired
    Feed feed;

    @Autowired
    Publisher publisher;

    @Autowired
    Shards shards;

    @Autowired
    ShardedIds ids;

    @Autowired
    EntityManager entities;

    @Autowired
    EntityManagerFactory factory;

    @Autowired
    TransactionTemplate transactions;

    @Autowired
    JdbcTemplate jdbc;

    @Autowired
    ShardDirectory directory;

    @Autowired
    ApplicationContext context;

    @Autowired
    ApplicationEventPublisher events;

    @Autowired
    DataSource dataSource;

    @Autowired
    MeterRegistry meters;

    @Autowired
    ShardsEndpoint endpoint;

    /** An id of the layout from before the first lease. */
    static final long DOUBTFUL = 13384057751721L;

    long inA;

    long inB;

    /** A method that fails leaves shards where they are not. */
    private void bringShardsHome() {
        String homes = "update shardedid_home set state = case when %1$s then 'here' else 'moved' end where (state = 'here') <> (%1$s)";
        SERVERS.execute("a", homes.formatted("shard < 1000")
                + "; update shardedid_shard set source = null, target = null, step = null where step is not null");
        SERVERS.execute("b", homes.formatted("shard >= 1000"));
        List<String> away = SERVERS.query("a",
                "select shard from shardedid_shard where shard >= 0 and home <> case when shard < 1000 then 'a' else 'b' end");
        if (!away.isEmpty()) {
            away.stream().map(Integer::valueOf).forEach((shard) -> move(shard, (shard < 1000) ? "a" : "b"));
            this.directory.refresh();
        }
    }

    @BeforeEach
    void photos() {
        bringShardsHome();
        SERVERS.makeTables();
        this.inA = this.photos.save(new Photo(4, "a lake")).getId();
        this.inB = this.photos.save(new Photo(1500, "a river")).getId();
        SERVERS.forget();
    }

    /** A pool would run empty. */
    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        assertThat(TransactionSynchronizationManager.getResourceMap()).as("bound to the thread").isEmpty();
        assertThat(this.shards.current()).as("scope of the thread").isEmpty();
        for (String pool : List.of("aDatabase", "bDatabase")) {
            HikariPoolMXBean connections = this.context.getBean(pool, HikariDataSource.class).getHikariPoolMXBean();
            await(() -> connections.getActiveConnections() == 0);
        }
    }

    @Test
    void saveGoesToTheDatabaseOfTheShard() {
        assertThat(SERVERS.query("a", "select id from photo")).containsExactly(Long.toString(this.inA));
        assertThat(SERVERS.query("b", "select id from photo")).containsExactly(Long.toString(this.inB));
    }

    @Test
    void findByIdIsOneStatementToOneDatabaseAndReadsTheShardOfTheIdOnce(@Autowired LinterTest.ReadIds read) {
        int before = read.ids.get();
        assertThat(this.photos.findById(this.inB)).map(Photo::getCaption).hasValue("a river");
        assertThat(read.ids.get() - before).isOne();

        this.transactions.executeWithoutResult((status) -> assertThat(this.photos.findById(this.inB)).isPresent());
        assertThat(read.ids.get() - before).isEqualTo(2);
        assertCalls(0, 2);
    }

    @Test
    void existsAndDeleteByIdGoToOneDatabase() {
        assertThat(this.photos.existsById(this.inB)).isTrue();
        this.photos.deleteById(this.inB);

        assertThat(SERVERS.calls("a")).isZero();
        assertThat(SERVERS.query("b", "select id from photo")).isEmpty();
    }

    @Test
    void entityManagerFindsWithAndWithoutTransaction() {
        assertThat(this.entities.find(Photo.class, this.inB)).isNotNull();
        this.transactions
            .executeWithoutResult((status) -> assertThat(this.entities.find(Photo.class, this.inB)).isNotNull());

        assertCalls(0, 2);
    }

    @Test
    void mergeGoesToTheDatabaseOfTheRow() {
        Photo photo = this.photos.findById(this.inB).orElseThrow();
        photo.setCaption("a brook");
        this.photos.save(photo);

        assertThat(SERVERS.query("b", "select caption from photo")).containsExactly("a brook");
        assertThat(SERVERS.calls("a")).isZero();
    }

    @Test
    void dirtyUpdateGoesToTheDatabaseOfTheRow() {
        this.feed.rename(this.inB, "a brook");

        assertThat(SERVERS.query("b", "select caption from photo")).containsExactly("a brook");
        assertThat(SERVERS.calls("a")).isZero();
    }

    @Test
    void referenceTakesNoStatementUntilItIsRead() {
        this.transactions.executeWithoutResult((status) -> {
            Photo reference = this.photos.getReferenceById(this.inB);
            assertCalls(0, 0);
            assertThat(reference.getCaption()).isEqualTo("a river");
        });

        assertCalls(0, 1);
    }

    @Test
    void childOfAReferenceGoesToTheDatabaseOfItsParent() {
        this.transactions.executeWithoutResult((status) -> this.entities
            .persist(new Comment(this.entities.getReference(Photo.class, this.inB), "wet")));

        assertThat(SERVERS.query("b", "select text from comment")).containsExactly("wet");
        assertThat(SERVERS.calls("a")).isZero();
    }

    @Test
    void lazyListIsReadFromTheDatabaseOfItsOwner(@Autowired LinterTest.ReadIds read) {
        comment(this.inB, "wet");
        SERVERS.forget();
        int before = read.ids.get();

        this.transactions.executeWithoutResult(
                (status) -> assertThat(this.photos.findById(this.inB).orElseThrow().getComments()).hasSize(1));

        assertThat(read.ids.get() - before).as("the id of the photo, and that of the comment").isEqualTo(2);
        assertCalls(0, 2);
    }

    @Test
    void lazyListIsReadFromTheDatabaseOfItsOwnerOutsideOfATransaction() {
        comment(this.inB, "wet");
        SERVERS.forget();

        try (EntityManager session = this.factory.createEntityManager()) {
            assertThat(session.find(Photo.class, this.inB).getComments()).hasSize(1);
        }

        assertCalls(0, 2);
    }

    @Test
    void derivedQueryTakesTheDatabaseOfItsKey() {
        assertThat(this.photos.findByUserIdOrderByIdDesc(1500)).hasSize(1);

        assertCalls(0, 1);
    }

    @Test
    void markedParametersTakeTheDatabase(@Autowired LinterTest.ReadIds read) {
        comment(this.inB, "wet");
        SERVERS.forget();

        assertThat(this.photos.search(1500, "a%")).hasSize(1);
        assertThat(this.photos.comments(this.inB)).containsExactly("wet");
        Photo photo = this.photos.findById(this.inB).orElseThrow();
        int before = read.ids.get();
        assertThat(this.photos.commentsOf(photo)).containsExactly("wet");

        assertThat(read.ids.get() - before).as("the id of the row").isOne();
        assertCalls(0, 4);
    }

    @Test
    void bulkStatementInOneDatabaseNeedsItsShard() {
        assertThat(this.photos.renameAll(1500, "all")).isOne();
        assertUnknown("call=Photos.renameAll(…)", () -> this.photos.renameAll("all"));

        assertThat(SERVERS.query("a", "select caption from photo")).containsExactly("a lake");
    }

    @Test
    void idsOfTwoDatabasesAreReadFromBoth() {
        assertThat(this.photos.findAllById(List.of(this.inB, this.inA))).extracting(Photo::getCaption)
            .containsExactlyInAnyOrder("a lake", "a river");

        assertCalls(1, 1);
    }

    @Test
    void childrenOfRowsInTwoDatabasesAreReadFromBoth() {
        comment(this.inA, "cold");
        comment(this.inB, "wet");
        SERVERS.forget();
        List<Photo> both = List.of(new Photo(4, "new"), this.photos.findById(this.inB).orElseThrow());
        this.photos.save(both.get(0));
        comment(both.get(0).getId(), "new");
        SERVERS.forget();

        assertThat(this.comments.findByPhotoIdIn(List.of(this.inA, this.inB))).extracting(Comment::getText)
            .containsExactlyInAnyOrder("cold", "wet");
        assertThat(this.comments.findByPhotoIn(both)).extracting(Comment::getText)
            .containsExactlyInAnyOrder("new", "wet");
        assertThat(this.comments.countByPhotoIdIn(Set.of(this.inA, this.inB))).isEqualTo(2);
        assertCalls(3, 3);
        assertThat(this.comments.findByPhotoIdIn(List.of(this.inB))).hasSize(1);
        assertThat(this.comments.findByPhotoIdIn(List.of())).isEmpty();
    }

    /** Nothing is known of the query, so it is sent to one database only. */
    @Test
    void markedParameterMayHoldKeysOfOneDatabase() {
        this.photos.save(new Photo(1501, "a brook"));
        comment(this.inB, "wet");
        SERVERS.forget();

        assertThat(this.photos.ofUsers(List.of(1500L, 1501L), "a%")).hasSize(2);
        assertThat(this.photos.ofUsers(List.of(1500L), "a%")).hasSize(1);
        assertThat(this.comments.textsOf(Set.of(this.inB))).containsExactly("wet");
        assertCalls(0, 3);
        assertThatThrownBy(() -> this.photos.ofUsers(List.of(4L, 1500L), "a%")).isInstanceOf(CrossShardException.class)
            .hasMessageStartingWith(
                    "Could not query several databases: call=Photos.ofUsers(…), databases=[a, b] (only lists, ");
        assertThat(this.shards.merge(Comparator.comparing(Photo::getId), 20,
                () -> this.photos.ofUsers(List.of(4L, 1500L), "a%")))
            .hasSize(2);
    }

    @Test
    void rowsOfTwoDatabasesAreSavedInBatchesAndComeInOrder() {
        List<Photo> rows = LongStream.range(0, 40).mapToObj((i) -> new Photo((i % 2) * 1500, "row " + i)).toList();

        List<Photo> saved = this.photos.saveAll(rows);

        assertThat(saved).extracting(Photo::getCaption)
            .containsExactlyElementsOf(rows.stream().map(Photo::getCaption).toList());
        assertThat(SERVERS.query("a", "select count(*) from photo")).containsExactly("21");
        assertThat(SERVERS.query("b", "select count(*) from photo")).containsExactly("21");
    }

    @Test
    void deletesOfTwoDatabasesGoToBoth() {
        this.photos.deleteAllById(List.of(this.inA, this.inB));

        assertThat(SERVERS.query("a", "select id from photo")).isEmpty();
        assertThat(SERVERS.query("b", "select id from photo")).isEmpty();
    }

    @Test
    void deletesOfTwoDatabasesInBatchesGoToBoth() {
        this.photos.deleteAllByIdInBatch(List.of(this.inA, this.inB));

        assertThat(SERVERS.query("a", "select id from photo")).isEmpty();
        assertThat(SERVERS.query("b", "select id from photo")).isEmpty();
    }

    @Test
    void transactionOverTwoDatabasesIsRefusedAndWritesNothing() {
        assertCross(() -> this.feed.publish(4, 1500));
        assertCross(() -> this.transactions.executeWithoutResult((status) -> {
            this.entities.persist(new Photo(4, "one"));
            this.entities.persist(new Photo(1500, "other"));
        }));
        assertThatThrownBy(() -> this.feed.renameBoth(this.inA, this.inB, "both"))
            .isInstanceOf(CrossShardException.class)
            .hasMessage(
                    ("Transaction touches two databases: id=%s of 'com.acme.photos.Photo' is in shard 1500 (b), the "
                            + "transaction is in shard 4 (a) since Photos.findById(…) (shardedid.routing.guard=shard); let each "
                            + "transaction work on one shard, or begin another one with REQUIRES_NEW")
                        .formatted(this.inB));

        assertThat(SERVERS.query("a", "select caption from photo")).containsExactly("a lake");
        assertThat(SERVERS.query("b", "select caption from photo")).containsExactly("a river");
    }

    @Test
    void twoShardsOfOneDatabaseAreRefusedToo() {
        assertThatThrownBy(() -> this.feed.publish(4, 5)).isInstanceOf(CrossShardException.class)
            .hasMessage(
                    "Transaction touches two shards: a row of 'com.acme.photos.Photo' is in shard 5 (a), the transaction "
                            + "is in shard 4 (a) since Photos.saveAllAndFlush(…) (shardedid.routing.guard=shard); let each "
                            + "transaction work on one shard, or begin another one with REQUIRES_NEW");

        assertThat(SERVERS.query("a", "select count(*) from photo")).containsExactly("1");
    }

    @Test
    void anotherTransactionMayGoToAnotherDatabase() {
        this.transactions.executeWithoutResult((status) -> {
            this.photos.findById(this.inA).orElseThrow().setCaption("outer");
            this.feed.renameApart(this.inB, "inner");
            this.photos.findByUserIdOrderByIdDesc(4);
        });

        assertThat(SERVERS.query("a", "select caption from photo")).containsExactly("outer");
        assertThat(SERVERS.query("b", "select caption from photo")).containsExactly("inner");
    }

    @Test
    void anotherTransactionInsideOfAScopeMayGoToAnotherDatabase() {
        this.shards.inShardOf(this.inA, () -> this.transactions.executeWithoutResult((status) -> {
            this.feed.renameApart(this.inB, "inner");
            assertThat(this.photos.count()).isOne();
            assertThat(this.shards.current()).hasValue(4);
        }));

        assertThat(SERVERS.query("b", "select caption from photo")).containsExactly("inner");
        assertThat(this.shards.current()).isEmpty();
    }

    @Test
    void scopeGoesOnBehindAnotherTransaction() {
        this.shards.inShardOf(this.inA, () -> {
            this.transactions.executeWithoutResult((status) -> this.feed.renameApart(this.inB, "inner"));
            assertThat(this.shards.current()).hasValue(4);
            assertThat(this.jdbc.queryForList("select caption from photo", String.class)).containsExactly("a lake");
        });
    }

    @Test
    void annotationsOpenScopes() {
        assertThat(this.feed.countBeside(this.inB)).isOne();
        this.transactions.executeWithoutResult((status) -> {
            this.photos.findById(this.inA);
            assertThat(this.feed.countOf(1500)).isOne();
        });

        assertCalls(1, 2);
        assertThatThrownBy(() -> this.transactions.executeWithoutResult((status) -> {
            this.photos.findById(this.inA);
            this.feed.countBeside(this.inB);
        })).isInstanceOf(CrossShardException.class);
    }

    @Test
    void statementWithoutShardIsRefusedBeforeItIsSent() {
        assertUnknown("call=Photos.count()", this.photos::count);
        assertUnknown("call=Photos.findByCaption(…)", () -> this.photos.findByCaption("a lake"));
        assertUnknown("call=Photos.findTop20ByOrderByIdDesc()", this.photos::findTop20ByOrderByIdDesc);
        assertUnknown("call=", () -> this.jdbc.queryForList("select caption from photo"));
        assertUnknown("call=", () -> this.entities.createQuery("from Photo", Photo.class).getResultList());

        assertCalls(0, 0);
    }

    @Test
    void statelessSessionAndJdbcTemplateNeedAScope() {
        assertUnknown("call=", () -> stateless(this.inB));
        assertThat(this.shards.inShardOf(this.inB, () -> stateless(this.inB))).isEqualTo("a river");
        assertThat(
                this.shards.inShardFor(1500L, () -> this.jdbc.queryForList("select caption from photo", String.class)))
            .containsExactly("a river");

        assertCalls(0, 2);
    }

    private String stateless(long id) {
        try (var session = this.factory.unwrap(SessionFactory.class).openStatelessSession()) {
            return session.get(Photo.class, id).getCaption();
        }
    }

    @Test
    void otherThreadsHaveNoBinding() {
        this.shards.inShardOf(this.inB,
                () -> assertThatThrownBy(() -> CompletableFuture.supplyAsync(this.photos::count).join())
                    .isInstanceOf(CompletionException.class)
                    .hasRootCauseInstanceOf(ShardUnknownException.class));
    }

    @Test
    void wrongScopeIsRefusedInsteadOfAnsweringNothing() {
        this.shards.inShardOf(this.inA, () -> {
            assertThatThrownBy(() -> this.photos.findById(this.inB)).isInstanceOf(CrossShardException.class)
                .hasMessage(
                        ("Transaction touches two databases: id=%s of 'com.acme.photos.Photo' is in shard 1500 (b), the scope is "
                                + "in shard 4 (a) since inShardOf(%s) (shardedid.routing.guard=shard); let each transaction work "
                                + "on one shard, or begin another one with REQUIRES_NEW")
                            .formatted(this.inB, this.inA));
            assertThat(crossing(() -> this.photos.findById(this.inB)).hidesRow()).isTrue();
            assertThat(crossing(() -> this.entities.find(Photo.class, this.inB)).hidesRow()).isTrue();
            assertThat(crossing(() -> this.photos.findByUserIdOrderByIdDesc(1500)).hidesRow()).isFalse();
            assertThat(crossing(() -> this.photos.save(new Photo(1500, "a brook"))).hidesRow()).isFalse();
            assertCross(() -> this.photos.existsById(this.inB));
            assertCross(() -> this.photos.findByUserIdOrderByIdDesc(1500));
            assertCross(() -> this.photos.findAllById(List.of(this.inA, this.inB)));
            assertCross(() -> this.entities.find(Photo.class, this.inB));
        });

        assertCalls(0, 0);
    }

    /** Hibernate answers that there is no such row, and logs HHH90010102. */
    @Test
    @SuppressWarnings("removal")
    void rowIsNotReportedMissingWhenItsConnectionHasDied() {
        Session session = this.entities.unwrap(Session.class);
        Map<String, Supplier<@Nullable Object>> reads = Map.ofEntries(
                Map.entry("findById", () -> this.photos.findById(this.inB).orElse(null)),
                Map.entry("in a scope",
                        () -> this.shards.inShardOf(this.inB, () -> this.photos.findById(this.inB).orElse(null))),
                Map.entry("derived", () -> this.photos.findByIdAndCaption(this.inB, "a river").orElse(null)),
                Map.entry("find", () -> this.entities.find(Photo.class, this.inB)),
                Map.entry("find with hints", () -> this.entities.find(Photo.class, this.inB, Map.of())),
                Map.entry("find with a lock",
                        () -> this.entities.find(Photo.class, this.inB, LockModeType.PESSIMISTIC_WRITE)),
                Map.entry("find with a lock and hints",
                        () -> this.entities.find(Photo.class, this.inB, LockModeType.PESSIMISTIC_WRITE, Map.of())),
                Map.entry("find with options", () -> session.find(Photo.class, this.inB, ReadOnlyMode.READ_ONLY)),
                Map.entry("findMultiple", () -> session.findMultiple(Photo.class, List.of(this.inB)).get(0)),
                Map.entry("get", () -> session.get(Photo.class, this.inB)),
                Map.entry("byId", () -> session.byId(Photo.class).loadOptional(this.inB).orElse(null)),
                Map.entry("reference", () -> this.photos.getReferenceById(this.inB).getCaption()),
                Map.entry("lazy list", () -> this.entities.getReference(Photo.class, this.inB).getComments().size()),
                Map.entry("query",
                        () -> this.entities.createQuery("from Photo where id = :id", Photo.class)
                            .setParameter("id", this.inB)
                            .getSingleResultOrNull()),
                Map.entry("stateless", () -> {
                    try (var stateless = this.factory.unwrap(SessionFactory.class).openStatelessSession()) {
                        stateless.beginTransaction();
                        terminate(stateless);
                        return stateless.get(Photo.class, this.inB);
                    }
                }));
        long neighbour = this.photos.save(new Photo(1500, "a brook")).getId();
        List<String> missing = new ArrayList<>();
        reads.forEach((name, read) -> {
            for (boolean dead : new boolean[] { false, true }) {
                assertThatThrownBy(() -> this.transactions.executeWithoutResult((status) -> {
                    assertThat(this.photos.findById(neighbour)).isPresent();
                    if (dead) {
                        terminate(session);
                    }
                    else {
                        // the server refuses all that comes until the transaction ends
                        assertThatThrownBy(() -> this.entities.createNativeQuery("select 1/0").getResultList());
                    }
                    missing.add("%s, dead=%s: %s".formatted(name, dead, read.get()));
                })).as(name).isInstanceOf(RuntimeException.class);
            }
        });
        assertThat(missing).isEmpty();
    }

    /** Connections die at random, and each row exists all the time. */
    @Test
    @Tag("proof")
    void noReadIsEmptyWhileConnectionsDie() throws Exception {
        long neighbour = this.photos.save(new Photo(1500, "a brook")).getId();
        List<Supplier<@Nullable Object>> reads = List.of(() -> this.photos.findById(this.inA).orElse(null),
                () -> this.photos.findById(this.inB).orElse(null),
                () -> this.shards.inShardOf(this.inB, () -> this.photos.findById(this.inB).orElse(null)),
                () -> afterOthers(neighbour, () -> this.photos.findById(this.inB).orElse(null)),
                () -> afterOthers(neighbour,
                        () -> this.entities.find(Photo.class, this.inB, LockModeType.PESSIMISTIC_WRITE)),
                () -> this.photos.existsById(this.inB) ? "exists" : null,
                () -> (this.photos.findAllById(List.of(this.inA, this.inB)).size() == 2) ? "all" : null,
                () -> this.photos.findByUserIdOrderByIdDesc(4).isEmpty() ? null : "by key");
        AtomicInteger missing = new AtomicInteger();
        AtomicInteger found = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        List<CompletableFuture<Void>> readers = IntStream.range(0, 8)
            .mapToObj((reader) -> CompletableFuture.runAsync(() -> {
                for (int i = reader; System.nanoTime() < end; i++) {
                    try {
                        ((reads.get(i % reads.size()).get() != null) ? found : missing).incrementAndGet();
                    }
                    catch (RuntimeException ex) {
                        failed.incrementAndGet();
                    }
                }
            }, (task) -> new Thread(task).start()))
            .toList();
        int killed = 0;
        for (Random random = new Random(51); System.nanoTime() < end; Thread.sleep(random.nextInt(20))) {
            // a process that leases or follows the map is left alone
            killed += SERVERS.query(random.nextBoolean() ? "a" : "b", """
                    select pg_terminate_backend(pid) from (select pid from pg_stat_activity
                     where backend_type = 'client backend' and query !~ 'shardedid_' and pid <> pg_backend_pid()
                     order by random() limit 2) as one""").size();
        }
        readers.forEach(CompletableFuture::join);
        // HikariCP asks a connection whether it lives only if it has rested for half a
        // second
        Thread.sleep(600);
        assertThat(missing).as("found=%s failed=%s killed=%s", found, failed, killed).hasValue(0);
        assertThat(failed).as("failed").hasPositiveValue();
        assertThat(found).as("found").hasPositiveValue();
    }

    /** Leaves time for the connection of a transaction to die. */
    private @Nullable Object afterOthers(long other, Supplier<@Nullable Object> read) {
        return this.transactions.execute((status) -> {
            assertThat(this.photos.findById(other)).isPresent();
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            return read.get();
        });
    }

    private static void terminate(SharedSessionContract session) {
        Integer process = session.createNativeQuery("select pg_backend_pid()", Integer.class).getSingleResult();
        assertThat(SERVERS.query("b", "select pg_terminate_backend(%s, 10000)".formatted(process)))
            .containsExactly("t");
    }

    /** The bits of the shard say 2047, and there are 2,000 shards. */
    @Test
    void idThatNoRowCanHaveFindsNothing() {
        long madeUp = this.inB | (2047L << 12);
        assertThat(this.photos.findById(madeUp)).isEmpty();
        assertThat(this.photos.existsById(madeUp)).isFalse();
        assertThat(this.entities.find(Photo.class, madeUp)).isNull();
        assertThat(this.photos.findAllById(List.of(madeUp))).isEmpty();
        this.photos.deleteById(madeUp);
        this.photos.deleteAllById(List.of(madeUp));
        assertCalls(0, 0);
        assertThat(this.photos.findByIdAndCaption(madeUp, "a river")).isEmpty();
        assertThat(this.photos.findAllById(List.of(madeUp, this.inA, this.inB))).hasSize(2);
        assertThatThrownBy(() -> this.transactions
            .executeWithoutResult((status) -> this.photos.getReferenceById(madeUp).getCaption()))
            .isInstanceOf(EntityNotFoundException.class);
        this.transactions.executeWithoutResult((status) -> {
            assertThat(this.photos.findById(madeUp)).isEmpty();
            assertThat(this.photos.findById(this.inB)).isPresent();
            assertThat(this.photos.findAllById(List.of(madeUp, this.inB))).hasSize(1);
        });
        assertThatThrownBy(() -> this.shards.inShardOf(madeUp, () -> "nothing"))
            .isInstanceOf(ShardUnknownException.class)
            .cause()
            .isInstanceOfSatisfying(ShardKeyException.class,
                    (cause) -> assertThat(cause.reason()).isEqualTo(ShardKeyException.Reason.NO_SUCH_ID));
    }

    /** It is older than the first lease, and may be an id or a plain number. */
    @Test
    void idWithTwoReadingsIsNotFoundAndRefusedWhereItIsWritten() {
        assertThat(this.photos.findById(DOUBTFUL)).isEmpty();
        assertThat(this.photos.existsById(DOUBTFUL)).isFalse();
        assertThat(this.entities.find(Photo.class, DOUBTFUL)).isNull();
        assertCalls(0, 0);
        assertThat(this.photos.findByIdAndCaption(DOUBTFUL, "a river")).isEmpty();
        assertThat(this.photos.findAllById(List.of(DOUBTFUL, this.inA, this.inB))).hasSize(2);
        this.transactions.executeWithoutResult((status) -> {
            assertThat(this.photos.findById(DOUBTFUL)).isEmpty();
            assertThat(this.photos.findById(this.inB)).isPresent();
            assertThat(this.entities.find(Photo.class, DOUBTFUL)).isNull();
        });
        List<ThrowingCallable> asked = List.of(() -> this.photos.deleteById(DOUBTFUL),
                () -> this.photos.deleteAllById(List.of(DOUBTFUL, this.inA)),
                () -> this.photos.getReferenceById(DOUBTFUL),
                () -> this.transactions
                    .executeWithoutResult((status) -> this.entities.getReference(Photo.class, DOUBTFUL).getCaption()),
                () -> this.shards.inShardOf(DOUBTFUL, () -> "nothing"), () -> this.feed.countBeside(DOUBTFUL),
                () -> this.photos.comments(DOUBTFUL), () -> this.comments.texts(DOUBTFUL),
                () -> this.comments.findByPhotoId(DOUBTFUL),
                // an id in the place of a key
                () -> this.shards.inShardFor(this.inB, () -> "nothing"), () -> this.feed.countOf(this.inB));
        for (ThrowingCallable call : asked) {
            assertThat(catchThrowableOfType(ShardUnknownException.class, call)).isNotNull()
                .matches(ShardUnknownException::hidesRow, "hides the row");
        }
        assertThat(SERVERS.query("a", "select id from photo")).containsExactly(Long.toString(this.inA));
    }

    @Test
    void rowWhoseIdHasTwoReadingsIsNotWritten() {
        SERVERS.execute("a",
                "set session_replication_role = replica; insert into photo values (%s, 4, 'old')".formatted(DOUBTFUL));
        Photo row = this.shards.inShard(4, () -> this.photos.findByCaption("old")).get(0);
        row.setCaption("new");
        assertThatThrownBy(() -> this.photos.save(row)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> this.shards.inShard(4,
                () -> this.transactions
                    .executeWithoutResult((status) -> this.photos.findByCaption("old").get(0).setCaption("new"))))
            .isInstanceOfSatisfying(ShardUnknownException.class, (refused) -> assertThat(refused.hidesRow()).isFalse());
        assertThatThrownBy(() -> comment(DOUBTFUL, "wet")).isInstanceOf(RuntimeException.class);
        assertThat(SERVERS.query("a", "select caption from photo where id = " + DOUBTFUL)).containsExactly("old");
        assertThat(SERVERS.query("a", "select count(*) from photo union all select count(*) from comment"))
            .containsExactly("2", "0");
        assertThat(SERVERS.query("b", "select count(*) from photo")).containsExactly("1");
    }

    /** A photo is where its id says, and a hash of that id leads anywhere. */
    @Test
    void idIsNoShardKeyUnlessItIsThatOfAnEntity() {
        int hashed = this.ids.reader().shardForPlain(this.inB);
        assertThatThrownBy(() -> this.shards.inShardFor(this.inB, () -> "nothing"))
            .isInstanceOf(ShardUnknownException.class)
            .hasMessage(
                    ("Could not choose a database: call=inShardFor(…) takes a shard key: Could not find the shard of a key: "
                            + "key=%s is an id of shard 1500, and as a plain key it leads to shard %s (an id carries its shard, "
                            + "where its row and the children of that row are); use shardOf(id), and next(shardOf(id)) for "
                            + "the id of a child, or reader().shardForPlain(key) if rows have this value as a plain key; to choose the "
                            + "database of the id use shards.inShardOf(id, …) or @InShardOf")
                        .formatted(this.inB, hashed));
        assertThatThrownBy(() -> this.feed.countOf(this.inB)).isInstanceOf(ShardUnknownException.class)
            .hasMessageContaining("call=Feed.countOf(…) takes a shard key");
        comment(this.inB, "wet");
        assertThat(this.comments.texts(this.inB)).as("@ShardKey of an association").containsExactly("wet");
        this.photos.save(new Photo(this.inB, "by a plain key"));
        assertThat(this.photos.search(this.inB, "%")).as("a plain key of the entity").hasSize(1);
        assertThat(this.shards.inShard(hashed, () -> "the hash is meant")).isEqualTo("the hash is meant");
    }

    /** As if there were no such row: nothing is known of what a query compares. */
    @Test
    void queryFindsNoRowOfAnotherDatabase() {
        assertThat(this.shards.inShardOf(this.inA, () -> this.photos.captionOf(this.inB))).isEmpty();
        assertThat(this.shards.inEach(() -> this.photos.captionOf(this.inB))).containsOnly(Map.entry("a", List.of()),
                Map.entry("b", List.of("a river")));
    }

    /** Its key leads to another shard than its id, and so to another database. */
    @Test
    void rowStaysWhereItsKeyLeadsUnlessTheApplicationHasChosen() throws Exception {
        Matcher page = Pattern.compile("<!-- run by TwoDatabasesIT -->\\s+```sql(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../../sharding/docs/routing.md")));
        assertThat(page.find()).isTrue();
        assertThatThrownBy(() -> this.transactions
            .executeWithoutResult((status) -> this.photos.findById(this.inB).orElseThrow().setUserId(7))).rootCause()
            .isInstanceOfSatisfying(ShardKeyException.class,
                    (refused) -> assertThat(refused.reason()).isEqualTo(ShardKeyException.Reason.KEY_CHANGED));
        this.transactions
            .executeWithoutResult((status) -> this.photos.findById(this.inB).orElseThrow().setUserId(3500));
        assertThat(SERVERS.query("b", "select user_id from photo")).containsExactly("3500");
        assertThat(SERVERS.query("b", page.group(1))).containsExactly("0");
        try (ConfigurableApplicationContext other = start("--shardedid.on-key-change=allow")) {
            other.getBean(TransactionTemplate.class)
                .executeWithoutResult(
                        (status) -> other.getBean(Photos.class).findById(this.inB).orElseThrow().setUserId(7));
            assertThat(other.getBean(Photos.class).findByUserIdOrderByIdDesc(7)).isEmpty();
        }
        assertThat(SERVERS.query("b", page.group(1))).containsExactly("1");
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        for (long end = System.nanoTime() + Duration.ofMinutes(1).toNanos(); !condition.getAsBoolean(); Thread
            .sleep(20)) {
            assertThat(System.nanoTime()).isLessThan(end);
        }
    }

    /** Spring closes the connection that it finds at the statement. */
    @Test
    void streamLeavesTheConnectionOfItsTransactionOpen() {
        this.transactions.executeWithoutResult((status) -> {
            assertThat(this.photos.findById(this.inB)).isPresent();
            this.shards.inShardOf(this.inB, () -> {
                try (Stream<String> captions = this.jdbc.queryForStream("select caption from photo",
                        (row, number) -> row.getString(1))) {
                    assertThat(captions).containsExactly("a river");
                }
            });
            assertThat(this.jdbc.update("update photo set caption = 'a brook'")).isOne();
        });
        assertThat(SERVERS.query("b", "select caption from photo")).containsExactly("a brook");
    }

    private Databases databases(DataSource b) {
        return new Databases(Map.of("a", this.context.getBean(Databases.class).pool("a"), "b", b),
                new DatabasesProperties(List.of("a", "b"), "a", null, Duration.ofSeconds(8),
                        DatabasesProperties.Enter.WRITE, DatabasesProperties.Start.ALL, 1),
                new SideBySide(1, null), () -> this.directory);
    }

    /** A mover that has taken its token meanwhile wins. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shardsAreClosedWhereTheMapDoesNotNameThem(boolean autoCommit, CapturedOutput output) throws Exception {
        DataSource pool = new DelegatingDataSource(this.context.getBean(Databases.class).pool("b")) {

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setAutoCommit(autoCommit);
                return connection;
            }

        };
        SERVERS.execute("a", "update shardedid_home set state = 'here'");
        SERVERS.execute("b", "update shardedid_home set state = 'here'");
        SERVERS.execute("a", "update shardedid_shard set source = 'a', target = 'b', step = 'copy' where shard = 7");
        SERVERS.execute("a", "update shardedid_home set state = 'moved' where shard = 9");
        try {
            ShardHomes homes = new ShardHomes(databases(pool)) {

                @Override
                Map<Integer, String> settled() {
                    SERVERS.execute("b", "update shardedid_home set mover = mover + 1 where shard = 8");
                    return super.settled();
                }

            };
            assertThatThrownBy(() -> homes.settle(Set.of("a", "b"))).isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageStartingWith(
                        "Shard map must not be older than 'shardedid_home': shards=[9], open in=b, closed in the database of the map (");
            assertThat(open("a")).containsExactlyElementsOf(
                    IntStream.range(0, 1000).filter((shard) -> shard != 9).mapToObj(Integer::toString).toList());
            assertThat(open("b"))
                .containsExactlyElementsOf(IntStream.concat(IntStream.of(7, 8, 9), IntStream.range(1000, 2000))
                    .mapToObj(Integer::toString)
                    .toList());
            assertThat(output).contains(
                    "Shards were open in two databases, and are closed where the map does not name them: database=b, shards=[0-6, 8, 10-999], closed=997");
            SERVERS.execute("b", "update shardedid_home set state = 'moved' where shard = 9");

            String role = "reader_" + autoCommit;
            SERVERS.execute("b", "create role " + role + " login; grant select on shardedid_home to " + role);
            PGSimpleDataSource reader = new PGSimpleDataSource();
            reader.setUrl(SERVERS.url("b"));
            reader.setUser(role);
            new ShardHomes(databases(reader)).settle(Set.of("a", "b"));
            assertThat(output).contains(
                    "Shards are open in two databases, and could not be closed where the map does not name them: database=b, shards=[8] (ERROR: permission denied",
                    "UPDATE shardedid_home SET state = 'moved', changed_at = clock_timestamp() WHERE state = 'here' AND (shard BETWEEN 8 AND 8)");
        }
        finally {
            SERVERS.execute("a",
                    "update shardedid_shard set source = null, target = null, step = null; update shardedid_home set state = 'here'");
            SERVERS.execute("b", "update shardedid_home set state = 'here'");
        }
    }

    /** The shards of a would be open twice, and c would close them, which is a. */
    @Test
    void twoNamesOfOneDatabaseAreRefusedAndNoShardIsClosed() {
        List<String> open = open("a");
        assertThat(open).hasSize(1000);
        assertThatThrownBy(() -> start("--shardedid.databases.c.url=" + SERVERS.url("a"),
                "--shardedid.databases.c.username=postgres"))
            .isInstanceOf(ShardedIdConfigurationException.class)
            .hasMessage(
                    "Names of databases must lead to different ones: databases=[a, c]; correct the URL of one of them, or remove it");
        assertThat(open("a")).isEqualTo(open);
    }

    /** Also where there is no fence, and so no identity. */
    @Test
    void twoNamesOfOneDatabaseWithoutAFenceAreRefused() {
        SERVERS.execute("b", "create database plain");
        try {
            String plain = SERVERS.url("b").replaceFirst("/[^/]*$", "/plain");
            assertThatThrownBy(
                    () -> start("--shardedid.databases.c.url=" + plain, "--shardedid.databases.c.username=postgres",
                            "--shardedid.databases.d.url=" + plain, "--shardedid.databases.d.username=postgres"))
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContaining("databases=[c, d]");
        }
        finally {
            SERVERS.execute("b", "drop database plain with (force)");
        }
    }

    @Test
    void anotherDatabaseBehindANameIsRefused() {
        List<String> noted = SERVERS.query("a", "select identity from shardedid_database where name = 'b'");
        assertThat(noted).isEqualTo(SERVERS.query("b", "select identity from shardedid_identity"));
        for (String other : List.of("update shardedid_identity set identity = gen_random_uuid()",
                "alter table shardedid_identity rename to shardedid_gone")) {
            SERVERS.execute("b", other);
            try {
                assertThatThrownBy(() -> start()).as(other)
                    .isInstanceOf(ShardedIdConfigurationException.class)
                    .hasMessageContaining("database=b")
                    .hasMessageContaining("identity in the map='%s'".formatted(noted.get(0)))
                    .hasMessageContaining("shardedid.databases.b.url");
            }
            finally {
                SERVERS.execute("b", "alter table if exists shardedid_gone rename to shardedid_identity");
                SERVERS.execute("b", "update shardedid_identity set identity = '%s'".formatted(noted.get(0)));
            }
        }
    }

    /** It would take no writes, and show rows of others. */
    @Test
    void aStandbyBehindANameIsRefused(@TempDir Path data) throws Exception {
        server(data).start().close();
        Files.createFile(data.resolve("standby.signal"));
        try (EmbeddedPostgres standby = server(data).start()) {
            assertThatThrownBy(() -> start("--shardedid.databases.c.username=postgres",
                    "--shardedid.databases.c.url=jdbc:postgresql://127.0.0.1:%s/postgres".formatted(standby.getPort())))
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContaining("database=c")
                .hasMessageContaining("primary");
        }
    }

    private static EmbeddedPostgres.Builder server(Path data) {
        return EmbeddedPostgres.builder()
            .setPort(FreePort.find())
            .setPGStartupWait(Duration.ofSeconds(90))
            .setDataDirectory(data)
            .setCleanDataDirectory(false);
    }

    /** Each of them would lease the same worker ids. */
    @Test
    void anotherHomeThanThatOfOtherProcessesIsRefused() {
        try {
            assertThatThrownBy(() -> start("--shardedid.databases.home=b"))
                .isInstanceOf(ShardedIdConfigurationException.class)
                .hasMessageContaining("namespace='default'")
                .hasMessageContaining("database=a")
                .hasMessageContaining("shardedid.databases.home");
        }
        finally {
            SERVERS.execute("b", "drop table if exists shardedid_worker, shardedid_shard, shardedid_database");
        }
    }

    @Test
    void aHomeThatDoesNotExistIsNamedInOurWords() {
        assertThatThrownBy(() -> start("--shardedid.databases.a.url=" + SERVERS.url("a") + "_nosuch",
                "--shardedid.databases.a.hikari.connection-timeout=2000"))
            .hasStackTraceContaining("database=a (SQLState=3D000, PSQLException: there is no such database)");
    }

    private static List<String> open(String database) {
        return SERVERS.query(database, "select shard from shardedid_home where state = 'here' order by shard");
    }

    /** A mover would leave their rows behind. */
    @Test
    void startNamesTablesWithoutFence(CapturedOutput output) {
        SERVERS.execute("a",
                "drop trigger zz_shardedid_fence_insert on photo; comment on table photo is 'shardedid: stays'");
        SERVERS.execute("b", "drop trigger zz_shardedid_fence_insert on comment");
        try (ConfigurableApplicationContext other = start()) {
            assertThat(other.isActive()).isTrue();
        }
        finally {
            SERVERS.execute("a", "comment on table photo is null");
            SERVERS.fence("photo", "comment");
        }
        assertThat(output.toString().lines().filter((line) -> line.contains("have no fence"))).singleElement()
            .asString()
            .contains("WARN")
            .endsWith("Tables whose rows have shards have no fence, so no mover moves these shards: "
                    + "tables by database={b=[comment]}; fence them too");
    }

    /** Of another shard, or of none. */
    @Test
    void rowThatIsNotHereIsNotFoundByHttp(CapturedOutput output) throws Exception {
        try (ConfigurableApplicationContext other = start("--spring.main.web-application-type=servlet",
                "--server.port=0", "--spring.main.sources=" + PhotoPage.class.getName(),
                "--spring.mvc.problemdetails.enabled=true", "--logging.level.io.shardedid.spring.web=debug")) {
            URI page = URI.create("http://localhost:%s/photos/%s/"
                .formatted(other.getEnvironment().getProperty("local.server.port"), this.inA));
            HttpClient client = HttpClient.newHttpClient();
            HttpResponse<String> found = client.send(HttpRequest.newBuilder(page.resolve("" + this.inA)).build(),
                    BodyHandlers.ofString());
            assertThat(found.body()).isEqualTo("a lake");
            for (long id : new long[] { this.inB, this.inB | (2047L << 12) }) {
                HttpResponse<String> missing = client.send(HttpRequest.newBuilder(page.resolve("" + id)).build(),
                        BodyHandlers.ofString());
                assertThat(missing.statusCode()).isEqualTo(404);
                assertThat(missing.body()).contains("Could not find the row: no row here has this id")
                    .doesNotContain("shard ");
                assertThat(output.toString().lines().filter((line) -> line.contains("id=" + id))).singleElement()
                    .asString()
                    .contains("DEBUG", "No row: ");
            }
        }
        // the servers of the tests have a log of their own
        assertThat(output.toString().lines().filter((line) -> !line.contains("EmbeddedPostgres")))
            .noneMatch((line) -> line.contains("ERROR"));
    }

    /** The first one is a warning, because rows may have such ids. */
    @Test
    void numberOfAStrangerIsNotFoundByHttp(CapturedOutput output) throws Exception {
        try (ConfigurableApplicationContext other = start("--spring.main.web-application-type=servlet",
                "--server.port=0", "--spring.main.sources=" + PhotoPage.class.getName(),
                "--spring.mvc.problemdetails.enabled=true", "--logging.level.io.shardedid.spring.web=debug",
                "--logging.level.io.shardedid.routing=debug")) {
            URI root = URI
                .create("http://localhost:%s/".formatted(other.getEnvironment().getProperty("local.server.port")));
            HttpClient client = HttpClient.newHttpClient();
            for (String path : new String[] { "raw/" + (DOUBTFUL + 1), "raw/" + DOUBTFUL, "in/" + DOUBTFUL,
                    "key/" + this.inA }) {
                HttpResponse<String> missing = client.send(HttpRequest.newBuilder(root.resolve(path)).build(),
                        BodyHandlers.ofString());
                assertThat(missing.statusCode()).as(path).isEqualTo(404);
            }
            assertThat(output.toString().lines().filter((line) -> line.contains("No row: "))).hasSize(4)
                .allMatch((line) -> line.contains("DEBUG"));
            assertThat(output.toString().lines().filter((line) -> line.contains("leads to no shard"))).singleElement()
                .asString()
                .contains("WARN", "id=" + (DOUBTFUL + 1), "'shardedid.older-ids-before'");
        }
        // the servers of the tests have a log of their own
        assertThat(output.toString().lines().filter((line) -> !line.contains("EmbeddedPostgres")))
            .noneMatch((line) -> line.contains("ERROR"));
    }

    @Test
    void olderIdIsAtHomeWhereItsChildrenAreAndANegativeOneNowhere() {
        this.photos.findById(4711L);

        assertCalls((this.ids.shardOf(4711) < 1000) ? 1 : 0, (this.ids.shardOf(4711) < 1000) ? 0 : 1);
    }

    @Test
    void mapThatChangesInItsTableCountsForTheNextTransaction() {
        long id = this.ids.next(1600);
        try {
            this.transactions.executeWithoutResult((status) -> {
                this.photos.findById(id);
                move(1600, "a");
                this.directory.refresh();
                this.photos.findByUserIdOrderByIdDesc(1600);
            });
            assertCalls(0, 2);
            this.photos.findById(id);
        }
        finally {
            moveBack(1600);
        }

        assertCalls(1, 2);
    }

    @Test
    void anotherProcessGoesByTheTableAndSeesThatItChanges(CapturedOutput output) throws Exception {
        try (ConfigurableApplicationContext other = start("--shardedid.databases.initial-map=0-1999: b",
                "--shardedid.databases.refresh=1s")) {
            assertThat(other.getBean(Shards.class).map()).hasToString("0-999: a, 1000-1999: b");
            assertThat(output.getOut()
                .lines()
                .filter((line) -> line.contains("WARN") && line
                    .endsWith("The shard map in the table counts, version " + this.shards.map().version()
                            + ": 0-999: a, 1000-1999: b; 'shardedid.databases.initial-map' says otherwise: 0-1999: b")))
                .hasSize(1);
            move(1600, "a");

            while (!other.getBean(Shards.class).map().databaseOf(1600).equals("a")) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            other.getBean(Photos.class).findById(this.ids.next(1600));
        }
        finally {
            moveBack(1600);
        }

        assertCalls(1, 0);
    }

    @Test
    void readsAreFencedWhereEachTransactionEnters() {
        try (ConfigurableApplicationContext other = start("--shardedid.databases.enter=transaction")) {
            Photos there = other.getBean(Photos.class);
            moved(1500, () -> {
                SERVERS.execute("a", "insert into photo values (%s, 1500, 'moved')".formatted(this.inB));
                assertMoved(() -> there.findById(this.inB));
                assertThat(there.findById(this.inB)).map(Photo::getCaption).hasValue("moved");
                assertThat(this.photos.findById(this.inB)).as("enter=write").map(Photo::getCaption).hasValue("a river");
            });
            SERVERS.execute("a", "update shardedid_home set state = 'moved' where shard = 4");
            assertMoved(() -> other.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
                other.getBean(Countries.class).findById("FI");
                there.findById(this.inA);
            }));
            assertMoved(() -> there.findAllById(List.of(this.inA)));
        }
        finally {
            SERVERS.execute("a", "update shardedid_home set state = 'here' where shard = 4");
        }
    }

    private static ConfigurableApplicationContext start(String... arguments) {
        return new SpringApplicationBuilder(PhotosApplication.class).web(WebApplicationType.NONE)
            .properties(PROPERTIES.lines().toArray(String[]::new))
            .properties("shardedid.databases.a.url=" + SERVERS.url("a"),
                    "shardedid.databases.b.url=" + SERVERS.url("b"))
            .run(arguments);
    }

    /** Acts while the router does not know yet that a shard of {@code b} has moved. */
    private void moved(int shard, Runnable action) {
        moveAway(shard);
        try {
            action.run();
        }
        finally {
            moveBack(shard);
        }
    }

    private void moveAway(int shard) {
        SERVERS.execute("b", "update shardedid_home set state = 'moved' where shard = " + shard);
        SERVERS.execute("a", "update shardedid_home set state = 'here' where shard = " + shard);
        move(shard, "a");
    }

    private void moveBack(int shard) {
        SERVERS.execute("a", "update shardedid_home set state = 'moved' where shard = " + shard);
        SERVERS.execute("b", "update shardedid_home set state = 'here' where shard = " + shard);
        move(shard, "b");
        this.directory.refresh();
        SERVERS.makeTables();
    }

    private void move(int shard, String database) {
        SERVERS.execute("a", """
                update shardedid_shard set version = version + 1 where shard = -1;
                update shardedid_shard set home = '%s', version = (select version from shardedid_shard where shard = -1)
                  where shard = %s""".formatted(database, shard));
    }

    private static void assertMoved(ThrowingCallable action) {
        assertThatThrownBy(action).isInstanceOf(ShardMovedException.class)
            .hasMessageMatching(
                    "Could not enter shard: shard=\\d+, state=moved \\(the shard is not in this database\\); "
                            + "read the shard map again and repeat the transaction");
    }

    /** Spring logs what a listener throws, and throws it no further. */
    @Test
    void listenerReadsAfterTheCommitAndLeavesNothingOnItsThread(CapturedOutput output) {
        List<Object> read = new ArrayList<>();
        for (boolean first : new boolean[] { true, false }) {
            this.transactions.executeWithoutResult((status) -> {
                Committed listener = new Committed(() -> read
                    .add(this.entities.find(Photo.class, this.inB).getCaption() + this.shards.inShardOf(this.inA,
                            () -> this.jdbc.queryForObject("select caption from photo", String.class))));
                if (first) {
                    this.events.publishEvent(listener);
                }
                this.photos.findById(this.inA);
                this.events.publishEvent(first ? "nothing" : listener);
            });

            this.feed.rename(this.inB, "a river");
            assertThat(this.shards.current()).isEmpty();
            assertThat(TransactionSynchronizationManager.getResource(this.context.getBean(ShardBindings.class)))
                .as("what stays on the thread")
                .isNull();
        }

        assertThat(read).as(output::toString).containsExactly("a rivera lake", "a rivera lake");
    }

    @Test
    void mergedFeedIsTheOrderOfAllIds() {
        Random random = new Random(20261122);
        for (int round = 0; round < 20; round++) {
            SERVERS.makeTables();
            List<Photo> rows = new ArrayList<>();
            int many = random.nextInt(100);
            for (int i = 0; i < many; i++) {
                // some rounds have all their rows in one database, or nearly so
                rows.add(new Photo((random.nextInt(10) < round / 2) ? 1999 : random.nextInt(1000), "row " + i));
            }
            List<Long> all = new ArrayList<>(this.photos.saveAll(rows).stream().map(Photo::getId).toList());
            all.sort(Comparator.reverseOrder());

            List<Photo> newest = this.shards.merge(Comparator.comparing(Photo::getId).reversed(), 20,
                    this.photos::findTop20ByOrderByIdDesc);

            assertThat(newest).as("round %s", round)
                .extracting(Photo::getId)
                .containsExactlyElementsOf(all.subList(0, Math.min(20, all.size())));
            assertThat(pages()).as("round %s", round).isEqualTo(all);
        }
    }

    /** Shard 4 has been copied to {@code b}, and its newest row was deleted since. */
    @Test
    void rowsOfAShardThatMovesAreMergedFromItsHomeOnly() {
        List<Long> expected = new ArrayList<>(List.of(this.inA, this.inB));
        long newestInA = 0;
        for (int i = 0; i < 30; i++) {
            long id = this.photos.save(new Photo((i < 25) ? 4 : 1500, "row " + i)).getId();
            expected.add(id);
            newestInA = (i < 25) ? id : newestInA;
        }
        SERVERS.query("a", "select id from photo")
            .forEach((id) -> SERVERS.execute("b",
                    "set session_replication_role = replica; insert into photo (id, user_id, caption) values (%s, 4, 'a copy')"
                        .formatted(id)));
        SERVERS.execute("a", "delete from photo where id = " + newestInA);
        expected.remove(newestInA);
        expected.sort(Comparator.reverseOrder());

        List<Photo> newest = this.shards.merge(Comparator.comparing(Photo::getId).reversed(), 20,
                this.photos::findTop20ByOrderByIdDesc);

        // the page of b ends with a copy, and what comes after it is not known yet
        assertThat(newest).extracting(Photo::getId).containsExactlyElementsOf(expected.subList(0, 19));
        assertThat(newest).extracting(Photo::getCaption).doesNotContain("a copy");
        assertThat(pages()).isEqualTo(expected);
    }

    /** A photo moves to the database that was read already. */
    @Test
    void rowsAreMergedByOneMap() {
        AtomicInteger reads = new AtomicInteger();
        long id = this.photos.save(new Photo(1600, "a brook")).getId();
        try {
            assertThat(this.shards.merge(Comparator.comparing(Photo::getId), 20, () -> {
                if (reads.incrementAndGet() == 2) {
                    SERVERS.execute("a",
                            "set session_replication_role = replica; insert into photo values (%s, 1600, 'moved')"
                                .formatted(id));
                    SERVERS.execute("b", "set session_replication_role = replica; delete from photo where id = " + id);
                    move(1600, "a");
                    this.directory.refresh();
                }
                return this.photos.findTop20ByOrderByIdDesc();
            })).extracting(Photo::getCaption).contains("moved");
            assertThat(reads).hasValue(4);

            assertThatThrownBy(() -> this.shards.merge(Comparator.comparing(Photo::getId), 20, () -> {
                move(1600, (reads.incrementAndGet() % 4 < 2) ? "b" : "a");
                this.directory.refresh();
                return this.photos.findTop20ByOrderByIdDesc();
            })).isInstanceOf(ShardMovedException.class)
                .hasMessage("Could not merge the rows of all databases: the shard map changed during each of 3 reads: "
                        + "version=%s; repeat the call".formatted(this.shards.map().version()));
            assertThat(reads).hasValue(10);
        }
        finally {
            moveBack(1600);
        }
    }

    /** Page after page, each from both databases, until one is empty. */
    private List<Long> pages() {
        List<Long> pages = new ArrayList<>();
        List<Photo> page;
        do {
            long before = pages.isEmpty() ? Long.MAX_VALUE : pages.get(pages.size() - 1);
            page = this.shards.merge(Comparator.comparing(Photo::getId).reversed(), 20,
                    () -> this.photos.findTop20ByIdLessThanOrderByIdDesc(before));
            page.forEach((photo) -> pages.add(photo.getId()));
        }
        while (!page.isEmpty());
        return pages;
    }

    @Test
    void keysetPageAndIdWindowAreMerged() {
        List<Long> pages = new ArrayList<>();
        this.photos.saveAll(LongStream.range(0, 10).mapToObj((i) -> new Photo(i * 199, "row " + i)).toList());
        long before = Long.MAX_VALUE;
        List<Photo> page;
        do {
            long end = before;
            page = this.shards.merge(Comparator.comparing(Photo::getId).reversed(), 3,
                    () -> this.photos.findTop3ByIdLessThanOrderByIdDesc(end));
            page.forEach((photo) -> pages.add(photo.getId()));
            before = page.isEmpty() ? before : page.get(page.size() - 1).getId();
        }
        while (!page.isEmpty());

        assertThat(pages).hasSize(12).isSortedAccordingTo(Comparator.reverseOrder()).doesNotHaveDuplicates();
    }

    @Test
    void eachDatabaseIsEnteredOnce() {
        assertThat(this.shards.inEach(() -> this.photos.count())).containsExactly(Map.entry("a", 1L),
                Map.entry("b", 1L));

        assertCalls(1, 1);
        assertThatThrownBy(() -> this.transactions.execute((status) -> this.shards.inEach(() -> this.photos.count())))
            .isInstanceOf(CrossShardException.class)
            .hasMessage(
                    "Could not enter each database: call=shards.inEach(…), a transaction is open, which can be in one "
                            + "database only; call it outside of transactions");
    }

    @Test
    void referenceDataIsReadInTheDatabaseOfTheTransaction() {
        this.shards.inEach(() -> this.countries.save(new Country("FI", "Finland")));
        SERVERS.forget();

        this.transactions.executeWithoutResult((status) -> {
            this.photos.findById(this.inB);
            assertThat(this.countries.findById("FI")).isPresent();
        });
        assertThat(SERVERS.calls("a")).isZero();
        assertThat(this.countries.findById("FI")).isPresent();
        assertThat(SERVERS.calls("a")).isOne();
        assertThatThrownBy(() -> this.countries.save(new Country("SE", "Sweden")))
            .isInstanceOf(ShardUnknownException.class)
            .hasMessage("Could not write 'com.acme.photos.Country' to one database: every database has its rows "
                    + "(@EveryDatabase); write it in shards.inEach(…)");
    }

    @Test
    void referenceDataMayBeReadBeforeTheShardIsKnownWhereverThatIs() {
        this.shards.inEach(() -> this.countries.save(new Country("FI", "Finland")));
        SERVERS.execute("b", "update country set name = 'Suomi'");
        for (long id : new long[] { this.inA, this.inB }) {
            this.transactions.executeWithoutResult((status) -> {
                Country country = this.countries.findById("FI").orElseThrow();
                assertThat(this.countries.count()).isOne();
                assertThat(country.getName()).as("read in the home database").isEqualTo("Finland");
                this.photos.findById(id).orElseThrow().setCaption("of " + country.getCode());
                this.entities.refresh(country);
                assertThat(country.getName()).isEqualTo((id == this.inA) ? "Finland" : "Suomi");
            });
            this.transactions.executeWithoutResult((status) -> {
                this.entities.find(Country.class, "FI");
                status.setRollbackOnly();
                this.photos.findById(id).orElseThrow().setCaption("rolled back");
                this.entities.flush();
            });
        }
        assertThat(SERVERS.query("a", "select caption from photo")).containsExactly("of FI");
        assertThat(SERVERS.query("b", "select caption from photo")).containsExactly("of FI");
    }

    /** Reference data say nothing about the shard of what comes after them. */
    @Test
    void statementWithoutShardIsRefusedAfterReferenceDataToo() {
        List<ThrowingCallable> statements = List.of(this.photos::count,
                () -> this.jdbc.update("update photo set caption = ''"),
                () -> this.entities.createQuery("select count(*) from Photo", Long.class).getSingleResult());
        for (ThrowingCallable statement : statements) {
            assertUnknown("call=", () -> this.transactions.executeWithoutResult((status) -> {
                this.countries.findById("FI");
                try {
                    statement.call();
                }
                catch (RuntimeException ex) {
                    throw ex;
                }
                catch (Throwable ex) {
                    throw new IllegalStateException(ex);
                }
            }));
        }
        assertThat(SERVERS.query("a", "select caption from photo")).containsExactly("a lake");
    }

    /** One connection would be kept while the other one is waited for. */
    @Test
    void referenceDataTakeNoSecondConnectionOfTheirPool() throws Exception {
        HikariDataSource pool = this.context.getBean("aDatabase", HikariDataSource.class);
        List<Connection> taken = new ArrayList<>();
        try {
            for (int i = 1; i < pool.getMaximumPoolSize(); i++) {
                taken.add(pool.getConnection());
            }
            this.transactions.executeWithoutResult((status) -> {
                this.countries.findById("FI");
                assertThat(this.photos.findById(this.inA)).isPresent();
            });
        }
        finally {
            for (Connection connection : taken) {
                connection.close();
            }
        }
    }

    /** As open-in-view does it, where Spring Boot's default would keep the connection. */
    @Test
    void noConnectionOutlivesItsTransactionEvenIfTheSessionDoes() {
        EntityManager session = this.factory.createEntityManager();
        TransactionSynchronizationManager.bindResource(this.factory, new EntityManagerHolder(session));
        try {
            for (int i = 0; i < 1000; i++) {
                long user = (i % 2 == 0) ? 4 : 1500;
                this.transactions.executeWithoutResult((status) -> this.entities.persist(new Photo(user, "row")));
            }
        }
        finally {
            TransactionSynchronizationManager.unbindResource(this.factory);
            session.close();
        }

        assertThat(SERVERS.query("a", "select user_id || ' ' || count(*) from photo group by user_id"))
            .containsExactly("4 501");
        assertThat(SERVERS.query("b", "select user_id || ' ' || count(*) from photo group by user_id"))
            .containsExactly("1500 501");
    }

    @Test
    void endpointAndShardsShowTheMap() {
        assertThat(this.shards.map()).hasToString("0-999: a, 1000-1999: b");
        assertThat(this.endpoint.shards().shardMap()).isEqualTo("0-999: a, 1000-1999: b");
        assertThat(this.endpoint.shards().databases()).containsExactly("a", "b");
    }

    @Test
    void isolationAndReadOnlyReachTheConnectionAndNoOther() {
        assertThat(this.feed.serializable(this.inB)).isEqualTo("serializable, off");
        assertThat(this.feed.reading(this.inB)).isEqualTo("read committed, on");
        for (int i = 0; i < 10; i++) {
            assertThat(this.feed.usual(this.inB)).isEqualTo("read committed, off");
        }
    }

    @Test
    void callIsRefusedWhenItsShardHasMovedAndTheNextOneGoesByTheNewMap() {
        moved(1500, () -> {
            Photo photo = new Photo(1500, "a brook");
            assertMoved(() -> this.photos.save(photo));
            assertThat(photo.getId()).as("what was given stays as Hibernate has left it").isNotNull();
            assertThat(this.photos.save(new Photo(1500, "a brook")).getUserId()).isEqualTo(1500);

            assertThat(SERVERS.query("a", "select caption from photo where user_id = 1500")).containsExactly("a brook");
            assertThat(SERVERS.query("b", "select caption from photo")).containsExactly("a river");
        });
    }

    @Test
    void retryableMethodOfTheApplicationIsRepeatedWithTheNewMap() {
        moved(1500, () -> {
            long id = this.publisher.publish(1500, "a brook");

            assertThat(SERVERS.query("a", "select id from photo where user_id = 1500")).containsExactly("" + id);
            assertThat(SERVERS.query("b", "select caption from photo")).containsExactly("a river");
        });
    }

    @Test
    void bulkStatementEntersItsShardSoThatItMeetsTheRows() {
        moved(1500, () -> {
            SERVERS.execute("a", "insert into photo values (%s, 1500, 'a river')".formatted(this.inB));
            SERVERS.execute("b", "set session_replication_role = replica; delete from photo");

            assertMoved(() -> this.photos.renameAll(1500, "all"));
            assertThat(this.photos.renameAll(1500, "all")).isOne();
            assertThat(SERVERS.query("a", "select caption from photo where user_id = 1500")).containsExactly("all");
        });
    }

    /** No row enters it, so a mover would not wait if the lock ended with the entry. */
    @Test
    void shardIsEnteredInsideOfTheTransactionAndUntilItsEnd() {
        String entered = "select count(*) from pg_locks where locktype = 'advisory' and objid = 1501";
        this.transactions.executeWithoutResult((status) -> {
            assertThat(this.photos.renameAll(1501, "all")).isZero();
            assertThat(SERVERS.query("b", entered)).containsExactly("1");
        });
        assertThat(SERVERS.query("b", entered)).containsExactly("0");
    }

    @Test
    void mergedReadsAreInTransactionsThatOnlyRead() {
        List<String> settings = this.shards.merge(Comparator.naturalOrder(), 2, () -> List.of(this.feed.settings()));

        assertThat(settings).containsExactly("read committed, on", "read committed, on");
    }

    @Test
    void bulkStatementAfterARowEntersItsShardToo() {
        moved(1500, () -> {
            assertMoved(() -> this.transactions.executeWithoutResult((status) -> {
                this.photos.findById(this.inB);
                SERVERS.execute("b", "set session_replication_role = replica; delete from photo");
                this.photos.renameAll(1500, "all");
            }));
            assertThat(this.shards.map().databaseOf(1500)).isEqualTo("a");
        });
    }

    @Test
    void bulkStatementAfterReferenceDataEntersItsShardToo() {
        SERVERS.execute("a", "update shardedid_home set state = 'moved' where shard = 4");
        try {
            assertMoved(() -> this.transactions.executeWithoutResult((status) -> {
                this.countries.findById("FI");
                SERVERS.execute("a", "set session_replication_role = replica; delete from photo");
                this.photos.renameAll(4, "all");
            }));
        }
        finally {
            SERVERS.execute("a", "update shardedid_home set state = 'here' where shard = 4");
        }
    }

    @Test
    void serializationFailureOfALateEntryIsTransient() {
        this.transactions = new TransactionTemplate(this.transactions.getTransactionManager());
        this.transactions.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);

        assertThatThrownBy(() -> this.transactions.executeWithoutResult((status) -> {
            this.photos.findById(this.inB);
            SERVERS.execute("b", "update shardedid_home set state = 'moved' where shard = 1500");
            SERVERS.execute("b", "update shardedid_home set state = 'here' where shard = 1500");
            this.photos.renameAll(1500, "all");
        })).isInstanceOf(TransientDataAccessException.class).hasMessageContaining("Could not enter shard: shard=1500");
    }

    /**
     * As an agent for metrics wraps it, which the transaction manager then knows it by.
     */
    @Test
    void secondShardIsEnteredAlsoWhereTheDataSourceIsWrapped() {
        try (ConfigurableApplicationContext other = start("--shardedid.routing.guard=database",
                "--spring.main.sources=" + WrappedDataSource.class.getName())) {
            assertThat(other.getBean(DataSource.class)).isInstanceOf(WrappedDataSource.Wrapper.class);
            Photos there = other.getBean(Photos.class);
            TransactionTemplate transactions = other.getBean(TransactionTemplate.class);
            SERVERS.execute("b", "update shardedid_home set state = 'moved' where shard = 1501");

            assertMoved(() -> transactions.executeWithoutResult((status) -> {
                assertThat(there.renameAll(1500, "all")).isOne();
                there.renameAll(1501, "all");
            }));
            SERVERS.execute("b", "update shardedid_home set state = 'moved' where shard = 1500");
            assertMoved(() -> transactions.executeWithoutResult((status) -> {
                there.findById(this.inB);
                SERVERS.execute("b", "set session_replication_role = replica; delete from photo");
                there.renameAll(1500, "all");
            }));
        }
        finally {
            SERVERS.execute("b", "update shardedid_home set state = 'here' where shard in (1500, 1501)");
        }
    }

    @Test
    void isolationOfAJdbcTransactionReachesAConnectionThatEnters() {
        TransactionTemplate plain = new TransactionTemplate(new JdbcTransactionManager(this.dataSource));
        plain.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
        for (boolean readOnly : new boolean[] { false, true }) {
            plain.setReadOnly(readOnly);

            String settings = this.shards.inShardOf(this.inB, () -> plain.execute((status) -> this.feed.settings()));

            assertThat(settings).isEqualTo(readOnly ? "serializable, on" : "serializable, off");
        }
        assertThat(this.feed.usual(this.inB)).isEqualTo("read committed, off");
    }

    @Test
    void scopesAreRefusedAndTheNextOneGoesByTheNewMap() {
        moved(1500, () -> {
            assertMoved(() -> insertIn(1500, "a stream"));
            insertIn(1500, "a brook");
            assertThat(SERVERS.query("a", "select caption from photo where user_id = 1500")).containsExactly("a brook");
        });
        moved(1500, () -> {
            assertMoved(() -> this.feed.publishOne(new Photo(1500, "a brook")));
            this.feed.publishOne(new Photo(1500, "another"));
            assertThat(SERVERS.query("a", "select caption from photo where user_id = 1500")).containsExactly("another");
        });
    }

    private void insertIn(int user, String caption) {
        this.shards.inShardFor((long) user,
                () -> this.jdbc.update("insert into photo values (?, ?, ?)", this.ids.next(user), user, caption));
    }

    @Test
    void transactionOfTheApplicationIsRefusedAndTheNextOneFollows() {
        moved(1500, () -> {
            assertMoved(() -> this.transactions
                .executeWithoutResult((status) -> this.entities.persist(new Photo(1500, "one"))));
            this.transactions.executeWithoutResult((status) -> this.entities.persist(new Photo(1500, "other")));

            assertThat(SERVERS.query("a", "select caption from photo where user_id = 1500")).containsExactly("other");
        });
    }

    /** Whoever calls catches one type, wherever the statement was sent. */
    @Test
    void refusalsReachTheCallerAsTheyAre(@Autowired Album album) {
        moved(1500, () -> assertMoved(() -> album.add(new Photo(1500, "in a class with @Repository"))));
        moved(1500, () -> {
            assertMoved(() -> this.transactions.executeWithoutResult((status) -> {
                this.entities.persist(new Photo(1500, "flushed"));
                assertMoved(this.entities::flush);
                throw new ShardMovedException(
                        "Could not enter shard: shard=1500, state=moved (the shard is not in this "
                                + "database); read the shard map again and repeat the transaction");
            }));
        });
        assertCross(() -> this.transactions.executeWithoutResult((status) -> {
            this.entities.persist(new Photo(4, "one"));
            this.entities.persist(new Photo(1500, "at the commit"));
        }));
        assertCross(() -> this.transactions.executeWithoutResult((status) -> {
            album.add(new Photo(4, "one"));
            album.add(new Photo(1500, "in a class with @Repository"));
        }));
        assertUnknown("call=", album::count);
    }

    @Test
    void leaseTableIsInTheHomeDatabase() {
        assertThat(SERVERS.query("a", "select count(*) from shardedid_worker")).isNotEqualTo(List.of("0"));
        assertThat(SERVERS.query("b", "select to_regclass('shardedid_worker')")).containsOnlyNulls();
    }

    @Test
    void healthAndMetersSeeEachDatabaseOnce() {
        Health health = this.context.getBean("dbHealthContributor", HealthIndicator.class).health();

        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsExactly(Map.entry("a", "UP"), Map.entry("b", "UP"));
        assertThat(this.meters.get("hikaricp.connections.max").tag("pool", "b").gauge().value()).isEqualTo(5);
    }

    /** A process that is started again would have no map at all. */
    @Test
    void healthShowsAMapThatHasGoneBackAndStaysUp() {
        SERVERS.execute("a",
                "update shardedid_shard set home = 'a' where shard = 1500; update shardedid_shard set identity = identity + 1 where shard = -1");
        try {
            assertThatThrownBy(this.directory::refresh).isInstanceOf(ShardMapException.class);
            Health health = this.context.getBean("dbHealthContributor", HealthIndicator.class).health();

            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsOnlyKeys("a", "b", "shard map");
            assertThat(String.valueOf(health.getDetails().get("shard map")))
                .startsWith("Shards have gone back in the table of the shard map: namespace=default, shards=[1500], ");
            assertThat(this.photos.findById(this.inB)).isPresent();
        }
        finally {
            SERVERS.execute("a",
                    "update shardedid_shard set home = 'b' where shard = 1500; update shardedid_shard set identity = identity - 1 where shard = -1");
            this.directory.refresh();
        }
        assertThat(this.directory.problem()).isEmpty();
    }

    @Test
    void pageOfTheOtherDatabasesIsShownWhileOneIsAway(CapturedOutput output) {
        try (ConfigurableApplicationContext other = start("--shardedid.databases.start=home",
                "--shardedid.databases.b.url=jdbc:postgresql://127.0.0.1:1/nobody",
                "--shardedid.databases.b.hikari.connection-timeout=250")) {
            assertThat(other.getBean(Newest.class).photos()).extracting(Photo::getId).containsExactly(this.inA);
        }
        assertThat(output).contains("No photos of database b");
    }

    /** The driver finds the host that answers. */
    @Test
    void urlMayNameSeveralHostsAndTheFenceIsLookedForAtTheFirstConnection() {
        String url = SERVERS.url("b").replace("//", "//127.0.0.1:1,");
        try (ConfigurableApplicationContext other = start("--shardedid.databases.start=home",
                "--shardedid.databases.enter=transaction", "--shardedid.databases.b.url=" + url)) {
            Photos there = other.getBean(Photos.class);
            assertThat(there.findById(this.inB)).isPresent();
            moved(1500, () -> assertMoved(() -> there.findById(this.inB)));
        }
    }

    /** The script is run while the application runs. */
    @Test
    void fenceThatComesLaterIsFound() throws Exception {
        SERVERS.execute("b", "alter function shardedid_enter(integer) rename to shardedid_enter_later");
        try (ConfigurableApplicationContext other = start("--shardedid.databases.refresh=1s")) {
            Photos there = other.getBean(Photos.class);
            assertThat(there.renameAll(1501, "all")).as("no row, so no trigger").isZero();
            SERVERS.execute("b", "alter function shardedid_enter_later(integer) rename to shardedid_enter");
            Thread.sleep(1500);

            assertEnters(there);
        }
        finally {
            SERVERS.execute("b", """
                    do $$ begin if to_regprocedure('shardedid_enter_later(integer)') is not null then
                      alter function shardedid_enter_later(integer) rename to shardedid_enter; end if; end $$""");
        }
    }

    /** No row is left whose trigger would refuse the statement. */
    private static void assertEnters(Photos photos) {
        SERVERS.execute("b", "set session_replication_role = replica; delete from photo");
        SERVERS.execute("b", "update shardedid_home set state = 'moved' where shard = 1500");
        try {
            assertMoved(() -> photos.renameAll(1500, "all"));
        }
        finally {
            SERVERS.execute("b", "update shardedid_home set state = 'here' where shard = 1500");
        }
    }

    private void comment(long photo, String text) {
        this.transactions.executeWithoutResult(
                (status) -> this.entities.persist(new Comment(this.entities.getReference(Photo.class, photo), text)));
    }

    private void assertCalls(long a, long b) {
        assertThat(SERVERS.calls("a")).as(() -> SERVERS.statements("a").toString()).isEqualTo(a);
        assertThat(SERVERS.calls("b")).as(() -> SERVERS.statements("b").toString()).isEqualTo(b);
    }

    private static void assertUnknown(String call, ThrowingCallable action) {
        assertThatThrownBy(action).isInstanceOf(ShardUnknownException.class)
            .hasMessageContaining("Could not choose a database: no shard is known: " + call)
            .hasMessageContaining("; give an id, the shard key, @ShardKey, or shards.inEach(…)");
    }

    private static CrossShardException crossing(ThrowingCallable action) {
        return catchThrowableOfType(CrossShardException.class, action);
    }

    private static void assertCross(ThrowingCallable action) {
        assertThatThrownBy(action).isInstanceOf(CrossShardException.class);
    }

    /** A class of an application whose exceptions Spring translates. */
    @Repository
    @Transactional
    static class Album {

        private final EntityManager entities;

        Album(EntityManager entities) {
            this.entities = entities;
        }

        void add(Photo photo) {
            this.entities.persist(photo);
            this.entities.flush();
        }

        void count() {
            this.entities.createQuery("select count(*) from Photo", Long.class).getSingleResult();
        }

    }

    /**
     * An event.
     *
     * @param action what happens after the commit
     */
    record Committed(Runnable action) {
    }

    /** A listener as applications have it. */
    static class AfterCommit {

        @TransactionalEventListener
        void committed(Committed event) {
            event.action().run();
        }

    }

    /** A page of a photo beside another one. */
    @RestController
    static class PhotoPage {

        private final Photos photos;

        private final Shards shards;

        PhotoPage(Photos photos, Shards shards) {
            this.photos = photos;
            this.shards = shards;
        }

        @GetMapping("/raw/{id}")
        String raw(@PathVariable("id") long id) {
            return this.photos.findById(id)
                .map(Photo::getCaption)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
        }

        @GetMapping("/in/{id}")
        String in(@PathVariable("id") long id) {
            return this.shards.inShardOf(id, () -> "found");
        }

        @GetMapping("/key/{key}")
        String key(@PathVariable("key") long key) {
            return this.shards.inShardFor(key, () -> "found");
        }

        @GetMapping("/photos/{beside}/{id}")
        String caption(@PathVariable("beside") long beside, @PathVariable("id") long id) {
            return this.shards.inShardOf(beside, () -> this.photos.findById(id))
                .map(Photo::getCaption)
                .orElseGet(() -> this.shards.inShardOf(id, () -> "none"));
        }

    }

    /** Puts another data source in the place of the router's. */
    static class WrappedDataSource implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return name.equals("dataSource") ? new Wrapper((DataSource) bean) : bean;
        }

        static final class Wrapper extends DelegatingDataSource {

            Wrapper(DataSource target) {
                super(target);
            }

        }

    }

}
