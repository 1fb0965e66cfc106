package io.shardedid.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The metadata for native images names what this module makes by reflection, wraps, and
 * reads from the class path.
 */
class NativeMetadataTest {

    private static final Path RESOURCES = Path.of("src/main/resources");

    private static final Path METADATA = RESOURCES
        .resolve("META-INF/native-image/io.shardedid/shardedid-database-ids/reachability-metadata.json");

    @Test
    void whatHibernateFindsAsAServiceCanBeFoundAndMade() throws IOException {
        String service = "META-INF/services/org.hibernate.boot.spi.AdditionalMappingContributor";
        String type = Files.readString(RESOURCES.resolve(service)).strip();

        assertThat(type).isEqualTo(IdTriggerContributor.class.getName());
        assertThat(Files.readString(METADATA)).contains("{ \"glob\": \"" + service + "\" }",
                "\"type\": \"" + type + "\",\n      \"methods\": [ { \"name\": \"<init>\", \"parameterTypes\": [] } ]");
    }

    @Test
    void whatIsNamedExists() throws IOException {
        List<String> names = Pattern.compile("\"(?:type|typeReached)\": \"([^\"]+)\"|\"proxy\": \\[ \"([^\"]+)\" ]")
            .matcher(Files.readString(METADATA))
            .results()
            .map((name) -> (name.group(1) != null) ? name.group(1) : name.group(2))
            .toList();

        assertThat(names).contains("org.hibernate.mapping.BasicValue", "org.hibernate.mapping.GeneratorCreator")
            .allSatisfy((name) -> assertThat(Class.forName(name)).isNotNull());
    }

    @Test
    void eachScriptIsInTheImage() throws IOException {
        assertThat(Files.readString(METADATA)).contains("{ \"glob\": \"io/shardedid/database/*.sql\" }");
        try (Stream<Path> files = Files.walk(RESOURCES)) {
            assertThat(files.filter((file) -> file.toString().endsWith(".sql"))).hasSize(4)
                .allSatisfy((file) -> assertThat(file.getParent()).endsWith(Path.of("io/shardedid/database")));
        }
    }

}
