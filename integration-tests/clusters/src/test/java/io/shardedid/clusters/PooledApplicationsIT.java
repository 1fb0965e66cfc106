package io.shardedid.clusters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.shardedid.IdLayout;
import io.shardedid.move.ShardsCommand;
import io.shardedid.routing.Shards;
import io.shardedid.shards.ShardFence;
import io.shardedid.shards.ShardMovedException;
import io.shardedid.tools.FreePort;
import jakarta.persistence.EntityManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import photos.Photo;
import photos.PhotosApplication;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications whose every connection goes through a pooler: that of
 * {@code sharding/docs/routing.md} with its fence, and the sample.
 */
class PooledApplicationsIT {

    /** Fewer than the application has. */
    private static final int CONNECTIONS = 3;

    private static final int PHOTOS = 20;

    private static final String UNPREPARED = "?prepareThreshold=0";

    /** A mover is an account without any right above that of the owner. */
    private static final String OWNED = """
            DO $$ DECLARE r record; BEGIN
              IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'owner') THEN CREATE ROLE owner LOGIN; END IF;
              FOR r IN SELECT oid::regclass AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
                EXECUTE format('ALTER TABLE %s OWNER TO owner', r.name);
              END LOOP; END $$""";

    private static final String MAP_FROM_PRIMARY = "primary_routing_query_pattern_list = '.*shardedid_.*'";

    private static final Path SAMPLE = Path.of("../../sample-app/target/shardedid-sample-app-0.1.0-SNAPSHOT.jar");

    @TempDir
    private Path folder;

    @Test
    void routerFollowsAShardInTransactionMode() throws Exception {
        try (Postgres a = fenced("a");
                Postgres b = fenced("b");
                PgBouncer pooler = new PgBouncer(this.folder, "transaction", CONNECTIONS,
                        Map.of("a", at(a), "b", at(b)));
                ConfigurableApplicationContext application = photos(pooler.url("a") + UNPREPARED,
                        pooler.url("b") + UNPREPARED)) {
            List<String> rows = move(a, b, application);
            assertReads(application, rows);
        }
    }

