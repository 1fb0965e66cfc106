package io.shardedid.reactive;

import io.shardedid.ShardedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.AnnotationException;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.reactive.provider.ReactiveServiceRegistryBuilder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Hibernate Reactive and Hibernate on one class path.
 */
class HibernateReactiveTest {

    private static void boot(StandardServiceRegistryBuilder builder) {
        StandardServiceRegistry registry = builder
            .applySetting("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect")
            .applySetting("hibernate.boot.allow_jdbc_metadata_access", "false")
            .applySetting("shardedid.worker.mode", "none")
            .build();
        try {
            new MetadataSources(registry).addAnnotatedClass(Note.class).buildMetadata().buildSessionFactory().close();
        }
        finally {
            StandardServiceRegistryBuilder.destroy(registry);
        }
    }

    @Test
    void reactiveSessionFactoryIsRefused() {
        assertThatExceptionOfType(AnnotationException.class)
            .isThrownBy(() -> boot(new ReactiveServiceRegistryBuilder().applySetting("hibernate.connection.url",
                    "jdbc:postgresql://127.0.0.1:1/none")))
            .withMessage(
                    "'@ShardedId' on '%s.id' cannot be used with Hibernate Reactive: an id may have to wait, which "
                            + "would stop the event loop; make it on a worker thread by ids.nextFor(key), and map it as a plain "
                            + "assigned id",
                    Note.class.getName());
    }

    @Test
    void plainSessionFactoryBesideItIsNot() {
        assertThatCode(() -> boot(new StandardServiceRegistryBuilder())).doesNotThrowAnyException();
    }

    @Entity
    static class Note {

        @Id
        @ShardedId(shardKey = "userId")
        Long id;

        long userId;

    }

}
