package io.shardedid.sample.postgres;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
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
@Tag("proof")
@DirtiesContext
@ActiveProfiles({ "demo-two", "chaos" })
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = { "sample.demo-data=false", "sample.chaos.outage=3s" })
class DemoTwoIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @LocalServerPort
    private int port;

    @Value("${sample.second-port}")
    private int secondPort;

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
        Awaitility.await("no row while the server stands")
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
        assertThat(cookieOfANewcomer(this.port)).startsWith("JSESSIONID_0=");
        Awaitility.await("the port of the second instance")
            .atMost(PATIENCE)
            .ignoreExceptionsInstanceOf(IOException.class)
            .untilAsserted(() -> assertThat(cookieOfANewcomer(this.secondPort))
                .startsWith("JSESSIONID_" + this.secondPort + "="));
    }

    /** With all profiles at once; each alone could only show less. */
    @Test
    void noProfileShowsOperatorsMoreThanIsNamed() throws Exception {
        assertThat(Pattern.compile("\"([a-z-]+)\":\\{\"href", Pattern.CASE_INSENSITIVE)
            .matcher(get("/actuator"))
            .results()
            .map((link) -> link.group(1))).containsExactlyInAnyOrder("self", "health", "health-path", "metrics",
                    "metrics-requiredMetricName", "shardedid", "shardedid-id");
        assertThat(get("/actuator/health")).contains("\"status\":").doesNotContain("\"components\"", "\"details\"");
        assertThat(get("/h2-console")).contains("<p class=\"status\">404</p>");
    }

    private String cookieOfANewcomer(int instance) throws Exception {
        HttpRequest signUp = HttpRequest.newBuilder(URI.create("http://localhost:" + instance + "/sign-up"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .timeout(PATIENCE)
            .POST(HttpRequest.BodyPublishers.ofString("name=Newcomer"))
            .build();
        return this.client.send(signUp, HttpResponse.BodyHandlers.discarding())
            .headers()
            .firstValue("Set-Cookie")
            .orElse("no cookie");
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