    /** The lag would show the router an older map, in which the shard has not moved. */
    @Test
    void routerFollowsAShardThroughPgpoolWhoseStandbyIsBehind() throws Exception {
        try (Postgres a = fenced("a");
                Postgres standby = a.standby(this.folder.resolve("standby"));
                Postgres b = fenced("b");
                Pgpool pooler = new Pgpool(this.folder, a, standby, MAP_FROM_PRIMARY);
                ConfigurableApplicationContext application = photos(pooler.url(),
                        "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(b.port()))) {
            standby.execute("SELECT pg_wal_replay_pause()");
            List<String> rows = move(a, b, application);
            standby.execute("SELECT pg_wal_replay_resume()");
            Program.await("the standby has all rows", Duration.ofSeconds(30),
                    () -> standby.query("SELECT id FROM photo WHERE user_id = 1500").size() == rows.size());
            assertReads(application, rows);
        }
    }

    private Postgres fenced(String name) throws Exception {
        Postgres server = Postgres.start(this.folder.resolve(name), "fsync=off");
        server.execute("CREATE TABLE photo (id bigint PRIMARY KEY, user_id bigint NOT NULL, caption varchar(255))");
        server.execute(ShardFence.script(IdLayout.standard(), 2000, "photo"));
        return server;
    }

    private static ConfigurableApplicationContext photos(String a, String b) {
        return new SpringApplicationBuilder(PhotosApplication.class).run(
                "--spring.config.location=file:../routing/src/main/resources/", "--shardedid.databases.a.url=" + a,
                "--shardedid.databases.b.url=" + b, "--shardedid.databases.a.username=postgres",
                "--shardedid.databases.b.username=postgres");
    }

    /** Writes rows of two shards, and moves one of them to the other server meanwhile. */
    private static List<String> move(Postgres a, Postgres b, ConfigurableApplicationContext application)
            throws Exception {
        String lake = publish(application, 4);
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            rows.add(publish(application, 1500));
        }
        assertThat(a.query("SELECT id FROM photo")).containsExactly(lake);
        assertThat(b.query("SELECT id FROM photo ORDER BY id")).isEqualTo(rows);

        a.execute(OWNED);
        b.execute(OWNED);
        AtomicInteger refused = new AtomicInteger();
        CompletableFuture<?> move = CompletableFuture.runAsync(() -> moveBack(a, b));
        while (!move.isDone()) {
            try {
                rows.add(publish(application, 1500));
            }
            catch (ShardMovedException ex) {
                refused.incrementAndGet();
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        move.get();

        assertThat(refused).as("refusals of the fence").hasPositiveValue();
        assertThat(a.query("SELECT id FROM photo WHERE user_id = 1500 ORDER BY id")).isEqualTo(rows);
        return rows;
    }

    private static void assertReads(ConfigurableApplicationContext application, List<String> rows) {
        EntityManager entities = application.getBean(EntityManager.class);
        assertThat(entities.find(Photo.class, Long.valueOf(rows.get(0))).getCaption()).isEqualTo("a photo");
        Shards shards = application.getBean(Shards.class);
        assertThat(shards.merge(Comparator.comparing(Photo::getId).reversed(), 20,
                () -> entities.createQuery("from Photo order by id desc", Photo.class)
                    .setMaxResults(20)
                    .getResultList()))
            .hasSize(20)
            .first()
            .extracting((photo) -> photo.getId().toString())
            .isEqualTo(rows.get(rows.size() - 1));
    }

    private static String publish(ConfigurableApplicationContext application, long user) {
        Photo photo = new Photo(user, "a photo");
        application.getBean(TransactionTemplate.class)
            .executeWithoutResult((status) -> application.getBean(EntityManager.class).persist(photo));
        return photo.getId().toString();
    }

    /** A mover needs direct connections. */
    private static void moveBack(Postgres a, Postgres b) {
        try {
            Path config = Files.writeString(Files.createTempFile("databases", ".properties"), """
                    shardedid.databases.home=a
                    shardedid.databases.a.url=jdbc:postgresql://127.0.0.1:%s/postgres
                    shardedid.databases.a.username=owner
                    shardedid.databases.b.url=jdbc:postgresql://127.0.0.1:%s/postgres
                    shardedid.databases.b.username=owner
                    """.formatted(a.port(), b.port()));
            assertThat(
                    ShardsCommand.run(System.out, System.err, Map.of(), "move", "1500", "--to=a", "--config=" + config))
                .isZero();
        }
        catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String at(Postgres server) {
        return "host=127.0.0.1 port=" + server.port();
    }

    @Test
    void samplePublishesThroughPgBouncer() throws Exception {
        try (Postgres server = Postgres.start(this.folder.resolve("data"), "fsync=off");
                PgBouncer pooler = new PgBouncer(this.folder, "transaction", CONNECTIONS,
                        Map.of("sample", at(server)))) {
            assertPublishes(pooler.url("sample") + UNPREPARED);
            assertThat(server.query("SELECT count(*) <= %s FROM pg_stat_activity WHERE backend_type = 'client backend' "
                .formatted(CONNECTIONS + 1))).containsExactly("t");
        }
    }

    @Test
    void samplePublishesThroughPgpool() throws Exception {
        try (Postgres primary = Postgres.start(this.folder.resolve("primary"), "fsync=off");
                Postgres standby = primary.standby(this.folder.resolve("standby"));
                Pgpool pooler = new Pgpool(this.folder, primary, standby, "")) {
            assertPublishes(pooler.url());
        }
    }

    private void assertPublishes(String url) throws Exception {
        int port = FreePort.find();
        Program sample = Program.start(this.folder.resolve("sample.log"), Map.of(),
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx384m",
                        "-XX:TieredStopAtLevel=1", "-jar", SAMPLE.toString(), "--server.port=" + port,
                        "--spring.datasource.url=" + url, "--spring.datasource.username=postgres"));
        try {
            String address = "http://127.0.0.1:" + port;
            Program.await("the sample answers", Duration.ofMinutes(4),
                    () -> get(address + "/actuator/health").contains("\"UP\""));
            HttpRequest oneMore = HttpRequest.newBuilder(URI.create(address + "/photos/one-more"))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
            HttpClient client = HttpClient.newHttpClient();
            List<CompletableFuture<HttpResponse<Void>>> posts = IntStream.range(0, PHOTOS)
                .mapToObj((i) -> client.sendAsync(oneMore, HttpResponse.BodyHandlers.discarding()))
                .toList();
            assertThat(posts).as(() -> "log of the sample: " + this.folder.resolve("sample.log"))
                .extracting((post) -> post.join().statusCode())
                .containsOnly(302);
            Program.await("the feed shows the photos", Duration.ofSeconds(20),
                    () -> get(address + "/api/photos?limit=" + PHOTOS)
                        .split("\"caption\":\"One more\"").length == PHOTOS + 1);
        }
        finally {
            sample.close();
        }
    }

    private static String get(String address) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString())
            .body();
    }

}
