package alerts;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.boot.LeaseMonitor;
import io.shardedid.tools.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an application shows to Prometheus in each trouble, and which of the rules fire
 * for it. {@code promtool} lets ten minutes of health and fifteen of the trouble pass.
 */
@Tag("proof")
class AlertsIT {

    private static final Path RULES = Path.of("../../docs/alerts.yml").toAbsolutePath().normalize();

    private static final Pattern SAMPLE = Pattern.compile("(?m)^(shardedid_\\w+(?:\\{[^}]*})?) (\\S+)$");

    private static final Duration SCRAPE = Duration.ofSeconds(15);

    private static final int HEALTHY = 40;

    private static final int TROUBLED = 60;

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    private int port;

    @Test
    void eachRuleFiresForItsTrouble() throws Exception {
        Set<String> fired = new TreeSet<>();
        EmbeddedPostgres server = EmbeddedPostgres.builder()
            .setPort(FreePort.find())
            .setPGStartupWait(Duration.ofSeconds(90))
            .start();
        try (ConfigurableApplicationContext application = start(server)) {
            ShardedIdEngine ids = application.getBean(ShardedIdEngine.class);
            ids.next(1);
            Scrape healthy = await((samples) -> samples.get("shardedid_worker_id") >= 0);
            assertThat(fires(healthy, shown())).isEmpty();

            AtomicBoolean ended = new AtomicBoolean();
            Thread burst = new Thread(() -> {
                while (!ended.get()) {
                    ids.next(1, new long[10_000]);
                }
            });
            burst.start();
            Scrape busy = await((samples) -> samples.get("shardedid_wait_seconds_sum") > 2);
            ended.set(true);
            burst.join();
            fired.addAll(expect(healthy, busy, "ShardedIdAhead", "ShardedIdSequenceExhausted", "ShardedIdWaits"));

            healthy = await((samples) -> samples.get("shardedid_ahead_seconds") < 0.1);
            application.getBean(LeaseMonitor.class).skewed(Duration.ofSeconds(12));
            fired.addAll(expect(healthy, shown(), "ShardedIdClockSkew"));
            application.getBean(LeaseMonitor.class).skewed(Duration.ZERO);

            healthy = shown();
            execute(server, "UPDATE shardedid_worker SET token = 'another process', fence = fence + 1, "
                    + "hwm_tick = hwm_tick + 120000, lease_until = lease_until + 60000 WHERE worker_id >= 0");
            fired.addAll(expect(healthy, awaitAgain("shardedid_lease_lost_total"), "ShardedIdLeaseLost"));

            healthy = await((samples) -> samples.get("shardedid_worker_id") >= 0);
            ids.next(1);
            execute(server, "UPDATE shardedid_worker SET token = 'with a lower mark', hwm_tick = 0 "
                    + "WHERE worker_id >= 0 AND token <> 'another process'");
            ids.next(1);
            fired.addAll(expect(healthy, awaitAgain("shardedid_lease_violations_total"), "ShardedIdDuplicateIds",
                    "ShardedIdLeaseLost"));
        }
        try (ConfigurableApplicationContext application = start(server)) {
            application.getBean(ShardedIdEngine.class).next(1);
            Scrape healthy = await((samples) -> samples.get("shardedid_worker_id") >= 0);
            server.close();
            fired.addAll(expect(healthy, await((samples) -> samples.get("shardedid_lease_remaining_seconds") == 0),
                    "ShardedIdNoIds", "ShardedIdRenewalsFail"));
        }
        assertThat(fired).isEqualTo(rules());
    }

