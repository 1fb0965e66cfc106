package io.shardedid.reactive;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.shardedid.IdLayout;
import io.shardedid.JdbcWorkerLeases;
import io.shardedid.LeaseSettings;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.internal.config.ShardedIdSettings;
import io.shardedid.internal.lease.fleet.Signals;
import io.shardedid.testdb.PostgresMajor;
import io.shardedid.tools.ProofLength;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.reactive.provider.ReactiveServiceRegistryBuilder;
import org.hibernate.reactive.stage.Stage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import photos.Retries;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rows that sessions of Hibernate Reactive write to PostgreSQL, and a second server with
 * the leases, which stands still meanwhile.
 */
class ReactiveIT {

    private static final int SESSIONS = 64;

    private static final int PHOTOS = 20;

    private static final int COMMENTS = 49;

    private static final Duration AWAY = ProofLength.of(Duration.ofSeconds(12), Duration.ofMinutes(1));

    private static EmbeddedPostgres rows;

    private static EmbeddedPostgres leases;

    private static ProcessHandle leasesServer;

    @BeforeAll
    static void start() throws Exception {
        rows = PostgresMajor.V18.server().setServerConfig("fsync", "off").start();
        leases = PostgresMajor.V18.server().setServerConfig("fsync", "off").start();
        try (Connection connection = leases.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(new String(
                    ShardedIds.class.getResourceAsStream("/io/shardedid/lease-table-postgresql.sql").readAllBytes()));
            try (ResultSet folder = statement.executeQuery("show data_directory")) {
                folder.next();
                String process = Files.readAllLines(Path.of(folder.getString(1), "postmaster.pid")).get(0);
                leasesServer = ProcessHandle.of(Long.parseLong(process.strip())).orElseThrow();
            }
        }
    }

    @AfterAll
    static void stop() throws IOException {
        rows.close();
        leases.close();
    }

    @BeforeEach
    void createTables() throws SQLException {
        execute("drop table if exists comment, photo");
        execute("create table photo (id bigint primary key, userId bigint not null, caption varchar(255))");
        execute("create table comment (id bigint primary key, photo_id bigint not null references photo)");
    }

    @Test
    void sessionsWriteParentsAndChildrenAndNoCallerWaits() throws Exception {
        try (SessionFactory factory = factory(Map.of("shardedid.worker.lease.url", url(leases),
                "shardedid.worker.lease.username", "postgres", "shardedid.worker.lease.window", "5s"))) {
            Stage.SessionFactory stage = factory.unwrap(Stage.SessionFactory.class);
            LongAdder refused = new LongAdder();
            List<CompletionStage<Void>> all = new ArrayList<>();
            for (int user = 0; user < SESSIONS; user++) {
                long of = user;
                all.add(retried(
                        () -> (of % 2 == 0)
                                ? stage.withTransaction((session, transaction) -> session.persist(album(of).toArray()))
                                : stage.withStatelessTransaction((session, transaction) -> insert(session, album(of))),
                        refused));
            }
            await(all);
            long before = rows("photo");
            ShardedIdEngine engine = ShardedIdEngine.openInThisJvm().get(0);

            // the server of the leases answers nothing, and then goes on
            all.clear();
            signal("STOP");
            try {
                for (long until = System.nanoTime() + AWAY.toNanos(); System.nanoTime() < until;) {
                    long user = all.size();
                    all.add(retried(
                            () -> stage.withTransaction((session, transaction) -> session.persist(new Photo(user))),
                            refused));
                    TimeUnit.MILLISECONDS.sleep(20);
                }
            }
            finally {
                signal("CONT");
            }
            await(all);

            System.out.printf(
                    "reactive: rows=%,d, written while the leases were away=%,d, refused calls=%,d, parked=%s%n",
                    rows("photo") + rows("comment"), all.size(), refused.sum(), engine.stats().waits());
            assertThat(before).isEqualTo(SESSIONS * PHOTOS);
            assertThat(rows("photo")).isEqualTo(before + all.size());
            assertThat(rows("comment")).isEqualTo(SESSIONS * PHOTOS * COMMENTS);
            assertThat(refused.sum()).isPositive();
            assertThat(engine.stats().waits()).as("parked callers").isZero();
            assertShards();
        }
    }

    /** The keeper alone talks to the database. */
    @Test
    void noEventLoopParksOrCallsJdbc() throws Exception {
        Calls calls = new Calls();
        try (ShardedIdEngine engine = engine(calls);
                SessionFactory factory = factory(Map.of(ShardedIdSettings.ENGINE, engine))) {
            writeWhileLeasesAreAway(factory.unwrap(Stage.SessionFactory.class));
            assertThat(engine.stats().waits()).as("parked callers").isZero();
        }
        assertThat(calls.onOtherThreads.sum()).isPositive();
        assertThat(calls.onEventLoops.sum()).isZero();
    }

    /** What the test before would not see without its count. */
    @Test
    void variantThatWaitsParksEventLoops() throws Exception {
        try (ShardedIdEngine engine = engine(new Calls())) {
            ShardedIdEngine waiting = (ShardedIdEngine) Proxy.newProxyInstance(getClass().getClassLoader(),
                    new Class<?>[] { ShardedIdEngine.class }, (proxy, method, arguments) -> {
                        if (method.getName().equals("withoutWaiting")) {
                            return engine;
                        }
                        try {
                            return method.invoke(engine, arguments);
                        }
                        catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    });
            try (SessionFactory factory = factory(Map.of(ShardedIdSettings.ENGINE, waiting))) {
                writeWhileLeasesAreAway(factory.unwrap(Stage.SessionFactory.class));
            }
            assertThat(engine.stats().waits()).isPositive();
        }
    }

