package io.shardedid.validation;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotNull;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A null shard key that Bean Validation guards, which this application has. The sample
 * would take the entity for one of its own in its package.
 */
class NotNullKeyTest {

    @Test
    void nullKeyIsAViolationOfItsConstraint() {
        try (SessionFactory factory = new Configuration().addAnnotatedClass(Photo.class)
            .setProperty("hibernate.connection.url", "jdbc:h2:mem:not-null-key")
            .setProperty("hibernate.hbm2ddl.auto", "create-drop")
            .setProperty("shardedid.worker.mode", "fixed")
            .setProperty("shardedid.worker.id", "5")
            .buildSessionFactory()) {

            assertThatThrownBy(() -> factory.inTransaction((session) -> session.persist(new Photo()))).satisfiesAnyOf(
                    (thrown) -> assertThatViolated(thrown), (thrown) -> assertThatViolated(thrown.getCause()));
            assertThatThrownBy(() -> factory.inStatelessTransaction((session) -> session.insert(new Photo())))
                .satisfiesAnyOf((thrown) -> assertThatViolated(thrown),
                        (thrown) -> assertThatViolated(thrown.getCause()));
        }
    }

    private static void assertThatViolated(Throwable thrown) {
        assertThat(thrown).isInstanceOf(ConstraintViolationException.class).hasMessageContaining("userId");
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
