package io.shardedid.spring.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;

import io.shardedid.ShardedIdEngine;
import io.shardedid.spring.feed.FeedApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the actuator answers to a client, through a server and its sockets.
 */
@SpringBootTest(classes = FeedApplication.class, webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = { "management.endpoints.web.exposure.include=health,shardedid", "shardedid.worker.mode=fixed",
                "shardedid.worker.id=11", "shardedid.clock.max-ahead=10ms" })
class EndpointOverHttpTest {

    private final HttpClient client = HttpClient.newHttpClient();

    @LocalServerPort
    private int port;

    @Autowired
    private ShardedIdEngine ids;

    @Test
    void endpointShowsTheEngine() throws Exception {
        JsonNode engine = json(send("GET", "shardedid"));

        assertThat(engine.at("/layout/lastUsableInstant").asString()).isEqualTo("2059-11-04T19:53:47.775Z");
        assertThat(engine.at("/layout/fields").asString()).isEqualTo("time 40, shard 11, worker 7, sequence 5");
        assertThat(engine.at("/shards").asInt()).isEqualTo(2000);
        assertThat(engine.at("/workers/0/workerId").asInt()).isEqualTo(11);
        assertThat(engine.at("/workers/0/mine").asBoolean()).isTrue();
    }

    @Test
    void endpointTakesAnIdApart() throws Exception {
        long tick = this.ids.layout().tickAt(Instant.parse("2026-11-21T10:14:30Z"));
        long id = this.ids.layout().compose(tick, 1341, 5, 1);

        assertThat(json(send("GET", "shardedid/" + id)).toString()).isEqualTo(
                "{\"id\":\"%s\",\"instant\":\"2026-11-21T10:14:30Z\",\"shard\":1341,\"workerId\":5,".formatted(id)
                        + "\"sequence\":1,\"older\":false,\"problems\":[]}");
    }

    @ParameterizedTest
    @ValueSource(strings = { "12a", "-1", "9223372036854775808", "1.5", "%31%20" })
    void endpointAnswers400ToWhatIsNoId(String id) throws Exception {
        assertThat(send("GET", "shardedid/" + id).statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = { "POST", "PUT", "PATCH", "DELETE" })
    void endpointOnlyReads(String method) throws Exception {
        assertThat(send(method, "shardedid").statusCode()).isEqualTo(405);
        assertThat(send(method, "shardedid/1").statusCode()).isEqualTo(405);
        assertThat(this.ids.stats().issued()).isZero();
    }

    @Test
    void whatIsNotExposedIsNotThere() throws Exception {
        assertThat(send("GET", "metrics").statusCode()).isEqualTo(404);
    }

    private HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        return this.client
            .send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%s/actuator/%s".formatted(this.port, path)))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build(), HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode json(HttpResponse<String> answer) throws Exception {
        assertThat(answer.statusCode()).isEqualTo(200);
        return new JsonMapper().readTree(answer.body());
    }

}