    private static void writeWhileLeasesAreAway(Stage.SessionFactory stage) throws Exception {
        LongAdder refused = new LongAdder();
        List<CompletionStage<Void>> all = new ArrayList<>();
        signal("STOP");
        try {
            for (long until = System.nanoTime() + Duration.ofSeconds(6).toNanos(); System.nanoTime() < until;) {
                long user = all.size();
                all.add(retried(() -> stage.withTransaction((session, transaction) -> session.persist(new Photo(user))),
                        refused));
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
        finally {
            signal("CONT");
        }
        await(all);
        assertThat(refused.sum()).isPositive();
        assertThat(rows("photo")).isEqualTo(all.size());
    }

    private static ShardedIdEngine engine(Calls calls) {
        return ShardedIds.builder()
            .maxWait(Duration.ofSeconds(1))
            .workers(JdbcWorkerLeases.leased(calls.recorded(leases.getPostgresDatabase()),
                    LeaseSettings.builder().window(Duration.ofSeconds(3)).build()))
            .open();
    }

    private static SessionFactory factory(Map<String, Object> more) {
        Configuration configuration = new Configuration().addAnnotatedClass(Photo.class)
            .addAnnotatedClass(Comment.class)
            .setProperty("jakarta.persistence.jdbc.url", url(rows))
            .setProperty("jakarta.persistence.jdbc.user", "postgres")
            .setProperty("jakarta.persistence.jdbc.password", "postgres")
            .setProperty("hibernate.connection.pool_size", "8")
            .setProperty("hibernate.jdbc.batch_size", "50")
            .setProperty("hibernate.order_inserts", "true");
        configuration.getProperties().putAll(more);
        return configuration.buildSessionFactory(
                new ReactiveServiceRegistryBuilder().applySettings(configuration.getProperties()).build());
    }

    /** For longer than the leases are away. */
    private static CompletionStage<Void> retried(Supplier<CompletionStage<Void>> work, LongAdder refused) {
        return Retries.retried(10_000, () -> work.get().whenComplete((nothing, failure) -> {
            if (failure != null) {
                refused.increment();
            }
        }));
    }

    private static void await(List<CompletionStage<Void>> all) throws Exception {
        CompletableFuture
            .allOf(all.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new))
            .get(2, TimeUnit.MINUTES);
    }

    /** Photos, and behind them their comments. */
    private static List<Object> album(long user) {
        List<Photo> photos = IntStream.range(0, PHOTOS).mapToObj((photo) -> new Photo(user)).toList();
        Stream<Comment> comments = photos.stream()
            .flatMap((photo) -> IntStream.range(0, COMMENTS).mapToObj((comment) -> new Comment(photo)));
        return Stream.concat(photos.stream(), comments).map(Object.class::cast).toList();
    }

    private static CompletionStage<Void> insert(Stage.StatelessSession session, List<Object> album) {
        return session.insertMultiple(album.subList(0, PHOTOS))
            .thenCompose((nothing) -> session.insertMultiple(album.subList(PHOTOS, album.size())));
    }

    private static void assertShards() throws SQLException {
        IdLayout layout = IdLayout.standard();
        try (Connection connection = rows.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "select p.id, p.userId, c.id from photo p " + "left join comment c on c.photo_id = p.id")) {
            while (result.next()) {
                assertThat(layout.shardOf(result.getLong(1))).isEqualTo((int) (result.getLong(2) % 2000));
                long comment = result.getLong(3);
                if (!result.wasNull()) {
                    assertThat(layout.shardOf(comment)).isEqualTo(layout.shardOf(result.getLong(1)));
                }
            }
        }
    }

    private static long rows(String table) throws SQLException {
        try (Connection connection = rows.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("select count(*) from " + table)) {
            result.next();
            return result.getLong(1);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = rows.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String url(EmbeddedPostgres server) {
        return "jdbc:postgresql://localhost:%s/postgres".formatted(server.getPort());
    }

    /** To the server of the leases and all its processes. */
    private static void signal(String signal) {
        Stream.concat(Stream.of(leasesServer), leasesServer.descendants())
            .forEach((process) -> Signals.send(signal, process.pid()));
    }

    /** Counts the calls into JDBC. */
    private static final class Calls {

        private final LongAdder onEventLoops = new LongAdder();

        private final LongAdder onOtherThreads = new LongAdder();

        DataSource recorded(DataSource database) {
            return recorded(DataSource.class, database);
        }

        private <T> T recorded(Class<T> type, T real) {
            return type.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { type },
                    (proxy, method, arguments) -> {
                        boolean eventLoop = Thread.currentThread().getName().startsWith("vert.x-eventloop");
                        (eventLoop ? this.onEventLoops : this.onOtherThreads).increment();
                        try {
                            Object result = method.invoke(real, arguments);
                            return (result instanceof Connection connection) ? recorded(Connection.class, connection)
                                    : result;
                        }
                        catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    }));
        }

    }

    @Entity(name = "Photo")
    static class Photo {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

        String caption = "a photo";

        Photo() {
        }

        Photo(long userId) {
            this.userId = userId;
        }

    }

    @Entity(name = "Comment")
    static class Comment {

        @Id
        @ShardedId(shardKey = "photo")
        Long id;

        @ManyToOne(fetch = FetchType.LAZY)
        Photo photo;

        Comment() {
        }

        Comment(Photo photo) {
            this.photo = photo;
        }

    }

}
