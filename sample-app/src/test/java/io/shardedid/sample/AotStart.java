package io.shardedid.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The jar with what Spring computed ahead of time, started by it. Profile {@code proof}
 * runs this, since only there the jar carries that.
 */
@Tag("proof")
class AotStart {

    private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+)");

    private final List<String> log = new ArrayList<>();

    private Process process;

    @AfterEach
    void stop() throws InterruptedException {
        this.process.destroy();
        if (!this.process.waitFor(20, TimeUnit.SECONDS)) {
            this.process.destroyForcibly();
        }
    }

    @Test
    void servesPagesWithIdsOfALease() throws Exception {
        this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dspring.aot.enabled=true", "-jar", System.getProperty("sample.jar"), "--server.port=0",
                "--spring.main.banner-mode=off")
            .redirectErrorStream(true)
            .start();
        int port = port();

        String feed = get(port, "/");

        assertThat(this.log).anyMatch((line) -> line.contains("Starting AOT-processed SampleApplication"))
            .anyMatch((line) -> line.contains("Sharded ids: ") && line.endsWith("(leased)"));
        Matcher photo = Pattern.compile("/photos/(\\d{15,19})").matcher(feed);
        assertThat(photo.find()).as("a photo in the feed:%n%s", feed).isTrue();
        assertThat(get(port, "/actuator/shardedid/" + photo.group(1))).contains("\"older\":false", "\"problems\":[]");
    }

    /** Reads on until the server listens. */
    private int port() throws IOException {
        BufferedReader lines = this.process.inputReader();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            this.log.add(line);
            Matcher started = STARTED.matcher(line);
            if (started.find()) {
                readOn(lines);
                return Integer.parseInt(started.group(1));
            }
        }
        throw new IllegalStateException("ended before it listened:\n" + String.join("\n", this.log));
    }

    /** Who prints into a pipe that nobody empties stands still at last. */
    private static void readOn(BufferedReader lines) {
        Thread reader = new Thread(() -> lines.lines().forEach((line) -> {
        }), "log");
        reader.setDaemon(true);
        reader.start();
    }

    private static String get(int port, String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%s%s".formatted(port, path))).build(),
                    HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        return answer.body();
    }

}
