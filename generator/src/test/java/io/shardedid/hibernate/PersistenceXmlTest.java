package io.shardedid.hibernate;

import io.shardedid.ShardedId;
import io.shardedid.ShardedIdException;
import io.shardedid.ShardedIdEngine;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Persistence;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application without Spring: all it has is {@code persistence.xml}.
 */
class PersistenceXmlTest {

    @Test
    void opensItsOwnEngineAndClosesIt() {
        ShardedIdEngine ids;
        EntityManagerFactory factory = Persistence.createEntityManagerFactory("without-spring");
        try (factory) {
            ids = ShardedIdService.idsOf(factory.unwrap(SessionFactory.class));
            assertThat(ids.shards()).isEqualTo(100);
            User user = new User();
            user.login = 1_234;
            factory.unwrap(SessionFactory.class).inTransaction((session) -> session.persist(user));
            assertThat(ids.shardOf(user.id)).isEqualTo(34);
            assertThat(ids.layout().workerOf(user.id)).isEqualTo(22);
        }
        assertThatExceptionOfType(ShardedIdException.class).isThrownBy(ids::next);
    }

    @Entity(name = "Users")
    static class User {

        @Id
        @ShardedId(shardKey = "login")
        Long id;

        long login;

    }

}
