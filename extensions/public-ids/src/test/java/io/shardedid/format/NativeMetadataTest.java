package io.shardedid.format;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.shardedid.format.hibernate.PublicIdIntegrator;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The metadata for native images names what Hibernate makes by reflection. A native image
 * finds what {@code ServiceLoader} loads by itself.
 */
class NativeMetadataTest {

    private static final Path RESOURCES = Path.of("src/main/resources");

    private static final Path METADATA = RESOURCES
        .resolve("META-INF/native-image/io.shardedid/shardedid-public-ids/reachability-metadata.json");

    @Test
    void whatHibernateFindsAsAServiceCanBeFoundAndMade() throws IOException {
        String service = "META-INF/services/org.hibernate.integrator.spi.Integrator";
        String type = Files.readString(RESOURCES.resolve(service)).strip();

        assertThat(type).isEqualTo(PublicIdIntegrator.class.getName());
        assertThat(Files.readString(METADATA)).contains("{ \"glob\": \"" + service + "\" }",
                "\"type\": \"" + type + "\",\n      \"methods\": [ { \"name\": \"<init>\", \"parameterTypes\": [] } ]");
    }

    @Test
    void theKeysOfTheModuleAreInTheImage() throws IOException {
        assertThat(Files.readAllLines(RESOURCES.resolve("META-INF/shardedid/keys"))).containsExactly("shardedid.form",
                "shardedid.sealing.keys");
        assertThat(Files.readString(METADATA)).contains("{ \"glob\": \"META-INF/shardedid/keys\" }");
    }

}
