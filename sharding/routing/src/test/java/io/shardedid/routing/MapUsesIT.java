package io.shardedid.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.acme.photos.Feed;
import com.acme.photos.Photo;
import com.acme.photos.Photos;
import com.acme.photos.PhotosApplication;
import com.zaxxer.hikari.HikariDataSource;
import io.shardedid.shards.ShardDirectory;
import io.shardedid.shards.ShardMap;
import io.shardedid.shards.ShardRouter;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A router confirms that a shard has moved only when nobody in its process uses the old
 * home any more. Each test does what a mover does: it copies the rows, closes and opens,
 * changes the map, waits for the router, and deletes the rows.
 */
@Tag("database")
@Tag("proof")
class MapUsesIT {

    private static final TwoServers SERVERS = TwoServers.SERVERS;

    /** In shard 1500, which is in {@code b} at first. */
    private static final long USER = 1500;

    /** The calls that are meant to fail. */
    private static final Set<String> FAIL = Set.of("wrong", "crossing", "suspended", "error", "read as a cursor");

    private static ConfigurableApplicationContext application;

    private Photos photos;

    private Shards shards;

    private ShardDirectory directory;

    private long id;

    @BeforeAll
    static void starts() {
        SERVERS.makeTables();
        SERVERS.fence("photo", "comment");
        application = start("uses", 2);
    }

    @AfterAll
    static void ends() {
        application.close();
    }

    private static ConfigurableApplicationContext start(String namespace, int connections, Class<?>... more) {
        return new SpringApplicationBuilder(PhotosApplication.class).sources(more)
            .web(WebApplicationType.NONE)
            .properties(TwoDatabasesIT.PROPERTIES.lines().toArray(String[]::new))
            .properties("shardedid.databases.a.url=" + SERVERS.url("a"),
                    "shardedid.databases.b.url=" + SERVERS.url("b"), "shardedid.worker.lease.namespace=" + namespace)
            .run("--shardedid.databases.a.hikari.maximum-pool-size=" + connections,
                    "--shardedid.databases.b.hikari.maximum-pool-size=" + connections,
                    // sixty readers wait for two connections, on a busy machine, too
                    "--shardedid.databases.a.hikari.connection-timeout=60000",
                    "--shardedid.databases.b.hikari.connection-timeout=60000");
    }

    @BeforeEach
    void rows() {
        use(application);
        SERVERS.makeTables();
        this.id = this.photos.save(new Photo(USER, "a river")).getId();
        this.photos.save(new Photo(4, "a lake"));
    }

    @AfterEach
    void homes() {
        SERVERS.execute("a", "update shardedid_home set state = 'here'");
        SERVERS.execute("b", "update shardedid_home set state = 'here'");
        changeMap("uses", "b");
        application.getBean(ShardDirectory.class).refresh();
    }

    private void use(ConfigurableApplicationContext context) {
        this.photos = context.getBean(Photos.class);
        this.shards = context.getBean(Shards.class);
        this.directory = context.getBean(ShardDirectory.class);
    }

    /** The connection is waited for in the pool of the old home. */
    @Test
    void callThatWaitsForAConnectionKeepsItsShardFromBeingEmptied() throws Exception {
        assertThat(confirmsWhileACallWaits("uses", application)).isFalse();
    }

    /** The broken variant, which the test above finds. */
    @Test
    void routerThatCountsNoUsesConfirmsTooSoon() throws Exception {
        try (ConfigurableApplicationContext other = start("no-uses", 2, CountsNoUses.class)) {
            use(other);
            this.id = this.photos.save(new Photo(USER, "a river of its own")).getId();
            assertThat(confirmsWhileACallWaits("no-uses", other)).isTrue();
        }
    }

