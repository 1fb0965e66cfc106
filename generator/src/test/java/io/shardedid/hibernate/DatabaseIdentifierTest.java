package io.shardedid.hibernate;

import java.util.Map;
import java.util.UUID;

import io.shardedid.ShardedId;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Test;

import static io.shardedid.IdStrategy.DATABASE;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Attributes that no module lets the database make.
 */
class DatabaseIdentifierTest {

    private static final String HERE = DatabaseIdentifierTest.class.getName() + "$";

    private static void refused(String message, Class<?> entity) {
        assertThatExceptionOfType(ShardedIdMappingException.class)
            .isThrownBy(() -> TestUnit.of(Map.of("shardedid.worker.mode", "none"), entity).close())
            .withMessage("'@ShardedId(strategy = DATABASE)' on '" + HERE + message);
    }

    @Test
    void namesTheArtifactThatIsMissing() {
        refused("Keyless.id' needs an artifact that is not on the class path; add 'io.shardedid:shardedid-database-ids', "
                + "or use strategy APPLICATION", Keyless.class);
    }

    @Test
    void refusesAPartOfTheIdentifier() {
        refused("OfParts.number' must be on an identifier that is one attribute; use strategy APPLICATION",
                OfParts.class);
    }

    @Test
    void refusesAnAttributeBesideTheIdentifier() {
        refused("Beside.publicId' must be on an identifier that is one attribute; use strategy APPLICATION",
                Beside.class);
    }

    @Entity(name = "Keyless")
    static class Keyless {

        @Id
        @ShardedId(strategy = DATABASE)
        Long id;

    }

    @Embeddable
    static class TwoParts {

        @ShardedId(strategy = DATABASE)
        Long number;

        Long other;

    }

    @Entity(name = "OfParts")
    static class OfParts {

        @EmbeddedId
        TwoParts id;

    }

    @Entity(name = "Beside")
    static class Beside {

        @Id
        UUID id;

        @ShardedId(strategy = DATABASE)
        Long publicId;

    }

}
