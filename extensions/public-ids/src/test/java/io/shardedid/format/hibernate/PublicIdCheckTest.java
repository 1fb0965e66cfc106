package io.shardedid.format.hibernate;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.shardedid.PublicId;
import io.shardedid.ShardedId;
import io.shardedid.ShardedIdConfigurationException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.ShardedIds;
import io.shardedid.config.ShardedIdSettings;
import io.shardedid.WorkerLeases;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.shardedid.PublicIdForm.CROCKFORD;
import static io.shardedid.PublicIdForm.SEALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Forms of ids that cannot be, which end the start and not the first request.
 */
@Tag("slow")
class PublicIdCheckTest {

    private static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private static final Map<String, String> ALL_SEALED = Map.of("shardedid.form", "sealed", "shardedid.sealing.keys",
            KEY);

    private static final String HERE = PublicIdCheckTest.class.getName() + "$";

    @Test
    void sealedEntityWithoutAKey() {
        refused("Ids of 'HERE.Hidden' are sealed, and no key is set: shardedid.sealing.keys=null (at least 1); make a key "
                + "with 'openssl rand -base64 32', and set 'shardedid.sealing.keys'", Map.of(), Hidden.class);
    }

    @Test
    void sealedIdThatIsNoNumber() {
        refused("Attribute 'id' of 'HERE.Worded' cannot be sealed: type=java.lang.String (long or Long, because one block "
                + "has no room for more and a tag); set '@PublicId(form = DECIMAL)' on the entity, which leaves its ids "
                + "as they are", ALL_SEALED, Worded.class);
    }

    @Test
    void twoEntitiesWithOneTag() {
        refused("Ids of 'HERE.Hidden' and 'HERE.Namesake' are sealed with the same tag: tag='Hidden'; set "
                + "'@PublicId(form = SEALED, tag = …)' on one of them", ALL_SEALED, Hidden.class, Namesake.class);
    }

    @Test
    void numbersInJsonBesideAnotherForm() {
        refused("'shardedid.json.as-string' must not be false where ids have another form than decimal: "
                + "shardedid.json.as-string=false, entity='HERE.Lettered'; remove the key",
                Map.of("shardedid.json.as-string", "false"), Lettered.class);
    }

    @Test
    void settingsOfWhoeverManagesTheUnitCount() {
        try (ShardedIdEngine ids = ShardedIds.builder().workers(WorkerLeases.fixed(1)).open()) {
            Map<String, Object> managed = Map.of(ShardedIdSettings.ENGINE, ids, ShardedIdSettings.MANAGED,
                    ShardedIdSettings.from(ALL_SEALED));
            assertThatExceptionOfType(ShardedIdConfigurationException.class)
                .isThrownBy(() -> unit(managed, Worded.class).close())
                .withMessageStartingWith("Attribute 'id' of '" + HERE + "Worded' cannot be sealed");
            try (SessionFactory unit = unit(managed, Hidden.class, Lettered.class)) {
                Hidden row = new Hidden();
                unit.inTransaction((session) -> session.persist(row));
                assertThat(row.id).as("the column holds the number").isPositive();
            }
        }
    }

    private static void refused(String message, Map<String, String> settings, Class<?>... entities) {
        Map<String, String> unit = new HashMap<>(settings);
        unit.put("shardedid.worker.mode", "none");
        assertThatExceptionOfType(ShardedIdConfigurationException.class).isThrownBy(() -> unit(unit, entities).close())
            .withMessage(message.replace("HERE.", HERE));
    }

    /** Uses only what all lines of Hibernate have in common. */
    private static SessionFactory unit(Map<String, ?> settings, Class<?>... entities) {
        StandardServiceRegistry registry = new StandardServiceRegistryBuilder()
            .applySetting("hibernate.connection.url", "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1")
            .applySetting("hibernate.hbm2ddl.auto", "create")
            .applySettings(new HashMap<>(settings))
            .build();
        try {
            MetadataSources sources = new MetadataSources(registry);
            List.of(entities).forEach(sources::addAnnotatedClass);
            return sources.buildMetadata().buildSessionFactory();
        }
        catch (RuntimeException ex) {
            StandardServiceRegistryBuilder.destroy(registry);
            throw ex;
        }
    }

    @Entity(name = "Hidden")
    @PublicId(prefix = "hid_", form = SEALED)
    static class Hidden {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "Namesake")
    @PublicId(tag = "Hidden")
    static class Namesake {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "Lettered")
    @PublicId(form = CROCKFORD)
    static class Lettered {

        @Id
        @ShardedId
        Long id;

    }

    @Entity(name = "Worded")
    static class Worded {

        @Id
        @ShardedId
        String id;

    }

}
