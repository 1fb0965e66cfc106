package io.shardedid.spring.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.shardedid.ShardedIdEngine;
import io.shardedid.WorkerHolding;
import io.shardedid.spring.boot.ShardedIdAutoConfiguration;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sixty strangers who ask without a pause who holds which worker, an application on
 * PostgreSQL whose every answer takes a millisecond longer, and a lease that has to be
 * renewed meanwhile.
 */
@Tag("proof")
@Tag("nightly")
@DirtiesContext
@SpringBootTest(classes = EndpointFloodIT.Flooded.class, webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = { "management.endpoints.web.exposure.include=health,shardedid,metrics",
                "shardedid.worker.lease.window=20s", "shardedid.worker.lease.initialize-schema=always",
                "spring.jpa.hibernate.ddl-auto=none" })
class EndpointFloodIT {

    private static final Duration FLOOD = Duration.ofSeconds(18);

    private static final Duration HALF_A_WINDOW = Duration.ofSeconds(10);

    private static final int CALLERS = 60;

    private static EmbeddedPostgres server;

    private static LateAnswers proxy;

    private final HttpClient client = HttpClient.newHttpClient();

    @LocalServerPort
    private int port;

    @Autowired
    private ShardedIdEngine ids;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) throws IOException {
        server = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofSeconds(90)).start();
        proxy = new LateAnswers(server.getPort(), Duration.ofMillis(1));
        properties.add("spring.datasource.url",
                () -> "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(proxy.port()));
        properties.add("spring.datasource.username", () -> "postgres");
        properties.add("spring.datasource.password", () -> "");
    }

    @AfterAll
    static void stop() throws IOException {
        proxy.close();
        server.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ ShardedIdAutoConfiguration.class, Workers.class })
    static class Flooded {

    }

    /** What an application shows to everybody. */
    @RestController
    static class Workers {

        private final ShardedIdEngine ids;

        Workers(ShardedIdEngine ids) {
            this.ids = ids;
        }

        @GetMapping("/workers")
        List<Integer> workers() {
            return this.ids.workers().stream().map(WorkerHolding::worker).toList();
        }

    }

    @Test
    void leaseIsNeverBelowHalfAWindowHoweverManyAsk() throws Exception {
        List<String> paths = List.of("actuator/shardedid", "workers", "actuator/health",
                "actuator/metrics/shardedid.lease.remaining");
        AtomicLong answers = new AtomicLong();
        AtomicLong others = new AtomicLong();
        long end = System.nanoTime() + FLOOD.toNanos();
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        Duration least = this.ids.stats().leaseRemaining();
        try {
            List<Future<Void>> running = IntStream.range(0, CALLERS)
                .mapToObj((i) -> callers.submit(() -> ask(paths, end, answers, others)))
                .toList();
            while (System.nanoTime() - end < 0) {
                Duration left = this.ids.stats().leaseRemaining();
                least = (left.compareTo(least) < 0) ? left : least;
                this.ids.next(5);
                TimeUnit.MILLISECONDS.sleep(50);
            }
            for (Future<Void> each : running) {
                each.get(30, TimeUnit.SECONDS);
            }
        }
        finally {
            callers.shutdownNow();
        }

        System.out.printf("flood of the endpoint: callers=%s, answers=%,d, other than 200=%,d, least lease=%s%n",
                CALLERS, answers.get(), others.get(), least);
        assertThat(least).as("the lease while %s ask", CALLERS).isGreaterThan(HALF_A_WINDOW);
        assertThat(others).as("answers other than 200").hasValue(0);
        assertThat(answers).hasValueGreaterThan(1000);
    }

    /** Three of four ask who holds which worker. */
    private Void ask(List<String> paths, long end, AtomicLong answers, AtomicLong others) throws Exception {
        for (int i = 0; System.nanoTime() - end < 0; i++) {
            String path = paths.get((i % 4 < 3) ? i % 2 : 2 + i / 4 % 2);
            HttpRequest request = HttpRequest
                .newBuilder(URI.create("http://127.0.0.1:%s/%s".formatted(this.port, path)))
                .build();
            int status = this.client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            answers.incrementAndGet();
            if (status != 200) {
                others.incrementAndGet();
            }
        }
        return null;
    }

}
