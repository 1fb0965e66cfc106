package io.shardedid.hibernate;

import java.util.Map;

import io.shardedid.PublicId;
import io.shardedid.PublicIdForm;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.config.ShardedIdSettings;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Ids are to have another form, and the module that writes it is not on the class path:
 * the number would leave.
 */
class MissingPublicIdsTest {

    @Test
    void refusesAnEntityWhoseIdsHaveAnotherForm() {
        refused(Photo.class, Photo.class);
        refused(Print.class, Framed.class);
        refused(Plain.class, Plain.class);
    }

    @ParameterizedTest
    @CsvSource({ "shardedid.form, sealed", "shardedid.form, decimal", "shardedid.sealing.keys, s3cret" })
    void refusesItsKeys(String key, String value) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> ShardedIdSettings.from(Map.of(key, value)))
            .withMessage("Configuration keys of 'shardedid-public-ids', which is not on the class path: '" + key
                    + "'; add that artifact, or remove the keys")
            .satisfies((ex) -> assertThat(ex.problem().keys()).containsExactly(key));
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> TestUnit.of(Map.of(key, value, "shardedid.worker.mode", "none"), Numbered.class).close())
            .withMessageStartingWith("Configuration keys of 'shardedid-public-ids'");
    }

    /** Each artifact is named alone. */
    @Test
    void namesOneMissingModuleAtATime() {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(
                    () -> ShardedIdSettings.from(Map.of("shardedid.form", "base62", "shardedid.databases.a.url", "x")))
            .withMessage("Configuration keys of 'shardedid-routing', which is not on the class path: "
                    + "'shardedid.databases.a.url'; add that artifact, or remove the keys");
    }

    private static void refused(Class<?> entity, Class<?> annotated) {
        assertThatExceptionOfType(ShardedIdConfigurationException.class)
            .isThrownBy(() -> TestUnit.of(Map.of("shardedid.worker.mode", "none"), entity).close())
            .withMessage(
                    "'@PublicId' on '" + annotated.getName() + "' needs an artifact that is not on the class path: "
                            + "artifact=shardedid-public-ids (ids would leave as numbers); add "
                            + "'io.shardedid:shardedid-public-ids', or remove the annotation");
    }

    @Entity(name = "Photo")
    @PublicId(prefix = "pho_", form = PublicIdForm.SEALED)
    static class Photo {

        @Id
        @ShardedId
        Long id;

    }

    @MappedSuperclass
    @PublicId(form = PublicIdForm.CROCKFORD)
    static class Framed {

    }

    @Entity(name = "Print")
    static class Print extends Framed {

        @Id
        @ShardedId
        Long id;

    }

    /** Another class may hold its ids by '@JsonShardedId'. */
    @Entity(name = "Plain")
    @PublicId
    static class Plain {

        @Id
        Long id;

    }

    @Entity(name = "Numbered")
    static class Numbered {

        @Id
        @ShardedId
        Long id;

    }

}
