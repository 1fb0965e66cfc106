package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIdEngine;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceConfiguration;
import org.hibernate.SessionFactory;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application without Spring and without {@code persistence.xml}: a configuration in
 * Java, which there is from Hibernate 7.0 (Jakarta Persistence 3.2) on.
 */
class PersistenceConfigurationTest {

    @Test
    void hibernatePersistenceConfiguration() {
        opensItsOwnEngineAndClosesIt(new HibernatePersistenceConfiguration("by-hibernate"));
    }

    @Test
    void jakartaPersistenceConfiguration() {
        opensItsOwnEngineAndClosesIt(new PersistenceConfiguration("by-jakarta"));
    }

    private static void opensItsOwnEngineAndClosesIt(PersistenceConfiguration configuration) {
        configuration.managedClass(User.class)
            .property("jakarta.persistence.jdbc.url", "jdbc:h2:mem:" + configuration.name())
            .property("jakarta.persistence.schema-generation.database.action", "create")
            .property("shardedid.worker.mode", "fixed")
            .property("shardedid.worker.id", "22")
            .property("shardedid.clock.max-ahead", "10ms")
            .property("shardedid.shards", "100");
        ShardedIdEngine ids;
        try (EntityManagerFactory factory = configuration.createEntityManagerFactory()) {
            SessionFactory sessions = factory.unwrap(SessionFactory.class);
            ids = ShardedIdService.idsOf(sessions);
            User user = new User();
            user.login = 1_234;
            sessions.inTransaction((session) -> session.persist(user));
            assertThat(ids.shardOf(user.id)).isEqualTo(34);
            assertThat(ids.layout().workerOf(user.id)).isEqualTo(22);
        }
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(ids::next);
    }

    @Entity(name = "ConfiguredUser")
    static class User {

        @Id
        @ShardedId(shardKey = "login")
        Long id;

        long login;

    }

}
