package photos;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application of Quarkus with reactive Panache leases a worker, saves a row, is
 * refused where an id would wait, ends, and starts again.
 */
class QuarkusReactiveIT {

    /** JSON has the id as a string. */
    private static final Pattern PHOTO = Pattern
        .compile("photo id=(\\d+) shard=(\\d+) worker=(\\d+) rows=(\\d+) json=\\{\"id\":\"\\1\",\"userId\":5711}"
                + "\\R+refused retryable=true");

    @TempDir
    Path logs;

    @Test
    void leasesAWorkerAtEachStartAndMakesLaterIds() throws Exception {
        QuarkusStarts.assertLeases(PHOTO,
                (url) -> List.of("-Dquarkus.datasource.jdbc.url=" + url,
                        "-Dquarkus.datasource.reactive.url=" + url.replace("jdbc:", "").replaceFirst("\\?.*", ""),
                        "-Dquarkus.datasource.username=postgres"),
                this.logs);
    }

}
