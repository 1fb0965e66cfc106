package io.shardedid.benchmarks.routing;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;

import io.shardedid.IdLayout;
import io.shardedid.shards.ShardFence;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The same application on one data source, behind the router and with ShardingSphere, in
 * one JVM and on the same table. They take turns within each round, in an order drawn
 * anew, and each round has a ratio of its own. Then starts with and without the module,
 * each in a JVM of its own.
 */
@SpringBootApplication(proxyBeanMethods = false)
class RoutingRounds {

    private static final long USER = 4;

    private static final int ROWS = 50;

    /** The rules of sharding/docs/shardingsphere.md for one table. */
    private static final String RULES = """
            dataSources:
              a:
                dataSourceClassName: com.zaxxer.hikari.HikariDataSource
                jdbcUrl: %s
              b:
                dataSourceClassName: com.zaxxer.hikari.HikariDataSource
                jdbcUrl: %s
            rules:
            - !SHARDING
              tables:
                photo:
                  actualDataNodes: a.photo, b.photo
                  databaseStrategy:
                    complex:
                      shardingColumns: id, user_id
                      shardingAlgorithmName: by_shard
              shardingAlgorithms:
                by_shard:
                  type: SHARDED_ID
                  props:
                    ids: id
                    keys: user_id
            """;

    private static final Random RANDOM = new Random(1);

