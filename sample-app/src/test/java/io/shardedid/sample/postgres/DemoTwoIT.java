package io.shardedid.sample.postgres;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes on a PostgreSQL of the sample's own, with chaos.
 */
@DirtiesContext
@ActiveProfiles({ "demo-two", "chaos" })
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = { "sample.demo-data=false", "sample.chaos.outage=3s" })
class DemoTwoIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcTemplate sql;

    private final HttpClient client = HttpClient.newHttpClient();

    @DynamicPropertySource
    static void secondPort(DynamicPropertyRegistry properties) throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            int port = free.getLocalPort();
            properties.add("sample.second-port", () -> port);
        }
    }

    @Test
    void twoInstancesHoldTwoWorkersAndNothingIsLostWhileTheServerStands() throws Exception {
        assertThat(this.sql.queryForObject("select version()", String.class)).startsWith("PostgreSQL");
        Awaitility.await()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(get("/actuator/shardedid")).contains("\"worker\":0", "\"worker\":1")
                .doesNotContain("\"owner\":\"\""));
        assertThat(post("/chaos/database")).isEqualTo(302);
        assertThat(get("/api/chaos")).contains("\"databaseStopped\":true");
        long stopped = acknowledged();
        // At most the row that was on its way when the server stopped.
        Awaitility.await()
            .during(Duration.ofSeconds(1))
            .atMost(Duration.ofSeconds(2))
            .until(() -> acknowledged() <= stopped + 1);
        assertThat(post("/chaos/database")).isEqualTo(409);
        Awaitility.await()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(get("/api/chaos")).contains("\"databaseStopped\":false"));
        long before = acknowledged();
        Awaitility.await().atMost(PATIENCE).until(() -> acknowledged() > before + 60);
        assertThat(get("/api/chaos")).contains("\"lost\":0,\"doubled\":0,\"backwards\":0");
    }

    private long acknowledged() throws Exception {
        return Long.parseLong(get("/api/chaos").replaceAll("(?s).*\"acknowledged\":(\\d+).*", "$1"));
    }

    private String get(String path) throws Exception {
        return this.client.send(request(path).build(), HttpResponse.BodyHandlers.ofString()).body();
    }

    private int post(String path) throws Exception {
        return this.client
            .send(request(path).POST(HttpRequest.BodyPublishers.noBody()).build(),
                    HttpResponse.BodyHandlers.discarding())
            .statusCode();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + this.port + path)).timeout(PATIENCE);
    }

}
