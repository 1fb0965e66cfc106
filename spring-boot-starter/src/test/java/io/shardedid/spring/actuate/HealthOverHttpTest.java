package io.shardedid.spring.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import io.shardedid.spring.feed.FeedApplication;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * At which paths health is told, and how much of it, as docs/operating.md says.
 */
@SpringBootTest(classes = FeedApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = { "shardedid.worker.mode=fixed", "shardedid.worker.id=12",
                "management.endpoint.health.group.ids.include=shardedid" })
@Tag("slow")
class HealthOverHttpTest {

    @Test
    void checkHasNoPathUnlessComponentsAreShown(@LocalServerPort int port) throws Exception {
        assertThat(get(port, "health").statusCode()).isEqualTo(200);
        assertThat(get(port, "health/shardedid").statusCode()).isEqualTo(404);
    }

    @Test
    void groupHasAPath(@LocalServerPort int port) throws Exception {
        assertThat(get(port, "health/ids").body()).isEqualTo("{\"status\":\"UP\"}");
    }

    @Nested
    @TestPropertySource(properties = "management.endpoint.health.show-components=always")
    class WithComponents {

        @Test
        void checkHasAPathWithoutDetails(@LocalServerPort int port) throws Exception {
            assertThat(get(port, "health/shardedid").body()).isEqualTo("{\"status\":\"UP\"}");
        }

    }

    @Nested
    @TestPropertySource(properties = "management.endpoint.health.show-details=always")
    class WithDetails {

        @Test
        void checkHasAPathWithDetails(@LocalServerPort int port) throws Exception {
            assertThat(get(port, "health/shardedid").body()).contains("\"status\":\"UP\"",
                    "\"details\":{\"mode\":\"fixed\",\"workerId\":12}");
        }

    }

    private static HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%s/actuator/%s".formatted(port, path))).build(),
                    BodyHandlers.ofString());
    }

}
