package io.shardedid.hibernate;

import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIdEngine;
import io.shardedid.hibernate.ScalarModel.Like;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceConfiguration;
import org.hibernate.SessionFactory;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application without Spring and without {@code persistence.xml}: a configuration in
 * Java, which there is from Hibernate 7.0 (Jakarta Persistence 3.2) on.
 */
@Tag("slow")
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
        configuration.managedClass(Like.class)
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
            Like like = new Like(1_234L);
            sessions.inTransaction((session) -> session.persist(like));
            assertThat(ids.shardOf(like.id)).isEqualTo(34);
            assertThat(ids.layout().workerOf(like.id)).isEqualTo(22);
        }
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(ids::next);
    }

}
