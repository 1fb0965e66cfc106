package io.shardedid.sample;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The limit on bytes, which the server itself holds: no mock knows it.
 */
@SampleTest
@Tag("slow")
class UploadLimitTest {

    private static final String DETAIL = "A file must have at most 64KB; choose a smaller one.";

    private final HttpClient client = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

    @LocalServerPort
    private int port;

    @BeforeEach
    void signUp() throws Exception {
        HttpRequest signUp = HttpRequest.newBuilder(uri("/api/users"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"name\": \"" + UUID.randomUUID() + "\"}"))
            .build();
        assertThat(this.client.send(signUp, BodyHandlers.ofString()).statusCode()).isEqualTo(201);
    }

    @Test
    void aFileThatIsTooLargeIsAReadable413() throws Exception {
        HttpResponse<String> page = upload("/photos", SampleImages.noisyPng(200));
        assertThat(page.statusCode()).isEqualTo(413);
        assertThat(page.headers().firstValue("Content-Type"))
            .hasValueSatisfying((type) -> assertThat(type).startsWith("text/html"));
        assertThat(page.body()).contains("<p class=\"status\">413</p>", DETAIL);
    }

    @Test
    void aFileThatIsTooLargeIsAProblemDetail() throws Exception {
        HttpResponse<String> problem = upload("/api/photos", SampleImages.noisyPng(200));
        assertThat(problem.statusCode()).isEqualTo(413);
        assertThat(problem.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(problem.body()).contains(DETAIL);
    }

    @Test
    void aRequestLargerThanTheWholeLimitIsAnsweredToo() throws Exception {
        assertThat(upload("/api/photos", new byte[12 * 1024 * 1024]).statusCode()).isEqualTo(413);
    }

    @Test
    void aFileWithinTheLimitIsTaken() throws Exception {
        assertThat(upload("/api/photos", SampleImages.noisyPng(100)).statusCode()).isEqualTo(201);
    }

    private HttpResponse<String> upload(String path, byte[] file) throws IOException, InterruptedException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes("--cut\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.png\"\r\n\r\n"
            .getBytes(StandardCharsets.US_ASCII));
        body.writeBytes(file);
        body.writeBytes("\r\n--cut--\r\n".getBytes(StandardCharsets.US_ASCII));
        HttpRequest request = HttpRequest.newBuilder(uri(path))
            .header("Content-Type", "multipart/form-data; boundary=cut")
            .POST(BodyPublishers.ofByteArray(body.toByteArray()))
            .build();
        return this.client.send(request, BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + this.port + path);
    }

}
