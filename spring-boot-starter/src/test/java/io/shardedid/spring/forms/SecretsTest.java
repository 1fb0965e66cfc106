package io.shardedid.spring.forms;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an application tells that lets its endpoints and errors show everything.
 */
@SpringBootTest(classes = FormsApplication.class, webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = { "shardedid.worker.mode=fixed", "shardedid.worker.id=1",
                "shardedid.sealing.keys=" + SecretsTest.KEY + ", " + SecretsTest.OTHER_KEY,
                "my.command-line=java -jar app.jar --shardedid.sealing.keys=" + SecretsTest.KEY,
                "shardedid.worker.lease.password=s3cret-pw", "shardedid.worker.lease.url=" + SecretsTest.URL,
                "my.own-variable=s3cret-pw",
                "my.lease-line=java -jar app.jar --shardedid.worker.lease.password=s3cret-pw --server.port=1",
                "my.lease-json={\"shardedid\":{\"worker\":{\"id\":1,\"lease\":{\"url\":\"jdbc:mysql:\\\\/\\\\/db\\\\/ids?user=i&password=s3cret-url\"}}}}",
                "my.other-line=java -jar app.jar --shop.title=s3cret-pw", "management.endpoints.web.exposure.include=*",
                "management.endpoint.env.show-values=always", "management.endpoint.configprops.show-values=always",
                "server.error.include-message=always", "spring.web.error.include-message=always",
                "server.error.include-binding-errors=always", "spring.web.error.include-binding-errors=always",
                "logging.level.io.shardedid=trace" })
@ExtendWith(OutputCaptureExtension.class)
class SecretsTest {

    static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    static final String OTHER_KEY = "EBESExQVFhcYGRobHB0eHw==";

    static final String URL = "jdbc:mysql://db/ids?user=i&password=s3cret-url";

    private static final String[] SECRETS = { KEY.substring(0, 8), OTHER_KEY.substring(0, 8), "s3cret-url",
            "password=s3cret-pw", "\"value\":\"s3cret-pw\"" };

    @LocalServerPort
    private int port;

    @ParameterizedTest
    @ValueSource(strings = { "env", "env/shardedid.sealing.keys", "env/my.command-line", "env/my.own-variable",
            "env/my.lease-line", "env/my.lease-json", "configprops", "configprops/shardedid", "beans", "conditions",
            "shardedid", "health" })
    void noEndpointShowsAKey(String endpoint) throws Exception {
        HttpResponse<String> answer = send("/actuator/" + endpoint);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).doesNotContain(SECRETS);
    }

    /** The test before would also pass if the endpoints showed no values at all. */
    @Test
    void endpointsShowTheOtherValues() throws Exception {
        assertThat(send("/actuator/env/shardedid.worker.id").body()).contains("\"value\":\"1\"");
        assertThat(send("/actuator/env/my.other-line").body()).contains("--shop.title=s3cret-pw");
        assertThat(send("/actuator/env/shardedid.sealing.keys").body()).contains("\"value\":\"******\"");
        assertThat(send("/actuator/configprops/shardedid").body()).contains("\"mode\":\"FIXED\"",
                "\"keys\":[\"******\"");
    }

    @Test
    void errorPageOfABadIdNamesNoKey(CapturedOutput output) throws Exception {
        HttpResponse<String> answer = send("/snapshots/sna_0000000000000000000000");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("\"status\":400").doesNotContain("sealed", "keys").doesNotContain(SECRETS);
        assertThat(output).contains("it must be 'sna_' and 22 characters that were sealed for 'Snapshot', keys=2")
            .doesNotContain(SECRETS);
    }

    private HttpResponse<String> send(String path) throws Exception {
        return HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + path)).build(),
                    HttpResponse.BodyHandlers.ofString());
    }

}