    /**
     * Measures and prints two tables.
     * @param arguments the number of rounds; 0 does nothing; {@code start} and an URL
     * starts once
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("start")) {
            start(arguments[1]);
            return;
        }
        int rounds = Integer.parseInt(arguments[0]);
        if (rounds == 0) {
            return;
        }
        try (EmbeddedPostgres a = server(); EmbeddedPostgres b = server()) {
            requests(a, b, rounds);
            starts(url(a), rounds / 3);
        }
    }

    private static EmbeddedPostgres server() throws Exception {
        EmbeddedPostgres server = EmbeddedPostgres.builder()
            .setPGStartupWait(Duration.ofSeconds(90))
            .setServerConfig("fsync", "off")
            .start();
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "create table photo (id bigint primary key, user_id bigint not null, caption varchar(255) not null)");
        }
        return server;
    }

    private static String url(EmbeddedPostgres server) {
        return server.getJdbcUrl("postgres", "postgres");
    }

    private static void requests(EmbeddedPostgres a, EmbeddedPostgres b, int rounds) throws Exception {
        String[] databases = { "shardedid.databases.a.url=" + url(a), "shardedid.databases.b.url=" + url(b),
                "shardedid.databases.home=a", "shardedid.databases.initial-map=0-999: a, 1000-1999: b" };
        Map<String, Application> applications = new LinkedHashMap<>();
        applications.put("one data source",
                application("spring.datasource.url=" + url(a), "shardedid.routing.guard=off"));
        applications.put("router", application(databases));
        for (EmbeddedPostgres server : List.of(a, b)) {
            try (Connection connection = server.getPostgresDatabase().getConnection();
                    Statement statement = connection.createStatement()) {
                // functions and homes without the triggers, which would cost both the
                // same
                statement.execute(ShardFence.script(IdLayout.standard(), 2000));
            }
        }
        applications.put("router, fence", application(databases));
        applications.put("router, enter=transaction", application(withEnter(databases)));
        Path rules = Files.writeString(Files.createTempFile("databases", ".yaml"), RULES.formatted(url(a), url(b)));
        applications.put("ShardingSphere",
                application("spring.datasource.driver-class-name=org.apache.shardingsphere.driver.ShardingSphereDriver",
                        "spring.datasource.url=jdbc:shardingsphere:absolutepath:" + rules,
                        "shardedid.worker.lease.url=" + url(a), "shardedid.routing.guard=off"));
        List<Long> known = applications.values().iterator().next().photos.saveAll(rows(1000))
            .stream()
            .map(Photo::getId)
            .toList();
        Map<String, Map<String, List<double[]>>> measured = new LinkedHashMap<>();
        for (int round = -Math.max(5, rounds / 4); round < rounds; round++) {
            Map<String, Map<String, double[]>> times = new LinkedHashMap<>();
            for (Operation operation : Operation.values()) {
                List<String> names = new ArrayList<>(applications.keySet());
                Collections.shuffle(names, RANDOM);
                for (String name : names) {
                    times.computeIfAbsent(operation.text, (key) -> new LinkedHashMap<>())
                        .put(name, time(operation, Objects.requireNonNull(applications.get(name)), known));
                }
            }
            if (round >= 0) {
                times.forEach((operation, byName) -> byName
                    .forEach((name, time) -> measured.computeIfAbsent(operation, (key) -> new LinkedHashMap<>())
                        .computeIfAbsent(name, (key) -> new ArrayList<>())
                        .add(time)));
            }
        }
        System.out.println("| operation | application | CPU, µs | over one data source | wall over one data source |");
        System.out.println("|---|---|---|---|---|");
        measured.forEach((operation, byName) -> {
            List<double[]> one = Objects.requireNonNull(byName.get("one data source"));
            applications.keySet().forEach((name) -> {
                List<double[]> those = Objects.requireNonNull(byName.get(name));
                System.out.printf(Locale.ROOT, "| %s | %s | %.1f | %s | %s |%n", operation, name,
                        median(those.stream().map((time) -> time[0] / 1000).toList()), ratio(those, one, 0),
                        ratio(those, one, 1));
            });
        });
        applications.values().forEach((application) -> application.context.close());
    }

    private static String[] withEnter(String[] databases) {
        List<String> all = new ArrayList<>(List.of(databases));
        all.add("shardedid.databases.enter=transaction");
        return all.toArray(String[]::new);
    }

    private static double[] time(Operation operation, Application application, List<Long> known) {
        var threads = ManagementFactory.getThreadMXBean();
        List<Long> ids = IntStream.range(0, operation.times)
            .mapToObj((i) -> known.get(RANDOM.nextInt(known.size())))
            .toList();
        long cpu = threads.getCurrentThreadCpuTime();
        long wall = System.nanoTime();
        for (long id : ids) {
            operation.run(application, id);
        }
        return new double[] { (double) (threads.getCurrentThreadCpuTime() - cpu) / operation.times,
                (double) (System.nanoTime() - wall) / operation.times };
    }

    private static String ratio(List<double[]> those, List<double[]> one, int what) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < those.size(); i++) {
            ratios.add(those.get(i)[what] / one.get(i)[what]);
        }
        Collections.sort(ratios);
        int sixth = ratios.size() / 6;
        return String.format(Locale.ROOT, "%.3f (%.2f to %.2f)", median(ratios), ratios.get(sixth),
                ratios.get(ratios.size() - 1 - sixth));
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static List<Photo> rows(int many) {
        return IntStream.range(0, many).mapToObj((i) -> new Photo(USER, "row " + i)).toList();
    }

    private static Application application(String... properties) {
        return new Application(new SpringApplicationBuilder(RoutingRounds.class).web(WebApplicationType.NONE)
            .properties("spring.jpa.properties.hibernate.jdbc.batch_size=50", "spring.main.banner-mode=off",
                    "spring.jpa.open-in-view=false", "shardedid.worker.lease.initialize-schema=always",
                    "logging.level.root=error", "spring.jpa.hibernate.ddl-auto=none")
            .properties(properties)
            .run());
    }

    private static void starts(String url, int rounds) throws Exception {
        String with = System.getProperty("java.class.path");
        List<String> parts = new ArrayList<>(List.of(with.split(File.pathSeparator)));
        Path own = Path.of(RoutingRounds.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        parts.removeIf((part) -> !Path.of(part).equals(own)
                && (part.endsWith("/routing/target/classes") || part.contains("/shardedid-routing-0")));
        String without = String.join(File.pathSeparator, parts);
        List<double[]> absent = new ArrayList<>();
        List<double[]> present = new ArrayList<>();
        for (int round = -1; round < rounds; round++) {
            double[] one = forked(without, url);
            double[] other = forked(with, url);
            if (round >= 0) {
                absent.add(one);
                present.add(other);
            }
        }
        System.out.printf(Locale.ROOT,
                "%nStart without the module: %.0f ms of CPU, %.0f ms. With the linter: CPU %s, wall %s%n",
                median(absent.stream().map((time) -> time[0]).toList()),
                median(absent.stream().map((time) -> time[1]).toList()), ratio(present, absent, 0),
                ratio(present, absent, 1));
    }

    private static double[] forked(String classPath, String url) throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                classPath, RoutingRounds.class.getName(), "start", url)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        String[] times = output.substring(output.lastIndexOf('\n') + 1).split(" ");
        return new double[] { Double.parseDouble(times[0]), Double.parseDouble(times[1]) };
    }

    private static void start(String url) {
        try (Application started = application("spring.datasource.url=" + url)) {
            var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            started.photos.count();
            System.out.println(system.getProcessCpuTime() / 1_000_000 + " "
                    + (System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime()));
        }
    }

    /** What is measured. */
    private enum Operation {

        FIND("`findById`", 1000) {

            @Override
            void run(Application application, long id) {
                application.photos.findById(id);
            }

        },

        SAVE_ALL("`saveAll` of 50 rows", 40) {

            @Override
            void run(Application application, long id) {
                application.photos.saveAll(rows(ROWS));
            }

        },

        PERSIST("50 × `persist`, one transaction", 40) {

            @Override
            void run(Application application, long id) {
                application.transactions
                    .executeWithoutResult((status) -> rows(ROWS).forEach(application.entities::persist));
            }

        };

        private final String text;

        private final int times;

        Operation(String text, int times) {
            this.text = text;
            this.times = times;
        }

        abstract void run(Application application, long id);

    }

    /** A running application. */
    private static final class Application implements AutoCloseable {

        private final ConfigurableApplicationContext context;

        private final Photos photos;

        private final EntityManager entities;

        private final TransactionTemplate transactions;

        Application(ConfigurableApplicationContext context) {
            this.context = context;
            this.photos = context.getBean(Photos.class);
            this.entities = SharedEntityManagerCreator
                .createSharedEntityManager(context.getBean(EntityManagerFactory.class));
            this.transactions = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        }

        @Override
        public void close() {
            this.context.close();
        }

    }

}
