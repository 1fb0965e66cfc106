package io.shardedid.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The metadata for native images names what this module reads from the class path.
 */
class NativeMetadataTest {

    private static final Path RESOURCES = Path.of("src/main/resources");

    private static final Path METADATA = RESOURCES
        .resolve("META-INF/native-image/io.shardedid/shardedid-database-ids/reachability-metadata.json");

    @Test
    void eachScriptIsInTheImage() throws IOException {
        assertThat(Files.readString(METADATA)).contains("{ \"glob\": \"io/shardedid/database/*.sql\" }");
        try (Stream<Path> files = Files.walk(RESOURCES)) {
            assertThat(files.filter((file) -> file.toString().endsWith(".sql"))).hasSize(4)
                .allSatisfy((file) -> assertThat(file.getParent()).endsWith(Path.of("io/shardedid/database")));
        }
    }

}
