package io.shardedid.validation;

import io.shardedid.ShardKeyException;
import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.validation.constraints.NotNull;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A null shard key that Bean Validation guards, which this application has. The sample
 * would take the entity for one of its own in its package.
 */
class NotNullKeyTest {

    @Test
    void nullKeyIsRefusedAtPersist() {
        try (SessionFactory factory = new Configuration().addAnnotatedClass(Photo.class)
            .setProperty("hibernate.connection.url", "jdbc:h2:mem:not-null-key")
            .setProperty("hibernate.hbm2ddl.auto", "create-drop")
            .setProperty("shardedid.worker.mode", "fixed")
            .setProperty("shardedid.worker.id", "5")
            .buildSessionFactory()) {

            assertThatThrownBy(() -> factory.inTransaction((session) -> session.persist(new Photo())))
                .isInstanceOf(ShardKeyException.class)
                .hasMessageContaining("userId");
            assertThatThrownBy(() -> factory.inStatelessTransaction((session) -> session.insert(new Photo())))
                .isInstanceOf(ShardKeyException.class)
                .hasMessageContaining("userId");
        }
    }

    @Entity(name = "NotNullPhoto")
    static class Photo {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        @NotNull
        Long userId;

    }

}
