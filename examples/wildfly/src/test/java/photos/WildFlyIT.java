package photos;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.shardedid.IdLayout;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server deploys the application, which makes ids, reads them and gives the lease back.
 */
class WildFlyIT {

    /** Of HTTP, without an offset. */
    private static final int HTTP = 8080;

    private static final Pattern PHOTO = Pattern.compile("\\{\"id\":\"(\\d+)\",\"userId\":5711}");

    private static final Path SERVER = Path.of(System.getProperty("wildfly"));

    private static final Path LOG = SERVER.resolve("standalone/log/server.log");

    @Test
    void makesAndReadsIds() throws Exception {
        Files.copy(Path.of(System.getProperty("war")), SERVER.resolve("standalone/deployments/photos.war"),
                StandardCopyOption.REPLACE_EXISTING);
        Files.deleteIfExists(LOG);
        int offset = freePort() % 10_000 + 20_000;
        Process server = new ProcessBuilder("sh", SERVER.resolve("bin/standalone.sh").toString(),
                "-Djboss.socket.binding.port-offset=" + offset)
            .redirectErrorStream(true)
            .redirectOutput(SERVER.resolve("output").toFile())
            .start();
        try {
            URI photos = URI.create("http://127.0.0.1:%s/photos/photos".formatted(HTTP + offset));
            await(server, "WFLYSRV0025");
            Matcher first = photo(send("POST", URI.create(photos + "?user=5711")));
            Matcher second = photo(send("POST", URI.create(photos + "?user=5711")));

            assertThat(IdLayout.standard().shardOf(Long.parseLong(first.group(1)))).isEqualTo(5711 % 2000);
            assertThat(Long.parseLong(second.group(1))).isGreaterThan(Long.parseLong(first.group(1)));
            assertThat(send("GET", URI.create(photos + "/1711")))
                .isEqualTo("[%s,%s]".formatted(second.group(), first.group()));
        }
        finally {
            server.descendants().forEach(ProcessHandle::destroy);
            assertThat(server.waitFor(60, TimeUnit.SECONDS)).as("the server has ended").isTrue();
        }
        assertThat(Files.readString(LOG)).contains("io.shardedid", "Worker id 0").doesNotContain(" ERROR ");
    }

    private static void await(Process server, String started) throws IOException, InterruptedException {
        long end = System.nanoTime() + Duration.ofMinutes(3).toNanos();
        while (!Files.exists(LOG) || !Files.readString(LOG).contains(started)) {
            assertThat(server.isAlive() && System.nanoTime() < end).as("the server has started").isTrue();
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    private static String send(String method, URI uri) throws IOException, InterruptedException {
        HttpResponse<String> answer = HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build(),
                    HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    private static Matcher photo(String json) {
        Matcher photo = PHOTO.matcher(json);
        assertThat(photo.matches()).as(json).isTrue();
        return photo;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

}