    /** Returns whether the new version is confirmed while a call of the old one waits. */
    private boolean confirmsWhileACallWaits(String namespace, ConfigurableApplicationContext context) throws Exception {
        HikariDataSource pool = context.getBean("bDatabase", HikariDataSource.class);
        List<Connection> taken = new ArrayList<>();
        boolean confirmed;
        CompletableFuture<Boolean> found = new CompletableFuture<>();
        try {
            for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
                taken.add(pool.getConnection());
            }
            found.completeAsync(() -> this.photos.findById(this.id).isPresent());
            await(() -> found.isDone() || pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
            assertThat(found).isNotDone();
            copy("b", "a");
            changeMap(namespace, "a");
            confirmed = this.directory.refresh().version() == versionSeen();
            assertThat(this.shards.map().databaseOf((int) USER)).isEqualTo("a");
        }
        finally {
            for (Connection connection : taken) {
                connection.close();
            }
        }
        assertThat(found.orTimeout(60, TimeUnit.SECONDS).join()).isTrue();
        await(() -> versionSeen() == this.shards.map().version());
        return confirmed;
    }

    /** Nothing was done on the connection that came, so that another one is taken. */
    @Test
    void connectionThatCameTooLateIsGivenBack() throws Exception {
        HikariDataSource pool = application.getBean("bDatabase", HikariDataSource.class);
        CompletableFuture<String> found;
        try (Connection one = pool.getConnection(); Connection other = pool.getConnection()) {
            found = CompletableFuture.supplyAsync(() -> this.photos.findById(this.id).orElseThrow().getCaption());
            await(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
            copy("b", "a");
            SERVERS.execute("a", "update photo set caption = 'a new home' where user_id = 1500");
            changeMap("uses", "a");
            this.directory.refresh();
            assertThat(one).isNotSameAs(other);
        }
        assertThat(found.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo("a new home");
    }

    @Test
    void noReadIsEmptyWhileSixtyReadersShareTwoConnections() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong reads = new AtomicLong();
        AtomicLong empty = new AtomicLong();
        List<Throwable> faults = new CopyOnWriteArrayList<>();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Thread reader = new Thread(() -> {
                while (!stop.get()) {
                    if (this.photos.findById(this.id).isEmpty()) {
                        empty.incrementAndGet();
                    }
                    reads.incrementAndGet();
                }
            });
            reader.setUncaughtExceptionHandler((thread, fault) -> faults.add(fault));
            readers.add(reader);
            reader.start();
        }
        try {
            for (int moves = 0; moves < 4; moves++) {
                long before = reads.get();
                await(() -> reads.get() > before + 200);
                String from = (moves % 2 == 0) ? "b" : "a";
                String to = (moves % 2 == 0) ? "a" : "b";
                copy(from, to);
                changeMap("uses", to);
                this.directory.refresh();
                await(() -> versionSeen() == this.shards.map().version());
                empty(from);
            }
        }
        finally {
            stop.set(true);
            for (Thread reader : readers) {
                reader.join();
            }
        }
        assertThat(faults).isEmpty();
        assertThat(empty).as("of %s reads", reads).hasValue(0);
    }

    @Test
    void scopeFollowsItsShardWhileItIsOpen() {
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        EntityManager entities = application.getBean(EntityManager.class);
        this.shards.inShardFor(USER, () -> {
            assertThat(jdbc.queryForList("select caption from photo", String.class)).containsExactly("a river");
            copy("b", "a");
            changeMap("uses", "a");
            assertThat(versionSeen()).as("no use is left").isEqualTo(this.directory.refresh().version());
            empty("b");

            assertThat(jdbc.queryForList("select caption from photo where user_id = 1500", String.class))
                .containsExactly("a river");
            assertThat(jdbc.update("update photo set caption = 'one' where user_id = 1500")).isOne();
            application.getBean(TransactionTemplate.class)
                .executeWithoutResult((status) -> assertThat(
                        entities.createQuery("update Photo set caption = 'two' where userId = 1500").executeUpdate())
                    .isOne());
            this.photos.save(new Photo(USER, "three"));
        });
        assertThat(SERVERS.query("a", "select caption from photo where user_id = 1500 order by id"))
            .containsExactly("two", "three");
    }

