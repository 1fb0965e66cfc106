package photos;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application of Quarkus leases a worker, saves a row, ends, and starts again. */
class QuarkusIT {

    /** JSON has the id as a string. */
    private static final Pattern PHOTO = Pattern
        .compile("photo id=(\\d+) shard=(\\d+) worker=(\\d+) rows=(\\d+) json=\\{\"id\":\"\\1\",\"userId\":5711}");

    @TempDir
    Path logs;

    @Test
    void leasesAWorkerAtEachStartAndMakesLaterIds() throws Exception {
        int port = freePort();
        QuarkusStarts.assertLeases(PHOTO, (url) -> List.of("-Dquarkus.datasource.jdbc.url=" + url,
                "-Dquarkus.datasource.username=postgres", "-Dquarkus.http.port=" + port), this.logs);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

}