    private ConfigurableApplicationContext start(EmbeddedPostgres server) {
        ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class).run(
                "--server.port=0", "--management.endpoints.web.exposure.include=prometheus",
                "--spring.datasource.url=jdbc:postgresql://127.0.0.1:%s/postgres".formatted(server.getPort()),
                "--spring.datasource.username=postgres", "--shardedid.worker.lease.initialize-schema=always");
        this.port = application.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
        return application;
    }

    private static void execute(EmbeddedPostgres server, String sql) throws SQLException {
        try (Connection connection = DriverManager
            .getConnection("jdbc:postgresql://127.0.0.1:%s/postgres".formatted(server.getPort()), "postgres", "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Reads what is shown until it is as wanted, for at most two minutes. */
    private Scrape await(Predicate<Map<String, Double>> wanted) throws Exception {
        long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (true) {
            Scrape scrape = shown();
            if (wanted.test(scrape.samples())) {
                return scrape;
            }
            assertThat(scrape.nanos() - until).as("%s", scrape).isNegative();
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** Something was counted, and the next lease is there. */
    private Scrape awaitAgain(String counted) throws Exception {
        return await((samples) -> samples.get(counted) > 0 && samples.get("shardedid_lease_remaining_seconds") > 0);
    }

    private Scrape shown() throws IOException, InterruptedException {
        String shown = this.client
            .send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%s/actuator/prometheus".formatted(this.port)))
                .build(), HttpResponse.BodyHandlers.ofString())
            .body();
        Map<String, Double> samples = new TreeMap<>();
        for (Matcher sample = SAMPLE.matcher(shown); sample.find();) {
            samples.put(sample.group(1), Double.valueOf(sample.group(2)));
        }
        return new Scrape(System.nanoTime(), samples);
    }

    private Set<String> expect(Scrape healthy, Scrape troubled, String... rules) throws Exception {
        Set<String> fires = fires(healthy, troubled);
        assertThat(fires).containsExactlyInAnyOrder(rules);
        return fires;
    }

    /** The rules that fire when one state has followed the other one. */
    private Set<String> fires(Scrape healthy, Scrape troubled) throws Exception {
        Set<String> fires = new TreeSet<>();
        for (String rule : rules()) {
            assertThat(alerts(rule, HEALTHY - 1, healthy, troubled)).as("%s fires before", rule).isFalse();
            if (alerts(rule, HEALTHY + TROUBLED - 1, healthy, troubled)) {
                fires.add(rule);
            }
        }
        return fires;
    }

    /** Whether a rule fires at a scrape, in the view of Prometheus. */
    private boolean alerts(String rule, int at, Scrape healthy, Scrape troubled) throws Exception {
        List<String> test = new ArrayList<>(List.of("rule_files: ['%s']".formatted(RULES), "evaluation_interval: 15s",
                "tests:", "- interval: %ss".formatted(SCRAPE.toSeconds()), "  input_series:"));
        healthy.samples()
            .keySet()
            .forEach((name) -> test
                .add("  - {series: '%s', values: '%s'}".formatted(name, troubled.series(name, healthy))));
        test.addAll(List.of("  promql_expr_test:", "  - eval_time: %ss".formatted(SCRAPE.toSeconds() * at),
                "    expr: count(ALERTS{alertname=\"%s\", alertstate=\"firing\"}) or vector(0)".formatted(rule),
                "    exp_samples: [{labels: '{}', value: 1}]"));
        Path file = this.folder.resolve("test.yml");
        Files.write(file, test);
        Process promtool = new ProcessBuilder("promtool", "test", "rules", file.toString()).redirectErrorStream(true)
            .start();
        String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        boolean alerts = promtool.waitFor() == 0;
        assertThat(said).contains(alerts ? "SUCCESS" : "got: {} 0E+00");
        return alerts;
    }

    private static Set<String> rules() throws IOException {
        return Pattern.compile("alert: (\\w+)")
            .matcher(Files.readString(RULES))
            .results()
            .map((found) -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * What the application showed.
     *
     * @param nanos when
     * @param samples the values
     */
    private record Scrape(long nanos, Map<String, Double> samples) {

        /** A gauge jumps to its value, and a counter grows as fast as it did. */
        String series(String name, Scrape healthy) {
            double before = healthy.samples.get(name);
            double after = this.samples.get(name);
            if (!name.matches(".*_(total|sum|count)(\\{.*)?")) {
                return "%s+0x%s %s+0x%s".formatted(before, HEALTHY - 1, after, TROUBLED - 1);
            }
            double step = (after - before) / (this.nanos - healthy.nanos) * SCRAPE.toNanos();
            return "%s+0x%s %s+%sx%s".formatted(before, HEALTHY - 1, before + step, step, TROUBLED - 1);
        }

    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

    }

}