    /**
     * A transaction goes on where it has begun, and the rows stay there until its end.
     */
    @Test
    void transactionKeepsItsDatabaseAndItsRows() {
        application.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
            this.photos.findById(this.id);
            long before = versionSeen();
            copy("b", "a");
            changeMap("uses", "a");
            assertThat(this.directory.refresh().version()).isGreaterThan(before);
            assertThat(versionSeen()).isEqualTo(before);
            assertThat(application.getBean(JdbcTemplate.class)
                .queryForObject("select count(*) from photo where user_id = 1500", Long.class)).isOne();
        });
        assertThat(versionSeen()).isEqualTo(this.directory.refresh().version());
    }

    /** Each of these uses shard 1500, and nothing of that is left afterwards. */
    @Test
    void useEndsWithItsTransactionOrItsConnectionHoweverThatEnds() {
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        Feed feed = application.getBean(Feed.class);
        TransactionTemplate transactions = application.getBean(TransactionTemplate.class);
        long inA = this.photos.findByUserIdOrderByIdDesc(4).get(0).getId();
        Map<String, Runnable> calls = Map.ofEntries(Map.entry("find", () -> this.photos.findById(this.id)),
                Map.entry("exists", () -> this.photos.existsById(this.id)),
                Map.entry("derived", () -> this.photos.findByUserIdOrderByIdDesc(USER)),
                Map.entry("entity manager", () -> application.getBean(EntityManager.class).find(Photo.class, this.id)),
                Map.entry("several", () -> this.photos.findAllById(List.of(inA, this.id))),
                Map.entry("jdbc", () -> this.shards.inShardOf(this.id, () -> jdbc.queryForList("select 1"))),
                Map.entry("wrong", () -> this.shards.inShardOf(this.id, () -> jdbc.queryForList("select nonsense"))),
                Map.entry("stream", () -> this.shards.inShardOf(this.id, () -> {
                    try (Stream<String> captions = jdbc.queryForStream("select caption from photo where user_id > ?",
                            (row, number) -> row.getString(1), 0)) {
                        assertThat(captions).isNotEmpty();
                    }
                })), Map.entry("found at a statement", () -> closing((connection) -> {
                    Statement statement = connection.createStatement();
                    return statement.getConnection();
                })), Map.entry("found at a prepared statement", () -> closing((connection) -> {
                    PreparedStatement statement = connection.prepareStatement("select 1");
                    return statement.executeQuery().getStatement().getConnection();
                })), Map.entry("found at generated keys", () -> closing((connection) -> {
                    Statement statement = connection.createStatement();
                    statement.executeUpdate("update photo set caption = ''", Statement.RETURN_GENERATED_KEYS);
                    return statement.getGeneratedKeys().getStatement().getConnection();
                })),
                Map.entry("found at the metadata",
                        () -> closing((connection) -> connection.getMetaData().getConnection())),
                Map.entry("found at rows of the metadata",
                        () -> closing(
                                (connection) -> connection.getMetaData().getSchemas().getStatement().getConnection())),
                Map.entry("closed twice", () -> closing((connection) -> {
                    connection.close();
                    return connection;
                })), Map.entry("read as a cursor", () -> this.shards.inShardOf(this.id, () -> {
                    try (Stream<?> rows = application.getBean(EntityManager.class)
                        .createQuery("select caption from Photo")
                        .getResultStream()) {
                        assertThat(rows).isNotEmpty();
                    }
                })), Map.entry("session", () -> this.shards.inShardOf(this.id, () -> {
                    try (var session = application.getBean(EntityManagerFactory.class)
                        .unwrap(SessionFactory.class)
                        .openStatelessSession()) {
                        session.get(Photo.class, this.id);
                    }
                })), Map.entry("each", () -> this.shards.inEach(() -> this.photos.count())),
                Map.entry("merge",
                        () -> this.shards.merge(Comparator.comparing(Photo::getId), 1,
                                this.photos::findTop20ByOrderByIdDesc)),
                Map.entry("crossing", () -> feed.renameBoth(this.id, inA, "both")),
                Map.entry("suspended", () -> transactions.executeWithoutResult((status) -> {
                    this.photos.findById(this.id);
                    feed.renameApart(inA, "inner");
                    throw new IllegalStateException("rolls back");
                })), Map.entry("error", () -> transactions.executeWithoutResult((status) -> {
                    this.photos.findById(this.id);
                    throw new AssertionError("an error");
                })), Map.entry("reference", () -> transactions.executeWithoutResult((status) -> {
                    this.photos.getReferenceById(this.id);
                    status.setRollbackOnly();
                })));
        calls.forEach((name, call) -> {
            try {
                call.run();
            }
            catch (RuntimeException | AssertionError ex) {
                // its use ends all the same
                assertThat(FAIL).as("%s: %s", name, ex).contains(name);
            }
            changeMap("uses", "a");
            assertThat(this.directory.refresh().version()).as(name).isEqualTo(versionSeen());
            changeMap("uses", "b");
            assertThat(this.directory.refresh().version()).as(name).isEqualTo(versionSeen());
        });
    }

    /** Closes the connection that is found at what comes from another one. */
    private void closing(SqlFunction found) {
        DataSource source = application.getBean(DataSource.class);
        this.shards.inShardOf(this.id, () -> {
            try {
                found.at(source.getConnection()).close();
            }
            catch (SQLException ex) {
                throw new IllegalStateException(ex);
            }
        });
    }

    private interface SqlFunction {

        Connection at(Connection connection) throws SQLException;

    }

    /** Copies the rows of the user, and lets writers go to the copy alone. */
    private static void copy(String from, String to) {
        SERVERS.query(from, "select format('%s, %s, %L', id, user_id, caption) from photo where user_id = 1500")
            .forEach((row) -> SERVERS.execute(to,
                    "set session_replication_role = replica; insert into photo (id, user_id, caption) values (%s)"
                        .formatted(row)));
        SERVERS.execute(from, "update shardedid_home set state = 'moved' where shard = 1500");
        SERVERS.execute(to, "update shardedid_home set state = 'here' where shard = 1500");
    }

    private static void changeMap(String namespace, String to) {
        SERVERS.execute("a", """
                update shardedid_shard set version = version + 1 where namespace = '%1$s' and shard = -1;
                update shardedid_shard set home = '%2$s', version =
                  (select version from shardedid_shard where namespace = '%1$s' and shard = -1)
                  where namespace = '%1$s' and shard = 1500""".formatted(namespace, to));
    }

    /** Waits for transactions that have begun, as a mover does, and deletes the rows. */
    private static void empty(String database) {
        String now = SERVERS.query(database, "select clock_timestamp()").get(0);
        await(() -> SERVERS.query(database, """
                select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
                  and xact_start < '%s'""".formatted(now)).isEmpty());
        SERVERS.execute(database, "set session_replication_role = replica; delete from photo where user_id = 1500");
    }

    private long versionSeen() {
        return this.directory.routers().stream().mapToLong(ShardRouter::versionSeen).min().orElseThrow();
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** A directory that knows the map, and counts nobody who uses it. */
    static class CountsNoUses implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return (bean instanceof ShardDirectory counting) ? new Uncounted(counting) : bean;
        }

    }

    /**
     * The broken variant.
     *
     * @param counting the directory that it would be
     */
    private record Uncounted(ShardDirectory counting) implements ShardDirectory {

        @Override
        public ShardMap current() {
            return this.counting.current();
        }

        @Override
        public Use use(int shard) {
            Use use = this.counting.use(shard);
            use.close();
            return use;
        }

        @Override
        public Use useAll() {
            Use use = this.counting.useAll();
            use.close();
            return use;
        }

        @Override
        public ShardMap refresh() {
            return this.counting.refresh();
        }

        @Override
        public void onChange(Consumer<? super ShardMap> listener) {
            this.counting.onChange(listener);
        }

        @Override
        public String problem() {
            return this.counting.problem();
        }

        @Override
        public List<ShardRouter> routers() {
            return this.counting.routers();
        }

        @Override
        public Map<Integer, String> settled() {
            return this.counting.settled();
        }

        @Override
        public void close() {
            this.counting.close();
        }

    }

}
